package ntkpaper

import "github.com/ansatz-lab/ansatz/experiments/study"

// fig4 returns Fig. 4: CIFAR-10.
func fig4() *study.Experiment {
	limits := func(w ...float64) []GapTask {
		return []GapTask{limitTask("cifar10", "cifar10", w...), limitTask("mnist", "mnist", w[0], w[len(w)-1])}
	}
	small, w, baselines := limits(1, 2, 3), paperWidths(), []BaselineSpec{crossEntropy("lenet")}
	small[0].Baselines = baselines
	return &study.Experiment{
		ID: "ntk/fig4", Paper: "ntk", Figure: "Fig. 4", Title: "LeNet and its linearization on CIFAR-10, by width",
		About: study.About{
			Deviations: []string{
				"The learning rate falls by a factor of 10 every 30 epochs at scale paper, on MNIST's digits too, for " +
					"which the paper's is constant. It is constant at scale small.",
				allAtPaperScale,
			},
			Controls: []string{
				"MNIST's digits are trained on at the smallest and the largest width, to compare gaps.",
			},
		}.With(gapAbout).With(gapDeviations).With(gapSmall),
		Panels: []string{"cifar10-accuracy", "cifar10-training", "cifar10-gap", "cifar10-parts"},
		Printed: append(append(printedGaps("cifar10", 20.22, 13.17), printedGaps("mnist", 4.67, .48)...),
			append(printedGaps("cifar10_all", 20.22, 13.17), printedGaps("mnist_all", 4.67, .48)...)...),
		Claims: append(study.Diagnose(fewPhotographsKnown,
			featuresFirst.Of("cifar10").Claim("On CIFAR-10, LeNet of the standard width is much more accurate on "+
				"test images than "+inTheLimit+": points of accuracy.", "20.22 points, after 100 epochs",
				study.AtLeast(5)).On(cifar),
			featuresShrink.Of("cifar10").Claim("On CIFAR-10, the gap in test accuracy between LeNet and "+inTheLimit+
				" shrinks with width: points of accuracy.", "20.22 → 13.17 points, after 100 epochs",
				study.Above(0)).On(cifar),
			featuresLast.Of("cifar10").Claim("On CIFAR-10, the gap in test accuracy between LeNet and "+inTheLimit+
				" is still appreciable at the largest width: points of accuracy.", "13.17 points, after 100 epochs",
				study.AtLeast(2)).On(cifar),
			featuresOver("mnist").Claim("At the standard width the gap in test accuracy between LeNet and "+inTheLimit+
				" is larger on CIFAR-10 than on MNIST: points of accuracy.",
				"20.22 against 4.67 points, after 100 epochs", study.Above(0)).On(cifar),
			featuresOver("mnist").Of("wide").Claim("At the largest width the gap in test accuracy between LeNet and "+
				inTheLimit+" is larger on CIFAR-10 than on MNIST: points of accuracy.",
				"13.17 against 0.48 points, after 100 epochs", study.Above(0)).On(cifar),
			gapFirst.Of("cifar10").Claim("On CIFAR-10, LeNet of the standard width is much more accurate on test "+
				"images than "+asLong+": points of accuracy.", "20.22 points", study.AtLeast(5)).On(cifar),
			gapShrinks.Of("cifar10").Claim("On CIFAR-10, the gap in test accuracy between LeNet and "+asLong+
				" shrinks with width: points of accuracy.", "20.22 → 13.17 points", study.Above(0)).On(cifar),
			gapLast.Of("cifar10").Claim("On CIFAR-10, the gap in test accuracy between LeNet and "+asLong+
				" is still appreciable at the largest width: points of accuracy.", "13.17 points",
				study.AtLeast(2)).On(cifar),
			gapOver("mnist").Claim("At the standard width the gap in test accuracy between LeNet and "+asLong+
				" is larger on CIFAR-10 than on MNIST: points of accuracy.",
				"20.22 against 4.67 points", study.Above(0)).On(cifar),
			gapOver("mnist").Of("wide").Claim("At the largest width the gap in test accuracy between LeNet and "+
				asLong+" is larger on CIFAR-10 than on MNIST: points of accuracy.",
				"13.17 against 0.48 points", study.Above(0)).On(cifar),
			unconvergedFirst.Of("cifar10").Check("On CIFAR-10, a part of the gap between LeNet of the standard "+
				"width and "+asLong+" is that the linearization has not converged: points of accuracy.",
				study.Above(0)).On(cifar),
			wideLinearOverNetwork.Of("cifar10").Claim("On CIFAR-10, the widest linearization that SGD trained is more "+
				"accurate on test images than LeNet of the standard width: points of accuracy.", "×60 against ×1",
				study.Above(0)).On(cifar).
				From(study.PaperScale, "The paper compares a linearization of 60 times the width, this scale one of 3 "+
					"times."),
			networkOver(crossEntropy("")).Claim("On CIFAR-10, LeNet is about as accurate on test images with the "+
				"squared error as with the cross-entropy: points of accuracy.", "similar",
				study.Within(0, 3)).On(cifar),
		), onAllImages("cifar10_all", "on CIFAR-10", "LeNet", cifar, 5, "20.22 points", "20.22 → 13.17 points")...),
		Specs: gapSpecs("step:30:0.1", small, append(limits(w...),
			GapTask{Name: "cifar10_all", Data: "cifar10", Widths: w, Baselines: baselines},
			GapTask{Name: "mnist_all", Data: "mnist", Widths: []float64{w[0], w[len(w)-1]}})),
		Seeds: paperSeeds,
	}
}

