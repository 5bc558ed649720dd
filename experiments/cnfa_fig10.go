package experiments

// cnfaFig10 is ConvRFM and networks on toys and photographs.
func cnfaFig10() *Experiment {
	one := PatchMachineSpec{Kernel: "cntk", Depth: 3, Patch: 3, Iterations: 5, Layers: 1, Ridges: []float64{1e-3}}
	paper := one
	paper.Ridges = ridgesOfPaper()
	return &Experiment{
		ID: "cnfa/fig10", Paper: "cnfa", Figure: "Fig. 10", Title: "ConvRFM extracts the features of the network's first layer: bars, noisy digits, photographs",
		About: seenAbout + bestAbout + "At scale small there are fewer images, other ones for every seed, and CIFAR-10's are 16×16.",
		Claims: []Claim{
			{"bars_alike", "Machine and network see bars in noise alike.", "picture", atLeast(.5)},
			{"digits_alike", "And digits in noise.", "picture", atLeast(.5)},
			{"photographs_alike", "And CIFAR-10's photographs.", "picture", atLeast(.5)},
			{"bars_over_identity", "More than the norm of the patches alone would make them: bars.", "not asked by the paper", above(0)},
			{"digits_over_identity", "Digits.", "not asked by the paper", above(0)},
			{"photographs_over_identity", "Photographs.", "not asked by the paper", above(0)},
			{"bars_gain_over_rotated", "What share of a patch they let through is alike, more than with M rotated at random: bars.", "not asked by the paper", above(0)},
			{"digits_gain_over_rotated", "Digits.", "not asked by the paper", above(0)},
			{"photographs_gain_over_rotated", "Photographs.", "not asked by the paper", above(0)},
		},
		Controls: map[string]string{"bars_alike": "bars_over_identity", "digits_alike": "digits_over_identity", "photographs_alike": "photographs_over_identity"},
		Specs: map[Scale]Spec{
			Smoke: &SeenSpec{
				Tasks: []PatchTask{
					{Name: "bars", Data: "bars:noise=1", Train: 24, Validation: 8, Test: 8},
					{Name: "digits", Data: "glyphs", Size: 10, Train: 30, Validation: 10, Test: 10},
					{Name: "photographs", Data: "deadleaves", Size: 10, Train: 24, Validation: 8, Test: 8, Whole: true},
				},
				Machine: PatchMachineSpec{Kernel: "cntk", Depth: 2, Patch: 3, Iterations: 1, Layers: 1, Ridges: []float64{1e-3}},
				Net:     PatchNetSpec{"cnn2", "", 1e-3, 10, 2}, Images: 4,
			},
			Small: &SeenSpec{
				Tasks: []PatchTask{
					{Name: "bars", Data: "bars:noise=1", Train: 300, Validation: 200, Test: 200},
					{Name: "digits", Data: digitsNoise, Train: 200, Validation: 100, Test: 100},
					{Name: "photographs", Data: "cifar10", Size: 16, Train: 500, Validation: 400, Test: 200, Whole: true},
				},
				Machine: one, Net: PatchNetSpec{"cnn3", smallInit, 1e-3, 25, 30}, Images: 20,
			},
			PaperScale: &SeenSpec{
				Tasks: []PatchTask{
					{Name: "bars", Data: "bars:noise=1", Train: 400, Validation: 100, Test: 500},
					{Name: "digits", Data: digitsNoise, Train: 4000, Validation: 500, Test: 2000},
					{Name: "photographs", Data: "cifar10", Train: 4000, Validation: 500, Test: 2000, Whole: true},
				},
				Machine: paper, Net: PatchNetSpec{"cnn3", "", 1e-4, 128, 500}, Images: 100,
			},
		},
	}
}
