package rfm

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"
)

// convFit holds the state of one call of [ConvMachine.Fit].
type convFit struct {
	ConvMachine
	team              *team
	train, validation ImageExamples // as the current layer reads them
	images            Images        // the training images, as the first layer reads them
	done              []ConvLayer
	kernel            ConvKernel
	iteration         int
	room              *room
}

// run learns one layer after another (cnfa, Algorithm 2): it fits a ConvRFM and draws filters from its M,
// whose features the next layer reads.
func (f *convFit) run(ctx context.Context) (*ConvModel, error) {
	for {
		best, err := f.learnLayer(ctx)
		if err != nil || len(f.done) == f.Layers-1 {
			return best.Model(), err
		}
		if err := f.deepen(ctx, best.model.last()); err != nil {
			return nil, err
		}
	}
}

// deepen draws the filters of a learned layer, and replaces the images by their features, which the next layer reads.
func (f *convFit) deepen(ctx context.Context, layer ConvLayer) error {
	layer.Filters = drawFilters(layer.Metric, f.Whole, f.Filters, stream(f.Seed, "filters", len(f.done)))
	for _, x := range []*Images{&f.train.X, &f.validation.X} {
		if x.Len() == 0 {
			continue
		}
		var err error
		if *x, err = f.team.features(ctx, gridOf(*x, f.Patch, f.Pad), layer.Filters, f.Linear, *x,
			f.stage("features")); err != nil {
			return err
		}
	}
	f.done = append(f.done, layer)
	f.kernel = f.kernel.Shallower()
	return nil
}

