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
		About: energyAbout + energyTraining + whatFilesAre +
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
			study.Smoke:      matrixOf(smokeEnergy, 10, smokeNet("net"), smokeNet("other")),
			study.Small:      matrixOf(smallEnergy, 200, smallOf("deadleaves")...),
			study.PaperScale: smallFiltersPaper(),
		},
	}
}

// smallOf are small networks of several architectures with 3×3 filters.
func smallOf(data string) []setups.EnergyNetwork {
	return []setups.EnergyNetwork{
		thinVGG("vgg11", "vgg11_bn", data), thinVGG("vgg13", "vgg13_bn", data), thinVGG("vgg16", "vgg16_bn", data),
		smallResNet("resnet20", data),
	}
}

func smallFiltersPaper() *ProfilesSpec {
	s := matrixOf(paperEnergy, 200, ofImageNet("vgg11"), ofImageNet("vgg13"), ofImageNet("vgg16"), ofImageNet("vgg19"),
		ofImageNet("vgg11_bn"), ofImageNet("vgg16_bn"))
	s.Images = 2000
	return s
}
