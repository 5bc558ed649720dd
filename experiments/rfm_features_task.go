package experiments

import (
	"context"
	"math"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// shownEigen is how many eigenvectors are looked at: those of Fig. 15.
const shownEigen = 3

// spectrum is the diagonal of a feature matrix, its largest eigenvalues over the
// sum of all, and their vectors.
type spectrum struct {
	diagonal, values []float64
	vectors          [][]float64
}

func newSpectrum(m *rfm.Metric) (spectrum, error) {
	values, vectors, err := backend.EigenSym(m.Dense(), true)
	s, d, trace := spectrum{diagonal: m.Diagonal()}, m.Dim(), m.Trace()
	if err != nil {
		return s, err
	}
	for k := range min(shownEigen, d) {
		s.values = append(s.values, values[d-1-k]/trace)
		s.vectors = append(s.vectors, mat.Col(nil, d-1-k, vectors))
	}
	return s, nil
}

func (s spectrum) top() []float64 { return s.vectors[0] }

// gap is the largest eigenvalue over the second.
func (s spectrum) gap() float64 {
	if len(s.values) < 2 {
		return math.NaN()
	}
	return s.values[0] / s.values[1]
}

// taskFeatures is what both machines found in one task.
type taskFeatures struct {
	name     string
	classes  []string
	shape    *data.Shape
	examples [2][]float64 // an image of each of the first two classes

	net, change, before spectrum // of W₁ᵀW₁, with W₁ − W₀, and with W₀
	rfm                 spectrum // of M
	images, centred     spectrum // of the second moment and the covariance of the training images

	netAccuracy, laplaceAccuracy, rfmAccuracy, ticketAccuracy float64
	netTrain                                                  float64
	kept                                                      float64 // the share of the coordinates that RFM-T looks at
}

// alike is the absolute value of Pearson's correlation.
func (f *taskFeatures) alike(a, b []float64) float64 { return math.Abs(stat.Correlation(a, b, nil)) }

// task runs both machines on one task.
func (s *FeaturesSpec) task(ctx context.Context, in Setting, t ImageTask, o *Outcome) (*taskFeatures, error) {
	e, err := in.openOwn(ctx, ExamplesSpec{Data: t.Data, Classes: t.Classes, Size: t.Size, Train: s.Train, Test: s.Test, Sphere: true})
	if err != nil {
		return nil, err
	}
	o.usedExamples(t.Name, e)
	f := &taskFeatures{name: t.Name, classes: e.classes, shape: e.shape}
	for i, c := range classIndices(e.train.Y) {
		if c < 2 && f.examples[c] == nil {
			f.examples[c] = e.train.X.RawRowView(i)
		}
	}
	if err := f.kernel(ctx, in, s, t, e); err != nil {
		return nil, err
	}
	if err := f.network(ctx, in, s, e); err != nil {
		return nil, err
	}
	if f.images, err = newSpectrum(momentOf(e.train.X, false)); err != nil {
		return nil, err
	}
	f.centred, err = newSpectrum(momentOf(e.train.X, true))
	return f, err
}

// kernel fits the recursive feature machine and the machine on its ticket.
func (f *taskFeatures) kernel(ctx context.Context, in Setting, s *FeaturesSpec, t ImageTask, e *examples) error {
	m := rfm.Machine{
		Ridge: s.Ridge, Iterations: s.Iterations, Sample: s.Sample, Task: rfm.Classification, Select: rfm.Last,
		Seed: in.Seed, Threads: in.Threads, Memory: availableMemory(), Progress: in.kernelProgress(t.Name),
	}
	m.Each = func(it *rfm.Iteration) error {
		if it.Index > 0 {
			return nil
		}
		score, err := it.Model().Score(ctx, e.test.X, e.test.Y)
		f.laplaceAccuracy = score.Accuracy
		return err
	}
	model, err := m.Fit(ctx, e.train.X, e.train.Y)
	if err != nil {
		return err
	}
	m.Each = nil
	features := model.Metric().Above(s.Threshold)
	f.kept = float64(len(features)) / float64(model.Metric().Dim())
	ticket, err := m.FitOn(ctx, e.train.X, e.train.Y, features)
	if err != nil {
		return err
	}
	for _, c := range []struct {
		model *rfm.Model
		into  *float64
	}{{model, &f.rfmAccuracy}, {ticket, &f.ticketAccuracy}} {
		score, err := c.model.Score(ctx, e.test.X, e.test.Y)
		if err != nil {
			return err
		}
		*c.into = score.Accuracy
	}
	f.rfm, err = newSpectrum(model.Metric())
	return err
}

// network trains the network.
func (f *taskFeatures) network(ctx context.Context, in Setting, s *FeaturesSpec, e *examples) error {
	n, err := newMLP(in, s.Net, e)
	if err != nil {
		return err
	}
	defer n.close()
	if f.before, err = newSpectrum(n.features(false)); err != nil {
		return err
	}
	if err := n.train(ctx, in, nil); err != nil {
		return err
	}
	if f.net, err = newSpectrum(n.features(false)); err != nil {
		return err
	}
	if f.change, err = newSpectrum(n.features(true)); err != nil {
		return err
	}
	if f.netTrain, err = n.accuracy(ctx, e.train); err != nil {
		return err
	}
	f.netAccuracy, err = n.accuracy(ctx, e.test)
	return err
}

// momentOf is the second moment of the rows of x, or their covariance.
func momentOf(x *mat.Dense, centred bool) *rfm.Metric {
	n, d := x.Dims()
	c := mat.DenseCopyOf(x)
	for j := range d {
		if centred {
			column := mat.Col(nil, j, x)
			mean := stat.Mean(column, nil)
			for i := range column {
				column[i] -= mean
			}
			c.SetCol(j, column)
		}
	}
	var out mat.SymDense
	out.SymOuterK(1/float64(n), c.T())
	return rfm.FullMetric(&out)
}
