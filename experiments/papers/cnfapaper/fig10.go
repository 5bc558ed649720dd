package cnfapaper

import (
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// fig10 returns ConvRFM and networks on toy images and photographs.
func fig10() *study.Experiment {
	return &study.Experiment{
		ID: "cnfa/fig10", Paper: "cnfa", Figure: "Fig. 10",
		Title: "ConvRFM extracts the features of the network's first layer: bars, noisy digits, photographs",
		About: responsesAbout + bestAbout + "At scale small there are fewer images, other ones for every seed, and " +
			"CIFAR-10's are 16×16.",
		Claims: []study.Claim{
			alike.Of("bars").Claim("Machine and network see bars in noise alike.",
				"picture", study.AtLeast(.5)).WithControl(overIdentity.Of("bars")),
			alike.Of("digits").Claim("And digits in noise.",
				"picture", study.AtLeast(.5)).WithControl(overIdentity.Of("digits")),
			alike.Of("photographs").Claim("And CIFAR-10's photographs.",
				"picture", study.AtLeast(.5)).WithControl(overIdentity.Of("photographs")),
			control(overIdentity.Of("bars"), "More than the norm of the patches alone would make them: bars."),
			control(overIdentity.Of("digits"), "Digits."),
			control(overIdentity.Of("photographs"), "Photographs."),
			control(gainOverRotated.Of("bars"),
				"What share of a patch they let through is alike, more than with M rotated at random: bars."),
			control(gainOverRotated.Of("digits"), "Digits."),
			control(gainOverRotated.Of("photographs"), "Photographs."),
		},
		Specs: map[study.Scale]study.Spec{
			study.Smoke: &ResponsesSpec{
				Tasks: []setups.PatchTask{
					barsTask(24, 8, 8), smokeDigits(), photographTask("photographs", "deadleaves", 10, 24, 8, 8),
				},
				Machine: smokeConvRFM(2, 1, 0), Net: smokeNetwork("cnn2"), Images: 4,
			},
			study.Small: &ResponsesSpec{
				Tasks: slices.Insert(smallTasks(), 0, barsTask(300, 200, 200)), Net: smallNetwork(25, 30),
				Machine: convrfm(1, 1e-3), Images: 20,
			},
			study.PaperScale: &ResponsesSpec{
				Tasks: slices.Insert(paperTasks("cifar10"), 0, barsTask(400, 100, 500)), Net: paperNetwork(500),
				Machine: convrfm(1, paperRidges()...), Images: 100,
			},
		},
	}
}

// barsTask returns a task on bars in noise.
func barsTask(train, validation, test int) setups.PatchTask {
	return setups.PatchTask{Name: "bars", Data: "bars:noise=1", Train: train, Validation: validation, Test: test}
}
