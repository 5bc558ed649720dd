package experiments

// energyTable2 is consistency under random labels.
func energyTable2() *Experiment {
	return &Experiment{
		ID: "energy/table2", Paper: "energy", Figure: "Table 2, Figs. 6, 17 and 18", Title: "Energy profiles under true and under random labels",
		About: energyAbout + energyTraining + " Networks learn the true labels of the images, or labels that are drawn at random once and memorised; random ones for 40 epochs in the place of 25 at scale small. " +
			"Binary tasks are of two classes of CIFAR-10. Under random labels the test images have random labels as well, so that chance is all there is to reach. At scale small the ResNet is far from the end of its training, where the paper's have 99 % of the training images right: its claim is about the state that the table shows, and what was to be memorised is a claim of its own, added after the first run.",
		Claims: []Claim{
			{"cifar10_pearson", "The profiles of true and of random labels are alike on CIFAR-10 (VGG-11).", ".9 ± .02", atLeast(.9)},
			{"resnet_pearson", "So they are of a ResNet.", "> .9", atLeast(.9)},
			{"binary_pearson", "So they are in binary tasks.", "> .9", atLeast(.9)},
			{"cifar100_pearson", "So they are on CIFAR-100.", "> .9", atLeast(.9)},
			{"memorised", "Networks are trained until they overfit random labels: the least accuracy on training images of those that learn them.", "99 %", atLeast(.99)},
			{"init", "The profiles before and after training are hardly correlated.", "close to 0", within(0, .2)},
			{"pairs_partial", "True and random labels share more than the spectrum of the patches: partial correlation.", "not asked by the paper", atLeast(.5)},
		},
		Specs: map[Scale]Spec{Smoke: table2Smoke(), Small: table2Small(), PaperScale: table2Paper()},
	}
}

// randomly is a network under random labels, which take more epochs to learn.
func randomly(n EnergyNetwork, epochs int) EnergyNetwork {
	n.Name += ", random"
	n.Labels, n.Epochs = "random", epochs
	return n
}

// trueAndRandom adds a network under either kind of labels, and their pair.
func (s *ProfilesSpec) trueAndRandom(group string, n EnergyNetwork, epochs int) {
	r := randomly(n, epochs)
	s.Networks = append(s.Networks, n, r)
	s.Pairs = append(s.Pairs, pairOf(group, n.Name, r.Name))
}

// ofTwo is the network on two classes.
func ofTwo(n EnergyNetwork, name, classes string) EnergyNetwork {
	n.Name, n.Classes = name, classes
	return n
}

func table2Smoke() *ProfilesSpec {
	s := &ProfilesSpec{Training: smokeEnergy, Draws: 10}
	s.trueAndRandom("cifar10", smokeNet("leaves"), 3)
	s.trueAndRandom("resnet", smokeNet("resnet"), 3)
	s.trueAndRandom("binary", ofTwo(smokeNet(""), "two", "0,1"), 3)
	s.trueAndRandom("cifar100", smokeNet("more"), 3)
	return s
}

func table2Small() *ProfilesSpec {
	s := &ProfilesSpec{Training: smallEnergy, Draws: 200}
	vgg := thinVGG("vgg11", "vgg11_bn", "cifar10")
	s.trueAndRandom("cifar10", vgg, 40)
	s.trueAndRandom("resnet", EnergyNetwork{Name: "resnet20", Arch: "resnet20", Width: .5, Data: "cifar10", Epochs: 15}, 25)
	s.trueAndRandom("binary", ofTwo(vgg, "bird, airplane", "bird,airplane"), 40)
	s.trueAndRandom("binary", ofTwo(vgg, "cat, dog", "cat,dog"), 40)
	s.trueAndRandom("cifar100", thinVGG("cifar100", "vgg11_bn", "cifar100"), 40)
	return s
}

func table2Paper() *ProfilesSpec {
	s := &ProfilesSpec{Training: paperEnergy, Draws: 200}
	vgg := fullVGG("vgg11", "vgg11_bn", "cifar10")
	s.trueAndRandom("cifar10", vgg, 0)
	s.trueAndRandom("resnet", EnergyNetwork{Name: "resnet20", Arch: "resnet20", Data: "cifar10"}, 0)
	s.trueAndRandom("cifar100", fullVGG("cifar100", "vgg11_bn", "cifar100"), 0)
	for _, classes := range []string{"bird,airplane", "dog,frog", "cat,dog", "automobile,truck", "ship,airplane"} {
		s.trueAndRandom("binary", ofTwo(vgg, classes, classes), 0)
	}
	return s
}
