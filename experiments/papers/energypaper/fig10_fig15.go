package energypaper

import (
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

var (
	modelsPearson    = study.NewMeasure("models_pearson")
	initMeasure      = study.NewMeasure("init")
	modelsMiddleDrop = study.NewMeasure("models_middle_drop")
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
		modelsPearson.Claim("Networks of different architectures have correlated profiles.",
			"picture", study.AtLeast(.8)).WithControl(partialPearson.Of("models")),
		initMeasure.Claim("They differ much from a random initialisation.",
			"picture", study.Within(0, .3)),
		partialClaim("models", "They share more than the spectrum of the patches: partial correlation."),
	}
}

// fig15 returns Fig. 15: the networks of Fig. 10, compared on the components in the middle.
func fig15() *study.Experiment {
	return &study.Experiment{
		ID: "energy/fig15", Paper: "energy", Figure: "Fig. 15",
		Title: "Correlations of energy profiles of networks with 7×7 filters, on components 25 to 52 alone",
		About: "Fig. 10 on as many components as 3×3 patches have.",
		Of:    fig10(), Shows: []string{"matrix-middle", "correlations-middle", "pairs"},
		Claims: []study.Claim{
			modelsMiddleDrop.Claim("Correlations drop when one looks at components 25 to 52 alone: by how much.",
				"picture", study.Above(0)),
		},
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