// learnLayer alternates between regression and patch-AGOP (cnfa, Algorithm 1) and returns the selected iteration.
func (f *convFit) learnLayer(ctx context.Context) (*ConvIteration, error) {
	var latest, best *ConvIteration
	for t := range f.Iterations + 1 {
		f.iteration = t
		it, err := f.Remember(len(f.done), t, func() (*ConvIteration, error) {
			start := time.Now()
			it, err := f.iterate(ctx, latest)
			if err == nil {
				it.Seconds = time.Since(start).Seconds()
			}
			return it, err
		})
		if err == nil && it.model == nil {
			err = f.restore(it)
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
	return best, nil
}

// iterate learns a metric from the model of the latest iteration, if there is one, and solves the regression in it.
func (f *convFit) iterate(ctx context.Context, latest *ConvIteration) (*ConvIteration, error) {
	metric := Identity(f.grid().Features())
	if latest != nil {
		var err error
		if metric, err = f.learn(ctx, latest.model); err != nil {
			return nil, err
		}
	}
	return f.regress(ctx, metric)
}

// restore builds the model of an iteration that was read from a file.
func (f *convFit) restore(it *ConvIteration) error {
	n, outputs := f.train.Y.Dims()
	if rows, columns := it.Alpha.Dims(); it.Metric.Dim() != f.grid().Features() || rows != n || columns != outputs {
		return badInput("the remembered iteration %d of layer %d has M of %d features and %d×%d coefficients: want %d, "+
			"and %d×%d", f.iteration, len(f.done), it.Metric.Dim(), rows, columns, f.grid().Features(), n, outputs)
	}
	s, err := patchViewFor(f.kernel, it.Metric, f.Whole, f.train.X, f.grid())
	it.model = f.model(it.Metric, s, it.Alpha)
	return err
}

// learn returns the next metric, the scaled patch-AGOP of a model.
func (f *convFit) learn(ctx context.Context, m *ConvModel) (*Metric, error) {
	x := f.train.X
	if n := x.Len(); f.Sample > 0 && f.Sample < n {
		which := stream(f.Seed, "patch-agop", len(f.done)*(f.Iterations+1)+f.iteration).Perm(n)[:f.Sample]
		slices.Sort(which)
		x = x.Pick(which)
	}
	metric, err := f.team.patchAGOP(ctx, m.last().Kernel, m.patchView, x, m.centres, m.alpha, f.stage("patch-AGOP"))
	if err != nil {
		return nil, err
	}
	if metric, err = metric.keepLargest(f.Keep); err != nil {
		return nil, err
	}
	return f.Scale.scale(metric), nil
}

// regress solves the regression in a metric with each of the ridges, and returns the iteration with the best ridge.
func (f *convFit) regress(ctx context.Context, metric *Metric) (*ConvIteration, error) {
	s, err := patchViewFor(f.kernel, metric, f.Whole, f.train.X, f.grid())
	if err != nil {
		return nil, err
	}
	k, err := f.gram(ctx, s)
	if err != nil {
		return nil, err
	}
	by := 1.
	if largest := largestOf(k); f.KernelScale && largest > 0 {
		by = largest
	}
	k.ScaleSym(1/by, k)
	solutions, err := f.solve(ctx, k)
	if err != nil {
		return nil, err
	}
	for i := range solutions {
		solutions[i].alpha.Scale(1/by, solutions[i].alpha)
	}
	its, err := f.judge(ctx, metric, s, solutions)
	if err != nil {
		return nil, err
	}
	best := its[0]
	for _, it := range its[1:] {
		if it.Validation.Better(*best.Validation) {
			best = it
		}
	}
	return best, nil
}

// gram returns the kernel matrix of the training images, which the caller may overwrite.
func (f *convFit) gram(ctx context.Context, s patchView) (*mat.SymDense, error) {
	if f.Known == nil || len(f.done) > 0 || f.iteration > 0 {
		return f.team.gram(ctx, f.kernel, s, f.train.X, f.room, f.stage("kernel"))
	}
	k := f.room.square(f.train.X.Len())
	k.CopySym(f.Known)
	return k, nil
}

// solve solves (K + λI)α = Y for every ridge.
func (f *convFit) solve(ctx context.Context, k *mat.SymDense) ([]*solved, error) {
	var out []*solved
	for i, ridge := range f.Ridges {
		f.stage("solve")(i, len(f.Ridges))
		p := &problem{machinery: machinery{precision: f.Precision}, y: f.train.Y, ridge: ridge, limit: f.Memory}
		s, err := p.direct(f.kernel, func() (*mat.SymDense, error) {
			c := mat.NewSymDense(k.SymmetricDim(), nil)
			c.CopySym(k)
			return c, ctx.Err()
		})
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	f.stage("solve")(len(f.Ridges), len(f.Ridges))
	return out, nil
}

// judge returns the iterations of the solutions, with their scores.
func (f *convFit) judge(ctx context.Context, metric *Metric, s patchView, solutions []*solved) ([]*ConvIteration, error) {
	var its []*ConvIteration
	for i, sol := range solutions {
		it := &ConvIteration{
			Layer: len(f.done), Index: f.iteration, Metric: metric, Alpha: sol.alpha, Ridge: f.Ridges[i],
			Solution: sol.Solution,
			model:    f.model(metric, s, sol.alpha),
		}
		var err error
		if it.Train, err = f.Task.Score(sol.fitted, f.train.Y); err != nil {
			return nil, err
		}
		its = append(its, it)
	}
	if f.validation.Y == nil {
		return its, nil
	}
	predictions, err := f.validate(ctx, s, sideBySide(solutions))
	if err != nil {
		return nil, err
	}
	n, outputs := f.validation.Y.Dims()
	for i, it := range its {
		v, err := f.Task.Score(mat.DenseCopyOf(predictions.Slice(0, n, i*outputs, (i+1)*outputs)), f.validation.Y)
		if err != nil {
			return nil, err
		}
		it.Validation = &v
	}
	return its, nil
}

// validate returns the predictions for the validation images.
func (f *convFit) validate(ctx context.Context, s patchView, alpha *mat.Dense) (*mat.Dense, error) {
	if f.KnownValidation != nil && len(f.done) == 0 && f.iteration == 0 {
		return multiply(f.KnownValidation, alpha), nil
	}
	return f.team.across(ctx, f.kernel, s, f.validation.X, f.train.X, alpha, f.stage("validation"))
}

// sideBySide returns the coefficients of all solutions side by side in one matrix.
func sideBySide(solutions []*solved) *mat.Dense {
	n, outputs := solutions[0].alpha.Dims()
	out := mat.NewDense(n, outputs*len(solutions), nil)
	for i, s := range solutions {
		out.Slice(0, n, i*outputs, (i+1)*outputs).(*mat.Dense).Copy(s.alpha)
	}
	return out
}

// largestOf returns the largest element of the upper half of k.
func largestOf(k *mat.SymDense) float64 {
	raw, most := k.RawSymmetric(), math.Inf(-1)
	for i := range raw.N {
		most = max(most, slices.Max(raw.Data[i*raw.Stride+i:i*raw.Stride+raw.N]))
	}
	return most
}

// model returns the predictor with the coefficients alpha for the current layer.
func (f *convFit) model(metric *Metric, s patchView, alpha *mat.Dense) *ConvModel {
	return &ConvModel{
		layers: append(f.done[:len(f.done):len(f.done)], ConvLayer{Kernel: f.kernel, Metric: metric}),
		images: f.images, centres: f.train.X, alpha: alpha, patchView: s, task: f.Task, patch: f.Patch, pad: f.Pad,
		whole: f.Whole, linear: f.Linear, precision: f.Precision, backend: f.Backend, threads: f.Threads,
	}
}

func (f *convFit) grid() Grid { return gridOf(f.train.X, f.Patch, f.Pad) }

func gridOf(x Images, patch int, pad bool) Grid {
	return Grid{Height: x.Height, Width: x.Width, Channels: x.Channels, Patch: patch, Pad: pad}
}

// stage returns a function that reports the progress of a stage.
func (f *convFit) stage(name string) func(done, total int) {
	return func(done, total int) {
		if f.Progress != nil {
			f.Progress(ConvProgress{Layer: len(f.done), Iteration: f.iteration, Stage: name, Done: done, Total: total})
		}
	}
}

// drawFilters draws k filters, one a row, from N(0, M) or, if whole, from N(0, M²).
func drawFilters(m *Metric, whole bool, k int, rng *rand.Rand) *mat.Dense {
	d := m.Dim()
	normal := mat.NewDense(k, d, nil)
	for i := range normal.RawMatrix().Data {
		normal.RawMatrix().Data[i] = rng.NormFloat64()
	}
	l, err := m.lens(false)
	if err != nil || l.full == nil {
		return normal // M = I, as a metric that is not finite was refused before
	}
	var out mat.Dense
	if whole {
		out.Mul(normal, m.Dense())
	} else {
		out.Mul(normal, l.full)
	}
	return &out
}
