package ntkpaper

import (
	"fmt"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/models"
)

// The baselines that claims compare a network with.
const (
	inTheLimit = "its linearization in the limit"
	asLong     = "its linearization that SGD trained for as long"
)

// crossEntropy is the network trained with the cross-entropy instead of the squared error. The paper gives no learning
// rate: 0.01 is common for SGD with momentum 0.9.
func crossEntropy(arch string) BaselineSpec {
	return BaselineSpec{Name: "cross-entropy", Arch: arch, Loss: models.CrossEntropy.String(),
		Descent: DescentSpec{.01, 5e-5}}
}

// logistic is a logistic regression on the pixels. Of the learning rates 0.01, 0.003, 0.001 and 0.0003 this one has
// the highest accuracy on 10 000 held-out training images after 6 epochs.
var logistic = BaselineSpec{Name: "logistic", Arch: "linear", Loss: models.CrossEntropy.String(),
	Descent: DescentSpec{.003, 0}}

// limitImages is the number of training images of a task with limits. With ten outputs its kernel has 10 000 rows, 0.8 GB.
const limitImages = 1000

// limitTest is the number of test images of such a task, for LeNet.
const limitTest = 5000

// limitTask returns a task with limits for LeNet.
func limitTask(name, data string, widths ...float64) GapTask {
	return GapTask{Name: name, Data: data, Train: limitImages, Test: limitTest, Widths: widths, Limit: true}
}

// onAllImages returns the claims about a task with all images, for which the paper prints a gap of at least so many
// points. Scale small, which trains on fewer images, does not attempt them.
func onAllImages(task, where, network, dataset string, least float64, first, shrinks string) []study.Claim {
	const why = "Scale small does not train on all images at several widths."
	return []study.Claim{
		gapFirst.Of(task).Claim(fmt.Sprintf("Trained on all images, %s of the smallest width is more accurate on test "+
			"images than %s, %s: points of accuracy.", network, asLong, where), first, study.AtLeast(least)).
			On(dataset).From(study.PaperScale, why),
		gapShrinks.Of(task).Claim(fmt.Sprintf("Trained on all images, the gap in test accuracy between %s and %s "+
			"shrinks with width, %s: points of accuracy.", network, asLong, where), shrinks, study.Above(0)).
			On(dataset).From(study.PaperScale, why),
	}
}

// gapSpecs returns the specs of LeNets for the tasks of scales small and paper. Scale smoke has the tasks of scale
// paper with generated digits; schedule is that of scale paper.
func gapSpecs(schedule string, small, paper []GapTask) map[study.Scale]study.Spec {
	spec := func(tasks []GapTask, epochs int, rate float64) *GapSpec {
		descent := DescentSpec{rate, 5e-5}
		return &GapSpec{Arch: "lenet", Tasks: tasks, Epochs: epochs, Batch: 32, Momentum: .9, Network: descent,
			Linear: []DescentSpec{descent}}
	}
	smoke := slices.Clone(paper)
	for i := range smoke {
		t := &smoke[i]
		t.Data, t.Train, t.Test, t.Widths, t.Shift = "glyphs", 60, 40, []float64{.2, .4}, min(t.Shift, 3)
	}
	full := spec(paper, 100, .1)
	full.Schedule = schedule
	return map[study.Scale]study.Spec{study.Smoke: spec(smoke, 1, .02), study.Small: spec(small, 60, .1),
		study.PaperScale: full}
}

// printedGaps returns the gaps in test accuracy in the paper's text for LeNet of the standard width and of 60 times it.
func printedGaps(task string, first, last float64) []study.Printed {
	return []study.Printed{{Chart: task + "-gap", Of: "linearized, test", X: []float64{0, math.Log2(60)},
		Y: []float64{first, last}}}
}
