package experiments

// energyFig11 is networks with small filters on large images.
func energyFig11() *Experiment {
	return &Experiment{
		ID: "energy/fig11", Paper: "energy", Figure: "Fig. 11", Title: "Correlations of energy profiles of networks with 3×3 filters in the first layer, beside CIFAR's",
		About: energyAbout + energyTraining + whatFilesAre +
			"At scale paper they are torchvision's VGGs, of ImageNet. At scale small dead leaves stand in for ImageNet, generated images with the statistics of photographs, of two classes that the direction of edges tells apart; narrow networks are trained on them.",
		Claims: []Claim{
			{"models_pearson", "Networks of different architectures have correlated profiles.", "picture", atLeast(.8)},
			{"init", "They differ much from a random initialisation.", "picture", within(0, .3)},
			{"models_partial", "They share more than the spectrum of the patches: partial correlation.", "not asked by the paper", atLeast(.5)},
		},
		Controls: partialControls("models"),
		Specs: map[Scale]Spec{
			Smoke:      matrixOf(smokeEnergy, 10, smokeNet("net"), smokeNet("other")),
			Small:      matrixOf(smallEnergy, 200, smallOf("deadleaves")...),
			PaperScale: smallFiltersPaper(),
		},
	}
}

// smallOf are small networks of several architectures with 3×3 filters.
func smallOf(data string) []EnergyNetwork {
	return []EnergyNetwork{
		thinVGG("vgg11", "vgg11_bn", data), thinVGG("vgg13", "vgg13_bn", data), thinVGG("vgg16", "vgg16_bn", data), smallResNet("resnet20", data),
	}
}

func smallFiltersPaper() *ProfilesSpec {
	s := matrixOf(paperEnergy, 200, ofImageNet("vgg11"), ofImageNet("vgg13"), ofImageNet("vgg16"), ofImageNet("vgg19"), ofImageNet("vgg11_bn"), ofImageNet("vgg16_bn"))
	s.Images = 2000
	return s
}
