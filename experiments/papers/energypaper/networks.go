package energypaper

import (
	"fmt"

	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
)

// profilesAbout says what energy profiles are and how they are compared.
const profilesAbout = "The energy profile of filters W is eᵢ = ‖W pᵢ‖ on the principal components pᵢ of the patches " +
	"of the training images, in descending order of their variance (energy, eq. 1); two are compared by Pearson's " +
	"correlation. If one of the two sets of filters were rotated at random in the space of patches, it would have " +
	"mean 0 and standard deviation 1/√(m − 1) of m components. " +
	"Random initial filters have a random profile, which training leaves in W: of k filters it keeps the correlation " +
	"of two networks below 1 whatever they learned. Therefore the tables have the correlation of the profiles of W − " +
	"W₀ beside that of W, and of either the noise ceiling: what two halves of the same network's filters agree to, " +
	"by Spearman and Brown's formula for all of them. Where the paper's claims are about W they are judged on W, and " +
	"W − W₀ is a check of ours. The partial correlation, of what a fit of the patches' standard deviations and of " +
	"the ranks leaves, is shown and decides nothing: the spectrum of the patches is what the paper says makes " +
	"profiles alike. Every seed draws images of its own. "

// trainingAbout says how the networks are trained.
const trainingAbout = "Networks are trained as the paper says, by SGD without momentum at a constant rate of .1 in " +
	"batches of 256 on pixels in [0,1]. The paper does not say whether its VGG has batch norms: without them, from " +
	"PyTorch's initialisation, ours does not leave chance in 6 epochs of 3000 images at that rate, so that VGGs here " +
	"have them. All networks begin with initialisations of their own: with the same one, which the paper may have " +
	"taken in places, filters are more alike for that reason alone. At scale small VGGs have 32 filters in the first " +
	"layer and an eighth of their width in the others, and there are 1000 images and 25 epochs; batches are of 16, " +
	"because in those of 256 so few images make so few steps that the first layer hardly moves (the tables show by " +
	"how much it does). "

// cifarResNetsAbout says how the ResNets for CIFAR are trained at scale small.
const cifarResNetsAbout = "The filters of ResNets for CIFAR begin larger than the VGGs', and move less for it: in " +
	"batches of 16, of a first run with one seed, by a quarter to .4 in 15 epochs, for which they are of 4 here, in " +
	"12 epochs. "

// resNet18About says what the ResNet of Tables 1 and 2 is.
const resNet18About = "The ResNet is torchvision's ResNet-18 with a 3×3 stem, as is usual for images of 32×32: its " +
	"first convolution has stride 1, and there is no max pooling; at scale small it has half of its width, 32 " +
	"filters in the first layer, and 12 epochs. "

// weightFilesAbout says where the networks of Figs. 10 to 15 come from.
const weightFilesAbout = "The paper has networks that others trained, from PyTorch's hub. Networks whose weights " +
	"are in files of the data folder are taken from there; those without a file are left out, and where there are " +
	"none, networks are trained here. Networks that read other pixels, normalised ones, have their filters rescaled " +
	"to pixels in [0,1]. The initialisation of a network from a file is not known: a fresh one takes its place. "

// The paper's datasets that others stand in for at scale small.
const (
	hundredClasses = "CIFAR-100"
	celebFaces     = "CelebA"
	imageNet       = "ImageNet"
	otherDatasets  = "CIFAR-100 and SVHN"
)

// What stands in for them.
const (
	hundredClassesAbout = "At scale small CIFAR-10 stands in for CIFAR-100, every class of it divided at random into " +
		"ten: 100 classes of few images each, and what part of its class an image is in has to be learned by heart. "
	facesAbout = "The animals of CIFAR-10 against its vehicles stand in for faces there: photographs of two classes, " +
		"as those of CelebA with its label are. "
)

var (
	smokeEnergy = setups.EnergyTraining{Train: 60, Test: 20, Epochs: 2, Batch: 20, Rate: .05}
	smallEnergy = setups.EnergyTraining{Train: 1000, Test: 500, Epochs: 25, Batch: 16, Rate: .1}
	paperEnergy = setups.EnergyTraining{Epochs: 150, Batch: 256, Rate: .1}
)

// memorising is the number of epochs in which a small network learns random labels.
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

// withRandomLabels returns the network under random labels of as many classes, trained for a number
// of epochs; 0 is that of the training.
func withRandomLabels(n setups.EnergyNetwork, epochs int) setups.EnergyNetwork {
	n.Name += ", random"
	n.Epochs = epochs
	if n.Labels == "" {
		n.Labels = "random"
	} else {
		n.Labels += ":random" // of split classes
	}
	return n
}

// withSplitClasses returns the network on classes that are each divided at random into parts, in the place of
// CIFAR-100.
func withSplitClasses(n setups.EnergyNetwork, parts int) setups.EnergyNetwork {
	n.Labels = fmt.Sprintf("split:%d", parts)
	return standingFor(hundredClasses, n)
}

// standingFor returns the network, whose images stand in for a dataset of the paper.
func standingFor(dataset string, n setups.EnergyNetwork) setups.EnergyNetwork {
	n.StandsFor = dataset
	return n
}

// withClasses returns the network under another name, on some of the classes.
func withClasses(n setups.EnergyNetwork, name, classes string) setups.EnergyNetwork {
	n.Name, n.Classes = name, classes
	return n
}

// imageSet is a dataset, or some classes of one, which may stand in for a dataset of the paper.
type imageSet struct{ name, data, classes, standsFor string }

// animalClasses are the animals among the classes of CIFAR-10; the others are vehicles.
const animalClasses = "bird,cat,deer,dog,frog,horse"

// animals and vehicles are parts of CIFAR-10 with no class in common: two sets of photographs.
func animals() imageSet {
	return imageSet{"animals", "cifar10", animalClasses, otherDatasets}
}
func vehicles() imageSet {
	return imageSet{"vehicles", "cifar10", "airplane,automobile,ship,truck", otherDatasets}
}

// learnedBy returns the network under a name, on the images of the set.
func (s imageSet) learnedBy(name string, n setups.EnergyNetwork) setups.EnergyNetwork {
	n.Name, n.Data, n.Classes, n.StandsFor = name, s.data, s.classes, s.standsFor
	return n
}

// smallFaces returns a network of scale small that learns animals against vehicles, in the place of faces.
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
