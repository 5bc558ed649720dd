package ntkpaper

import (
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/study"
)

// gapAbout says how networks and linearizations are compared.
const gapAbout = "A network and its linearization at its initial weights are trained from those weights by the same " +
	"mini-batches, by SGD with momentum 0.9 for the mean squared error on one-hot targets, at several widths. " +
	"Learning rate and weight decay are those that the paper found best; no image of the test set chose anything. " +
	"Scores are those after the last epoch. "

// gapSmall says how scale small differs from the paper.
const gapSmall = "At scale small there are 6000 training images, 4000 test images, 10 epochs in place of 100, and " +
	"widths up to 4, for MNIST alone 5: linearizations, which learn slowly along small singular values, have then " +
	"come less far than the paper's, so that gaps are larger than its. "

// gapSpecs returns the specs of LeNets on the tasks of scales small and paper. Scale smoke has those
// of scale small on generated digits, scale paper the paper's schedule.
func gapSpecs(schedule string, small, paper []GapTask) map[study.Scale]study.Spec {
	spec := func(tasks []GapTask, epochs int, rate float64) *GapSpec {
		descent := DescentSpec{rate, 5e-5}
		return &GapSpec{Arch: "lenet", Tasks: tasks, Epochs: epochs, Batch: 32, Momentum: .9, Network: descent,
			Linear: []DescentSpec{descent}}
	}
	smoke := slices.Clone(small)
	for i := range small {
		small[i].Train, small[i].Test = 6000, 4000
		t := &smoke[i]
		t.Data, t.Train, t.Test, t.Widths = "glyphs", 60, 40, []float64{.2, .4}
	}
	full := spec(paper, 100, .1)
	full.Schedule = schedule
	return map[study.Scale]study.Spec{study.Smoke: spec(smoke, 1, .02), study.Small: spec(small, 10, .1),
		study.PaperScale: full}
}

// fig2 returns Fig. 2: MNIST.
func fig2() *study.Experiment {
	task := func(w ...float64) []GapTask { return []GapTask{{Name: "mnist", Data: "mnist", Widths: w}} }
	return &study.Experiment{
		ID: "ntk/fig2", Paper: "ntk", Figure: "Fig. 2", Title: "LeNet and its linearization on MNIST, by width",
		About: gapAbout + gapSmall,
		Claims: []study.Claim{
			gapFirst.Of("mnist").Claim("At the standard width the network is substantially more accurate on test "+
				"images than its linearization.",
				"4.67 points", study.AtLeast(1)),
			gapShrinks.Of("mnist").Claim("The gap shrinks with width.",
				"4.67 → 0.48 points", study.Above(0)),
			networkGains.Of("mnist").Claim("The network does not gain appreciably from width.",
				"picture", study.AtMost(2)),
			linearGains.Of("mnist").Claim("The linearization does.",
				"picture", study.AtLeast(1)),
			trainGapFirst.Of("mnist").Claim("At the standard width the linearization's training accuracy, too, is "+
				"lower.",
				"picture", study.AtLeast(1)),
		},
		Specs: gapSpecs("", task(1, 2, 5), task(paperWidths()...)),
	}
}

// fig3 returns Fig. 3: shifted digits.
func fig3() *study.Experiment {
	tasks := func(w ...float64) []GapTask {
		return []GapTask{{Name: "shifted", Data: "mnist", Shift: 7, Widths: w},
			{Name: "centred", Data: "mnist", Widths: []float64{w[0], w[len(w)-1]}}}
	}
	specs := gapSpecs("", tasks(1, 2, 4), tasks(paperWidths()...))
	smoke := specs[study.Smoke].(*GapSpec)
	smoke.Tasks[0].Shift = 3
	return &study.Experiment{
		ID: "ntk/fig3", Paper: "ntk", Figure: "Fig. 3",
		Title: "LeNet and its linearization on MNIST's digits shifted by up to 7 pixels",
		About: gapAbout + "Every training digit is shifted anew each time it is read, every test digit once. The " +
			"digits where they are, the task centred, are trained on at the smallest and the largest width, to " +
			"compare gaps. " + gapSmall,
		Claims: []study.Claim{
			gapFirst.Of("shifted").Claim("At the standard width there is a large gap.",
				"27.65 points", study.AtLeast(10)),
			gapShrinks.Of("shifted").Claim("It shrinks with width.",
				"27.65 → 3.91 points", study.Above(0)),
			gapOver("centred").Claim("Shifting makes the problem harder and the gap larger, at the standard width.",
				"27.65 against 4.67 points", study.Above(0)),
			gapOver("centred").Of("wide").Claim("At the largest width, too.",
				"3.91 against 0.48 points", study.Above(0)),
			trainGapFirst.Of("shifted").Claim("The training accuracy of the linearization is lower, too.",
				"picture", study.AtLeast(10)),
		},
		Specs: specs,
	}
}

// fig4 returns Fig. 4: CIFAR-10.
func fig4() *study.Experiment {
	tasks := func(w ...float64) []GapTask {
		return []GapTask{{Name: "cifar10", Data: "cifar10", Widths: w},
			{Name: "mnist", Data: "mnist", Widths: []float64{w[0], w[len(w)-1]}}}
	}
	return &study.Experiment{
		ID: "ntk/fig4", Paper: "ntk", Figure: "Fig. 4", Title: "LeNet and its linearization on CIFAR-10, by width",
		About: gapAbout + "The learning rate falls by a factor of 10 every 30 epochs, which comes to nothing in 10. " +
			"MNIST's digits are trained on at the smallest and the largest width, to compare gaps. " + gapSmall,
		Claims: []study.Claim{
			gapFirst.Of("cifar10").Claim("At the standard width there is a large gap.",
				"20.22 points", study.AtLeast(5)),
			gapShrinks.Of("cifar10").Claim("It shrinks with width.",
				"20.22 → 13.17 points", study.Above(0)),
			gapLast.Of("cifar10").Claim("But stays appreciable at the largest width.",
				"13.17 points", study.AtLeast(2)),
			gapOver("mnist").Claim("The gap is larger than on MNIST, at the standard width.",
				"20.22 against 4.67 points", study.Above(0)),
			gapOver("mnist").Of("wide").Claim("At the largest width, too.",
				"13.17 against 0.48 points", study.Above(0)),
			wideLinearOverNetwork.Of("cifar10").Claim("The widest linearization outperforms the network of standard "+
				"width on test images.",
				"×60 against ×1", study.Above(0)),
		},
		Specs: gapSpecs("step:30:0.1", tasks(1, 2, 4), tasks(paperWidths()...)),
	}
}

// fig5 returns Fig. 5: AlexNet on classes that are alike.
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
			gapFirst.Of("alike").Claim("At the smallest width the network is far ahead of the linearization on test "+
				"images.",
				"20.4 points", study.AtLeast(5)),
			gapShrinks.Of("alike").Claim("The gap shrinks with width, if only slightly.",
				"20.4 → 18.56 points", study.Above(0)),
			secondGapLeast.Of("alike").Claim("With the network's hyperparameters the gap is large at all widths.",
				"> 20 points", study.AtLeast(5)),
			rateHelps.Of("alike").Claim("The larger learning rate is the better one for the linearization, at the "+
				"largest width.",
				"best of a search", study.Above(0)),
			linearTrainGains.Of("alike").Claim("The training accuracy of the linearization rises strongly with width.",
				"picture", study.AtLeast(1)),
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
