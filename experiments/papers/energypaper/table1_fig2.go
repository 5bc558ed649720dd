package energypaper

import (
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// table1 returns Table 1: profiles across seeds, widths, architectures and datasets.
func table1() *study.Experiment {
	return &study.Experiment{
		ID: "energy/table1", Paper: "energy", Figure: "Table 1",
		Title: "Energy profiles across seeds, first-layer widths, architectures and datasets",
		About: profilesAbout + trainingAbout + " The other architectures are VGG-16 and ResNet-20, whose first layer " +
			"has 3×3 filters; torchvision's ResNet-18 has 7×7 ones, whose profiles are on other components. The " +
			"other dataset is of dead leaves, which have the statistics of photographs in which things hide each " +
			"other; at scale paper they are CIFAR-100 and SVHN. At scale small the ResNet is far from the end of its " +
			"training: the table says how little its first layer moved.",
		Claims: []study.Claim{
			alikeClaim("seeds", "Different initialisations have very similar profiles.",
				"over .98 in many cases", .9),
			alikeClaim("widths", "So have different widths of the first layer.",
				"over .98 in many cases", .9),
			alikeClaim("architectures", "So have different architectures.", "over .98 in many cases", .9),
			alikeClaim("datasets", "So have networks trained on different datasets.",
				"over .98 in many cases", .9),
			much.Claim("The correlation is over .98 in many cases: in what part of the pairs.",
				"many", study.AtLeast(1./3)),
			withInit.Claim("The profiles before and after training are hardly correlated.",
				"close to 0", study.Within(0, .2)),
			overDeviations.Claim("Profiles are more like each other than like the standard deviations of the "+
				"patches.",
				"not asked by the paper", study.Above(0)),
			partialClaim("seeds", "Different initialisations share more than the spectrum of the patches: "+
				"partial correlation."),
			partialClaim("widths", "So do different widths of the first layer."),
			partialClaim("architectures", "So do different architectures."),
			partialClaim("datasets", "So do different datasets."),
		},
		Shows: []string{"pairs", "networks", "components"},
		Specs: map[study.Scale]study.Spec{study.Smoke: table1Smoke(), study.Small: table1Small(),
			study.PaperScale: table1Paper()},
	}
}

func table1Smoke() *ProfilesSpec {
	wide := smokeNet("wide")
	wide.First = 12
	deep := smokeNet("deep")
	deep.Arch = "cnn3"
	return &ProfilesSpec{
		Training: smokeEnergy, Sensitivity: true,
		Networks: []setups.EnergyNetwork{smokeNet("net"), smokeNet("again"), wide, deep, smokeNet("other")},
		Draws:    10,
		Pairs: []ProfilePair{newPair("seeds", "net", "again"), newPair("widths", "net", "wide"),
			newPair("architectures", "net", "deep"), newPair("datasets", "again", "other")},
	}
}

func table1Small() *ProfilesSpec {
	narrow, wide := smallVGG("16 filters", "vgg11_bn", "cifar10"), smallVGG("64 filters", "vgg11_bn", "cifar10")
	narrow.First, wide.First = 16, 64
	return &ProfilesSpec{
		Training: smallEnergy, Draws: 200, Sensitivity: true,
		Networks: []setups.EnergyNetwork{
			smallVGG("vgg11", "vgg11_bn", "cifar10"), smallVGG("another seed", "vgg11_bn", "cifar10"), narrow, wide,
			smallVGG("vgg16", "vgg16_bn", "cifar10"), smallResNet("resnet20", "cifar10"),
			smallVGG("dead leaves", "vgg11_bn", "deadleaves"),
		},
		Pairs: []ProfilePair{
			newPair("seeds", "vgg11", "another seed"), newPair("widths", "vgg11", "16 filters"),
			newPair("widths", "vgg11", "64 filters"),
			newPair("architectures", "vgg11", "vgg16"), newPair("architectures", "vgg11", "resnet20"),
			newPair("datasets", "vgg11", "dead leaves"),
		},
	}
}

func table1Paper() *ProfilesSpec {
	s := &ProfilesSpec{Training: paperEnergy, Draws: 200, Sensitivity: true}
	narrow, wide := plainVGG("16 filters", "vgg11_bn", "cifar10"), plainVGG("256 filters", "vgg11_bn", "cifar10")
	narrow.First, wide.First = 16, 256
	s.Networks = []setups.EnergyNetwork{
		plainVGG("vgg11", "vgg11_bn", "cifar10"), plainVGG("another seed", "vgg11_bn", "cifar10"), narrow, wide,
		plainVGG("vgg16", "vgg16_bn", "cifar10"), {Name: "resnet20", Arch: "resnet20", Data: "cifar10"},
		plainVGG("cifar100", "vgg11_bn", "cifar100"), plainVGG("svhn", "vgg11_bn", "svhn"),
	}
	s.Pairs = []ProfilePair{
		newPair("seeds", "vgg11", "another seed"), newPair("widths", "vgg11", "16 filters"),
		newPair("widths", "vgg11", "256 filters"),
		newPair("architectures", "vgg11", "vgg16"), newPair("architectures", "vgg11", "resnet20"),
		newPair("datasets", "vgg11", "cifar100"), newPair("datasets", "vgg11", "svhn"),
	}
	return s
}

// fig2 returns Fig. 2: the shape of the profiles of Table 1.
func fig2() *study.Experiment {
	return &study.Experiment{
		ID: "energy/fig2", Paper: "energy", Figure: "Fig. 2",
		Title: "Energy profiles across networks and datasets, beside the contrast sensitivity of humans",
		About: "The profiles of Table 1's networks, by what differs between them. " + sensitivityAbout,
		Of:    table1(), Shows: []string{"profiles-*", "sensitivity"},
		Claims: []study.Claim{
			middleOverLow.Claim("Profiles are less sensitive to very low frequencies: the middle third of "+
				"the components above the first.",
				"picture", study.Above(0)),
			middleOverHigh.Claim("And to very high ones: the middle third above the last.",
				"picture", study.Above(0)),
			sensitivity.Claim("They resemble the contrast sensitivity of humans: correlation on the "+
				"components, each by its share of luminance.",
				"picture", study.AtLeast(.5)).WithControl(sensitivityExcess),
			sensitivityExcess.Claim("More so than before training: by how much.",
				"not asked by the paper", study.Above(0)),
		},
	}
}
