package ntkpaper

import (
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// fig5 is AlexNet on classes that are alike.
func fig5() *study.Experiment {
	spec := func(epochs int, schedule string, t GapTask) *GapSpec {
		return &GapSpec{
			Arch: "alexnet", Tasks: []GapTask{t}, Epochs: epochs, Batch: 32, Momentum: .9, Schedule: schedule,
			Network: DescentSpec{.1, 5e-6}, Linear: []DescentSpec{{1, 5e-7}, {.1, 5e-6}},
		}
	}
	smoke := spec(1, "", GapTask{Name: "alike", Data: "glyphs", Size: 64, Train: 24, Test: 20,
		Widths: []float64{.02, .04}})
	smoke.Network.Rate, smoke.Linear[0].Rate, smoke.Linear[1].Rate = .01, .02, .01
	return &study.Experiment{
		ID: "ntk/fig5", Paper: "ntk", Figure: "Fig. 5",
		Title: "AlexNet and its linearization on classes that are alike, by width",
		About: "AlexNet without dropout and its linearization, as in Fig. 2, with two learning rates: 1, which the " +
			"paper found best for the linearization, and the network's 0.1. At scale paper they are trained on ten " +
			"classes of snakes, as the paper has them. At scale small AlexNets of an eighth of the filters and " +
			"thereabouts, on images of 64×64, stand for AlexNet, and the six animals of CIFAR-10, which are its " +
			"classes that are hard to tell apart, for the snakes: it shows whether the claims hold for a deep " +
			"network on similar classes, not the paper's numbers. 3000 training images, 2000 test images, 20 epochs " +
			"without a fall of the learning rate. That such a network leaves chance within 8 epochs at the rate 0.1 " +
			"was found out on held-out training images.",
		Claims: []study.Claim{
			{
				Value: "alike_gap_first", Paper: "20.4 points", Holds: study.AtLeast(5),
				Sentence: "At the smallest width the network is far ahead of the linearization on test images.",
			},
			{
				Value: "alike_gap_shrinks", Paper: "20.4 → 18.56 points", Holds: study.Above(0),
				Sentence: "The gap shrinks with width, if only slightly.",
			},
			{
				Value: "alike_second_gap_least", Paper: "> 20 points", Holds: study.AtLeast(5),
				Sentence: "With the network's hyperparameters the gap is large at all widths.",
			},
			{
				Value: "alike_rate_helps", Paper: "best of a search", Holds: study.Above(0),
				Sentence: "The larger learning rate is the better one for the linearization, at the largest width.",
			},
			{
				Value: "alike_linear_train_gains", Paper: "picture", Holds: study.AtLeast(1),
				Sentence: "The training accuracy of the linearization rises strongly with width.",
			},
		},
		Specs: map[study.Scale]study.Spec{
			study.Smoke: smoke,
			study.Small: spec(20, "", GapTask{
				Name: "alike", Data: "cifar10", Classes: "bird,cat,deer,dog,frog,horse", Size: 64, Train: 3000,
				Test: 2000, Widths: []float64{.0625, .125, .25},
			}),
			study.PaperScale: spec(100, "step:30:0.1",
				GapTask{Name: "alike", Data: "imagenet:snakes", Size: 224, Widths: []float64{1, 2, 3, 4}}),
		},
	}
}
