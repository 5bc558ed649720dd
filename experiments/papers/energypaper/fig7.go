package energypaper

import (
	"fmt"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// The groups of networks whose labels are made from a component: by the magnitude of the projection, as in the paper's
// text, or by its value.
const (
	byMagnitude = "pc"
	bySigned    = "signed"
)

// fig7 returns Fig. 7: labels made from a principal component.
func fig7() *study.Experiment {
	return &study.Experiment{
		ID: "energy/fig7", Paper: "energy", Figure: "Fig. 7",
		Title: "Labels made from a principal component of the patches",
		About: study.About{
			Done: "VGG-11s learn labels that are made from one principal component of the patches. The energy " +
				"profile of their first layer is compared with that of a network that learned random labels.",
			Deviations: []string{
				"All networks have 40 epochs at scale small.",
			},
			Controls: []string{
				"A magnitude is hardly correlated with the projection itself if that is as often positive as " +
					"negative, but the figure is about labels that are strongly correlated with it. Networks are " +
					"therefore trained on labels by the projection with its sign, too, and the same is checked " +
					"for these. The table has the correlation of labels and projections.",
				"The network that learned the true labels is the paper's point of comparison.",
			},
			Conventions: []string{
				"Images are labelled by the magnitude of their mean patch's projection onto the component, " +
					"without subtracting the mean patch of the dataset, as the paper's text says: the tenth of " +
					"the images with the largest is the first class, and so on.",
				"The height of a spike is the number of standard deviations by which the ratio of the profile to " +
					"that for random labels is larger at this component than elsewhere.",
			},
		}.With(profilesAbout).With(trainingAbout),
		Panels: []string{"profiles-*"},
		Claims: slices.Concat(
			likeness{group: "true", nets: "VGG-11s of paper energy's Fig. 7 that learned true and random labels " +
				"of CIFAR-10",
				printed: ".9 ± .02", least: .9, known: initialKnown}.claims(),
			spikeClaims(byMagnitude, "a component that labels are made from by the magnitude of the projection",
				study.Measure.Claim),
			spikeClaims(bySigned, "a component that labels are made from by the projection with its sign",
				func(m study.Measure, sentence, _ string, holds study.Interval) study.Claim {
					return m.Check(sentence, holds)
				}),
			[]study.Claim{withProjections.Of(bySigned).Check("Labels that are made from the projection with its "+
				"sign are strongly correlated with the projection: correlation in absolute value, mean over the "+
				"components.", study.AtLeast(.9))},
		),
		SmallSeeds: 5,
		Specs: map[study.Scale]study.Spec{
			study.Smoke: compareComponents(smokeEnergy, smokeNet(""), 3, 10, 2, 5),
			study.Small: compareComponents(longSmallEnergy(), smallVGG("", "vgg11_bn", "cifar10"), 0, 200, 2, 5, 10,
				15),
			study.PaperScale: compareComponents(paperEnergy, plainVGG("", "vgg11_bn", "cifar10"), 0, 200,
				1, 2, 3, 5, 8, 10, 12, 15, 18, 20, 25),
		},
	}
}

// spikeClaims returns the claims about a group of networks, made by the function newClaim.
func spikeClaims(group, component string,
	newClaim func(m study.Measure, sentence, printed string, holds study.Interval) study.Claim) []study.Claim {
	return []study.Claim{
		newClaim(spike.Of(group), "The first layer of a VGG-11 learns "+component+": height of the energy profile's "+
			"spike there.",
			"picture", study.AtLeast(2)),
		newClaim(spikeDrop.Of(group), "The correlation with the energy profile of random labels decreases for "+
			component+": largest decrease.", ".9 to −.24", study.AtLeast(.3)),
		newClaim(spikeLowest.Of(group), "The correlation with the energy profile of random labels becomes as low "+
			"as −.24 ± .02 for "+component+": lowest value.", "−.24 ± .02", study.AtMost(0)).Diagnosed("The correlation falls, but what the two " +
			"profiles share, low energy on high components, keeps it positive in networks of an eighth of the width. The " +
			"paper prints its value for a network of full width; one would decide, days of a core."),
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
		for _, by := range []struct{ group, name, labels string }{
			{byMagnitude, "by component %d", "pc:%d:uncentred"}, {bySigned, "by component %d, signed", "pc:%d:signed"},
		} {
			n.Name, n.Labels = fmt.Sprintf(by.name, k), fmt.Sprintf(by.labels, k)
			s.Networks = append(s.Networks, n)
			s.Pairs = append(s.Pairs, newPair(by.group, n.Name, random.Name).onPanel(fmt.Sprintf("component-%d", k)))
		}
	}
	return s
}
