package experiments

// energyFig14 is ResNets of several depths on several datasets.
func energyFig14() *Experiment {
	return &Experiment{
		ID: "energy/fig14", Paper: "energy", Figure: "Fig. 14", Title: "Correlations of energy profiles of ResNets of several depths on several datasets",
		About: energyAbout + energyTraining +
			" The ResNets are those for CIFAR, of 20 layers and more. At scale small they learn CIFAR-10 and dead leaves, generated images with the statistics of photographs, in 12 epochs, far from the end of training: the table says how little their first layers moved. At scale paper they learn CIFAR-10, CIFAR-100 and SVHN.",
		Claims: []Claim{
			{"depths_pearson", "ResNets of different depths have highly correlated profiles.", "picture", atLeast(.8)},
			{"datasets_pearson", "So have those trained on different datasets.", "picture", atLeast(.8)},
			{"depths_partial", "Different depths share more than the spectrum of the patches: partial correlation.", "not asked by the paper", atLeast(.5)},
			{"datasets_partial", "So do different datasets.", "not asked by the paper", atLeast(.5)},
		},
		Controls: partialControls("depths", "datasets"),
		Specs: map[Scale]Spec{
			Smoke:      depthsAndSets(smokeEnergy, 10, []EnergyNetwork{smokeNet("cnn2"), smokeNet("again")}, "deadleaves", "deadleaves:leaves,textured"),
			Small:      depthsAndSets(smallEnergy, 200, []EnergyNetwork{smallResNet("resnet20", ""), smallResNet("resnet32", "")}, "cifar10", "deadleaves"),
			PaperScale: depthsAndSets(paperEnergy, 200, []EnergyNetwork{aResNet("resnet20", ""), aResNet("resnet32", ""), aResNet("resnet56", "")}, "cifar10", "cifar100", "svhn"),
		},
	}
}

// depthsAndSets trains every network on every dataset.
func depthsAndSets(e EnergyTraining, draws int, networks []EnergyNetwork, sets ...string) *ProfilesSpec {
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
