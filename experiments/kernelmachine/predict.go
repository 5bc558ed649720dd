package kernelmachine

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ansatz-lab/ansatz/data/array"
	"github.com/ansatz-lab/ansatz/experiments/examples"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// The keys of a saved model's metadata, which describe the examples that it was fitted to.
const (
	dataMetadata    = "data"
	classesMetadata = "classes"
	inputsMetadata  = "inputs"
	trainMetadata   = "train" // which training examples, and their digest
	shapeMetadata   = "shape" // of images
)

// saveModel saves a model with a description of the examples that it was fitted to.
func saveModel(m interface {
	Save(dir string, metadata map[string]string) error
}, e *examples.Description, dir string) error {
	classes, err := json.Marshal(e.Classes)
	if err != nil {
		return err
	}
	metadata := map[string]string{dataMetadata: e.Name, classesMetadata: string(classes),
		inputsMetadata: e.Conventions.Inputs, trainMetadata: e.Conventions.Fitted()}
	if e.Shape != nil {
		metadata[shapeMetadata] = e.Shape.String()
	}
	return m.Save(dir, metadata)
}

// PredictSpec names a saved kernel machine and the examples to test it on.
type PredictSpec struct {
	examples.Spec
	Model   string // a folder with a saved model
	Backend string
	Threads int
}

// Prediction is a saved model with its examples, ready to predict.
type Prediction struct {
	spec     PredictSpec
	metadata map[string]string
	kernel   string
	about    *examples.Description
	targets  *mat.Dense
	outputs  func(ctx context.Context, report func(done, total int)) (*mat.Dense, error)
}

// NewPrediction opens the model and the examples. Its errors are input errors.
func NewPrediction(ctx context.Context, s PredictSpec) (*Prediction, error) {
	if err := input.CheckBackend(s.Backend); err != nil {
		return nil, err
	}
	if rfm.IsConvModel(s.Model) {
		return newConvPrediction(ctx, s)
	}
	m, metadata, err := rfm.LoadModel(s.Model)
	if err != nil {
		return nil, &input.Error{Err: err}
	}
	e, err := examples.Open(ctx, s.Spec)
	if err != nil {
		return nil, err
	}
	if e.Test.X == nil {
		return nil, input.Errorf("%s has no test examples: give --test-data", s.Data)
	}
	if _, d := e.Test.X.Dims(); d != m.Metric().Dim() {
		return nil, input.Errorf("the model in %s was fitted to %s with %d features, %s has %d", s.Model,
			metadata[dataMetadata], m.Metric().Dim(), s.Data, d)
	}
	// A model has neither the columns of its table nor the constants that scale them: they are found again
	// from the training rows, which must be the same.
	if was := metadata[trainMetadata]; input.IsTable(s.Data) && was != "" && was != e.Conventions.Fitted() {
		return nil, input.Errorf("the model in %s was fitted to %s of %s, these flags and this table make %s: give "+
			"the table, unchanged, and the --seed, --train, --test and --transform that it was fitted with; a model does "+
			"not predict other tables yet", s.Model, was, metadata[dataMetadata], e.Conventions.Fitted())
	}
	p := &Prediction{spec: s, metadata: metadata, kernel: m.Kernel().String(), about: &e.Description, targets: e.Test.Y}
	m = m.On(s.Backend, s.Threads)
	p.outputs = func(ctx context.Context, _ func(done, total int)) (*mat.Dense, error) {
		return m.Predict(ctx, e.Test.X)
	}
	return p, p.checkClasses()
}

// checkClasses returns an input error if the examples have other classes than the model was fitted to.
func (p *Prediction) checkClasses() error {
	var classes []string
	if err := json.Unmarshal([]byte(p.metadata[classesMetadata]), &classes); err == nil &&
		strings.Join(classes, "\x00") != strings.Join(p.about.Classes, "\x00") {
		return input.Errorf("the model in %s tells %d classes apart (%s), %s has %d", p.spec.Model, len(classes),
			strings.Join(classes, ", "), p.spec.Data, len(p.about.Classes))
	}
	return nil
}

