package cnfapaper

import (
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

var (
	barsAlike                  = study.NewMeasure("bars_alike")
	barsOverIdentity           = study.NewMeasure("bars_over_identity")
	digitsAlike                = study.NewMeasure("digits_alike")
	digitsOverIdentity         = study.NewMeasure("digits_over_identity")
	photographsAlike           = study.NewMeasure("photographs_alike")
	photographsOverIdentity    = study.NewMeasure("photographs_over_identity")
	barsGainOverRotated        = study.NewMeasure("bars_gain_over_rotated")
	digitsGainOverRotated      = study.NewMeasure("digits_gain_over_rotated")
	photographsGainOverRotated = study.NewMeasure("photographs_gain_over_rotated")
)

// fig10 returns ConvRFM and networks on toy images and photographs.
func fig10() *study.Experiment {
	one := setups.PatchMachineSpec{
		Kernel: "cntk", Depth: 3, Patch: 3, Iterations: 5, Layers: 1, Ridges: []float64{1e-3},
	}
	paper := one
	paper.Ridges = paperRidges()
	return &study.Experiment{
		ID: "cnfa/fig10", Paper: "cnfa", Figure: "Fig. 10",
		Title: "ConvRFM extracts the features of the network's first layer: bars, noisy digits, photographs",
		About: seenAbout + bestAbout + "At scale small there are fewer images, other ones for every seed, and " +
			"CIFAR-10's are 16×16.",
		Claims: []study.Claim{
			barsAlike.Claim("Machine and network see bars in noise alike.",
				"picture", study.AtLeast(.5)).WithControl(barsOverIdentity),
			digitsAlike.Claim("And digits in noise.",
				"picture", study.AtLeast(.5)).WithControl(digitsOverIdentity),
			photographsAlike.Claim("And CIFAR-10's photographs.",
				"picture", study.AtLeast(.5)).WithControl(photographsOverIdentity),
			barsOverIdentity.Claim("More than the norm of the patches alone would make them: bars.",
				"not asked by the paper", study.Above(0)),
			digitsOverIdentity.Claim("Digits.",
				"not asked by the paper", study.Above(0)),
			photographsOverIdentity.Claim("Photographs.",
				"not asked by the paper", study.Above(0)),
			barsGainOverRotated.Claim("What share of a patch they let through is alike, more than with M rotated at random: bars.",
				"not asked by the paper", study.Above(0)),
			digitsGainOverRotated.Claim("Digits.",
				"not asked by the paper", study.Above(0)),
			photographsGainOverRotated.Claim("Photographs.",
				"not asked by the paper", study.Above(0)),
		},
		Specs: map[study.Scale]study.Spec{
			study.Smoke: &SeenSpec{
				Tasks: []setups.PatchTask{
					{Name: "bars", Data: "bars:noise=1", Train: 24, Validation: 8, Test: 8},
					{Name: "digits", Data: "glyphs", Size: 10, Train: 30, Validation: 10, Test: 10},
					{Name: "photographs", Data: "deadleaves", Size: 10, Train: 24, Validation: 8, Test: 8, Whole: true},
				},
				Machine: setups.PatchMachineSpec{
					Kernel: "cntk", Depth: 2, Patch: 3, Iterations: 1, Layers: 1, Ridges: []float64{1e-3},
				},
				Net: setups.PatchNetworkSpec{Arch: "cnn2", Init: "", Rate: 1e-3, Batch: 10, Epochs: 2}, Images: 4,
			},
			study.Small: &SeenSpec{
				Tasks: []setups.PatchTask{
					{Name: "bars", Data: "bars:noise=1", Train: 300, Validation: 200, Test: 200},
					{Name: "digits", Data: noisyDigits, Train: 200, Validation: 100, Test: 100},
					{
						Name: "photographs", Data: "cifar10", Size: 16, Train: 500, Validation: 400, Test: 200,
						Whole: true,
					},
				},
				Machine: one, Net: setups.PatchNetworkSpec{
					Arch: "cnn3", Init: smallInit, Rate: 1e-3, Batch: 25, Epochs: 30,
				}, Images: 20,
			},
			study.PaperScale: &SeenSpec{
				Tasks: []setups.PatchTask{
					{Name: "bars", Data: "bars:noise=1", Train: 400, Validation: 100, Test: 500},
					{Name: "digits", Data: noisyDigits, Train: 4000, Validation: 500, Test: 2000},
					{Name: "photographs", Data: "cifar10", Train: 4000, Validation: 500, Test: 2000, Whole: true},
				},
				Machine: paper, Net: setups.PatchNetworkSpec{Arch: "cnn3", Init: "", Rate: 1e-4, Batch: 128, Epochs: 500},
				Images: 100,
			},
		},
	}
}
