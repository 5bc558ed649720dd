package energypaper

import (
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// fig11 is networks with small filters on large images.
func fig11() *study.Experiment {
	return &study.Experiment{
		ID: "energy/fig11", Paper: "energy", Figure: "Fig. 11",
		Title: "Correlations of energy profiles of networks with 3×3 filters in the first layer, beside CIFAR's",
		About: profilesAbout + trainingAbout + weightFilesAbout +
			"At scale paper they are torchvision's VGGs, of ImageNet. At scale small dead leaves stand in for " +
			"ImageNet, generated images with the statistics of photographs, of two classes that the direction of " +
			"edges tells apart; narrow networks are trained on them.",
		Claims: []study.Claim{
			{
				Value: "models_pearson", Paper: "picture", Holds: study.AtLeast(.8),
				Sentence: "Networks of different architectures have correlated profiles.",
			},
			{
				Value: "init", Paper: "picture", Holds: study.Within(0, .3),
				Sentence: "They differ much from a random initialisation.",
			},
			{
				Value: "models_partial", Paper: "not asked by the paper", Holds: study.AtLeast(.5),
				Sentence: "They share more than the spectrum of the patches: partial correlation.",
			},
		},
		Controls: partialControls("models"),
		Specs: map[study.Scale]study.Spec{
			study.Smoke:      compareAll(smokeEnergy, 10, smokeNet("net"), smokeNet("other")),
			study.Small:      compareAll(smallEnergy, 200, smallNetworks("deadleaves")...),
			study.PaperScale: fig11Paper(),
		},
	}
}

// smallNetworks are small networks of several architectures with 3×3 filters.
func smallNetworks(data string) []setups.EnergyNetwork {
	return []setups.EnergyNetwork{
		smallVGG("vgg11", "vgg11_bn", data), smallVGG("vgg13", "vgg13_bn", data), smallVGG("vgg16", "vgg16_bn", data),
		smallResNet("resnet20", data),
	}
}

func fig11Paper() *ProfilesSpec {
	s := compareAll(paperEnergy, 200, imageNetFile("vgg11"), imageNetFile("vgg13"), imageNetFile("vgg16"),
		imageNetFile("vgg19"),
		imageNetFile("vgg11_bn"), imageNetFile("vgg16_bn"))
	s.Images = 2000
	return s
}
