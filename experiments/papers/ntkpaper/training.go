package ntkpaper

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/tangent"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/models"
)

// DescentSpec is the learning rate and the weight decay of a training.
type DescentSpec struct {
	Rate  float64 `json:"rate" toml:"rate"`
	Decay float64 `json:"decay" toml:"decay"`
}

// factor is a factor on the widths of an architecture.
type factor float64

// String returns the factor as tables show it: "×2".
func (f factor) String() string { return fmt.Sprintf("×%g", float64(f)) }

// log2 returns the logarithm of the factor to base 2, the x of charts.
func (f factor) log2() float64 { return math.Log2(float64(f)) }

// overWidths returns a number that compares widths, NaN if there is only one.
func overWidths(widths int, number float64) float64 {
	if widths < 2 {
		return math.NaN()
	}
	return number
}

// drawOf returns the seed that draws images where a training does not take all of a set: each seed
// of an experiment draws its own, so that intervals hold the variance of the data.
func drawOf(in study.Setting) uint64 { return models.Stream(in.Seed, "images").Uint64() }

// The datasets of the paper, and those that stand in for them, by the names that claims have for them.
const (
	mnist  = "MNIST"
	cifar  = "CIFAR-10"
	snakes = "ImageNet's snakes"
)

// dataNames are these names by those of the data.
var dataNames = map[string]string{"mnist": mnist, "cifar10": cifar, "imagenet:snakes": snakes, "glyphs": "glyphs"}

// usedFor is the data of a task, by its name, and the paper's dataset that the task is about.
type usedFor struct{ data, paper string }

// standIns returns the data that are not the paper's, by the paper's datasets. It leaves out tasks that are about none.
func standIns(all ...usedFor) map[string]string {
	used := map[string]string{}
	for _, u := range all {
		if called := cmp.Or(dataNames[u.data], u.data); u.paper != "" && called != u.paper {
			used[u.paper] = called
		}
	}
	return used
}

// paperSeeds is how many times the paper repeats a training.
const paperSeeds = 5

const widthLabel = "log2 of the width factor"

// paperWidths returns the widths of LeNet in the paper.
func paperWidths() []float64 { return []float64{1, 2, 5, 10, 25, 60} }

// sharedSpec returns what all trainings here share: the squared error, no dropout, and the seed's weights and images, of
// which 0 is all.
func sharedSpec(in study.Setting, arch string, width float64, set string, training, test int) train.Spec {
	return train.Spec{
		Arch: arch, Width: width, NoDropout: true, Data: set, Dir: in.DataDir, Train: training, Test: test, Draw: drawOf(in),
		Loss: models.MeanSquaredError.String(), Threads: in.Threads, Seed: in.Seed,
	}
}

// accuracies are the shares of training and test images that the weights after the last epoch classify correctly; NaN
// if training diverged.
type accuracies struct{ train, test float64 }

// trainAccuracies trains a network or its linearization, and records every dataset once. If same is not nil, it uses
// same's training images unchanged. A training that diverges is not an error: a note reports it, and the accuracies
// are NaN.
func trainAccuracies(
	ctx context.Context, in study.Setting, what string, spec train.Spec, same *train.Data, o *study.Outcome,
) (accuracies, error) {
	if in.Dry() {
		return accuracies{}, in.AddJob(spec.Job(true))
	}
	none := accuracies{math.NaN(), math.NaN()}
	t, err := train.NewTraining(ctx, spec)
	if err != nil {
		return none, err
	}
	if same != nil {
		t.Images().Train, t.Plan.Augment.Shift = same.Train, 0
		if err := t.Describe(); err != nil {
			return none, err
		}
	}
	if err := recordImages(o, spec, t.Images()); err != nil {
		return none, err
	}
	r, err := train.RunInSeed(ctx, in, t, what,
		train.Run{TestLast: true, TrainLast: true,
			Progress: func(p train.Progress) { in.Report(what, p.Done, p.Total) }})
	var diverged *models.DivergedError
	if errors.As(err, &diverged) {
		o.Notes = append(o.Notes, fmt.Sprintf("%s diverged with learning rate %g, seed %d.", what, spec.LR, in.Seed))
		return none, nil
	}
	if err != nil {
		return none, err
	}
	last := r.Final()
	return accuracies{record.ValueOrNaN(last.FinalTrainAccuracy), record.ValueOrNaN(last.TestAccuracy)}, nil
}

// recordImages records the training and the test images of a training, each once.
func recordImages(o *study.Outcome, spec train.Spec, images *train.Data) error {
	name := spec.Data
	if spec.Shift > 0 {
		name += ", shifted"
	}
	return errors.Join(recordDataOnce(o, name+", training", images.Train), recordDataOnce(o, name+", test", images.Test))
}

// recordDataOnce records a dataset, if it is not nil, unless the outcome already has one of that name and size. If the
// size differs, the number of images is added to the name.
func recordDataOnce(o *study.Outcome, what string, set data.Dataset) error {
	if set == nil {
		return nil
	}
	has := func(name string) bool {
		return slices.ContainsFunc(o.Data, func(d study.DataUsed) bool { return d.Name == name && d.Images == set.Len() })
	}
	if has(what) {
		return nil
	}
	if slices.ContainsFunc(o.Data, func(d study.DataUsed) bool { return d.Name == what }) {
		what = fmt.Sprintf("%s, %d images", what, set.Len())
	}
	if has(what) {
		return nil
	}
	return o.AddDataset(what, set)
}

// keepSolution solves a linear system with one ridge, unless an interrupted run kept the solution.
func keepSolution(
	ctx context.Context, in study.Setting, l *tangent.Linearization, what string,
) (tangent.SolutionRecord, error) {
	return study.Keep(in, "solution "+what, l.Spec, func() (tangent.SolutionRecord, error) {
		r, err := l.Run(ctx, func(stage string, done, total int) { in.Report(what+": "+stage, done, total) })
		if err != nil {
			return tangent.SolutionRecord{}, err
		}
		return r.Solutions[0], nil
	})
}
