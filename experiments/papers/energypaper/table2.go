package energypaper

import (
	"fmt"

	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// table2 is consistency under random labels.
func table2() *study.Experiment {
	return &study.Experiment{
		ID: "energy/table2", Paper: "energy", Figure: "Table 2",
		Title: "Energy profiles under true and under random labels",
		About: profilesAbout + trainingAbout + " Networks learn the true labels of the images, or labels that are " +
			"drawn at random once and memorised; random ones for longer at scale small, VGGs 40 epochs in the place " +
			"of 25 and ResNets 25 in the place of 12. " + hundredClassesAbout + facesAbout +
			"Binary tasks are of two classes of CIFAR-10. Under random labels the test images have random labels as " +
			"well, so that chance is all there is to reach. At scale small the ResNet is far from the end of its " +
			"training, where the paper's have 99 % of the training images right: its claim is about the state that " +
			"the table shows, and what was to be memorised is a claim of its own, added after the first run.",
		Claims: []study.Claim{
			{
				Value: "cifar10_pearson", Paper: ".9 ± .02", Holds: study.AtLeast(.9),
				Sentence: "The profiles of true and of random labels are alike on CIFAR-10 (VGG-11).",
			},
			{
				Value: "cifar100_pearson", Paper: "> .9", Holds: study.AtLeast(.9),
				Sentence: "So they are on CIFAR-100, or what stands in for it.",
			},
			{
				Value: "faces_pearson", Paper: "> .9", Holds: study.AtLeast(.9),
				Sentence: "So they are on faces, or what stands in for them.",
			},
			{
				Value: "memorised", Paper: "99 %", Holds: study.AtLeast(.99),
				Sentence: "Networks are trained until they overfit random labels: the least accuracy on training " +
					"images of those that learn them.",
			},
			{
				Value: "pairs_partial", Paper: "not asked by the paper", Holds: study.AtLeast(.5),
				Sentence: "True and random labels share more than the spectrum of the patches: partial correlation.",
			},
			{
				Value: "cifar10_partial", Paper: "not asked by the paper", Holds: study.AtLeast(.5),
				Sentence: "So they do on CIFAR-10.",
			},
			{
				Value: "cifar100_partial", Paper: "not asked by the paper", Holds: study.AtLeast(.5),
				Sentence: "On CIFAR-100.",
			},
			{
				Value: "faces_partial", Paper: "not asked by the paper", Holds: study.AtLeast(.5),
				Sentence: "And on faces.",
			},
		},
		Controls: partialControls("cifar10", "cifar100", "faces"),
		Shows:    []string{"pairs", "networks", "components"},
		Specs: map[study.Scale]study.Spec{study.Smoke: table2Smoke(), study.Small: table2Small(),
			study.PaperScale: table2Paper()},
	}
}

// withRandomLabels is a network under random labels, of as many classes, which take more
// epochs to learn.
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

// What stands in for sets that are not here.
const (
	hundredClassesAbout = "At scale small CIFAR-10 stands in for CIFAR-100, every class of it divided at random into " +
		"ten: 100 classes of few images each, and what part of its class an image is in has to be learned by heart. "
	facesAbout = "Dead leaves stand in for faces there: generated images of two classes with the statistics of " +
		"photographs. "
)

// withSplitClasses is the network on classes that are each divided at random into parts.
func withSplitClasses(n setups.EnergyNetwork, parts int) setups.EnergyNetwork {
	n.Labels = fmt.Sprintf("split:%d", parts)
	return n
}

// addLabelPair adds a network under either kind of labels, and their pair, which
// has a chart of its own.
func (s *ProfilesSpec) addLabelPair(group, panel string, n setups.EnergyNetwork, epochs int) {
	r := withRandomLabels(n, epochs)
	s.Networks = append(s.Networks, n, r)
	s.Pairs = append(s.Pairs, newPair(group, n.Name, r.Name).onPanel(panel))
}

// withTwoClasses is the network on two classes.
func withTwoClasses(n setups.EnergyNetwork, name, classes string) setups.EnergyNetwork {
	n.Name, n.Classes = name, classes
	return n
}

func table2Smoke() *ProfilesSpec {
	s := &ProfilesSpec{Training: smokeEnergy, Draws: 10}
	s.addLabelPair("cifar10", "vgg-cifar10", smokeNet("leaves"), 3)
	s.addLabelPair("cifar100", "vgg-cifar100", withSplitClasses(smokeNet("more"), 2), 3)
	s.addLabelPair("faces", "vgg-faces", smokeNet("faces"), 3)
	s.addLabelPair("resnet", "resnet-cifar10", smokeNet("resnet"), 3)
	s.addLabelPair("binary", "binary-bird-plane", withTwoClasses(smokeNet(""), "two", "0,1"), 3)
	return s
}

func table2Small() *ProfilesSpec {
	s := &ProfilesSpec{Training: smallEnergy, Draws: 200}
	vgg := smallVGG("vgg11", "vgg11_bn", "cifar10")
	s.addLabelPair("cifar10", "vgg-cifar10", vgg, memorising)
	s.addLabelPair("cifar100", "vgg-100-classes", withSplitClasses(smallVGG("100 classes", "vgg11_bn", "cifar10"), 10),
		memorising)
	s.addLabelPair("faces", "vgg-dead-leaves", smallVGG("dead leaves", "vgg11_bn", "deadleaves"), memorising)
	resnet := smallResNet("resnet20", "cifar10")
	resnet.Width = .5
	s.addLabelPair("resnet", "resnet-cifar10", resnet, 25)
	resnet.Name, resnet.Data = "resnet20, dead leaves", "deadleaves"
	s.addLabelPair("resnet", "resnet-dead-leaves", resnet, 25)
	s.addLabelPair("binary", "binary-bird-plane", withTwoClasses(vgg, "bird, airplane", "bird,airplane"), memorising)
	s.addLabelPair("binary", "binary-cat-dog", withTwoClasses(vgg, "cat, dog", "cat,dog"), memorising)
	return s
}

func table2Paper() *ProfilesSpec {
	s := &ProfilesSpec{Training: paperEnergy, Draws: 200}
	vgg := plainVGG("vgg11", "vgg11_bn", "cifar10")
	s.addLabelPair("cifar10", "vgg-cifar10", vgg, 0)
	s.addLabelPair("cifar100", "vgg-cifar100", plainVGG("cifar100", "vgg11_bn", "cifar100"), 0)
	s.addLabelPair("faces", "vgg-faces", onFaces(plainVGG("faces", "vgg11_bn", "")), 0)
	resnet := plainResNet("resnet20", "cifar10")
	s.addLabelPair("resnet", "resnet-cifar10", resnet, 0)
	resnet.Name, resnet.Data = "resnet20, cifar100", "cifar100"
	s.addLabelPair("resnet", "resnet-cifar100", resnet, 0)
	resnet.Name = "resnet20, faces"
	s.addLabelPair("resnet", "resnet-faces", onFaces(resnet), 0)
	for _, two := range []struct{ panel, classes string }{
		{"bird-plane", "bird,airplane"}, {"dog-frog", "dog,frog"}, {"cat-dog", "cat,dog"},
		{"car-truck", "automobile,truck"}, {"ship-plane", "ship,airplane"},
	} {
		s.addLabelPair("binary", "binary-"+two.panel, withTwoClasses(vgg, two.classes, two.classes), 0)
	}
	return s
}
