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
	if err := s.CheckImages(); err != nil {
		return nil, err
	}
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
	if was := metadata[shapeMetadata]; was != "" && was != sets.Shape.String() {
		return nil, input.Errorf("the model in %s was fitted to images of %s of %s, these are of %v: give the --size and --grey that it was fitted with", s.Model, metadata[dataMetadata], was, *sets.Shape)
	}
	test, err := examples.ReadImages(ctx, sets.Test.Dataset, sets.Normalisation, len(sets.Classes))
	if err != nil {
		return nil, err
	}
	p := &Prediction{spec: s, metadata: metadata, kernel: m.Layers()[0].Kernel.String(), about: &sets.Description, targets: test.Y}
	m = m.On(s.Backend, s.Threads)
	p.outputs = func(ctx context.Context, report func(done, total int)) (*mat.Dense, error) {
		return predictImages(ctx, m, test.X, report)
	}
	return p, p.checkClasses()
}

// atOnce is how many images a convolutional model predicts before it is told how
// many are done.
const atOnce = 256

// predictImages returns the outputs of a model for images, n×outputs. Report,
// which may be nil, is told how many images are done.
func predictImages(ctx context.Context, m *rfm.ConvModel, x rfm.Images, report func(done, total int)) (*mat.Dense, error) {
	var out *mat.Dense
	n := x.Len()
	for lo := 0; lo < n; lo += atOnce {
		if report != nil {
			report(lo, n)
		}
		f, err := m.Predict(ctx, x.Slice(lo, min(lo+atOnce, n)))
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
