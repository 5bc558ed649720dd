package energypaper

import (
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// table1 returns Table 1: profiles across seeds, widths, architectures and datasets.
func table1() *study.Experiment {
	return &study.Experiment{
		ID: "energy/table1", Paper: "energy", Figure: "Table 1",
		Title: "Energy profiles across seeds, first-layer widths, architectures and datasets",
		About: study.About{
			Done: "Pairs of networks that differ in their seed, first-layer width, architecture or dataset are " +
				"trained, and the energy profiles of their first layers are compared.",
			Deviations: []string{
				"The other architectures are VGG-16 and ResNet-18. At scale paper the other datasets are " +
					"CIFAR-100 and SVHN. At scale small one network learns the six classes of animals of CIFAR-10 " +
					"and another the four of vehicles: photographs, as the paper's datasets are, but from one " +
					"dataset.",
			},
			Controls: []string{
				"The paper compares component i of one dataset with component i of the other, which are " +
					"different filters. Both networks are therefore also compared on the components of both " +
					"datasets' patches together.",
			},
		}.With(profilesAbout).With(trainingAbout).With(resNet18About),
		Claims: slices.Concat(
			likeness{group: "seeds", nets: "two VGG-11s with different initial weights",
				printed: "over .98 in many cases", least: .9, known: initialKnown}.claims(),
			likeness{group: "widths", nets: "two VGG-11s whose first layers have different widths",
				printed: "over .98 in many cases", least: .9, known: initialKnown}.claims(),
			likeness{group: "architectures", nets: "a VGG-11 and a network of another architecture",
				printed: "over .98 in many cases", least: .9, known: initialKnown}.claims(),
			likeness{group: "datasets", nets: "two VGG-11s that learned different datasets",
				printed: "over .98 in many cases", least: .9, dataset: otherDatasets, known: datasetsKnown}.commonClaims(),
			[]study.Claim{
				much.Claim("The correlation of the energy profiles of two networks is above .98 in many cases: "+
					"share of the pairs.",
					"many", study.AtLeast(1./3)).From(study.PaperScale, "With 32 filters the noise ceiling, what two "+
					"halves of one network's filters agree to, lies below .98."),
				withInit.Claim("The energy profiles of VGGs and ResNets before and after training are hardly "+
					"correlated: correlation.",
					"close to 0", study.Within(0, .2)).Diagnosed(initialKnown),
				overDeviations.Check("The energy profiles of VGGs and ResNets resemble each other more than they "+
					"resemble the standard deviations of the patches: difference of the correlations.", study.Above(0)),
			}),
		Shows:      []string{"pairs", "networks", "components"},
		SmallSeeds: 5,
		Specs: map[study.Scale]study.Spec{study.Smoke: table1Smoke(), study.Small: table1Small(),
			study.PaperScale: table1Paper()},
	}
}

// datasetsKnown says what is known of the similarity of networks that learned different datasets.
const datasetsKnown = "Component i differs between the datasets. On components of both " +
	"datasets' patches together the profiles agree better, those of W − W₀ best (table of pairs). Animals and vehicles stand in " +
	"for CIFAR-100 and SVHN, which would decide: about a week of a core for a seed."

// initialKnown says what is known of the correlations of filters W that training has moved little.
const initialKnown = "W = W₀ + (W − W₀), and of few filters the random profile of W₀ does not vanish: it limits what two " +
	"networks can agree to (the ceiling in the table of pairs). What training changed agrees better, and the check about W − W₀ " +
	"says how well. Scale paper, whose networks are wider and move further, would decide: days to weeks of a core for a seed."

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
	vgg := smallVGG("vgg11", "vgg11_bn", "cifar10")
	narrow, wide := smallVGG("16 filters", "vgg11_bn", "cifar10"), smallVGG("64 filters", "vgg11_bn", "cifar10")
	narrow.First, wide.First = 16, 64
	return &ProfilesSpec{
		Training: smallEnergy, Draws: 200, Sensitivity: true,
		Networks: []setups.EnergyNetwork{
			vgg, smallVGG("another seed", "vgg11_bn", "cifar10"), narrow, wide,
			smallVGG("vgg16", "vgg16_bn", "cifar10"), smallResNet18("cifar10"),
			animals().learnedBy("animals", vgg), vehicles().learnedBy("vehicles", vgg),
		},
		Pairs: []ProfilePair{
			newPair("seeds", "vgg11", "another seed"), newPair("widths", "vgg11", "16 filters"),
			newPair("widths", "vgg11", "64 filters"),
			newPair("architectures", "vgg11", "vgg16"), newPair("architectures", "vgg11", "resnet18"),
			newPair("datasets", "animals", "vehicles"),
		},
	}
}

