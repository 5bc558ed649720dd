package energypaper

import (
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

var (
	pretrainedPearson = study.NewMeasure("pretrained_pearson")
	oursPearson       = study.NewMeasure("ours_pearson")
)

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
			pretrainedPearson.Claim("Networks of different architectures trained by different people are highly correlated: "+
				"the file's and ours.",
				"picture", study.AtLeast(.8)).WithControl(partialPearson.Of("pretrained")),
			oursPearson.Claim("As those are that are trained here.",
				"picture", study.AtLeast(.8)).WithControl(partialPearson.Of("ours")),
			initMeasure.Claim("They differ much from an initialisation.",
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
			modelsPearson.Claim("Networks of different architectures have correlated profiles; the paper has some as "+
				"little as a random initialisation is.",
				"picture", study.AtLeast(.5)).WithControl(partialPearson.Of("models")),
			initMeasure.Claim("Most differ from a random initialisation.",
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
