package experiments

import "slices"

// energyFig10 is networks that others trained.
func energyFig10() *Experiment {
	return &Experiment{
		ID: "energy/fig10", Paper: "energy", Figure: "Figs. 10 to 15", Title: "Energy profiles of networks that others trained",
		About: energyAbout + energyTraining + " Networks whose weights are in files of the data folder are compared with each other and, where there are few, with networks that are trained here; those without a file are left out. " +
			"Networks that read other pixels, normalised ones, have their filters rescaled to pixels in [0,1]. The initialisation of a network from a file is not known: a fresh one takes its place. " +
			"At scale small they are of CIFAR-10; at scale paper there are ImageNet's too. " +
			"On the components in the middle alone correlations are said to drop (Fig. 15: 25 to 52 of 147); of 27 components they are those from 10 to 18.",
		Claims: []Claim{
			{"pretrained_pearson", "Networks of different architectures trained by different people are highly correlated: the file's and ours.", "picture", atLeast(.8)},
			{"ours_pearson", "As those are that are trained here.", "picture", atLeast(.8)},
			{"init", "They differ much from an initialisation.", "picture", within(0, .3)},
			{"pretrained_middle_drop", "The correlation drops on the components in the middle: by how much.", "picture", above(0)},
			{"pretrained_partial", "They share more than the spectrum of the patches: partial correlation.", "not asked by the paper", atLeast(.5)},
		},
		Specs: map[Scale]Spec{
			Smoke: &ProfilesSpec{
				Training: smokeEnergy, Draws: 10,
				Networks: []EnergyNetwork{smokeNet("net"), smokeNet("again"), {Name: "none", Arch: "resnet20", Data: "deadleaves", Weights: "there-is-no-such-file.pth"}},
				Pairs:    among(10, 18, pairOf("pretrained", "net", "again"), pairOf("ours", "again", "net"), pairOf("pretrained", "none", "net")),
			},
			Small:      pretrainedSmall(),
			PaperScale: pretrainedPaper(),
		},
	}
}

// pretrainedResNet is the ResNet-20 of github.com/akamaster/pytorch_resnet_cifar10.
func pretrainedResNet() EnergyNetwork {
	return EnergyNetwork{Name: "resnet20, from a file", Arch: "resnet20", Data: "cifar10", Weights: "resnet20.th"}
}

func pretrainedSmall() *ProfilesSpec {
	resnet := EnergyNetwork{Name: "resnet20", Arch: "resnet20", Data: "cifar10", Epochs: 15}
	return &ProfilesSpec{
		Training: smallEnergy, Draws: 200,
		Networks: []EnergyNetwork{pretrainedResNet(), resnet, thinVGG("vgg11", "vgg11_bn", "cifar10"), thinVGG("vgg16", "vgg16_bn", "cifar10")},
		Pairs: among(10, 18,
			pairOf("pretrained", "resnet20, from a file", "resnet20"), pairOf("pretrained", "resnet20, from a file", "vgg11"), pairOf("pretrained", "resnet20, from a file", "vgg16"),
			pairOf("ours", "resnet20", "vgg11"), pairOf("ours", "vgg11", "vgg16"),
		),
	}
}

func pretrainedPaper() *ProfilesSpec {
	imagenet := func(arch string) EnergyNetwork {
		return EnergyNetwork{Name: arch, Arch: arch, Data: "imagenet", Weights: arch + ".pth"}
	}
	vgg := fullVGG("vgg11, cifar10", "vgg11_bn", "cifar10")
	return &ProfilesSpec{
		Training: paperEnergy, Images: 2000, Draws: 200,
		Networks: []EnergyNetwork{
			pretrainedResNet(), vgg, {Name: "resnet56, from a file", Arch: "resnet56", Data: "cifar10", Weights: "resnet56.th"},
			imagenet("resnet18"), imagenet("resnet50"), imagenet("resnet152"), imagenet("vgg11"), imagenet("vgg16"), imagenet("vgg19"),
		},
		Pairs: slices.Concat(
			among(10, 18, pairOf("pretrained", "resnet20, from a file", vgg.Name), pairOf("ours", "resnet20, from a file", "resnet56, from a file")),
			among(25, 52, pairOf("kernel 7", "resnet18", "resnet50"), pairOf("kernel 7", "resnet18", "resnet152")),
			among(10, 18, pairOf("kernel 3", "vgg11", "vgg16"), pairOf("kernel 3", "vgg11", "vgg19")),
		),
	}
}
