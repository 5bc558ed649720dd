package kernelmachine

import (
	"context"

	"github.com/ansatz-lab/ansatz/experiments/examples"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// newConvPrediction opens a convolutional model and the test images.
func newConvPrediction(ctx context.Context, s PredictSpec) (*Prediction, error) {
	m, metadata, err := rfm.LoadConvModel(s.Model, record.AvailableMemory())
	if err != nil {
		return nil, &input.Error{Err: err}
	}
	p := &Prediction{spec: s, metadata: metadata, kernel: m.Layers()[0].Kernel.String()}
	if err := s.CheckImages(); err != nil {
		return nil, err
	}
	pipeline, err := p.completeSpec()
	if err != nil {
		return nil, err
	}
	s = p.spec
	train, err := examples.OpenPart(s.Spec, "train", s.Data, s.Train)
	if err != nil {
		return nil, err
	}
	sets, err := examples.OpenImageSets(s.Spec, train)
	if err != nil {
		return nil, err
	}
	if sets.Test == nil {
		return nil, input.Errorf("%s has no test examples: give --test-data", s.Data)
	}
	p.about = &sets.Description
	if err := p.checkImages(pipeline); err != nil {
		return nil, err
	}
	test, err := examples.ReadImages(ctx, sets.Test.Dataset, sets.Normalisation, len(sets.Classes))
	if err != nil {
		return nil, err
	}
	p.targets = test.Y
	m = m.On(s.Backend, s.Threads)
	p.outputs = func(ctx context.Context, report func(done, total int)) (*mat.Dense, error) {
		return predictImages(ctx, m, test.X, nil, report)
	}
	return p, p.checkClasses()
}

// predictBatch is the number of images after which a convolutional model reports its progress.
const predictBatch = 256

// predictImages returns the outputs of a model for images, n×outputs. If known is not nil, it is their kernel
// matrix with the training images. Report may be nil.
func predictImages(
	ctx context.Context, m *rfm.ConvModel, x rfm.Images, known *mat.Dense, report func(done, total int),
) (*mat.Dense, error) {
	var out *mat.Dense
	n := x.Len()
	for lo := 0; lo < n; lo += predictBatch {
		if report != nil {
			report(lo, n)
		}
		hi := min(lo+predictBatch, n)
		predict := func() (*mat.Dense, error) { return m.Predict(ctx, x.Slice(lo, hi)) }
		if known != nil {
			_, centres := known.Dims()
			predict = func() (*mat.Dense, error) { return m.PredictFrom(known.Slice(lo, hi, 0, centres).(*mat.Dense)) }
		}
		f, err := predict()
		if err != nil {
			return nil, err
		}
		rows, outputs := f.Dims()
		if out == nil {
			out = mat.NewDense(n, outputs, nil)
		}
		out.Slice(lo, lo+rows, 0, outputs).(*mat.Dense).Copy(f)
	}
	if report != nil {
		report(n, n)
	}
	return out, nil
}
