package energypaper

import (
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// table4 returns Table 4: profiles after training with two losses.
func table4() *study.Experiment {
	return &study.Experiment{
		ID: "energy/table4", Paper: "energy", Figure: "Table 4",
		Title: "Energy profiles after training with two losses: mean squared error and cross-entropy",
		About: study.About{
			Done: "VGG-11s learn the same images with the cross-entropy and with the mean squared error. The " +
				"energy profiles of what training changed in the first layer, W − W₀, are compared.",
			Deviations: []string{
				"The mean squared error is on one-hot targets, averaged over images and classes, so its steps " +
					"are smaller the more classes there are. At scale small its learning rate is .01 for each " +
					"class, which is CIFAR-10's .1 in all: at .1, in a first run with one seed, networks of two " +
					"classes diverged. At either rate the squared error hardly learns a hundred classes (table of " +
					"networks), so that their verdict compares a network that learned them with one that hardly did.",
				"The paper's faces are CelebA with a label that it does not name. Here it is Smiling, at 32×32.",
			},
			Conventions: []string{
				"Profiles are those of W − W₀, as in the paper, because networks are hard to train with the mean " +
					"squared error. The table shows how far they were trained.",
			},
		}.With(profilesAbout).With(trainingAbout).With(hundredClassesAbout).With(facesAbout),
		Claims: slices.Concat(
			likeness{group: "cifar10", nets: "VGG-11s that learned CIFAR-10 by two losses", printed: ".96 ± .01",
				least: .9, known: lossesKnown}.changeClaims(),
			likeness{group: "cifar100", nets: "VGG-11s that learned a hundred classes by two losses",
				printed: ".67 ± .03", least: .57, dataset: hundredClasses}.changeClaims(),
			likeness{group: "faces", nets: "VGG-11s that learned faces by two losses", printed: ".90 ± .025", least: .8,
				dataset: celebFaces}.changeClaims(),
		),
		Shows:      []string{"pairs", "networks", "components"},
		SmallSeeds: 10,
		Specs: map[study.Scale]study.Spec{study.Smoke: table4Smoke(), study.Small: table4Small(smallEnergy),
			study.Medium: table4Small(mediumEnergy), study.PaperScale: table4Paper()},
	}
}

// lossesKnown says what is known of the similarity of networks trained with two losses.
const lossesKnown = "The squared error moves the first layer ten times less than the cross-entropy until the training images are " +
	"learned (table of networks), so that the two are not equally far. The paper's networks are wider and train for longer: scale " +
	"paper would decide, about a week of a core for a seed."

// addLossPair adds a network trained with cross-entropy and with the squared error, and their pair, drawn in its own
// chart. Rate is the learning rate for the squared error; 0 is that of the training.
func (s *ProfilesSpec) addLossPair(group, panel string, n setups.EnergyNetwork, rate float64) {
	squared := n
	squared.Name, squared.Loss = n.Name+", squared error", "mse"
	squared.Rate = rate
	s.Networks = append(s.Networks, n, squared)
	s.Pairs = append(s.Pairs, newPair(group, n.Name, squared.Name).onPanel(panel))
}

func table4Smoke() *ProfilesSpec {
	s := &ProfilesSpec{Training: smokeEnergy, Draws: 10, Change: true}
	s.addLossPair("cifar10", "cifar10", smokeNet("leaves"), 0)
	s.addLossPair("cifar100", "cifar100", withSplitClasses(smokeNet("more"), 2), 0)
	s.addLossPair("faces", "faces", standingFor(celebFaces, smokeNet("faces")), 0)
	s.addLossPair("random", "random", withRandomLabels(smokeNet("leaves"), 0), 0)
	return s
}

func table4Small(e setups.EnergyTraining) *ProfilesSpec {
	s := &ProfilesSpec{Training: e, Draws: 200, Change: true}
	vgg := smallVGG("vgg11", "vgg11_bn", "cifar10")
	s.addLossPair("cifar10", "cifar10", vgg, 0)
	s.addLossPair("random", "random", withRandomLabels(vgg, memorising), 0)
	s.addLossPair("cifar100", "100-classes", withSplitClasses(smallVGG("100 classes", "vgg11_bn", "cifar10"), 10), 1)
	s.addLossPair("faces", "animals-vehicles", smallFaces(), .02)
	return s
}

func table4Paper() *ProfilesSpec {
	s := &ProfilesSpec{Training: paperEnergy, Draws: 200, Change: true}
	vgg := plainVGG("vgg11", "vgg11_bn", "cifar10")
	s.addLossPair("cifar10", "cifar10", vgg, 0)
	s.addLossPair("cifar100", "cifar100", plainVGG("cifar100", "vgg11_bn", "cifar100"), 0)
	s.addLossPair("faces", "faces", onFaces(plainVGG("faces", "vgg11_bn", "")), 0)
	s.addLossPair("random", "random", withRandomLabels(vgg, 0), 0)
	return s
}

// fig16 returns Fig. 16: the profiles of the networks of Table 4.
func fig16() *study.Experiment {
	return &study.Experiment{
		ID: "energy/fig16", Paper: "energy", Figure: "Fig. 16",
		Title: "Energy profiles of VGG-11 after training with two losses, under true and under random labels",
		About: study.About{
			Done: "This figure has the energy profiles of Table 4's networks.",
		},
		Of: table4(), Shows: []string{"changes-*", "profiles-*"},
		Claims: likeness{group: "random", nets: "VGG-11s that learned random labels of CIFAR-10 by two losses",
			printed: "picture", least: .9, known: lossesKnown}.changeClaims(),
	}
}