func table1Paper() *ProfilesSpec {
	s := &ProfilesSpec{Training: paperEnergy, Draws: 200, Sensitivity: true}
	narrow, wide := plainVGG("16 filters", "vgg11_bn", "cifar10"), plainVGG("256 filters", "vgg11_bn", "cifar10")
	narrow.First, wide.First = 16, 256
	s.Networks = []setups.EnergyNetwork{
		plainVGG("vgg11", "vgg11_bn", "cifar10"), plainVGG("another seed", "vgg11_bn", "cifar10"), narrow, wide,
		plainVGG("vgg16", "vgg16_bn", "cifar10"), plainResNet18("cifar10"),
		plainVGG("cifar100", "vgg11_bn", "cifar100"), plainVGG("svhn", "vgg11_bn", "svhn"),
	}
	s.Pairs = []ProfilePair{
		newPair("seeds", "vgg11", "another seed"), newPair("widths", "vgg11", "16 filters"),
		newPair("widths", "vgg11", "256 filters"),
		newPair("architectures", "vgg11", "vgg16"), newPair("architectures", "vgg11", "resnet18"),
		newPair("datasets", "vgg11", "cifar100"), newPair("datasets", "vgg11", "svhn"),
	}
	return s
}

// lowKnown says what is known of the claims about low frequencies.
const lowKnown = "The first components have the largest variance and are learned first, in linear CNNs by the closed form (Fig. 4): " +
	"the middle ones exceed them late, or never. Networks that learn 1000 images at scale small are early. Scale paper would " +
	"decide, days to weeks of a core for a seed."

// fig2 returns Fig. 2: the shape of the profiles of Table 1.
func fig2() *study.Experiment {
	return &study.Experiment{
		ID: "energy/fig2", Paper: "energy", Figure: "Fig. 2",
		Title: "Energy profiles across networks and datasets, beside the contrast sensitivity of humans",
		About: study.About{
			Done: "The energy profiles of Table 1's networks are shown by what differs between them, and " +
				"compared with the contrast sensitivity of humans.",
		}.With(sensitivityAbout),
		Of: table1(), Shows: []string{"profiles-*", "changes-*", "sensitivity"},
		Panels: []string{"profiles-*", "sensitivity"},
		Claims: []study.Claim{
			middleOverLow.Claim("The energy profiles of trained VGGs and ResNets are less sensitive to very low "+
				"frequencies: mean energy of the middle third of the components less that of the first.",
				"picture", study.Above(0)).Diagnosed(lowKnown),
			middleOverHigh.Claim("The energy profiles of trained VGGs and ResNets are less sensitive to very "+
				"high frequencies: mean energy of the middle third of the components less that of the last third.",
				"picture", study.Above(0)),
			sensitivity.Claim("The energy profiles of trained VGGs and ResNets resemble the contrast sensitivity "+
				"of humans: correlation over the components, each weighted by its share of luminance.",
				"picture", study.AtLeast(.5)).WithControl(sensitivityExcess),
			sensitivityExcess.Check("The energy profiles of VGGs and ResNets resemble the contrast sensitivity "+
				"of humans more after training than before: difference of the correlations.", study.Above(0)),
		},
	}
}