// PredictRecord holds the test scores of a saved model.
type PredictRecord struct {
	Model    string   `json:"model"`
	Kernel   string   `json:"kernel"`
	Fitted   string   `json:"fitted_to"`
	Data     string   `json:"data"`
	Test     int      `json:"test"`
	Accuracy *float64 `json:"test_accuracy,omitempty"`
	MSE      *float64 `json:"test_mse,omitempty"`
	R2       *float64 `json:"test_r2,omitempty"`
	Inputs   string   `json:"inputs"`
	// InputsDiffer says how the model's inputs were normalised, if these inputs differ.
	InputsDiffer string `json:"inputs_differ,omitempty"`

	outputs *mat.Dense
}

// Run predicts the outputs and scores them. Progress may be nil; only convolutional models report.
func (p *Prediction) Run(ctx context.Context, progress func(done, total int)) (*PredictRecord, error) {
	f, err := p.outputs(ctx, progress)
	if err != nil {
		return nil, err
	}
	s, err := p.about.Task.Score(f, p.targets)
	if err != nil {
		return nil, err
	}
	r := &PredictRecord{
		Model: p.spec.Model, Kernel: p.kernel, Fitted: p.metadata[dataMetadata], Data: p.about.Name,
		Inputs: p.about.Conventions.Inputs, outputs: f,
	}
	r.Test, _ = f.Dims()
	r.Accuracy, r.MSE, r.R2 = scoresRecord(s, p.about.Unit)
	if was := p.metadata[inputsMetadata]; was != r.Inputs {
		r.InputsDiffer = "the model was fitted to " + was
	}
	return r, nil
}

// SaveOutputs writes the outputs, examples×outputs, as an NPY file.
func (r *PredictRecord) SaveOutputs(path string) error { return array.WriteNPY(path, r.outputs) }

// Summary says in a sentence what the record shows.
func (r *PredictRecord) Summary() string {
	s := fmt.Sprintf("%d test examples of %s: %s.", r.Test, r.Data, scoreText(r.Accuracy, r.R2))
	if r.InputsDiffer != "" {
		s += " Beware: " + r.InputsDiffer + "; these are " + r.Inputs + "."
	}
	return s
}

// Table returns the scores.
func (r *PredictRecord) Table() *report.Table {
	t := &report.Table{Name: "prediction", Columns: append(record.TextColumns("model"),
		record.NumericColumns("data", "test", "accuracy", "r2", "mse")...)}
	t.Rows = [][]report.Cell{append(record.TextCells(r.Model, r.Data), record.DefinedCell(float64(r.Test), "%.0f"),
		record.NumberCell(r.Accuracy, "%.4f"), record.NumberCell(r.R2, "%.4f"), record.NumberCell(r.MSE, "%.4g"))}
	return t.WithoutEmpty()
}

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
		return nil, input.Errorf("the model in %s was fitted to images of %s of %s, these are of %v: give the --size "+
			"and --grey that it was fitted with", s.Model, metadata[dataMetadata], was, *sets.Shape)
	}
	test, err := examples.ReadImages(ctx, sets.Test.Dataset, sets.Normalisation, len(sets.Classes))
	if err != nil {
		return nil, err
	}
	p := &Prediction{spec: s, metadata: metadata, kernel: m.Layers()[0].Kernel.String(), about: &sets.Description,
		targets: test.Y}
	m = m.On(s.Backend, s.Threads)
	p.outputs = func(ctx context.Context, report func(done, total int)) (*mat.Dense, error) {
		return predictImages(ctx, m, test.X, report)
	}
	return p, p.checkClasses()
}

// predictBatch is the number of images after which a convolutional model reports its progress.
const predictBatch = 256

// predictImages returns the outputs of a model for images, n×outputs. Report may be nil.
func predictImages(
	ctx context.Context, m *rfm.ConvModel, x rfm.Images, report func(done, total int),
) (*mat.Dense, error) {
	var out *mat.Dense
	n := x.Len()
	for lo := 0; lo < n; lo += predictBatch {
		if report != nil {
			report(lo, n)
		}
		f, err := m.Predict(ctx, x.Slice(lo, min(lo+predictBatch, n)))
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
