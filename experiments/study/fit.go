package study

import (
	"cmp"
	"context"
	"fmt"

	"github.com/ansatz-lab/ansatz/experiments/checkpoint"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// Fit fits a kernel machine to examples. Fields of the machine that are zero are filled in: the seed, the threads, the
// available memory, and progress reports under the given name. An interrupted fit continues from its last iteration.
func (in Setting) Fit(ctx context.Context, name string, m rfm.Machine, e rfm.Examples) (*rfm.Model, error) {
	if in.Dry() {
		return in.dryFit(m, e, linalg.ColumnCount(e.X))
	}
	m = in.fillIn(name, m, e)
	return m.Fit(ctx, e.X, e.Y)
}

// FitOn is [Setting.Fit] on some of the features, see [rfm.Machine.FitOn].
func (in Setting) FitOn(ctx context.Context, name string, m rfm.Machine, e rfm.Examples,
	features []int) (*rfm.Model, error) {
	if in.Dry() {
		m.Iterations = 0 // it learns no metric
		return in.dryFit(m, e, len(features))
	}
	m = in.fillIn(name, m, e, features)
	return m.FitOn(ctx, e.X, e.Y, features)
}

// FitHyperBF is [Setting.Fit] for a hyper basis function network. Gradient descent has no checkpoints: it begins again.
func (in Setting) FitHyperBF(ctx context.Context, name string, n rfm.HyperBF, e rfm.Examples) (*rfm.Model, error) {
	if in.Dry() && n.Update == rfm.ByAGOP {
		return in.dryFit(n.Machine, e, linalg.ColumnCount(e.X))
	}
	if in.Dry() {
		return in.dryDescent(n, e)
	}
	n.Machine = in.fillIn(name, n.Machine, e, n.Centres)
	if n.Update != rfm.ByAGOP {
		n.Remember = nil
	}
	return n.Fit(ctx, e.X, e.Y)
}

// FitConv is [Setting.Fit] for a convolutional kernel machine.
func (in Setting) FitConv(ctx context.Context, name string, m rfm.ConvMachine,
	e rfm.ImageExamples) (*rfm.ConvModel, error) {
	m.Seed, m.Threads, m.Memory = cmp.Or(m.Seed, in.Seed), cmp.Or(m.Threads, in.Threads),
		cmp.Or(m.Memory, record.AvailableMemory())
	if m.Progress == nil {
		m.Progress = func(p rfm.ConvProgress) {
			stage := cmp.Or(p.Stage, "working")
			in.Report(fmt.Sprintf("%s, layer %d, iteration %d: %s", name, p.Layer+1, p.Iteration, stage),
				p.Done, p.Total)
		}
	}
	if in.checkpoints != "" {
		key := convMachineKey(m, e)
		m.Remember = func(layer, iteration int, find func() (*rfm.ConvIteration, error)) (*rfm.ConvIteration, error) {
			return Keep(in, fmt.Sprintf("%s, layer %d, iteration %d", name, layer, iteration), key, find)
		}
	}
	return m.Fit(ctx, e)
}

// fillIn returns the machine that a fit uses. Its checkpoints depend on the machine, the examples and more.
func (in Setting) fillIn(name string, m rfm.Machine, e rfm.Examples, more ...any) rfm.Machine {
	m.Seed, m.Threads, m.Memory = cmp.Or(m.Seed, in.Seed), cmp.Or(m.Threads, in.Threads),
		cmp.Or(m.Memory, record.AvailableMemory())
	if m.Progress == nil {
		m.Progress = func(p rfm.Progress) {
			if p.Stage != "" {
				in.Report(name+": "+p.Stage, p.Done, p.Total)
			}
		}
	}
	if in.checkpoints != "" {
		key := append(more, machineKey(m, e))
		m.Remember = func(iteration int, find func() (*rfm.Iteration, error)) (*rfm.Iteration, error) {
			return Keep(in, fmt.Sprintf("%s, iteration %d", name, iteration), key, find)
		}
	}
	return m
}

// machineKey returns a text that differs between fits with different iterations.
func machineKey(m rfm.Machine, e rfm.Examples) string {
	arrays := []any{e.X, e.Y}
	if m.Metric != nil {
		arrays = append(arrays, mat.DenseCopyOf(m.Metric.Dense()))
	}
	if m.Validation != nil {
		arrays = append(arrays, m.Validation.X, m.Validation.Y)
	}
	m.Metric, m.Validation, m.Memory, m.Each, m.Progress = nil, nil, 0, nil, nil
	return fmt.Sprintf("%#v of %s", m, checkpoint.ContentDigest(arrays...))
}

// convMachineKey is machineKey for a convolutional machine.
func convMachineKey(m rfm.ConvMachine, e rfm.ImageExamples) string {
	arrays := []any{e.X.Pixels, e.Y}
	if v := m.Validation; v != nil {
		arrays = append(arrays, v.X.Pixels, v.Y)
	}
	m.Validation, m.Known, m.Memory, m.Each, m.Progress = nil, nil, 0, nil, nil
	return fmt.Sprintf("%#v of %s", m, checkpoint.ContentDigest(arrays...))
}
