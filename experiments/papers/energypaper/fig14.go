package energypaper

import (
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

var (
	depthsPearson   = study.NewMeasure("depths_pearson")
	datasetsPearson = study.NewMeasure("datasets_pearson")
)

// fig14 returns Fig. 14: ResNets of several depths on several datasets.
func fig14() *study.Experiment {
	return &study.Experiment{
		ID: "energy/fig14", Paper: "energy", Figure: "Fig. 14",
		Title: "Correlations of energy profiles of ResNets of several depths on several datasets",
		About: profilesAbout + trainingAbout +
			" The ResNets are those for CIFAR, of 20 layers and more. At scale small they learn CIFAR-10 and dead " +
			"leaves, generated images with the statistics of photographs, in 12 epochs, far from the end of " +
			"training: the table says how little their first layers moved. At scale paper they learn CIFAR-10, " +
			"CIFAR-100 and SVHN.",
		Claims: []study.Claim{
			depthsPearson.Claim("ResNets of different depths have highly correlated profiles.",
				"picture", study.AtLeast(.8)).WithControl(partialPearson.Of("depths")),
			datasetsPearson.Claim("So have those trained on different datasets.",
				"picture", study.AtLeast(.8)).WithControl(partialPearson.Of("datasets")),
			partialClaim("depths", "Different depths share more than the spectrum of the patches: partial "+
				"correlation."),
			partialClaim("datasets", "So do different datasets."),
		},
		Specs: map[study.Scale]study.Spec{
			study.Smoke: compareDepthsAndSets(smokeEnergy, 10,
				[]setups.EnergyNetwork{smokeNet("cnn2"), smokeNet("again")}, "deadleaves",
				"deadleaves:leaves,textured"),
			study.Small: compareDepthsAndSets(smallEnergy, 200,
				[]setups.EnergyNetwork{smallResNet("resnet20", ""), smallResNet("resnet32", "")}, "cifar10",
				"deadleaves"),
			study.PaperScale: compareDepthsAndSets(paperEnergy, 200,
				[]setups.EnergyNetwork{plainResNet("resnet20", ""), plainResNet("resnet32", ""),
					plainResNet("resnet56", "")},
				"cifar10", "cifar100", "svhn"),
		},
	}
}

// compareDepthsAndSets returns the spec that trains every network on every dataset.
func compareDepthsAndSets(e setups.EnergyTraining, draws int, networks []setups.EnergyNetwork,
	sets ...string) *ProfilesSpec {
	s := &ProfilesSpec{Training: e, Draws: draws, Matrix: true}
	name := func(arch, set string) string { return arch + ", " + set }
	for _, set := range sets {
		var depths []string
		for _, n := range networks {
			n.Name, n.Data = name(n.Name, set), set
			s.Networks, depths = append(s.Networks, n), append(depths, n.Name)
		}
		s.Pairs = append(s.Pairs, allPairs("depths", depths...)...)
	}
	for _, n := range networks {
		var of []string
		for _, set := range sets {
			of = append(of, name(n.Name, set))
		}
		s.Pairs = append(s.Pairs, allPairs("datasets", of...)...)
	}
	return s
}
