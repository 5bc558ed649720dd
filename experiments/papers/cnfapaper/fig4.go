package cnfapaper

import (
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

var (
	layer1Alike = study.NewMeasure("layer1_alike")
	layer2Alike = study.NewMeasure("layer2_alike")
	layer3Alike = study.NewMeasure("layer3_alike")
)

// fig4 returns the layers of Deep ConvRFM and of networks.
func fig4() *study.Experiment {
	deep := setups.PatchMachineSpec{
		Kernel: "cntk", Depth: 3, Patch: 3, Iterations: 5, Layers: 3, Filters: 64, Sample: 100, Ridges: []float64{1e-3},
	}
	paper := deep
	paper.Sample, paper.Ridges = 0, paperRidges()
	deep.Iterations, deep.Sample = 3, 40
	return &study.Experiment{
		ID: "cnfa/fig4", Paper: "cnfa", Figure: "Fig. 4",
		Title: "Deep ConvRFM sees images as the network does, layer by layer",
		About: seenAbout + bestAbout + "From the second layer on machine and network read different features, 64 " +
			"random ones and 64 learned ones, so that their matrices have no coordinates in common: compared are the " +
			"pictures, which have the same positions. M = I is then the norm of the patch of the machine's own " +
			"features. At scale small CIFAR-10 stands in for SVHN, with fewer images, 16×16, M is learned in 3 " +
			"iterations and not 5, on patch-AGOPs of 40 of them, and the noisy digits are MNIST's in their frame, of " +
			"other images for every seed.",
		Claims: []study.Claim{
			layer1Alike.Claim("Machine and network see images alike in the first layer.",
				"picture", study.AtLeast(.5)).WithControl(layer1OverIdentity),
			layer2Alike.Claim("In the second.",
				"picture", study.AtLeast(.5)).WithControl(layer2OverIdentity),
			layer3Alike.Claim("In the third.",
				"picture", study.AtLeast(.5)).WithControl(layer3OverIdentity),
			layer1OverIdentity.Claim("More than the norm of the patches alone would make them, in the first layer.",
				"not asked by the paper", study.Above(0)),
			layer2OverIdentity.Claim("In the second.",
				"not asked by the paper", study.Above(0)),
			layer3OverIdentity.Claim("In the third.",
				"not asked by the paper", study.Above(0)),
			layer1GainOverRotated.Claim("What share of a patch they let through is alike, more than with M rotated at random, in "+
				"the first layer.",
				"not asked by the paper", study.Above(0)),
			layer2GainOverRotated.Claim("In the second.",
				"not asked by the paper", study.Above(0)),
			layer3GainOverRotated.Claim("In the third.",
				"not asked by the paper", study.Above(0)),
		},
		Specs: map[study.Scale]study.Spec{
			study.Smoke: &SeenSpec{
				Tasks: []setups.PatchTask{
					{Name: "digits", Data: "glyphs", Size: 10, Train: 30, Validation: 10, Test: 10},
				},
				Machine: setups.PatchMachineSpec{
					Kernel: "cntk", Depth: 3, Patch: 3, Iterations: 1, Layers: 3, Filters: 8, Ridges: []float64{1e-3},
				},
				Net: setups.PatchNetworkSpec{Arch: "cnn3", Init: "", Rate: 1e-3, Batch: 10, Epochs: 2}, Images: 4,
			},
			study.Small: &SeenSpec{
				Tasks: []setups.PatchTask{
					{Name: "digits", Data: noisyDigits, Train: 200, Validation: 100, Test: 100},
					{
						Name: "photographs", Data: "cifar10", Size: 16, Train: 500, Validation: 400, Test: 200,
						Whole: true,
					},
				},
				Machine: deep, Net: setups.PatchNetworkSpec{
					Arch: "cnn3", Init: smallInit, Rate: 1e-3, Batch: 25, Epochs: 30,
				}, Images: 20,
			},
			study.PaperScale: &SeenSpec{
				Tasks: []setups.PatchTask{
					{Name: "digits", Data: noisyDigits, Train: 4000, Validation: 500, Test: 2000},
					{Name: "photographs", Data: "svhn", Train: 4000, Validation: 500, Test: 2000, Whole: true},
				},
				Machine: paper, Net: setups.PatchNetworkSpec{Arch: "cnn3", Init: "", Rate: 1e-4, Batch: 128, Epochs: 250},
				Images: 100,
			},
		},
	}
}
