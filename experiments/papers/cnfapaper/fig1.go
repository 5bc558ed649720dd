package cnfapaper

import (
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/verify"
)

// ansatzAbout explains how the ansatz is verified, in the texts of Figs. 1 and 8.
const ansatzAbout = "At every convolution the covariance of filters WᵀW (CNFM) is compared with the average outer " +
	"product of gradients with respect to patches (AGOP) by Pearson's correlation of all elements. AGOPs are of " +
	"logits, all outputs, in evaluation mode, biases kept, on training images that the seed draws. " +
	verify.WhatTheNullIs + " A layer counts as above its null where the excess is more than two standard deviations " +
	"of null and measurement together. "

// powersAbout explains the measures beside the paper's, in the texts of Figs. 1, 7, 8 and 9.
const powersAbout = "An excess p − null is at most 1 − null, so that levels are compared by the normalised excess " +
	"(p − null)/(1 − null), over several layers the mean excess over the mean of 1 − null. Besides the paper's " +
	"measure there are the correlations of the CNFM with AGOP^½ and AGOP^¼, each with a null of its own, since a " +
	"smaller power flattens the spectrum and raises the null too. "

// ansatzNetworks says which networks there are at which scale.
const ansatzNetworks = "At scale small the networks are trained here on a few images of CIFAR-10, the paper's " +
	"architectures at a part of their width, so that their true initial weights are known: AlexNet on images of " +
	"64×64 by Adam, VGG-13 with batch norms and a ResNet-20 by SGD, all with a cosine schedule. Weight decay is ten " +
	"times the usual (1e-3 in the place of 1e-4 for AlexNet, 5e-3 in the place of 5e-4 for the others), so that " +
	"little is left of the initial weights after few steps, as after the long trainings of the paper's networks; a " +
	"VGG-13 without batch norms learns so few images with hardly a change of its filters, from Kaiming's " +
	"initialisation (initial and trained CNFM at .89), and does not learn at all with such a decay. There is one " +
	"more network, a ResNet-20 with weights that others trained on all images (resnet20.th in the data folder), " +
	"which a fresh initialisation is set beside. It is the same for all seeds, which draw only the images of its " +
	"AGOP: it has a part in the means and shares over all networks, whose intervals are narrower for it than those " +
	"of as many trainings. At scale paper they are torchvision's with ImageNet weights, in files ARCH.pth of the " +
	"data folder; what has no file, and all without ImageNet's images, is left out. There, as in the paper, the " +
	"first convolution of each block of a ResNet is taken, besides that of the network, which Fig. 1B shows, and as " +
	"in its code the biases of AlexNet and VGG are dropped. At scale small all convolutions are taken, with biases, " +
	"and the table of variants has the two other ways. The published code takes 11 or 22 images; here they are 100, " +
	"so that the measurement is less noisy. "

// The paper's data, by the names that claims give them.
const (
	imageNet      = "ImageNet"
	simpleNetSets = "CIFAR-10, CIFAR-100, ImageNet32, SVHN and GTSRB"
)

// fig1 returns the ansatz in networks for photographs.
func fig1() *study.Experiment {
	return &study.Experiment{
		ID: "cnfa/fig1", Paper: "cnfa", Figure: "Fig. 1",
		Title:  "The ansatz, convolution by convolution, in AlexNet, VGG and ResNet",
		About:  study.About{Done: ansatzAbout + powersAbout + ansatzNetworks},
		Shows:  []string{"networks", "variants", "layers", "similarity-*", "above-*", "first-layer-*"},
		Claims: fig1Claims(),
		Specs: map[study.Scale]study.Spec{
			study.Smoke: ansatzSmoke(), study.Small: ansatzSmall(), study.PaperScale: ansatzPaper(),
		},
	}
}

func fig1Claims() []study.Claim {
	return []study.Claim{
		leastPearson.Of("alexnet").Claim("At each layer of AlexNet the correlation of trained CNFM and AGOP is above "+
			".9: the least of all layers.",
			"> .9 at each layer", study.AtLeast(.9)).On(imageNet).WithControl(above.Of("alexnet")),
		above.Of("alexnet").Check("The layers of AlexNet lie above their null: share of them.",
			study.AtLeast(.9)),
		leastPearson.Of("vgg13").Claim("At each layer of VGG-13 the correlation of trained CNFM and AGOP is above .9: "+
			"the least of all layers.",
			"> .9 at each layer", study.AtLeast(.9)).On(imageNet).WithControl(above.Of("vgg13")),
		above.Of("vgg13").Check("The layers of VGG-13 lie above their null: share of the layers.", study.AtLeast(.9)),
		over90.Claim("In most layers the correlation of trained CNFM and AGOP is above .9: share of the layers of all "+
			"networks.",
			"> .9 in most cases", study.AtLeast(.5)).On(imageNet).WithControl(above),
		above.Check("Most layers lie above their null: share of the layers of all networks.", study.AtLeast(.5)),
		pearson.Claim("The correlation of trained CNFM and AGOP is high: mean over the layers of all networks.",
			"high average, in most cases > .9", study.AtLeast(.9)).On(imageNet).WithControl(excess),
		control(excess, "The correlation of trained CNFM and AGOP is higher than that with S rotated at random: mean "+
			"over the layers of all networks."),
		initAlike.Claim("Weights at the end of training are far from the initialisation: correlation of initial and "+
			"trained CNFM, mean over the layers of all networks.",
			"low bars", study.AtMost(.5)).On(imageNet),
		half.measure(pearson).Check("The correlation of trained CNFM and AGOP^½ is high: mean over the layers of all "+
			"networks.", study.AtLeast(.9)).WithControl(half.measure(normalised)),
		control(half.measure(normalised), "The correlation of trained CNFM and AGOP^½ is higher than that with S "+
			"rotated at random: normalised excess over the layers of all networks."),
		control(rootOverAGOP, "The CNFM is better aligned with AGOP^½ than with the AGOP: difference of the "+
			"normalised excesses over the layers of all networks."),
	}
}

