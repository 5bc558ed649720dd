package cnfapaper

import (
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/verify"
)

// ansatzAbout explains how the ansatz is verified, for the texts of Figs. 1 and 8.
var ansatzAbout = study.About{
	Done: "In every convolution the covariance of the filters, WᵀW (CNFM), is compared with the average gradient " +
		"outer product with respect to patches (AGOP): Pearson's correlation over all entries, beside a null.",
	Conventions: []string{
		"AGOPs are of all logits, in evaluation mode, with biases, on training images that the seed draws. At scale " +
			"paper 16 random projections stand in for all logits, which have the same AGOP on average.",
		"Networks that are trained here learn the first images of the training split, and are tested on the first of " +
			"the test split, so that intervals leave out how much other images would change. Sets that are sorted by " +
			"class are shuffled first, by the seed.",
		verify.WhatTheNullIs,
		"A layer lies above its null if the excess is more than two standard deviations, those of null and " +
			"measurement combined.",
	},
}

// powersAbout explains the measures that the paper does not have, for the texts of Figs. 1, 7, 8 and 9.
var powersAbout = study.About{
	Controls: []string{
		"The correlations of the CNFM with AGOP^½ and AGOP^¼ are reported beside the paper's measure. Each has a " +
			"null of its own, since a smaller power flattens the spectrum and raises the null too.",
	},
	Conventions: []string{
		"Layers and networks are compared by the normalised excess (p − null)/(1 − null), since an excess p − " +
			"null is at most 1 − null. Over several layers it is the mean excess over the mean of 1 − null.",
	},
}

// ansatzNetworks lists the networks at each scale.
var ansatzNetworks = study.About{
	Deviations: []string{
		"At scale small the networks are trained here, with the paper's architectures at reduced width and a few " +
			"images of CIFAR-10, so that their true initial weights are known: AlexNet on images of 64×64 by " +
			"Adam, VGG-13 with batch norm and a ResNet-20 by SGD, all with a cosine schedule.",
		"Weight decay is ten times the usual (1e-3 instead of 1e-4 for AlexNet, 5e-3 instead of 5e-4 for the " +
			"others), so that little is left of the initial weights after few steps, as after the long training " +
			"of the paper's networks. A VGG-13 without batch norm hardly changes its filters on so few images, " +
			"from Kaiming's initialisation (initial and trained CNFM correlate at .89), and with such a decay it " +
			"does not learn at all.",
		"A further network is a ResNet-20 with weights that others trained on all images (resnet20.th in the " +
			"data folder). It is compared with a fresh initialisation. It is the same for all seeds, which draw " +
			"only the images of its AGOP, so it narrows the intervals of means and shares over all networks.",
		"At scale paper the networks are torchvision's with ImageNet weights, from files ARCH.pth in the data " +
			"folder. A network without a file is left out, and all are if ImageNet's images are missing.",
		"At scale paper, as in the paper, the first convolution of each block of a ResNet is measured, besides " +
			"the network's first convolution, which Fig. 1B shows; AlexNet and VGG have all their biases dropped. The " +
			"published code drops that of the convolution which it measures, and keeps the others. At scale small " +
			"all convolutions are measured, with biases, and the table of variants has the ways of scale paper.",
		"The published code takes 11 or 22 images. Here there are 100, which makes the measurement less noisy.",
	},
}

// The paper's datasets, by the names that claims use.
const (
	imageNet      = "ImageNet"
	simpleNetSets = "CIFAR-10, CIFAR-100, ImageNet32, SVHN and GTSRB"
)

// fig1 returns the experiment on the ansatz in networks for photographs.
func fig1() *study.Experiment {
	return &study.Experiment{
		ID: "cnfa/fig1", Paper: "cnfa", Figure: "Fig. 1",
		Title:      "The ansatz, convolution by convolution, in AlexNet, VGG and ResNet",
		About:      study.About{}.With(ansatzAbout).With(powersAbout).With(ansatzNetworks),
		Shows:      []string{"networks", "variants", "layers", "similarity-*", "above-*", "first-layer-*"},
		Panels:     []string{"similarity-*", "first-layer-*"},
		Claims:     study.Diagnose(photographNetworksKnown, fig1Claims()...),
		SmallSeeds: 5,
		Specs: map[study.Scale]study.Spec{
			study.Smoke: ansatzSmoke(), study.Small: ansatzSmall(), study.PaperScale: ansatzPaper(),
		},
	}
}

