package energypaper

import (
	"fmt"

	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// profilesAbout says what energy profiles are and how they are compared.
var profilesAbout = study.About{
	Controls: []string{
		"Random initial filters have a random profile, part of which training leaves in W: with k filters it " +
			"keeps the correlation of two networks below 1 whatever they learned. The tables therefore have the " +
			"correlation of the profiles of W − W₀ beside that of W. Where the paper's claims are about W they " +
			"are judged on W, and W − W₀ is a check of ours.",
		"If one of the two sets of filters were rotated at random in the space of patches, the correlation would " +
			"have mean 0 and standard deviation 1/√(m − 1), with m components.",
		"The noise ceiling is the agreement of two halves of the same network's filters, extrapolated to all " +
			"filters by Spearman and Brown's formula.",
		"The partial correlation is that of the residuals of a fit to the patches' standard deviations and the " +
			"ranks. It is shown and decides nothing: the paper says that the spectrum of the patches is what " +
			"makes profiles similar.",
	},
	Conventions: []string{
		"The energy profile of filters W is eᵢ = ‖W pᵢ‖ on the principal components pᵢ of the patches of the " +
			"training images, in descending order of their variance (energy, eq. 1). Two profiles are compared by " +
			"Pearson's correlation.",
		"Every seed draws different images.",
	},
}

// trainingAbout says how the networks are trained.
var trainingAbout = study.About{
	Deviations: []string{
		"VGGs have batch norm here. The paper does not say whether its VGG has: without it, from PyTorch's " +
			"initialisation, ours stays at chance for 6 epochs of 3000 images at the paper's learning rate.",
		"All networks have different initial weights. With the same ones, which the paper may have taken in " +
			"places, filters are more similar for that reason alone.",
		"At scale small VGGs have 32 filters in the first layer and an eighth of their width in the others, and " +
			"there are 1000 images and 25 epochs. Batches are of 16: in batches of 256 so few images make so few " +
			"steps that the first layer hardly moves (the tables show how much it does).",
	},
	Conventions: []string{
		"Networks are trained as the paper says: SGD without momentum at a constant learning rate of .1, batches " +
			"of 256, pixels in [0,1].",
		"Losses and accuracies on training images are collected over an epoch, while the network learns; those on test " +
			"images are of its weights after the epoch.",
	},
}

// cifarResNetsAbout says how the ResNets for CIFAR-10 and CIFAR-100 are trained at scale small.
var cifarResNetsAbout = study.About{
	Deviations: []string{
		"At scale small ResNets for CIFAR have batches of 4 and 12 epochs. Their filters begin larger than the " +
			"VGGs' and therefore move less: in batches of 16, in a first run with one seed, by a quarter to .4 in " +
			"15 epochs.",
	},
}

// resNet18About describes the ResNet of Tables 1 and 2.
var resNet18About = study.About{
	Deviations: []string{
		"The ResNet is torchvision's ResNet-18 with a 3×3 stem, as is usual for images of 32×32: its first " +
			"convolution has stride 1, and there is no max pooling. At scale small it has half its width, 32 " +
			"filters in the first layer, and 12 epochs.",
	},
}

// weightFilesAbout says where the networks of Figs. 10 to 15 come from.
var weightFilesAbout = study.About{
	Deviations: []string{
		"The paper has networks that others trained, from PyTorch's hub. Here networks take their weights from " +
			"files in the data folder; those without a file are left out, and if no network has one, networks are " +
			"trained here.",
	},
	Conventions: []string{
		"Networks that read normalised pixels have their filters rescaled to pixels in [0,1]. The initialisation " +
			"of a network from a file is unknown, so a fresh one takes its place.",
	},
}

// The paper's datasets that are replaced by others at scale small.
const (
	hundredClasses = "CIFAR-100"
	celebFaces     = "CelebA"
	imageNet       = "ImageNet"
	otherDatasets  = "CIFAR-100 and SVHN"
)

// The datasets that replace them.
var (
	hundredClassesAbout = study.About{
		Deviations: []string{
			"At scale small CIFAR-10 stands in for CIFAR-100, with every class divided at random into ten: 100 " +
				"classes of few images each, where a network has to memorise which part of its class an image is " +
				"in. Every network has a division of its own.",
		},
	}
	facesAbout = study.About{
		Deviations: []string{
			"At scale small the animals of CIFAR-10 against its vehicles stand in for faces: photographs of two " +
				"classes, as those of CelebA with its label are.",
		},
	}
)

var (
	smokeEnergy = setups.EnergyTraining{Train: 60, Test: 20, Epochs: 2, Batch: 20, Rate: .05}
	smallEnergy = setups.EnergyTraining{Train: 1000, Test: 500, Epochs: 25, Batch: 16, Rate: .1}
	// mediumEnergy is for networks that have learned little at scale small.
	mediumEnergy = setups.EnergyTraining{Train: 10000, Test: 2000, Epochs: 25, Batch: 64, Rate: .1}
	paperEnergy  = setups.EnergyTraining{Epochs: 150, Batch: 256, Rate: .1}
)

// memorising is the number of epochs in which a small network memorises random labels.
const memorising = 40

// longSmallEnergy returns the training of scale small with as many epochs for all labels.
func longSmallEnergy() setups.EnergyTraining {
	e := smallEnergy
	e.Epochs = memorising
	return e
}

// smokeNet returns a network that trains within a second.
func smokeNet(name string) setups.EnergyNetwork {
	return setups.EnergyNetwork{Name: name, Arch: "cnn2", Width: .1, Data: "deadleaves"}
}

// smallVGG returns a VGG with 32 filters in the first layer and an eighth of the width in the
// others.
func smallVGG(name, arch, data string) setups.EnergyNetwork {
	return setups.EnergyNetwork{Name: name, Arch: arch, Width: .125, First: 32, Data: data}
}

// plainVGG returns a VGG at full width.
func plainVGG(name, arch, data string) setups.EnergyNetwork {
	return setups.EnergyNetwork{Name: name, Arch: arch, Data: data}
}

// plainResNet returns a ResNet at full width.
func plainResNet(arch, data string) setups.EnergyNetwork {
	return setups.EnergyNetwork{Name: arch, Arch: arch, Data: data}
}

// smallResNet18 returns a ResNet-18 with a 3×3 stem at scale small: 32 filters in the first layer, fewer epochs.
func smallResNet18(data string) setups.EnergyNetwork {
	n := plainResNet18(data)
	n.Width, n.Epochs = .5, 12
	return n
}

// plainResNet18 returns a ResNet-18 with a 3×3 stem at full width.
func plainResNet18(data string) setups.EnergyNetwork {
	return setups.EnergyNetwork{Name: "resnet18", Arch: "resnet18_3x3", Data: data}
}

// smallResNet returns a ResNet for CIFAR at scale small: smaller batches, fewer epochs.
func smallResNet(arch, data string) setups.EnergyNetwork {
	n := plainResNet(arch, data)
	n.Batch, n.Epochs = 4, 12
	return n
}

// smallNetworks returns narrow networks of several architectures with 3×3 filters.
func smallNetworks(data string) []setups.EnergyNetwork {
	return []setups.EnergyNetwork{
		smallVGG("vgg11", "vgg11_bn", data), smallVGG("vgg13", "vgg13_bn", data), smallVGG("vgg16", "vgg16_bn", data),
		smallResNet("resnet20", data),
	}
}

// paperNetworks returns networks of several architectures at full width.
func paperNetworks(data string) []setups.EnergyNetwork {
	return []setups.EnergyNetwork{
		plainVGG("vgg11", "vgg11_bn", data), plainVGG("vgg13", "vgg13_bn", data), plainVGG("vgg16", "vgg16_bn", data),
		plainResNet("resnet20", data), plainResNet("resnet56", data),
	}
}

// imageNetFile returns a network of torchvision, trained on ImageNet, with weights from a file.
func imageNetFile(arch string) setups.EnergyNetwork {
	return setups.EnergyNetwork{Name: arch, Arch: arch, Data: "imagenet", Weights: arch + ".pth"}
}

// withRandomLabels returns the network trained on random labels of the same number of classes, for a number of epochs;
// 0 is the training's own.
func withRandomLabels(n setups.EnergyNetwork, epochs int) setups.EnergyNetwork {
	n.Name += ", random"
	n.Epochs = epochs
	if n.Labels == "" {
		n.Labels = "random"
	} else {
		n.Labels += ":random" // the labels are split:K
	}
	return n
}

// withSplitClasses returns the network on classes that are each divided at random into parts, as a substitute for
// CIFAR-100.
func withSplitClasses(n setups.EnergyNetwork, parts int) setups.EnergyNetwork {
	n.Labels = fmt.Sprintf("split:%d", parts)
	return standingFor(hundredClasses, n)
}

// standingFor returns the network with its images marked as stand-ins for a dataset of the paper.
func standingFor(dataset string, n setups.EnergyNetwork) setups.EnergyNetwork {
	n.StandsFor = dataset
	return n
}

// withClasses returns the network under another name, restricted to some of the classes.
func withClasses(n setups.EnergyNetwork, name, classes string) setups.EnergyNetwork {
	n.Name, n.Classes = name, classes
	return n
}

// imageSet is a dataset or some of its classes. It may stand in for a dataset of the paper.
type imageSet struct{ name, data, classes, standsFor string }

// animalClasses are the animals among the classes of CIFAR-10; the others are vehicles.
const animalClasses = "bird,cat,deer,dog,frog,horse"

// animals and vehicles are two parts of CIFAR-10 with no class in common, as two different datasets of photographs.
func animals() imageSet {
	return imageSet{"animals", "cifar10", animalClasses, otherDatasets}
}
func vehicles() imageSet {
	return imageSet{"vehicles", "cifar10", "airplane,automobile,ship,truck", otherDatasets}
}

// learnedBy returns the network with the given name and the images of the set.
func (s imageSet) learnedBy(name string, n setups.EnergyNetwork) setups.EnergyNetwork {
	n.Name, n.Data, n.Classes, n.StandsFor = name, s.data, s.classes, s.standsFor
	return n
}

// smallFaces returns a network of scale small that learns animals against vehicles, as a substitute for faces.
func smallFaces() setups.EnergyNetwork {
	n := smallVGG("animals against vehicles", "vgg11_bn", "cifar10")
	n.Labels = "some:" + animalClasses
	return standingFor(celebFaces, n)
}

// onFaces returns the network on the faces of CelebA.
func onFaces(n setups.EnergyNetwork) setups.EnergyNetwork {
	n.Data, n.Size = "celeba:Smiling", 32
	return n
}
