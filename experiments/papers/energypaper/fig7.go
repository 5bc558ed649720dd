package energypaper

import (
	"fmt"

	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// fig7 returns Fig. 7: labels made from a principal component.
func fig7() *study.Experiment {
	return &study.Experiment{
		ID: "energy/fig7", Paper: "energy", Figure: "Fig. 7",
		Title: "Labels made from a principal component of the patches",
		About: profilesAbout + trainingAbout + " The images are labelled by the magnitude of their mean patch's " +
			"projection onto one principal component: the tenth of them with the largest is the first class, and so " +
			"on. A spike is by how many standard deviations the ratio of the profile to that of random labels is " +
			"larger at this component than elsewhere. Each network is compared with the one that learned random " +
			"labels; so is, as the paper's point of comparison, the one that learned the true ones. All have 40 " +
			"epochs at scale small.",
		Claims: []study.Claim{
			alikeClaim("true", "Under the images' true labels the profile is that of random labels.",
				".9 ± .02", .9),
			spike.Claim("A label that is correlated with a component makes the first layer learn it: the "+
				"profile has a spike there.",
				"picture", study.AtLeast(2)),
			spikeDrop.Claim("The correlation with the profile of random labels decreases: by how much at most.",
				".9 to −.24", study.AtLeast(.3)),
			spikeLowest.Claim("It becomes as low as −.24 ± .02, depending on the component.",
				"−.24 ± .02", study.AtMost(0)),
			partialClaim("true", "True and random labels share more than the spectrum of the patches: "+
				"partial correlation."),
			partial.Of("pc").Claim("Beyond the spectrum too: the mean partial correlation of labels by "+
				"components and random ones, to be held against that of true ones.",
				"not asked by the paper", study.AtMost(.5)),
		},
		Specs: map[study.Scale]study.Spec{
			study.Smoke: compareComponents(smokeEnergy, smokeNet(""), 3, 10, 2, 5),
			study.Small: compareComponents(longSmallEnergy(), smallVGG("", "vgg11_bn", "cifar10"), 0, 200, 2, 5, 10,
				15),
			study.PaperScale: compareComponents(paperEnergy, plainVGG("", "vgg11_bn", "cifar10"), 0, 200,
				1, 2, 3, 5, 8, 10, 12, 15, 18, 20, 25),
		},
	}
}

// compareComponents returns the spec that trains a network under true labels, under random ones for
// a number of epochs, and under labels made from components.
func compareComponents(e setups.EnergyTraining, n setups.EnergyNetwork, epochs, draws int,
	components ...int) *ProfilesSpec {
	s := &ProfilesSpec{Training: e, Draws: draws}
	random := withRandomLabels(n, epochs)
	random.Name, n.Name = "random", "true"
	s.Networks = append(s.Networks, random, n)
	s.Pairs = append(s.Pairs, newPair("true", n.Name, random.Name))
	for _, k := range components {
		n.Name, n.Labels = fmt.Sprintf("by component %d", k), fmt.Sprintf("pc:%d", k)
		s.Networks = append(s.Networks, n)
		s.Pairs = append(s.Pairs, newPair("pc", n.Name, random.Name).onPanel(fmt.Sprintf("component-%d", k)))
	}
	return s
}