// leavesNormalisation is about that of dead leaves, none of which has to be
// generated to measure it.
const leavesNormalisation = "0.5/0.25"

// smokeTraining returns a training of moments, for scale smoke.
func smokeTraining(optimiser string) NetworkTraining {
	return NetworkTraining{Train: 40, Test: 20, Epochs: 2, Batch: 20, Optimiser: optimiser}
}

func ansatzSmoke() *AnsatzSpec {
	return &AnsatzSpec{
		Networks: []AnsatzNetwork{
			{
				Name: "alexnet", Arch: "cnn2", Width: .1, Data: "deadleaves", Size: 16, Normalise: leavesNormalisation,
				Lessons: smokeTraining("adam"),
			},
			{
				Name: "vgg13", Arch: "cnn-max", Width: .1, Data: "deadleaves", Size: 16, Normalise: leavesNormalisation,
				Lessons: smokeTraining("sgd"),
			},
			{Name: "none", Arch: "resnet20", Data: "deadleaves", Weights: "there-is-no-such-file.pth"},
		},
		Variants: []AnsatzVariant{
			{"alexnet, first", "alexnet", AnsatzForm{Layers: `\.0$`}},
			{"vgg13, no biases", "vgg13", AnsatzForm{NoBias: true}},
		},
		Images: 20, Responses: AnsatzResponsesSpec{Count: 3},
	}
}

func ansatzSmall() *AnsatzSpec {
	adam := NetworkTraining{
		Train: 2000, Test: 500, Epochs: 40, Batch: 50, Optimiser: "adam", Rate: 1e-3, WeightDecay: 1e-3,
		Schedule: "cosine", NoDropout: true, Flip: true,
	}
	sgd := NetworkTraining{
		Train: 2000, Test: 500, Epochs: 20, Batch: 50, Optimiser: "sgd", Rate: .1, Momentum: .9, WeightDecay: 5e-3,
		Schedule: "cosine", Flip: true,
	}
	return &AnsatzSpec{
		Networks: []AnsatzNetwork{
			{Name: "alexnet", Arch: "alexnet", Width: .25, Data: "cifar10", Size: 64, Lessons: adam},
			// At width .125 a layer of 8 filters has a null of .81 ± .09, so that it would need .99 to lie above it.
			{Name: "vgg13", Arch: "vgg13_bn", Width: .5, Data: "cifar10", Lessons: sgd},
			{Name: "resnet20", Arch: "resnet20", Width: .5, Data: "cifar10", Lessons: sgd},
			{Name: "resnet20-file", Arch: "resnet20", Data: "cifar10", Weights: "resnet20.th"},
		},
		Variants: []AnsatzVariant{
			{"alexnet, no biases", "alexnet", AnsatzForm{NoBias: true}},
			{"vgg13, no biases", "vgg13", AnsatzForm{NoBias: true}},
			{"resnet20, blocks", "resnet20", AnsatzForm{Layers: blockStarts}},
			{"resnet20-file, blocks", "resnet20-file", AnsatzForm{Layers: blockStarts}},
		},
		Images: 100, Responses: AnsatzResponsesSpec{Count: 20},
	}
}

func ansatzPaper() *AnsatzSpec {
	s := &AnsatzSpec{
		Images: 100, Outputs: "probes:16", Responses: AnsatzResponsesSpec{Count: 15, Photographs: "photos"},
	}
	for _, arch := range []string{
		"alexnet", "vgg11", "vgg13", "vgg16", "vgg19", "resnet18", "resnet34", "resnet50", "resnet101", "resnet152",
	} {
		form := AnsatzForm{NoBias: true}
		if strings.HasPrefix(arch, "resnet") {
			form = AnsatzForm{Layers: blockStarts}
		}
		s.Networks = append(s.Networks,
			AnsatzNetwork{Name: arch, Arch: arch, Data: "imagenet", Weights: arch + ".pth", Form: form})
	}
	return s
}
