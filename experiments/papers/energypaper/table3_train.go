package energypaper

import (
	"context"
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/cnfa/energy"
	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/data/patches"
	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/experiments/workload"
	"github.com/ansatz-lab/ansatz/graph"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// checkDescent compares the closed form with steps of gradient descent.
func (l *learnedPair) checkDescent(ctx context.Context, in study.Setting, o *study.Outcome) error {
	off, err := l.descentError(ctx, in)
	if err != nil {
		return err
	}
	like, err := l.sgdCorrelation(ctx, in)
	if err != nil {
		return err
	}
	o.Set(descentDigits, -math.Log10(math.Max(off, 1e-17)))
	o.Set(sgd, like)
	return nil
}

// descentError takes full-batch steps in float64 on some of the images, and returns the relative error of the filters
// against the closed form.
func (l *learnedPair) descentError(ctx context.Context, in study.Setting) (float64, error) {
	n := min(l.Checked, l.images)
	if in.Dry() {
		_, err := l.trainFilters(ctx, in, nil, l.Rate, n, l.CheckedSteps, graph.Double)
		return 0, err
	}
	var rows []int
	for i := range n { // of both classes
		rows = append(rows, i*l.images/n)
	}
	set, err := data.Subset(l.set, rows)
	if err != nil {
		return 0, err
	}
	k, err := patches.Averages(ctx, set, l.Patch)
	if err != nil {
		return 0, err
	}
	closed, err := energy.NewLinearCNN(k)
	if err != nil {
		return 0, err
	}
	y, err := labelNumbers(set)
	if err != nil {
		return 0, err
	}
	want, err := closed.Filters(y, l.start, energy.Descent{Rate: l.Rate, Width: l.Width, Steps: l.CheckedSteps})
	if err != nil {
		return 0, err
	}
	got, err := l.trainFilters(ctx, in, set, l.Rate, n, l.CheckedSteps, graph.Double)
	if err != nil {
		return 0, err
	}
	return linalg.RelativeError(got, want), nil
}

// sgdCorrelation trains with mini-batches, and returns the correlation of the profile with that of full-batch steps to
// the same ηT/width.
func (l *learnedPair) sgdCorrelation(ctx context.Context, in study.Setting) (float64, error) {
	g := l.fullDescent(l.images)
	steps := int(math.Round(float64(g.Steps) * l.Rate / l.SGDRate))
	w, err := l.trainFilters(ctx, in, l.set, l.SGDRate, min(l.Batch, l.images), max(1, steps), graph.Single)
	if err != nil || in.Dry() {
		return 0, err
	}
	want, err := l.profileAfter(l.truth, l.start, g)
	if err != nil {
		return 0, err
	}
	return stat.Correlation(l.energies(w), want, nil), nil
}

// trainFilters trains the network with package models for some steps from the seed's initial filters, and returns its
// filters.
func (l *learnedPair) trainFilters(ctx context.Context, in study.Setting, set data.Dataset, rate float64,
	batch, steps int, p graph.Precision) (*mat.Dense, error) {
	if in.Dry() {
		return nil, in.AddJob(l.stepsJob(batch, steps))
	}
	net, err := l.newNetwork(l.shape, l.Width, in.Seed)
	if err != nil {
		return nil, err
	}
	pipe := &data.Pipeline{Dataset: set, Batch: batch, Seed: in.Seed}
	epochs := (steps + pipe.Steps() - 1) / pipe.Steps()
	t, err := train.NewNetworkTraining(in, net, train.ImageBatches{Pipeline: pipe}, epochs,
		setups.DescentOptions(batch, rate, p))
	if err != nil {
		return nil, err
	}
	defer t.Close()
	t.Steps = steps
	stage := fmt.Sprintf("steps of rate %v", rate)
	t.AfterStep = func(context.Context) error {
		in.Report(stage, t.Trainer.Steps(), steps)
		return nil
	}
	if err := in.Train(ctx, stage, []any{l.LinearTableSpec, set.Len(), batch, steps, p}, &t.Loop); err != nil {
		return nil, err
	}
	w, _ := t.Trainer.State().Get("weights/conv.weight")
	out := mat.NewDense(l.Width, w.Size()/l.Width, nil)
	for i := range out.RawMatrix().Data {
		if p == graph.Double {
			out.RawMatrix().Data[i] = w.Float64s()[i]
		} else {
			out.RawMatrix().Data[i] = float64(w.Float32s()[i])
		}
	}
	return out, nil
}

// stepsJob estimates the training of the network in batches.
func (l *learnedPair) stepsJob(batch, steps int) (cost.Job, error) {
	a, err := l.linearArchitecture(l.Width)
	if err != nil {
		return nil, err
	}
	layers, err := workload.LayersFor(a, l.shape, 2)
	return workload.StepsOf(cost.NetOf(layers), batch, float64(steps)), err
}
