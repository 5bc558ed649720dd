package energypaper

import (
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/profile"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// profilesAbout says what all experiments with energy profiles do.
const profilesAbout = "The energy profile of filters W is eᵢ = ‖W pᵢ‖ on the principal components pᵢ of the patches " +
	"of the training images, in descending order of their variance (energy, eq. 1); two are compared by Pearson's " +
	"correlation. " +
	profile.WhatPartialIs

// trainingAbout says how the networks are trained.
const trainingAbout = "Networks are trained as the paper says, by SGD without momentum at a constant rate of .1 in " +
	"batches of 256 on pixels in [0,1]. The paper does not say whether its VGG has batch norms: without them, from " +
	"PyTorch's initialisation, ours does not leave chance in 6 epochs of 3000 images at that rate, so that VGGs here " +
	"have them. All networks begin with initialisations of their own: with the same one, which the paper may have " +
	"taken in places, filters are more alike for that reason alone. At scale small VGGs have 32 filters in the first " +
	"layer and an eighth of their width in the others, and there are 1000 images and 25 epochs; batches are of 16, " +
	"because in those of 256 so few images make so few steps that the first layer hardly moves (the tables show by " +
	"how much it does). The filters of ResNets for CIFAR begin larger, and move less for it: in batches of 16, of a " +
	"first run with one seed, by a quarter to .4 in 15 epochs, for which they are of 4 here, in 12 epochs."

// smallVGG is a VGG with narrow layers behind a first one of 32 filters.
func smallVGG(name, arch, data string) setups.EnergyNetwork {
	return setups.EnergyNetwork{Name: name, Arch: arch, Width: .125, First: 32, Data: data}
}

// plainVGG is the paper's.
func plainVGG(name, arch, data string) setups.EnergyNetwork {
	return setups.EnergyNetwork{Name: name, Arch: arch, Data: data}
}

// smokeNet is a network that is trained in no time.
func smokeNet(name string) setups.EnergyNetwork {
	return setups.EnergyNetwork{Name: name, Arch: "cnn2", Width: .1, Data: "deadleaves"}
}

var (
	smokeEnergy = setups.EnergyTraining{Train: 60, Test: 20, Epochs: 2, Batch: 20, Rate: .05}
	smallEnergy = setups.EnergyTraining{Train: 1000, Test: 500, Epochs: 25, Batch: 16, Rate: .1}
	paperEnergy = setups.EnergyTraining{Epochs: 150, Batch: 256, Rate: .1}
)

// memorising is how many epochs a small network takes for random labels.
const memorising = 40

// longSmallEnergy has as many for all labels.
func longSmallEnergy() setups.EnergyTraining {
	e := smallEnergy
	e.Epochs = memorising
	return e
}

// plainResNet is a ResNet as it is.
func plainResNet(arch, data string) setups.EnergyNetwork {
	return setups.EnergyNetwork{Name: arch, Arch: arch, Data: data}
}

// smallResNet is a ResNet for CIFAR at scale small: in more steps, on fewer images.
func smallResNet(arch, data string) setups.EnergyNetwork {
	n := plainResNet(arch, data)
	n.Batch, n.Epochs = 4, 12
	return n
}

// table1 is consistency across seeds, widths, architectures and datasets.
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
			{
				Value: "seeds_pearson", Paper: "over .98 in many cases", Holds: study.AtLeast(.9),
				Sentence: "Different initialisations have very similar profiles.",
			},
			{
				Value: "widths_pearson", Paper: "over .98 in many cases", Holds: study.AtLeast(.9),
				Sentence: "So have different widths of the first layer.",
			},
			{
				Value: "architectures_pearson", Paper: "over .98 in many cases", Holds: study.AtLeast(.9),
				Sentence: "So have different architectures.",
			},
			{
				Value: "datasets_pearson", Paper: "over .98 in many cases", Holds: study.AtLeast(.9),
				Sentence: "So have networks trained on different datasets.",
			},
			{
				Value: "much", Paper: "many", Holds: study.AtLeast(1. / 3),
				Sentence: "The correlation is over .98 in many cases: in what part of the pairs.",
			},
			{
				Value: "init", Paper: "close to 0", Holds: study.Within(0, .2),
				Sentence: "The profiles before and after training are hardly correlated.",
			},
			{
				Value: "over_deviations", Paper: "not asked by the paper", Holds: study.Above(0),
				Sentence: "Profiles are more like each other than like the standard deviations of the patches.",
			},
			{
				Value: "seeds_partial", Paper: "not asked by the paper", Holds: study.AtLeast(.5),
				Sentence: "Different initialisations share more than the spectrum of the patches: partial correlation.",
			},
			{
				Value: "widths_partial", Paper: "not asked by the paper", Holds: study.AtLeast(.5),
				Sentence: "So do different widths of the first layer.",
			},
			{
				Value: "architectures_partial", Paper: "not asked by the paper", Holds: study.AtLeast(.5),
				Sentence: "So do different architectures.",
			},
			{
				Value: "datasets_partial", Paper: "not asked by the paper", Holds: study.AtLeast(.5),
				Sentence: "So do different datasets.",
			},
		},
		Controls: partialControls("seeds", "widths", "architectures", "datasets"),
		Shows:    []string{"pairs", "networks", "components"},
		Specs: map[study.Scale]study.Spec{study.Smoke: table1Smoke(), study.Small: table1Small(),
			study.PaperScale: table1Paper()},
	}
}

// partialControls name the null controls of groups of pairs: what their profiles
// share beyond the spectrum of the patches.
func partialControls(groups ...string) map[string]string {
	controls := map[string]string{}
	for _, g := range groups {
		controls[g+"_pearson"] = g + "_partial"
	}
	return controls
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
