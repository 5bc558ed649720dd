package ntkpaper

import (
	"context"
	"fmt"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/tangent"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/rfm"
)

// solvedLimit is a linearization in the limit of infinite time: the solution of its linear system with a ridge.
// Its fields are exported for [study.Keep].
type solvedLimit struct {
	Ridge       float64
	Train, Test float64 // accuracies
	Norm        float64 // ‖u‖
	Method      string  // see [models.DualSolution]
}

// decayRidge returns the ridge that corresponds to a weight decay δ. SGD with weight decay descends on
//
//	‖f_lin(u, X) − Y‖²/rows + δ‖u‖²/2
//
// with a row for every output of every training image, so it converges to the ridge regression with λ = δ·rows/2.
func decayRidge(decay float64, rows int) float64 { return decay * float64(rows) / 2 }

// limitRidges returns the ridges of the limits: those of the weight decays of the linearizations, and 0.
func (s *GapSpec) limitRidges(rows int) []float64 {
	var all []float64
	for _, d := range s.Linear {
		all = append(all, decayRidge(d.Decay, rows))
	}
	return append(all, 0)
}

// addLimits solves the limits of a point, if the task has them, and returns the images, shifted once, that all
// trainings of the point must use; else nil.
func (s *GapSpec) addLimits(ctx context.Context, in study.Setting, what string, t GapTask, spec train.Spec,
	p *gapPoint) (*train.Data, error) {
	if !t.Limit {
		return nil, nil
	}
	if in.Dry() {
		return nil, in.AddJob(spec.Tangents(0))
	}
	l, err := tangent.NewLinearization(ctx, tangent.LinearizeSpec{Spec: spec, Method: tangent.SolveMethod})
	if err != nil {
		return nil, err
	}
	images := l.Training.Images()
	p.limit, err = solveLimits(ctx, in, what+"limit", l, s.limitRidges(images.Train.Len()*l.Training.Network().Classes))
	return images, err
}

// limitBatch is the number of images that a linearization reads at a time.
const limitBatch = 32

// solveLimits solves the linear system of a linearization with every ridge, from one kernel. Solutions that an
// interrupted run kept are not solved again.
func solveLimits(ctx context.Context, in study.Setting, what string, l *tangent.Linearization,
	ridges []float64) ([]solvedLimit, error) {
	return study.Keep(in, what, []any{l.Spec, ridges}, func() ([]solvedLimit, error) {
		net, images, precision := l.Training.Network(), l.Training.Images(), l.Training.Plan.Options.Precision
		px, labels, err := readImages(ctx, images, images.Train, 0, images.Train.Len())
		if err != nil {
			return nil, err
		}
		device, err := backend.Open(backend.Options{Threads: in.Threads})
		if err != nil {
			return nil, err
		}
		defer device.Close()
		m, err := net.Linearize(device, min(limitBatch, len(labels)), precision)
		if err != nil {
			return nil, err
		}
		k, err := net.NTK(ctx, px, models.NTKOptions{Threads: in.Threads, Precision: precision,
			Memory:   record.AvailableMemory(),
			Progress: func(done, total int) { in.Report(what+": kernel", done, total) }})
		if err != nil {
			return nil, err
		}
		var all []solvedLimit
		for i, ridge := range ridges {
			in.Report(what+": solving", i, len(ridges))
			s, err := m.Dual(ctx, px, k, rfm.OneHot(labels, net.Classes), ridge)
			if err != nil {
				return nil, fmt.Errorf("ridge %g: %w", ridge, err)
			}
			found := solvedLimit{Ridge: ridge, Norm: s.Norm, Method: s.Method}
			if found.Train, err = accuracyOf(ctx, m, images, images.Train); err == nil {
				found.Test, err = accuracyOf(ctx, m, images, images.Test)
			}
			if err != nil {
				return nil, err
			}
			all = append(all, found)
		}
		return all, nil
	})
}

// scoredAtOnce is the number of images that are scored at a time.
const scoredAtOnce = 500

// accuracyOf returns the share of a set that a linearization classifies correctly.
func accuracyOf(ctx context.Context, m *models.Linearized, images *train.Data, set data.Dataset) (float64, error) {
	right := 0
	for lo := 0; lo < set.Len(); lo += scoredAtOnce {
		px, labels, err := readImages(ctx, images, set, lo, min(lo+scoredAtOnce, set.Len()))
		if err != nil {
			return 0, err
		}
		outputs, err := m.Predict(ctx, px)
		if err != nil {
			return 0, err
		}
		for i, label := range labels {
			if models.Predicted(outputs.RawRowView(i)) == label {
				right++
			}
		}
	}
	return float64(right) / float64(set.Len()), nil
}

// readImages reads the images lo ≤ i < hi of a set of a training, normalised as its network reads them, and their labels.
func readImages(ctx context.Context, images *train.Data, set data.Dataset, lo, hi int) ([]float32, []int, error) {
	px, labels := make([]float32, (hi-lo)*set.Shape().Pixels()), make([]int, hi-lo)
	loader := &data.Loader{Dataset: set, Normalisation: images.Normalisation}
	return px, labels, loader.Load(ctx, lo, hi, px, labels)
}