// fewPhotographsKnown says what is known of the claims about CIFAR-10 at scale small.
const fewPhotographsKnown = "LeNet fits all 1000 training images but classifies only 36 to 42 % of the test images correctly (table " +
	"of accuracies), so the gap to its linearization can only be small. It gains from width, its linearization gains as " +
	"much, and on as many digits it has more to lose. The paper's gaps are those of 50 000 images: scale paper would decide, " +
	"some weeks of a core for a seed."

// smallAlexNetsKnown says what is known of the claims about narrow AlexNets.
const smallAlexNetsKnown = "AlexNets of at most an eighth of the filters are right on 35 to 40 % of the test images after 1000 " +
	"animals (table of accuracies), 20 points above chance, of which their linearizations in the limit keep most. A network " +
	"gains from twice the width, its linearization hardly does. Seeds differ by several points where trainings are far from " +
	"their end. Snakes of ImageNet would decide, some weeks of a core for a seed."

// fig5 returns Fig. 5: AlexNet on classes that are alike.
func fig5() *study.Experiment {
	spec := func(epochs int, schedule string, tasks ...GapTask) *GapSpec {
		tasks[0].Limit, tasks[len(tasks)-1].Baselines = true, []BaselineSpec{crossEntropy("alexnet")}
		return &GapSpec{
			Arch: "alexnet", Tasks: tasks, Epochs: epochs, Batch: 32, Momentum: .9, Schedule: schedule,
			Network: DescentSpec{.1, 5e-6}, Linear: []DescentSpec{{1, 5e-7}, {.1, 5e-6}},
		}
	}
	glyphs := GapTask{Name: "alike", Data: "glyphs", Size: 64, Train: 24, Test: 20, Widths: []float64{.02, .04}}
	all := glyphs
	all.Name = "alike_all"
	smoke := spec(1, "", glyphs, all)
	smoke.Network.Rate, smoke.Linear[0].Rate, smoke.Linear[1].Rate = .01, .02, .01
	return &study.Experiment{
		ID: "ntk/fig5", Paper: "ntk", Figure: "Fig. 5",
		Title: "AlexNet and its linearization on similar classes, by width",
		About: study.About{
			Deviations: []string{
				"At scale paper AlexNet learns ten classes of snakes, as in the paper. At scale small AlexNets " +
					"with at most an eighth of the filters, on images of 64×64, stand for AlexNet, and the six " +
					"animals of CIFAR-10, its classes that are hard to tell apart, for the snakes. This shows " +
					"whether the claims hold for a deep network on similar classes, not the paper's numbers.",
				"At scale small there are 1000 training and 2000 test images, different ones for every seed, two " +
					"widths, and 120 epochs at a constant learning rate. At scale paper limits are those of 1000 " +
					"images, beside trainings on all.",
			},
			Conventions: []string{
				"AlexNet has no dropout. Its linearization has two learning rates: 1, which the paper found best " +
					"for it, and the network's 0.1. Their limits differ by their weight decays.",
			},
		}.With(gapAbout).With(gapDeviations),
		Panels: []string{"alike-accuracy", "alike-training", "alike-gap", "alike-parts"},
		Printed: []study.Printed{
			{Chart: "alike-gap", Of: "linearized, rate 1, test", X: []float64{0, 2}, Y: []float64{20.4, 18.56}},
		},
		Claims: append(study.Diagnose(smallAlexNetsKnown,
			featuresFirst.Of("alike").Claim("On similar classes, AlexNet of the smallest width is much more accurate "+
				"on test images than "+inTheLimit+": points of accuracy.", "20.4 points, after 100 epochs",
				study.AtLeast(5)).On(snakes),
			featuresShrink.Of("alike").Claim("On similar classes, the gap in test accuracy between AlexNet and "+
				inTheLimit+" shrinks with width, if only slightly: points of accuracy.",
				"20.4 → 18.56 points, after 100 epochs", study.Above(0)).On(snakes),
			secondFeaturesLeast.Of("alike").Claim("On similar classes, the gap in test accuracy between AlexNet and "+
				inTheLimit+", both with AlexNet's own decay, is large at all widths: the smallest, in points of "+
				"accuracy.", "> 20 points, after 100 epochs", study.AtLeast(5)).On(snakes),
			gapFirst.Of("alike").Claim("On similar classes, AlexNet of the smallest width is much more accurate "+
				"on test images than "+asLong+": points of accuracy.", "20.4 points", study.AtLeast(5)).On(snakes),
			gapShrinks.Of("alike").Claim("On similar classes, the gap in test accuracy between AlexNet and "+asLong+
				" shrinks with width, if only slightly: points of accuracy.", "20.4 → 18.56 points",
				study.Above(0)).On(snakes),
			secondGapLeast.Of("alike").Claim("On similar classes, the gap in test accuracy between AlexNet and "+
				asLong+", both with AlexNet's own learning rate and decay, is large at all widths: the smallest, in "+
				"points of accuracy.", "> 20 points", study.AtLeast(5)).On(snakes),
			rateHelps.Of("alike").Claim("On similar classes, AlexNet's linearization of the largest width is "+
				"more accurate on test images with the learning rate 1 than with 0.1: points of accuracy.",
				"best of a search", study.Above(0)).On(snakes),
			linearTrainGains.Of("alike").Claim("On similar classes, the training accuracy of AlexNet's "+
				"linearization that SGD trained rises strongly with width: points of accuracy.", "picture",
				study.AtLeast(1)).On(snakes),
			unconvergedFirst.Of("alike").Check("On similar classes, a part of the gap between AlexNet of the smallest "+
				"width and "+asLong+" is that the linearization has not converged: points of accuracy.",
				study.Above(0)).On(snakes),
			networkOver(crossEntropy("")).Claim("On similar classes, AlexNet is about as accurate on test images "+
				"with the squared error as with the cross-entropy: points of accuracy.", "similar", study.Within(0, 3)).
				On(snakes),
		), onAllImages("alike_all", "on similar classes", "AlexNet", snakes, 5, "20.4 points",
			"20.4 → 18.56 points")...),
		Specs: map[study.Scale]study.Spec{
			study.Smoke: smoke,
			study.Small: spec(120, "", GapTask{
				Name: "alike", Data: "cifar10", Classes: "bird,cat,deer,dog,frog,horse", Size: 64, Train: limitImages,
				Test: 2000, Widths: []float64{.0625, .125},
			}),
			study.PaperScale: spec(100, "step:30:0.1",
				GapTask{Name: "alike", Data: "imagenet:snakes", Size: 224, Train: limitImages,
					Widths: []float64{1, 2, 3, 4}},
				GapTask{Name: "alike_all", Data: "imagenet:snakes", Size: 224, Widths: []float64{1, 2, 3, 4}}),
		},
		Seeds: paperSeeds,
	}
}
