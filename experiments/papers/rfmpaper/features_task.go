package rfmpaper

import (
	"context"
	"math"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/examples"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// shownEigenvectors is how many eigenvectors Fig. 15 shows.
const shownEigenvectors = 3

// spectrum is the diagonal of a feature matrix and its largest eigenvalues, as shares of the
// trace, with their eigenvectors.
type spectrum struct {
	Diagonal, Values []float64
	Vectors          [][]float64
}

// newSpectrum returns the spectrum of a metric.
func newSpectrum(m *rfm.Metric) (spectrum, error) {
	values, vectors, err := backend.EigenSym(m.Dense(), true)
	s, d, trace := spectrum{Diagonal: m.Diagonal()}, m.Dim(), m.Trace()
	if err != nil {
		return s, err
	}
	for k := range min(shownEigenvectors, d) {
		s.Values = append(s.Values, values[d-1-k]/trace)
		s.Vectors = append(s.Vectors, mat.Col(nil, d-1-k, vectors))
	}
	return s, nil
}

// top returns the eigenvector of the largest eigenvalue.
func (s spectrum) top() []float64 { return s.Vectors[0] }

// gap returns the largest eigenvalue over the second, NaN if there is no second.
func (s spectrum) gap() float64 {
	if len(s.Values) < 2 {
		return math.NaN()
	}
	return s.Values[0] / s.Values[1]
}

// correlateVectors returns the absolute value of Pearson's correlation of the top eigenvectors.
func correlateVectors(a, b spectrum) float64 { return correlate(a.top(), b.top()) }

// correlate returns the absolute value of Pearson's correlation of two eigenvectors, whose signs are arbitrary.
func correlate(a, b []float64) float64 { return math.Abs(stat.Correlation(a, b, nil)) }

// correlateDiagonals returns Pearson's correlation of the diagonals.
func correlateDiagonals(a, b spectrum) float64 { return stat.Correlation(a.Diagonal, b.Diagonal, nil) }

// taskFeatures holds what both machines learned from one task. Its fields are kept in
// checkpoints.
type taskFeatures struct {
	Name     string
	Classes  []string
	Shape    *data.Shape
	Examples [2][]float64 // an image of each of the first two classes

	Net, Change, Before spectrum // of W₁ᵀW₁, with W₁ − W₀, and with W₀
	RFM                 spectrum // of M
	Images, Centred     spectrum // of the second moment and the covariance of the training images

	NetAccuracy, LaplaceAccuracy, RFMAccuracy, TicketAccuracy float64
	NetTrain                                                  float64
	// Kept is the share of the coordinates that RFM-T reads.
	Kept float64
}

// runTask trains both machines on one task, or reads their results from a checkpoint.
func (s *FeaturesSpec) runTask(
	ctx context.Context, in study.Setting, t setups.ImageTask, o *study.Outcome,
) (*taskFeatures, error) {
	e, err := t.OpenOnSphere(ctx, in, s.Train, s.Test, o)
	if err != nil {
		return nil, err
	}
	return study.Keep(in, "task "+t.Name, t, func() (*taskFeatures, error) { return s.trainBoth(ctx, in, t, e) })
}

// trainBoth trains both machines on one task.
func (s *FeaturesSpec) trainBoth(
	ctx context.Context, in study.Setting, t setups.ImageTask, e *examples.Set,
) (f *taskFeatures, err error) {
	f = &taskFeatures{Name: t.Name, Classes: e.Classes, Shape: e.Shape}
	if err := f.fitKernel(ctx, in, s, t, e); err != nil {
		return nil, err
	}
	if err := f.trainNetwork(ctx, in, s, e); err != nil {
		return nil, err
	}
	if in.Dry() {
		return f, in.AddJob(spectraJob(e.Train), nil)
	}
	for i, c := range examples.ClassIndices(e.Train.Y) {
		if c < 2 && f.Examples[c] == nil {
			f.Examples[c] = e.Train.X.RawRowView(i)
		}
	}
	if f.Images, err = newSpectrum(rowMoment(e.Train.X, false)); err != nil {
		return nil, err
	}
	f.Centred, err = newSpectrum(rowMoment(e.Train.X, true))
	return f, err
}

// fitKernel fits the recursive feature machine, and a machine on the coordinates of its ticket.
func (f *taskFeatures) fitKernel(
	ctx context.Context, in study.Setting, s *FeaturesSpec, t setups.ImageTask, e *examples.Set,
) error {
	m := rfm.Machine{
		Ridge: s.Ridge, Iterations: s.Iterations, Sample: s.Sample, Task: rfm.Classification, Select: rfm.Last,
	}
	m.Each = func(it *rfm.Iteration) error {
		if it.Index > 0 {
			return nil
		}
		score, err := in.Score(ctx, it.Model(), e.Test)
		f.LaplaceAccuracy = score.Accuracy
		return err
	}
	model, err := in.Fit(ctx, t.Name, m, e.Train)
	if err != nil {
		return err
	}
	m.Each = nil
	features := make([]int, linalg.ColumnCount(e.Train.X)) // in a dry run, which does not know their number
	if !in.Dry() {
		features = model.Metric().Above(s.Threshold)
		f.Kept = float64(len(features)) / float64(model.Metric().Dim())
	}
	if f.TicketAccuracy, err = accuracyOn(ctx, in, t.Name, m, e, features); err != nil {
		return err
	}
	score, err := in.Score(ctx, model, e.Test)
	if err != nil {
		return err
	}
	f.RFMAccuracy = score.Accuracy
	if in.Dry() {
		return nil
	}
	f.RFM, err = newSpectrum(model.Metric())
	return err
}

// trainNetwork trains the network.
func (f *taskFeatures) trainNetwork(ctx context.Context, in study.Setting, s *FeaturesSpec, e *examples.Set) error {
	n, err := setups.NewMLP(in, s.Net, e)
	if err != nil {
		return err
	}
	defer n.Close()
	if err := n.Train(ctx); err != nil {
		return err
	}
	if f.NetTrain, err = n.Accuracy(ctx, e.Train); err != nil {
		return err
	}
	if f.NetAccuracy, err = n.Accuracy(ctx, e.Test); err != nil || in.Dry() {
		return err
	}
	if f.Before, err = newSpectrum(setups.NetworkMetric(n.Initial)); err != nil {
		return err
	}
	if f.Net, err = newSpectrum(setups.NetworkMetric(n.Net)); err != nil {
		return err
	}
	f.Change, err = newSpectrum(rfm.FullMetric(cnfa.CNFM(n.Change())))
	return err
}

// spectraJob returns the job of computing the eigenvectors of a task's feature matrices and of two moments of its
// images. It models them as AGOPs of that many features, which need the same eigenvectors.
func spectraJob(train rfm.Examples) cost.Job {
	const matrices, moments = 6, 2
	n, d := train.X.Dims()
	return cost.Machine{
		Inputs: float64(d), Outputs: 1, Regressions: matrices + 1, Sample: float64(n) * moments / matrices,
	}
}

// rowMoment returns the second moment of the rows of x, or their covariance if centred.
func rowMoment(x *mat.Dense, centred bool) *rfm.Metric {
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
