package rfm

import (
	"cmp"
	"context"
	"time"

	"gonum.org/v1/gonum/mat"
)

// fit holds the state of one call of [Machine.Fit].
type fit struct {
	Machine
	machinery
	train, validation Examples
	centres           *mat.Dense // train.X, or those of a [HyperBF] with fewer centres
	iteration         int
}

// run alternates between regression and learning the metric (paper rfm, Algorithm 1).
func (f *fit) run(ctx context.Context) (*Model, error) {
	return f.iterate(ctx, func(latest *Iteration) (*Iteration, error) {
		metric := f.Metric
		if latest != nil {
			var err error
			if metric, err = f.learn(ctx, latest.model); err != nil {
				return nil, err
			}
		}
		return f.regress(ctx, metric)
	})
}

// iterate calls next for every iteration that the machine does not remember, and
// returns the model of the selected one; latest is nil in the first call.
func (f *fit) iterate(ctx context.Context, next func(latest *Iteration) (*Iteration, error)) (*Model, error) {
	var latest, best *Iteration
	for t := range f.Iterations + 1 {
		f.iteration = t
		it, err := f.Remember(t, func() (*Iteration, error) {
			start := time.Now()
			it, err := next(latest)
			if err == nil {
				it.Seconds = time.Since(start).Seconds()
			}
			return it, err
		})
		if err == nil && it.model == nil {
			err = f.restore(ctx, it)
		}
		if err != nil {
			return nil, err
		}
		if latest = it; best == nil || it.Validation == nil || it.Validation.Better(*best.Validation) {
			best = it
		}
		if f.Each != nil {
			if err := f.Each(it); err != nil {
				return nil, err
			}
		}
	}
	return best.model, nil
}

// restore builds the model of an iteration that was read from a file.
func (f *fit) restore(ctx context.Context, it *Iteration) error {
	n, d := f.centres.Dims()
	_, outputs := f.train.Y.Dims()
	if rows, columns := it.Alpha.Dims(); it.Metric.Dim() != d || rows != n || columns != outputs {
		return badInput("the remembered iteration %d has M of %d features and %d×%d coefficients: want %d, and %d×%d",
			f.iteration, it.Metric.Dim(), rows, columns, d, n, outputs)
	}
	kernel, err := f.Kernel, error(nil)
	if f.Adaptive {
		if kernel, err = WithBandwidth(kernel, it.Bandwidth); err != nil {
			return err
		}
	}
	lens, err := it.Metric.lensFor(kernel, f.centres)
	if err != nil {
		return err
	}
	points, err := f.transform(ctx, lens, f.centres)
	it.model = f.model(kernel, it.Metric, lens, f.centres, points, it.Alpha)
	return err
}

// regress solves the regression in a metric.
func (f *fit) regress(ctx context.Context, metric *Metric) (*Iteration, error) {
	lens, err := metric.lensFor(f.Kernel, f.train.X)
	if err != nil {
		return nil, err
	}
	return f.regressThrough(ctx, metric, lens)
}

// regressThrough solves the regression in a metric whose lens is known.
func (f *fit) regressThrough(ctx context.Context, metric *Metric, lens *lens) (*Iteration, error) {
	points, err := f.transform(ctx, lens, f.train.X)
	if err != nil {
		return nil, err
	}
	kernel, err := f.kernelAt(ctx, points)
	if err != nil {
		return nil, err
	}
	p := &problem{machinery: f.machinery, kernel: kernel, points: points, y: f.train.Y, ridge: f.Ridge, seed: f.Seed,
		limit: f.Memory}
	if f.validation.X != nil {
		p.validate = func(alpha *mat.Dense) (Scores, error) {
			return f.validate(ctx, f.model(kernel, metric, lens, f.train.X, points, alpha))
		}
	}
	s, err := f.Solver.solve(ctx, p)
	if err != nil {
		return nil, err
	}
	return f.judge(ctx, f.model(kernel, metric, lens, f.train.X, points, s.alpha), s)
}

// model returns the predictor with the given centres; points are the centres through the lens.
func (f *fit) model(kernel Kernel, metric *Metric, lens *lens, centres, points, alpha *mat.Dense) *Model {
	return &Model{
		kernel: kernel, metric: metric, centres: centres, alpha: alpha, task: f.Task, precision: f.Precision,
		backend: f.Backend, threads: f.Threads, lens: lens, points: points,
	}
}

// judge returns the iteration of a model, with its scores.
func (f *fit) judge(ctx context.Context, m *Model, s *solved) (*Iteration, error) {
	it := &Iteration{Index: f.iteration, Metric: m.metric, Bandwidth: m.kernel.bandwidth(), Alpha: m.alpha,
		Solution: s.Solution, model: m}
	var err error
	if it.Train, err = f.Task.Score(s.fitted, f.train.Y); err != nil || f.validation.X == nil {
		return it, err
	}
	v, err := f.validate(ctx, m)
	it.Validation = &v
	return it, err
}

// validate returns the scores of a model on the validation examples.
func (f *fit) validate(ctx context.Context, m *Model) (Scores, error) {
	predictions, err := m.predictOn(ctx, f.machinery, f.validation.X)
	if err != nil {
		return Scores{}, err
	}
	return f.Task.Score(predictions, f.validation.Y)
}

// learn returns the next metric, the scaled power of the AGOP of a model.
func (f *fit) learn(ctx context.Context, m *Model) (*Metric, error) {
	x := sampleRows(f.train.X, f.Sample, stream(f.Seed, "agop", f.iteration))
	metric, err := m.agop(ctx, f.machinery, x, f.CentreGradients, f.Diagonal)
	if err != nil {
		return nil, err
	}
	if metric, err = metric.ToPower(cmp.Or(f.Power, 1)); err != nil {
		return nil, err
	}
	return f.Scale.scale(metric), nil
}

func (f *fit) close() { f.closeAll() }

// open prepares a fit. The machine and the examples have been checked.
func (m Machine) open(train, validation Examples) (*fit, error) {
	on, err := openMachinery(m.Backend, m.Threads, m.Precision)
	if err != nil {
		return nil, err
	}
	on.room = &room{}
	f := &fit{Machine: m, machinery: on, train: train, validation: validation, centres: train.X}
	if m.Remember == nil {
		f.Remember = func(_ int, find func() (*Iteration, error)) (*Iteration, error) { return find() }
	}
	if m.Progress != nil {
		f.progress = func(stage string, done, total int) {
			m.Progress(Progress{Iteration: f.iteration, Stage: stage, Done: done, Total: total})
		}
	}
	return f, nil
}
