package cnfapaper

import (
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// simpleNetInit is the paper's initialisation of SimpleNet. thinInit is that of a SimpleNet with an eighth of the
// width, with √8 times the standard deviation. Otherwise the outputs of its layers would be smaller than the least
// number by which batch norms divide, and would shrink from layer to layer.
const (
	simpleNetInit = "normal:1e-4"
	thinInit      = "normal:2.8e-4"
)

// fig8 returns the ansatz in SimpleNet.
func fig8() *study.Experiment {
	return &study.Experiment{
		ID: "cnfa/fig8", Paper: "cnfa", Figure: "Fig. 8", Title: "The ansatz in SimpleNet on several datasets",
		About: study.About{
			Done: "SimpleNet, with 13 convolutions and batch norm, is trained by Adadelta with weight decay on " +
				"several datasets, and its layers are compared as in Fig. 1.",
			Deviations: []string{
				"Settings at scale paper are those of SimpleNet's published code except for Adadelta's ε: 1e-6 " +
					"instead of 1e-3, with a learning rate of 1 instead of .1. The first steps are a third as long " +
					"where gradients are above .1, and up to ten times as long where they are below .01. Datasets " +
					"that are not in the data folder are left out.",
				"At scale small SimpleNet has an eighth of its width and learns few images of CIFAR-10, MNIST " +
					"and GTSRB, so that its accuracy is far from the published one. Its initial standard " +
					"deviation is √8 times as large: from 1e-4 so narrow a network does not learn, since every " +
					"layer weakens what it passes on by more than batch norm makes up for.",
			},
			Conventions: []string{
				"Filters start from normal weights of standard deviation 1e-4.",
			},
		}.With(ansatzAbout).With(powersAbout),
		Panels: []string{"similarity-*"},
		Claims: []study.Claim{
			pearson.Claim("Across the layers of SimpleNet the correlation of the trained CNFM and the AGOP is "+
				"consistently high: mean over layers and datasets.",
				"high bars", study.AtLeast(.8)).On(simpleNetSets).WithControl(excess),
			control(excess, "In SimpleNet the correlation of the trained CNFM and AGOP = WᵀSW exceeds its null, "+
				"that with S rotated at random: mean over layers and datasets."),
			over90.Claim("In most layers of SimpleNet the correlation of the trained CNFM and the AGOP is above "+
				".9: share of the layers.",
				"> .9 in most cases", study.AtLeast(.5)).On(simpleNetSets).WithControl(above),
			above.Check("In most layers of SimpleNet the correlation of the trained CNFM and the AGOP exceeds "+
				"its null: share of the layers.", study.AtLeast(.5)),
			half.measure(pearson).Check("In SimpleNet the correlation of the trained CNFM and AGOP^½ is high: "+
				"mean over layers and datasets.", study.AtLeast(.8)).WithControl(half.measure(normalised)),
			control(half.measure(normalised), "In SimpleNet the correlation of the trained CNFM and AGOP^½ "+
				"exceeds its null, that with S of AGOP = WᵀSW rotated at random: normalised excess over layers "+
				"and datasets."),
			initAlike.Check("Training changes the filters of SimpleNet: correlation of the initial and the "+
				"trained CNFM, mean over layers and datasets.", study.AtMost(.5)),
			testAccuracy.Of("cifar10").Claim("SimpleNet reaches its published test accuracy on CIFAR-10.",
				"> 95 %", study.AtLeast(.95)).From(study.PaperScale,
				"A SimpleNet of an eighth of its width cannot reach it with 1000 images."),
			accuracyOverChance.Check("SimpleNet classifies test images better than chance: test accuracy above "+
				"chance, mean over the datasets.",
				study.AtLeast(.2)),
		},
		Shows:      []string{"networks", "layers", "similarity-*", "above-*"},
		SmallSeeds: 5,
		Specs: map[study.Scale]study.Spec{
			study.Smoke: simpleNetSmoke(), study.Small: simpleNetSmall(), study.PaperScale: simpleNetPaper(),
		},
	}
}

func simpleNetSmoke() *AnsatzSpec {
	l := smokeTraining("adadelta")
	l.WeightDecay = 1e-3
	return &AnsatzSpec{
		Networks: []AnsatzNetwork{
			{
				Name: "cifar10", Arch: "simplenet", Width: .05, Init: simpleNetInit, Data: "deadleaves", Size: 16,
				Normalise: leavesNormalisation, Lessons: l,
			},
		},
		Images: 10,
	}
}

func simpleNetSmall() *AnsatzSpec {
	l := NetworkTraining{
		Train: 1000, Test: 500, Epochs: 30, Batch: 25, Optimiser: "adadelta", Rate: 1, WeightDecay: 1e-3,
		Schedule: "cosine",
	}
	s := &AnsatzSpec{Images: 100}
	for _, set := range []string{"cifar10", "mnist", "gtsrb"} {
		n := AnsatzNetwork{Name: set, Arch: "simplenet", Width: .125, Init: thinInit, Data: set, Lessons: l}
		if n.Lessons.Flip = set == "cifar10"; set == "gtsrb" {
			n.Size = 32
		}
		s.Networks = append(s.Networks, n)
	}
	return s
}

// simpleNetData returns the datasets of [simpleNetSets].
func simpleNetData() []string { return []string{"cifar10", "cifar100", "imagenet32", "svhn", "gtsrb"} }

func simpleNetPaper() *AnsatzSpec {
	s := &AnsatzSpec{Images: 200, Outputs: "probes:16"}
	for _, set := range simpleNetData() {
		l := NetworkTraining{
			Epochs: 540, Batch: 64, Optimiser: "adadelta", Rate: 1, WeightDecay: 1e-3,
			Schedule: "milestones:100,190,306,390,440", Crop: 4, Flip: set != "svhn" && set != "gtsrb",
		}
		size := 0
		if set == "gtsrb" {
			size = 32
		}
		s.Networks = append(s.Networks,
			AnsatzNetwork{Name: set, Arch: "simplenet", Init: simpleNetInit, Data: set, Size: size, Lessons: l})
	}
	return s
}