// photographNetworksKnown says what is known of the claims about networks for ImageNet.
const photographNetworksKnown = "Small networks trained on 2000 photographs replace the ImageNet ones; VGG-13 was not trained " +
	"to convergence (table of networks). A ResNet-20 that others trained on all of CIFAR-10 does not have higher correlations " +
	"with the AGOP either. Correlations with AGOP^½ exceed .9 on average (the check). Scale paper would decide it in a " +
	"few core-hours; it needs torchvision's ImageNet weights in the data folder."

func fig1Claims() []study.Claim {
	return []study.Claim{
		leastPearson.Of("alexnet").Claim("In each layer of AlexNet the correlation of the trained CNFM and the "+
			"AGOP is above .9: the smallest over the layers.",
			"> .9 at each layer", study.AtLeast(.9)).On(imageNet).WithControl(above.Of("alexnet")),
		above.Of("alexnet").Check("In the layers of AlexNet the correlation of the trained CNFM and the AGOP "+
			"exceeds its null: share of the layers.",
			study.AtLeast(.9)),
		leastPearson.Of("vgg13").Claim("In each layer of VGG-13 the correlation of the trained CNFM and the AGOP "+
			"is above .9: the smallest over the layers.",
			"> .9 at each layer", study.AtLeast(.9)).On(imageNet).WithControl(above.Of("vgg13")),
		above.Of("vgg13").Check("In the layers of VGG-13 the correlation of the trained CNFM and the AGOP "+
			"exceeds its null: share of the layers.", study.AtLeast(.9)),
		over90.Claim("In most layers of AlexNet, VGG and ResNet the correlation of the trained CNFM and the AGOP "+
			"is above .9: share of the layers of all networks.",
			"> .9 in most cases", study.AtLeast(.5)).On(imageNet).WithControl(above),
		above.Check("In most layers of AlexNet, VGG and ResNet the correlation of the trained CNFM and the AGOP "+
			"exceeds its null: share of the layers of all networks.", study.AtLeast(.5)),
		pearson.Claim("In AlexNet, VGG and ResNet the correlation of the trained CNFM and the AGOP is high: mean "+
			"over the layers of all networks.",
			"high average, in most cases > .9", study.AtLeast(.9)).On(imageNet).WithControl(excess),
		control(excess, "In AlexNet, VGG and ResNet the correlation of the trained CNFM and AGOP = WᵀSW exceeds "+
			"its null, that with S rotated at random: mean over the layers of all networks."),
		initAlike.Claim("The trained weights of AlexNet, VGG and ResNet are far from their initialisation: "+
			"correlation of the initial and the trained CNFM, mean over the layers of all networks.",
			"low bars", study.AtMost(.5)).On(imageNet),
		half.measure(pearson).Check("In AlexNet, VGG and ResNet the correlation of the trained CNFM and AGOP^½ "+
			"is high: mean over the layers of all networks.", study.AtLeast(.9)).WithControl(half.measure(normalised)),
		control(half.measure(normalised), "In AlexNet, VGG and ResNet the correlation of the trained CNFM and "+
			"AGOP^½ exceeds its null, that with S of AGOP = WᵀSW rotated at random: normalised excess over the "+
			"layers of all networks."),
		control(rootOverAGOP, "In AlexNet, VGG and ResNet the trained CNFM is better aligned with AGOP^½ than "+
			"with the AGOP: difference of the normalised excesses over the layers of all networks."),
	}
}

// leavesNormalisation approximates the normalisation of dead leaves, so that none have to be generated to measure it.
const leavesNormalisation = "0.5/0.25"

// smokeTraining returns a training of a few seconds, for scale smoke.
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
			{Name: "of a missing file", Arch: "resnet20", Data: "deadleaves", Weights: "there-is-no-such-file.pth"},
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
			// At width .125 a layer with 8 filters has a null of .81 ± .09, and would need .99 to lie above it.
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
