package energypaper

import (
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// fig10 returns Fig. 10: networks with 7×7 filters in the first layer.
func fig10() *study.Experiment {
	return &study.Experiment{
		ID: "energy/fig10", Paper: "energy", Figure: "Fig. 10",
		Title: "Correlations of energy profiles of networks with 7×7 filters in the first layer",
		About: study.About{
			Done: "The energy profiles of the first layers of networks with 7×7 filters are compared with each " +
				"other and with those of random initial filters.",
			Deviations: []string{
				"At scale paper the networks are torchvision's ResNets, trained on ImageNet. ansatz does not " +
					"have its GoogLeNet and DenseNets, which the paper may have used.",
				"At scale small CIFAR-10 stands in for ImageNet, whose 7×7 patches have as many components, 147. " +
					"Narrow ResNets and VGGs whose first filters are 7×7 are trained on it.",
			},
		}.With(profilesAbout).With(trainingAbout).With(weightFilesAbout),
		Panels:     []string{"profiles", "matrix"},
		Claims:     architectureClaims("7×7"),
		Shows:      []string{"matrix", "profiles", "changes", "correlations", "pairs", "networks", "components"},
		SmallSeeds: 5,
		Specs: map[study.Scale]study.Spec{study.Smoke: fig10Smoke(), study.Small: fig10Small(),
			study.PaperScale: fig10Paper()},
	}
}

// architectureClaims returns the claims of Figs. 10 and 11, about networks of different architectures with first
// filters of one size.
func architectureClaims(size string) []study.Claim {
	return append(likeness{group: "models", nets: "networks of different architectures with " + size + " filters",
		printed: "picture", least: .8, dataset: imageNet, known: easyKnown}.claims(),
		withInit.Claim("The energy profiles of networks with "+size+" filters differ much from those of a random "+
			"initialisation: correlation.", "picture", study.Within(0, .3)).On(imageNet).Diagnosed(easyKnown))
}

// easyKnown says what is known of the claims about networks for ImageNet, which other networks replace here.
const easyKnown = "The networks that stand in have moved their filters by about half of their norm (table of networks), so " +
	"that much of the initial ones is left; what training changed agrees better (table of pairs). Of 3×3 filters twenty seeds " +
	"do not decide either: both correlations are at their thresholds. Of the networks for ImageNet only weights are needed: " +
	"with torchvision's files in the data folder, scale paper takes minutes."

func fig10Smoke() *ProfilesSpec {
	other := smokeNet("other")
	other.Kernel = 7
	s := compareAll(smokeEnergy, 10, setups.EnergyNetwork{Name: "net", Arch: "cnn1:7", Width: .1, Data: "deadleaves"},
		standingFor(imageNet, other)).compareMiddle()
	s.Filters = true
	return s
}

func fig10Small() *ProfilesSpec {
	vgg11, vgg13 := smallVGG("vgg11", "vgg11_bn", "cifar10"), smallVGG("vgg13", "vgg13_bn", "cifar10")
	vgg11.Kernel, vgg13.Kernel = 7, 7
	resnet18, resnet34 := plainResNet("resnet18", "cifar10"), plainResNet("resnet34", "cifar10")
	resnet18.Width, resnet34.Width = .5, .25
	s := compareAll(smallEnergy, 200, standingFor(imageNet, resnet18), standingFor(imageNet, resnet34),
		standingFor(imageNet, vgg11), standingFor(imageNet, vgg13)).compareMiddle()
	s.Filters = true
	return s
}

func fig10Paper() *ProfilesSpec {
	s := compareAll(paperEnergy, 200, imageNetFile("resnet18"), imageNetFile("resnet34"), imageNetFile("resnet50"),
		imageNetFile("resnet101"), imageNetFile("resnet152")).compareMiddle()
	s.Images, s.Filters = 2000, true
	return s
}

// compareAll returns the spec that trains networks and compares all of them with each other, on all
// components.
func compareAll(e setups.EnergyTraining, draws int, networks ...setups.EnergyNetwork) *ProfilesSpec {
	s := &ProfilesSpec{Training: e, Draws: draws, Matrix: true, Networks: networks}
	var names []string
	for _, n := range networks {
		names = append(names, n.Name)
	}
	s.Pairs = allPairs("models", names...)
	return s
}

// compareMiddle makes the spec also compare the pairs on components 25 to 52, and returns it.
func (s *ProfilesSpec) compareMiddle() *ProfilesSpec {
	setRange(25, 52, s.Pairs...)
	return s
}

// fig11 returns Fig. 11: networks with 3×3 filters on large images.
func fig11() *study.Experiment {
	return &study.Experiment{
		ID: "energy/fig11", Paper: "energy", Figure: "Fig. 11",
		Title: "Correlations of energy profiles of networks with 3×3 filters in the first layer, beside CIFAR's",
		About: study.About{
			Done: "The energy profiles of the first layers of networks with 3×3 filters for large images are " +
				"compared with each other and with those of random initial filters.",
			Deviations: []string{
				"At scale paper the networks are torchvision's VGGs, trained on ImageNet. At scale small dead " +
					"leaves stand in for ImageNet: generated images with the statistics of photographs, in two " +
					"classes that the direction of edges tells apart. Narrow networks are trained on them.",
			},
		}.With(profilesAbout).With(trainingAbout).With(cifarResNetsAbout).With(weightFilesAbout),
		Panels:     []string{"profiles", "matrix"},
		Claims:     architectureClaims("3×3"),
		SmallSeeds: 5,
		Specs: map[study.Scale]study.Spec{
			study.Smoke:      compareAll(smokeEnergy, 10, smokeNet("net"), standingFor(imageNet, smokeNet("other"))),
			study.Small:      compareAll(smallEnergy, 200, fig11Small()...),
			study.PaperScale: fig11Paper(),
		},
	}
}

func fig11Small() (all []setups.EnergyNetwork) {
	for _, n := range smallNetworks("deadleaves") {
		all = append(all, standingFor(imageNet, n))
	}
	return all
}

func fig11Paper() *ProfilesSpec {
	s := compareAll(paperEnergy, 200, imageNetFile("vgg11"), imageNetFile("vgg13"), imageNetFile("vgg16"),
		imageNetFile("vgg19"),
		imageNetFile("vgg11_bn"), imageNetFile("vgg16_bn"))
	s.Images = 2000
	return s
}

// fig12 returns Fig. 12: networks on CIFAR-10, some of them from files.
func fig12() *study.Experiment {
	return &study.Experiment{
		ID: "energy/fig12", Paper: "energy", Figure: "Fig. 12",
		Title: "Correlations of energy profiles of networks on CIFAR-10",
		About: study.About{
			Done: "The energy profiles of the first layers of networks for CIFAR-10 are compared: networks whose " +
				"weights others trained, and networks of several architectures that are trained here.",
			Deviations: []string{
				"The files are ResNets of github.com/akamaster/pytorch_resnet_cifar10; at scale small only that " +
					"of ResNet-20, beside narrow networks that are trained here.",
			},
		}.With(profilesAbout).With(trainingAbout).With(cifarResNetsAbout).With(weightFilesAbout),
		Panels: []string{"profiles", "matrix"},
		Claims: slices.Concat(
			likeness{group: "pretrained", nets: "a network from a file and one of another architecture trained here",
				printed: "picture", least: .8, known: "The ResNet-20 of others is as far from a ResNet-20 trained here as from the " +
					"VGGs, and its W − W₀ is not known. Its 16 filters agree with themselves, halved, little better (the noise " +
					"ceiling in the table of pairs). The larger files of the same authors beside networks of full width would " +
					"decide, days of a core."}.comparedClaims("the filters W"),
			likeness{group: "ours", nets: "networks of different architectures trained here on CIFAR-10",
				printed: "picture", least: .8, known: "The pairs with the ResNet-20, which has few filters that moved little, " +
					"agree as far as halves of its own filters do (the noise ceiling in the table of pairs). Of W − W₀, which " +
					"is free of the initial filters, the profiles agree: the control. Networks of full width would decide, " +
					"days of a core."}.claims(),
			[]study.Claim{withInit.Claim("The energy profiles of networks on CIFAR-10 differ much from those of a "+
				"random initialisation: correlation.", "picture", study.Within(0, .3))}),
		SmallSeeds: 10,
		Specs: map[study.Scale]study.Spec{
			study.Smoke: &ProfilesSpec{
				Training: smokeEnergy, Draws: 10, Matrix: true,
				Networks: []setups.EnergyNetwork{smokeNet("net"), smokeNet("again"),
					{Name: "of a missing file", Arch: "resnet20", Data: "deadleaves", Weights: "there-is-no-such-file.pth"}},
				Pairs: []ProfilePair{newPair("pretrained", "net", "again"), newPair("ours", "again", "net"),
					newPair("pretrained", "of a missing file", "net")},
			},
			study.Small:  compareWithFiles(smallEnergy, smallNetworks("cifar10"), "resnet20"),
			study.Medium: compareWithFiles(mediumEnergy, smallNetworks("cifar10"), "resnet20"),
			study.PaperScale: compareWithFiles(paperEnergy, paperNetworks("cifar10"), "resnet20", "resnet32",
				"resnet44",
				"resnet56"),
		},
	}
}

// compareWithFiles returns the spec that compares networks trained here with each other, and with
// ResNets from files.
func compareWithFiles(e setups.EnergyTraining, ours []setups.EnergyNetwork, files ...string) *ProfilesSpec {
	s := &ProfilesSpec{Training: e, Draws: 200, Matrix: true}
	var names []string
	for _, n := range ours {
		names = append(names, n.Name)
	}
	for _, arch := range files {
		file := setups.EnergyNetwork{Name: arch + ", from a file", Arch: arch, Data: "cifar10", Weights: arch + ".th"}
		s.Networks = append(s.Networks, file)
		for _, n := range names {
			s.Pairs = append(s.Pairs, newPair("pretrained", file.Name, n))
		}
	}
	s.Networks = append(s.Networks, ours...)
	s.Pairs = append(s.Pairs, allPairs("ours", names...)...)
	return s
}

// fig13 returns Fig. 13: networks on CIFAR-100.
func fig13() *study.Experiment {
	var small []setups.EnergyNetwork
	for _, n := range smallNetworks("cifar10") {
		small = append(small, withSplitClasses(n, 10))
	}
	return &study.Experiment{
		ID: "energy/fig13", Paper: "energy", Figure: "Fig. 13",
		Title: "Correlations of energy profiles of networks on CIFAR-100",
		About: study.About{
			Done: "Networks of several architectures are trained on CIFAR-100, and the energy profiles of their " +
				"first layers are compared with each other and with those of random initial filters.",
			Deviations: []string{
				"The paper has some networks on CIFAR-100 that resemble others as little as a random " +
					"initialisation does, so the threshold here is .5. They are from PyTorch's hub. We know of no " +
					"files for CIFAR-100 of architectures that ansatz has, so networks are trained here.",
			},
		}.With(profilesAbout).With(trainingAbout).With(cifarResNetsAbout).With(hundredClassesAbout),
		Panels: []string{"profiles", "matrix"},
		Claims: append(likeness{group: "models", nets: "networks of different architectures on CIFAR-100",
			printed: "picture", least: .5, dataset: hundredClasses}.claims(),
			withInit.Claim("The energy profiles of most networks on CIFAR-100 differ from those of a random "+
				"initialisation: correlation.", "picture", study.Within(0, .3)).On(hundredClasses).
				Diagnosed("The VGGs are far below the threshold. The ResNet-20 has hardly learned the hundred classes at the "+
					"end of its 12 epochs, and its filters are still like the initial ones (table of networks). Scale "+
					"medium, with ten times the images, would decide, by estimate ten minutes a seed.")),
		SmallSeeds: 10,
		Specs: map[study.Scale]study.Spec{
			study.Smoke: compareAll(smokeEnergy, 10, withSplitClasses(smokeNet("net"), 3),
				withSplitClasses(smokeNet("other"), 3)),
			study.Small:      compareAll(smallEnergy, 200, small...),
			study.Medium:     compareAll(mediumEnergy, 200, small...),
			study.PaperScale: compareAll(paperEnergy, 200, paperNetworks("cifar100")...),
		},
	}
}

// fig14 returns Fig. 14: ResNets of several depths on several datasets.
func fig14() *study.Experiment {
	return &study.Experiment{
		ID: "energy/fig14", Paper: "energy", Figure: "Fig. 14",
		Title: "Correlations of energy profiles of ResNets of several depths on several datasets",
		About: study.About{
			Done: "ResNets of several depths are trained on several datasets, and the energy profiles of their " +
				"first layers are compared across depths and across datasets.",
			Deviations: []string{
				"The ResNets are those for CIFAR, with 20 layers and more. At scale small they learn the animals " +
					"and the vehicles of CIFAR-10 in 12 epochs, far from the end of training: the table shows how " +
					"little their first layers moved. At scale paper they learn CIFAR-10, CIFAR-100 and SVHN.",
			},
		}.With(profilesAbout).With(trainingAbout).With(cifarResNetsAbout),
		Panels: []string{"profiles", "matrix"},
		Claims: append(
			likeness{group: "depths", nets: "ResNets of different depths", printed: "picture", least: .8,
				known: initialKnown}.claims(),
			likeness{group: "datasets", nets: "ResNets that learned different datasets", printed: "picture", least: .8,
				dataset: otherDatasets, known: datasetsKnown}.commonClaims()...),
		SmallSeeds: 5,
		Specs: map[study.Scale]study.Spec{
			study.Smoke: compareDepthsAndSets(smokeEnergy, 10,
				[]setups.EnergyNetwork{smokeNet("cnn2"), smokeNet("again")},
				imageSet{name: "deadleaves", data: "deadleaves"},
				imageSet{name: "textured", data: "deadleaves:leaves,textured", standsFor: otherDatasets}),
			study.Small: compareDepthsAndSets(smallEnergy, 200,
				[]setups.EnergyNetwork{smallResNet("resnet20", ""), smallResNet("resnet32", "")},
				animals(), vehicles()),
			study.PaperScale: compareDepthsAndSets(paperEnergy, 200,
				[]setups.EnergyNetwork{plainResNet("resnet20", ""), plainResNet("resnet32", ""),
					plainResNet("resnet56", "")},
				imageSet{name: "cifar10", data: "cifar10"}, imageSet{name: "cifar100", data: "cifar100"},
				imageSet{name: "svhn", data: "svhn"}),
		},
	}
}

// compareDepthsAndSets returns the spec that trains every network on every dataset.
func compareDepthsAndSets(e setups.EnergyTraining, draws int, networks []setups.EnergyNetwork,
	sets ...imageSet) *ProfilesSpec {
	s := &ProfilesSpec{Training: e, Draws: draws, Matrix: true}
	name := func(n setups.EnergyNetwork, set imageSet) string { return n.Name + ", " + set.name }
	for _, set := range sets {
		var depths []string
		for _, n := range networks {
			s.Networks = append(s.Networks, set.learnedBy(name(n, set), n))
			depths = append(depths, name(n, set))
		}
		s.Pairs = append(s.Pairs, allPairs("depths", depths...)...)
	}
	for _, n := range networks {
		var of []string
		for _, set := range sets {
			of = append(of, name(n, set))
		}
		s.Pairs = append(s.Pairs, allPairs("datasets", of...)...)
	}
	return s
}

// fig15 returns Fig. 15: the networks of Fig. 10, compared on the components in the middle.
func fig15() *study.Experiment {
	return &study.Experiment{
		ID: "energy/fig15", Paper: "energy", Figure: "Fig. 15",
		Title: "Correlations of energy profiles of networks with 7×7 filters, on components 25 to 52 alone",
		About: study.About{
			Done: "Fig. 10 is repeated on components 25 to 52 alone, as many as 3×3 patches have.",
		},
		Of: fig10(), Shows: []string{"matrix-middle", "correlations-middle", "pairs"},
		Claims: []study.Claim{
			middleDrop.Of("models").Claim("The correlations of the energy profiles of networks with 7×7 filters "+
				"drop on components 25 to 52 alone: decrease.", "picture", study.Above(0)).On(imageNet),
		},
	}
}
