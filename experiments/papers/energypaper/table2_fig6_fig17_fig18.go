package energypaper

import (
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// table2 returns Table 2: profiles for true and for random labels.
func table2() *study.Experiment {
	return &study.Experiment{
		ID: "energy/table2", Paper: "energy", Figure: "Table 2",
		Title: "Energy profiles under true and under random labels",
		About: study.About{
			Done: "Networks learn the true labels of the images, or labels that are drawn at random once and " +
				"memorised. The energy profiles of their first layers are compared.",
			Deviations: []string{
				"At scale small networks learn random labels for longer: VGGs for 40 epochs instead of 25, " +
					"ResNets for 25 instead of 12. The paper trains until 99 % of the training images are right; " +
					"the table shows how far the networks here came.",
			},
			Conventions: []string{
				"Binary tasks are of two classes of CIFAR-10. Under random labels the test images have random " +
					"labels as well, so test accuracy cannot exceed chance.",
			},
		}.With(profilesAbout).With(trainingAbout).With(resNet18About).With(hundredClassesAbout).With(facesAbout),
		Claims: slices.Concat(
			likeness{group: "cifar10", nets: "VGG-11s that learned true and random labels of CIFAR-10",
				printed: ".9 ± .02", least: .9, known: initialKnown}.claims(),
			likeness{group: "cifar100", nets: "VGG-11s that learned true and random labels of a hundred classes",
				printed: "> .9", least: .9, dataset: hundredClasses, known: initialKnown}.claims(),
			likeness{group: "faces", nets: "VGG-11s that learned true and random labels of faces",
				printed: "> .9", least: .9, dataset: celebFaces, known: initialKnown}.claims(),
			[]study.Claim{memorisedClaim("cifar10", "A VGG-11 on CIFAR-10"),
				memorisedClaim("resnet", "A ResNet-18 on CIFAR-10")},
		),
		Shows:      []string{"pairs", "networks", "components"},
		SmallSeeds: 5,
		Specs: map[study.Scale]study.Spec{study.Smoke: table2Smoke(), study.Small: table2Small(),
			study.PaperScale: table2Paper()},
	}
}

// addLabelPair adds a network with true and with random labels, and their pair, drawn in its own chart.
func (s *ProfilesSpec) addLabelPair(group, panel string, n setups.EnergyNetwork, epochs int) {
	r := withRandomLabels(n, epochs)
	s.Networks = append(s.Networks, n, r)
	s.Pairs = append(s.Pairs, newPair(group, n.Name, r.Name).onPanel(panel))
}

func table2Smoke() *ProfilesSpec {
	s := &ProfilesSpec{Training: smokeEnergy, Draws: 10}
	s.addLabelPair("cifar10", "vgg-cifar10", smokeNet("leaves"), 3)
	s.addLabelPair("cifar100", "vgg-cifar100", withSplitClasses(smokeNet("more"), 2), 3)
	s.addLabelPair("faces", "vgg-faces", standingFor(celebFaces, smokeNet("faces")), 3)
	s.addLabelPair("resnet", "resnet-cifar10", smokeNet("resnet"), 3)
	s.addLabelPair("binary", "binary-bird-plane", withClasses(smokeNet(""), "two", "0,1"), 3)
	return s
}

func table2Small() *ProfilesSpec {
	s := &ProfilesSpec{Training: smallEnergy, Draws: 200}
	vgg := smallVGG("vgg11", "vgg11_bn", "cifar10")
	s.addLabelPair("cifar10", "vgg-cifar10", vgg, memorising)
	s.addLabelPair("cifar100", "vgg-100-classes", withSplitClasses(smallVGG("100 classes", "vgg11_bn", "cifar10"), 10),
		memorising)
	s.addLabelPair("faces", "vgg-animals-vehicles", smallFaces(), memorising)
	s.addLabelPair("resnet", "resnet-cifar10", smallResNet18("cifar10"), 25)
	s.addLabelPair("binary", "binary-bird-plane", withClasses(vgg, "bird, airplane", "bird,airplane"), memorising)
	s.addLabelPair("binary", "binary-cat-dog", withClasses(vgg, "cat, dog", "cat,dog"), memorising)
	return s
}

func table2Paper() *ProfilesSpec {
	s := &ProfilesSpec{Training: paperEnergy, Draws: 200}
	vgg := plainVGG("vgg11", "vgg11_bn", "cifar10")
	s.addLabelPair("cifar10", "vgg-cifar10", vgg, 0)
	s.addLabelPair("cifar100", "vgg-cifar100", plainVGG("cifar100", "vgg11_bn", "cifar100"), 0)
	s.addLabelPair("faces", "vgg-faces", onFaces(plainVGG("faces", "vgg11_bn", "")), 0)
	resnet := plainResNet18("cifar10")
	s.addLabelPair("resnet", "resnet-cifar10", resnet, 0)
	resnet.Name, resnet.Data = "resnet18, cifar100", "cifar100"
	s.addLabelPair("resnet", "resnet-cifar100", resnet, 0)
	resnet.Name = "resnet18, faces"
	s.addLabelPair("resnet", "resnet-faces", onFaces(resnet), 0)
	for _, two := range []struct{ panel, classes string }{
		{"bird-plane", "bird,airplane"}, {"dog-frog", "dog,frog"}, {"cat-dog", "cat,dog"},
		{"car-truck", "automobile,truck"}, {"ship-plane", "ship,airplane"},
	} {
		s.addLabelPair("binary", "binary-"+two.panel, withClasses(vgg, two.classes, two.classes), 0)
	}
	return s
}

// fig6 returns Fig. 6: the profiles of the VGGs of Table 2.
func fig6() *study.Experiment {
	return &study.Experiment{
		ID: "energy/fig6", Paper: "energy", Figure: "Fig. 6",
		Title: "Energy profiles of VGG-11 under true and under random labels, three datasets",
		About: study.About{
			Done: "This figure has the energy profiles of Table 2's VGGs.",
		},
		Of: table2(), Shows: []string{"profiles-vgg-*", "changes-vgg-*"},
		Claims: []study.Claim{
			withInit.Claim("The energy profiles of networks under true and random labels before and after "+
				"training are hardly correlated: correlation.",
				"close to 0", study.Within(0, .2)).Diagnosed(initialKnown),
			middleOverLow.Claim("Networks under true and random labels are mostly sensitive to intermediate "+
				"frequencies: mean energy of the middle third of the components less that of the first.",
				"picture", study.Above(0)).Diagnosed(lowKnown),
			middleOverHigh.Claim("Networks under true and random labels are mostly sensitive to intermediate "+
				"frequencies: mean energy of the middle third of the components less that of the last third.",
				"picture", study.Above(0)),
		},
	}
}

// fig17 returns Fig. 17: the profiles of the binary tasks of Table 2.
func fig17() *study.Experiment {
	return &study.Experiment{
		ID: "energy/fig17", Paper: "energy", Figure: "Fig. 17",
		Title: "Energy profiles of VGG-11 under true and under random labels, two classes of CIFAR-10",
		About: study.About{
			Done: "This figure has the binary tasks among Table 2's.",
		},
		Of: table2(), Shows: []string{"pairs", "profiles-binary-*", "changes-binary-*"},
		Claims: likeness{group: "binary", nets: "VGG-11s that learned true and random labels of two classes of " +
			"CIFAR-10",
			printed: "> .9", least: .9, known: initialKnown}.claims(),
	}
}

// fig18 returns Fig. 18: the profiles of a VGG and a ResNet of Table 2.
func fig18() *study.Experiment {
	return &study.Experiment{
		ID: "energy/fig18", Paper: "energy", Figure: "Fig. 18",
		Title: "Energy profiles of a VGG and of a ResNet under true and under random labels",
		About: study.About{
			Done: "This figure has the VGGs and ResNets among Table 2's networks.",
		},
		Of: table2(), Shows: []string{"pairs", "profiles-vgg-*", "profiles-resnet-*", "changes-vgg-*",
			"changes-resnet-*"},
		Claims: likeness{group: "resnet", nets: "ResNet-18s that learned true and random labels", printed: "> .9",
			least: .9, known: initialKnown}.claims(),
	}
}
