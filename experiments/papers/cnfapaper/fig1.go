package cnfapaper

import (
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/verify"
)

// ansatzAbout explains how the ansatz is verified, in the texts of Figs. 1 and 8.
const ansatzAbout = "At every convolution the covariance of filters WᵀW (CNFM) is compared with the average outer " +
	"product of gradients with respect to patches (AGOP) by Pearson's correlation of all elements. AGOPs are of " +
	"logits, all outputs, in evaluation mode, biases kept, on training images that the seed draws. " +
	verify.WhatTheNullIs + " A layer counts as above its null where the excess is more than two standard deviations " +
	"of null and measurement together. "

// ansatzNetworks says which networks there are at which scale.
const ansatzNetworks = "At scale small the networks are trained here on a few images of CIFAR-10, the paper's " +
	"architectures at a part of their width, so that their true initial weights are known: AlexNet on images of " +
	"64×64 by Adam, VGG-13 with batch norms and a ResNet-20 by SGD. Weight decay is ten times the usual, so that " +
	"little is left of the initial weights after few steps, as after the long trainings of the paper's networks; a " +
	"VGG-13 without batch norms learns so few images with hardly a change of its filters, from Kaiming's " +
	"initialisation (initial and trained CNFM at .89), and does not learn at all with such a decay. There is one " +
	"more network, a ResNet-20 with weights that others trained on all images (resnet20.th in the data folder), " +
	"which a fresh initialisation is set beside. It is the same for all seeds, which draw only the images of its " +
	"AGOP: it has a part in the means and shares over all networks, whose intervals are narrower for it than those " +
	"of as many trainings. At scale paper they are torchvision's with ImageNet weights, in files ARCH.pth of the " +
	"data folder; what has no file, and all without ImageNet's images, is left out. The paper takes the first " +
	"convolution of each block of a ResNet; here all are taken. Its code drops the biases of AlexNet and VGG, and " +
	"takes 11 or 22 images. "

// fig1 returns the ansatz in networks for photographs.
func fig1() *study.Experiment {
	return &study.Experiment{
		ID: "cnfa/fig1", Paper: "cnfa", Figure: "Fig. 1",
		Title: "The ansatz, convolution by convolution, in AlexNet, VGG and ResNet",
		About: ansatzAbout + ansatzNetworks,
		Shows: []string{"networks", "layers", "similarity-*", "above-*", "first-layer-*"},
		Claims: []study.Claim{
			leastPearson.Of("alexnet").Claim("AlexNet: trained CNFM and AGOP are correlated at each layer: the least.",
				"> .9 at each layer", study.AtLeast(.9)).WithControl(above.Of("alexnet")),
			above.Of("alexnet").Claim("AlexNet: share of the layers that lie above their null.",
				"not asked by the paper", study.AtLeast(.9)),
			leastPearson.Of("vgg13").Claim("VGG-13: trained CNFM and AGOP are correlated at each layer: the least.",
				"> .9 at each layer", study.AtLeast(.9)).WithControl(above.Of("vgg13")),
			above.Of("vgg13").Claim("VGG-13: share of the layers that lie above their null.",
				"not asked by the paper", study.AtLeast(.9)),
			over90.Claim("In most cases the correlation is above .9: share of the layers of all networks.",
				"> .9 in most cases", study.AtLeast(.5)).WithControl(above),
			above.Claim("Share of the layers of all networks that lie above their null.",
				"not asked by the paper", study.AtLeast(.5)),
			pearson.Claim("On average over the layers of all networks the correlation is high.",
				"high average, in most cases > .9", study.AtLeast(.9)).WithControl(excess),
			control(excess, "On average over the layers of all networks it is higher than that with S rotated."),
			initAlike.Claim("Weights at the end are far from the initialisation: initial and trained CNFM, on average.",
				"low bars", study.AtMost(.5)),
		},
		Specs: map[study.Scale]study.Spec{
			study.Smoke: ansatzSmoke(), study.Small: ansatzSmall(), study.PaperScale: ansatzPaper(),
		},
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
		Images: 20, Responses: AnsatzResponsesSpec{Count: 3},
	}
}

func ansatzSmall() *AnsatzSpec {
	adam := NetworkTraining{
		Train: 2000, Test: 500, Epochs: 20, Batch: 50, Optimiser: "adam", Rate: 1e-3, NoDropout: true, Flip: true,
	}
	sgd := NetworkTraining{
		Train: 2000, Test: 500, Epochs: 20, Batch: 50, Optimiser: "sgd", Rate: .1, Momentum: .9, WeightDecay: 5e-3,
		Schedule: "cosine", Flip: true,
	}
	return &AnsatzSpec{
		Networks: []AnsatzNetwork{
			{Name: "alexnet", Arch: "alexnet", Width: .25, Data: "cifar10", Size: 64, Lessons: adam},
			{Name: "vgg13", Arch: "vgg13_bn", Width: .125, Data: "cifar10", Lessons: sgd},
			{Name: "resnet20", Arch: "resnet20", Width: .5, Data: "cifar10", Lessons: sgd},
			{Name: "resnet20-file", Arch: "resnet20", Data: "cifar10", Weights: "resnet20.th"},
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
		s.Networks = append(s.Networks, AnsatzNetwork{Name: arch, Arch: arch, Data: "imagenet", Weights: arch + ".pth"})
	}
	return s
}
