package energypaper

import (
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// fig10 returns Fig. 10: networks with 7×7 filters in the first layer.
func fig10() *study.Experiment {
	return &study.Experiment{
		ID: "energy/fig10", Paper: "energy", Figure: "Fig. 10",
		Title: "Correlations of energy profiles of networks with 7×7 filters in the first layer",
		About: profilesAbout + trainingAbout + weightFilesAbout +
			"At scale paper they are torchvision's ResNets, of ImageNet; its GoogLeNet and DenseNets, which the " +
			"paper may have, ansatz has not. At scale small CIFAR-10 stands in for ImageNet, whose 7×7 patches have " +
			"as many components, 147, and narrow ResNets and VGGs whose first filters are 7×7 are trained on it.",
		Claims: architectureClaims(),
		Shows:  []string{"matrix", "profiles", "correlations", "pairs", "networks", "components"},
		Specs: map[study.Scale]study.Spec{study.Smoke: fig10Smoke(), study.Small: fig10Small(),
			study.PaperScale: fig10Paper()},
	}
}

// architectureClaims are the claims of Figs. 10 and 11, about networks of different architectures.
func architectureClaims() []study.Claim {
	return []study.Claim{
		alikeClaim("models", "Networks of different architectures have correlated profiles.", "picture", .8),
		withInit.Claim("They differ much from a random initialisation.",
			"picture", study.Within(0, .3)),
		partialClaim("models", "They share more than the spectrum of the patches: partial correlation."),
	}
}

func fig10Smoke() *ProfilesSpec {
	other := smokeNet("other")
	other.Kernel = 7
	return compareAll(smokeEnergy, 10, setups.EnergyNetwork{Name: "net", Arch: "cnn1:7", Width: .1, Data: "deadleaves"},
		other).compareMiddle()
}

func fig10Small() *ProfilesSpec {
	vgg11, vgg13 := smallVGG("vgg11", "vgg11_bn", "cifar10"), smallVGG("vgg13", "vgg13_bn", "cifar10")
	vgg11.Kernel, vgg13.Kernel = 7, 7
	resnet18, resnet34 := plainResNet("resnet18", "cifar10"), plainResNet("resnet34", "cifar10")
	resnet18.Width, resnet34.Width = .5, .25
	return compareAll(smallEnergy, 200, resnet18, resnet34, vgg11, vgg13).compareMiddle()
}

func fig10Paper() *ProfilesSpec {
	s := compareAll(paperEnergy, 200, imageNetFile("resnet18"), imageNetFile("resnet34"), imageNetFile("resnet50"),
		imageNetFile("resnet101"), imageNetFile("resnet152")).compareMiddle()
	s.Images = 2000
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

// compareMiddle compares the pairs on components 25 to 52 as well, and returns the spec.
func (s *ProfilesSpec) compareMiddle() *ProfilesSpec {
	setRange(25, 52, s.Pairs...)
	return s
}

// fig11 returns Fig. 11: networks with 3×3 filters on large images.
func fig11() *study.Experiment {
	return &study.Experiment{
		ID: "energy/fig11", Paper: "energy", Figure: "Fig. 11",
		Title: "Correlations of energy profiles of networks with 3×3 filters in the first layer, beside CIFAR's",
		About: profilesAbout + trainingAbout + weightFilesAbout +
			"At scale paper they are torchvision's VGGs, of ImageNet. At scale small dead leaves stand in for " +
			"ImageNet, generated images with the statistics of photographs, of two classes that the direction of " +
			"edges tells apart; narrow networks are trained on them.",
		Claims: architectureClaims(),
		Specs: map[study.Scale]study.Spec{
			study.Smoke:      compareAll(smokeEnergy, 10, smokeNet("net"), smokeNet("other")),
			study.Small:      compareAll(smallEnergy, 200, smallNetworks("deadleaves")...),
			study.PaperScale: fig11Paper(),
		},
	}
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
		About: profilesAbout + trainingAbout + weightFilesAbout +
			"The files are ResNets of github.com/akamaster/pytorch_resnet_cifar10; at scale small that of ResNet-20, " +
			"beside narrow networks that are trained here.",
		Claims: []study.Claim{
			alikeClaim("pretrained", "Networks of different architectures trained by different people are "+
				"highly correlated: the file's and ours.",
				"picture", .8),
			alikeClaim("ours", "As those are that are trained here.", "picture", .8),
			withInit.Claim("They differ much from an initialisation.",
				"picture", study.Within(0, .3)),
			partialClaim("pretrained", "They share more than the spectrum of the patches: partial correlation."),
			partialClaim("ours", "As those do that are trained here."),
		},
		Specs: map[study.Scale]study.Spec{
			study.Smoke: &ProfilesSpec{
				Training: smokeEnergy, Draws: 10, Matrix: true,
				Networks: []setups.EnergyNetwork{smokeNet("net"), smokeNet("again"),
					{Name: "none", Arch: "resnet20", Data: "deadleaves", Weights: "there-is-no-such-file.pth"}},
				Pairs: []ProfilePair{newPair("pretrained", "net", "again"), newPair("ours", "again", "net"),
					newPair("pretrained", "none", "net")},
			},
			study.Small: compareWithFiles(smallEnergy, smallNetworks("cifar10"), "resnet20"),
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
		About: profilesAbout + trainingAbout +
			" The paper has networks from PyTorch's hub; we know of no files of CIFAR-100 of architectures that " +
			"ansatz has, so that networks are trained here. " + hundredClassesAbout,
		Claims: []study.Claim{
			alikeClaim("models", "Networks of different architectures have correlated profiles; the paper "+
				"has some as little as a random initialisation is.",
				"picture", .5),
			withInit.Claim("Most differ from a random initialisation.",
				"picture", study.Within(0, .3)),
			partialClaim("models", "They share more than the spectrum of the patches: partial correlation."),
		},
		Specs: map[study.Scale]study.Spec{
			study.Smoke: compareAll(smokeEnergy, 10, withSplitClasses(smokeNet("net"), 3),
				withSplitClasses(smokeNet("other"), 3)),
			study.Small:      compareAll(smallEnergy, 200, small...),
			study.PaperScale: compareAll(paperEnergy, 200, paperNetworks("cifar100")...),
		},
	}
}

// fig14 returns Fig. 14: ResNets of several depths on several datasets.
func fig14() *study.Experiment {
	return &study.Experiment{
		ID: "energy/fig14", Paper: "energy", Figure: "Fig. 14",
		Title: "Correlations of energy profiles of ResNets of several depths on several datasets",
		About: profilesAbout + trainingAbout +
			" The ResNets are those for CIFAR, of 20 layers and more. At scale small they learn CIFAR-10 and dead " +
			"leaves, generated images with the statistics of photographs, in 12 epochs, far from the end of " +
			"training: the table says how little their first layers moved. At scale paper they learn CIFAR-10, " +
			"CIFAR-100 and SVHN.",
		Claims: []study.Claim{
			alikeClaim("depths", "ResNets of different depths have highly correlated profiles.",
				"picture", .8),
			alikeClaim("datasets", "So have those trained on different datasets.", "picture", .8),
			partialClaim("depths", "Different depths share more than the spectrum of the patches: partial "+
				"correlation."),
			partialClaim("datasets", "So do different datasets."),
		},
		Specs: map[study.Scale]study.Spec{
			study.Smoke: compareDepthsAndSets(smokeEnergy, 10,
				[]setups.EnergyNetwork{smokeNet("cnn2"), smokeNet("again")}, "deadleaves",
				"deadleaves:leaves,textured"),
			study.Small: compareDepthsAndSets(smallEnergy, 200,
				[]setups.EnergyNetwork{smallResNet("resnet20", ""), smallResNet("resnet32", "")}, "cifar10",
				"deadleaves"),
			study.PaperScale: compareDepthsAndSets(paperEnergy, 200,
				[]setups.EnergyNetwork{plainResNet("resnet20", ""), plainResNet("resnet32", ""),
					plainResNet("resnet56", "")},
				"cifar10", "cifar100", "svhn"),
		},
	}
}

// compareDepthsAndSets returns the spec that trains every network on every dataset.
func compareDepthsAndSets(e setups.EnergyTraining, draws int, networks []setups.EnergyNetwork,
	sets ...string) *ProfilesSpec {
	s := &ProfilesSpec{Training: e, Draws: draws, Matrix: true}
	name := func(arch, set string) string { return arch + ", " + set }
	for _, set := range sets {
		var depths []string
		for _, n := range networks {
			n.Name, n.Data = name(n.Name, set), set
			s.Networks, depths = append(s.Networks, n), append(depths, n.Name)
		}
		s.Pairs = append(s.Pairs, allPairs("depths", depths...)...)
	}
	for _, n := range networks {
		var of []string
		for _, set := range sets {
			of = append(of, name(n.Name, set))
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
		About: "Fig. 10 on as many components as 3×3 patches have.",
		Of:    fig10(), Shows: []string{"matrix-middle", "correlations-middle", "pairs"},
		Claims: []study.Claim{
			middleDrop.Of("models").Claim("Correlations drop when one looks at components 25 to 52 alone: by how much.",
				"picture", study.Above(0)),
		},
	}
}
