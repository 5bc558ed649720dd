package kernelmachine

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/examples"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/measure"
	"github.com/ansatz-lab/ansatz/internal/words"
	"github.com/ansatz-lab/ansatz/rfm"
	"github.com/ansatz-lab/ansatz/rfm/tensors"
	"github.com/ansatz-lab/ansatz/rfm/tree"
	"gonum.org/v1/gonum/mat"
)

// The keys of a saved model's metadata, which describe the examples that it was fitted to.
const (
	dataMetadata     = "data"
	classesMetadata  = "classes"
	inputsMetadata   = "inputs"
	trainMetadata    = "train"    // which training examples, and their digest
	shapeMetadata    = "shape"    // of images
	pipelineMetadata = "pipeline" // as [examples.Pipeline.Text] writes it
	decisionMetadata = "decision" // a [measure.Decision] as JSON, of a classification
)

// saveModel saves a model with a description of the examples that it was fitted to, and the pipeline that reads new
// ones.
func saveModel(m interface {
	Save(dir string, metadata map[string]string) error
}, e *examples.Description, d measure.Decision, dir string) error {
	classes, err := json.Marshal(e.Classes)
	if err != nil {
		return err
	}
	pipeline, err := e.Pipeline.Text()
	if err != nil {
		return err
	}
	metadata := map[string]string{dataMetadata: e.Name, classesMetadata: string(classes),
		inputsMetadata: e.Conventions.Inputs, trainMetadata: e.Conventions.Fitted(), pipelineMetadata: pipeline}
	if e.Shape != nil {
		metadata[shapeMetadata] = e.Shape.String()
	}
	if e.Task == rfm.Classification {
		decision, err := json.Marshal(d)
		if err != nil {
			return err
		}
		metadata[decisionMetadata] = string(decision)
	}
	return m.Save(dir, metadata)
}

// PredictSpec names a saved kernel machine and the examples to predict.
type PredictSpec struct {
	examples.Spec
	Model   string // a folder with a saved model
	ID      string // the column of a table that names its rows; "" for none
	Backend string
	Threads int
}

// Prediction is a saved model with its examples, ready to predict.
type Prediction struct {
	spec     PredictSpec
	metadata map[string]string
	kernel   string
	about    *examples.Description
	rows     *examples.NewRows // of a table; nil for other examples
	targets  *mat.Dense        // of the examples that have one; nil if there are none
	outputs  func(ctx context.Context, report func(done, total int)) (*mat.Dense, error)
}

// NewPrediction opens the model and the examples. Its errors are input errors.
func NewPrediction(ctx context.Context, s PredictSpec) (*Prediction, error) {
	if err := input.CheckBackend(s.Backend); err != nil {
		return nil, err
	}
	if isEnsemble(s.Model) {
		return newEnsemblePrediction(ctx, s)
	}
	if rfm.IsConvModel(s.Model) {
		return newConvPrediction(ctx, s)
	}
	if tree.Is(s.Model) {
		return newTreePrediction(ctx, s)
	}
	m, metadata, err := rfm.LoadModel(s.Model)
	if err != nil {
		return nil, &input.Error{Err: err}
	}
	p := &Prediction{spec: s, metadata: metadata, kernel: m.Kernel().String()}
	_, outputs := m.Coefficients().Dims()
	x, err := p.openFor(ctx, m.Task(), m.Metric().Dim(), outputs)
	if err != nil {
		return nil, err
	}
	m = m.On(s.Backend, s.Threads)
	p.outputs = func(ctx context.Context, _ func(done, total int)) (*mat.Dense, error) {
		if p.rows != nil {
			return m.PredictRows(ctx, x) // a row gets the same prediction in whatever file it comes
		}
		return m.Predict(ctx, x)
	}
	return p, p.checkClasses()
}

// newTreePrediction opens a tree and the rows to predict.
func newTreePrediction(ctx context.Context, s PredictSpec) (*Prediction, error) {
	m, metadata, err := tree.Load(s.Model)
	if err != nil {
		return nil, &input.Error{Err: err}
	}
	p := &Prediction{spec: s, metadata: metadata, kernel: m.Kernel().String()}
	x, err := p.openFor(ctx, m.Task(), m.Features(), m.Outputs())
	if err != nil {
		return nil, err
	}
	m = m.On(s.Backend, s.Threads)
	p.outputs = func(ctx context.Context, report func(done, total int)) (*mat.Dense, error) {
		return m.PredictReporting(ctx, x, report)
	}
	return p, p.checkClasses()
}

// openFor returns the inputs of the examples for a model with so many features and outputs.
func (p *Prediction) openFor(ctx context.Context, task rfm.Task, features, outputs int) (*mat.Dense, error) {
	pipeline, err := p.completeSpec()
	if err != nil {
		return nil, err
	}
	x, err := p.openExamples(ctx, pipeline)
	if err != nil {
		return nil, err
	}
	return x, p.checkModel(task, features, outputs, x)
}

// completeSpec returns the model's pipeline, and completes the spec by it. The pipeline is empty for models of images
// that earlier versions saved without one.
func (p *Prediction) completeSpec() (*examples.Pipeline, error) {
	pipeline := &examples.Pipeline{}
	if text, there := p.metadata[pipelineMetadata]; there {
		var err error
		if pipeline, err = examples.ParsePipeline(text); err != nil {
			return nil, input.Errorf("the pipeline of the model in %s cannot be read: %w: fit the model again",
				p.spec.Model, err)
		}
		p.spec.Spec, err = pipeline.Complete(p.spec.Spec)
		if err != nil {
			return nil, fmt.Errorf("%w (%s, fitted to %s)", err, p.spec.Model, p.metadata[dataMetadata])
		}
	}
	isTable := input.IsTable(p.spec.Data) && !input.IsPolynomial(p.spec.Data)
	if !isTable && pipeline.Table != nil && !input.IsPolynomial(p.spec.Data) {
		if err := input.CheckFound(p.spec.Data); err != nil {
			return nil, err
		}
	}
	switch was := p.metadata[dataMetadata]; {
	case pipeline.Table == nil && isTable && input.IsTable(was) && !input.IsPolynomial(was):
		return nil, input.Errorf("the model in %s was saved by an earlier version, without the columns and scales "+
			"of its table %s: fit it again, with ansatz rfm --model-out", p.spec.Model, was)
	case (pipeline.Table != nil) != isTable:
		return nil, input.Errorf("the model in %s was fitted to %s, which is %s; %s is %s", p.spec.Model, was,
			input.KindOfData(was, pipeline.Table != nil), p.spec.Data, input.KindOfData(p.spec.Data, isTable))
	case !isTable && p.spec.ID != "":
		return nil, input.Errorf("--id is for tables, and %s is not a table", p.spec.Data)
	}
	return pipeline, nil
}

// openExamples opens the rows of a table, or the test examples of other data, and returns their inputs.
func (p *Prediction) openExamples(ctx context.Context, pipeline *examples.Pipeline) (*mat.Dense, error) {
	if pipeline.Table != nil {
		rows, err := pipeline.OpenRows(p.spec.Spec, p.spec.ID)
		if err != nil {
			return nil, err
		}
		p.rows, p.about, p.targets = rows, &rows.Description, rows.Y
		return rows.X, nil
	}
	p.spec.Unlabelled = true
	e, err := examples.Open(ctx, p.spec.Spec)
	if err != nil {
		return nil, err
	}
	if e.Test.X == nil {
		return nil, input.Errorf("%s has no test examples: give --test-data", p.spec.Data)
	}
	p.about, p.targets = &e.Description, e.Test.Y
	return e.Test.X, p.checkImages(pipeline)
}

// checkImages returns an input error if the images are not like those that the model was fitted to.
func (p *Prediction) checkImages(pipeline *examples.Pipeline) error {
	if p.about.Shape == nil {
		return nil
	}
	if was := p.metadata[shapeMetadata]; was != "" && was != p.about.Shape.String() {
		return input.Errorf("the model in %s was fitted to images of %s of %s, but these are of %v: give the "+
			"--size and --grey of the fit", p.spec.Model, p.metadata[dataMetadata], was, *p.about.Shape)
	}
	// A model without a pipeline describes its inputs in words only.
	if was := p.metadata[inputsMetadata]; pipeline.Images == nil && was != "" && was != p.about.Conventions.Inputs {
		return input.Errorf("the model in %s was fitted to %s, but these are %s: give the --normalise and "+
			"--unit-sphere of the fit", p.spec.Model, was, p.about.Conventions.Inputs)
	}
	return nil
}

// checkModel returns an input error if the inputs or the targets do not fit a model with so many features and outputs.
func (p *Prediction) checkModel(task rfm.Task, features, outputs int, x *mat.Dense) error {
	if _, d := x.Dims(); d != features {
		return input.Errorf("the model in %s was fitted to %s with %s, but %s has %d", p.spec.Model,
			p.metadata[dataMetadata], words.Count(features, "feature"), p.spec.Data, d)
	}
	if outputs != max(1, len(p.about.Classes)) || task != p.about.Task {
		return input.Errorf("the model in %s has %s for a %v, but %s has %s", p.spec.Model, words.Count(outputs, "output"),
			task, p.spec.Data, words.Count(len(p.about.Classes), "class"))
	}
	return nil
}

// checkClasses returns an input error if the examples have other classes than the model was fitted to.
func (p *Prediction) checkClasses() error {
	var classes []string
	if err := json.Unmarshal([]byte(p.metadata[classesMetadata]), &classes); err == nil &&
		!slices.Equal(classes, p.about.Classes) {
		return input.Errorf("the model in %s predicts %d classes (%s), but %s has %d (%s)", p.spec.Model, len(classes),
			strings.Join(classes, ", "), p.spec.Data, len(p.about.Classes), strings.Join(p.about.Classes, ", "))
	}
	return nil
}

// ReadAs says how a CSV file was read; "" for other data.
func (p *Prediction) ReadAs() string {
	if p.rows == nil || p.rows.ReadAs == "" {
		return ""
	}
	return fmt.Sprintf("%s: %s (%s)", p.about.Name, words.Count(linalg.RowCount(p.rows.X), "row"), p.rows.ReadAs)
}

// PredictRecord describes the predictions of a saved model, with scores if there are targets.
type PredictRecord struct {
	Model      string   `json:"model"`
	Kernel     string   `json:"kernel"`
	Fitted     string   `json:"fitted_to"`
	Data       string   `json:"data"`
	Target     string   `json:"target,omitempty"` // the column that is predicted, of a table
	Test       int      `json:"test"`             // examples that are predicted
	Scored     *int     `json:"scored,omitempty"` // examples that have a target, unless all have one
	Inputs     string   `json:"inputs"`
	testScores          // if there are targets
	Notes      []string `json:"notes,omitempty"` // what was ignored, filled in or not known

	outputs  *mat.Dense
	decision measure.Decision
	about    *examples.Description
	ids      []string // of the rows, or the files of images; nil for none
}

// Run predicts the outputs, and scores them if there are targets. Progress may be nil; only convolutional models
// and trees report.
func (p *Prediction) Run(ctx context.Context, progress func(done, total int)) (*PredictRecord, error) {
	f, err := p.outputs(ctx, progress)
	if err != nil {
		return nil, err
	}
	r := &PredictRecord{
		Model: p.spec.Model, Kernel: p.kernel, Fitted: p.metadata[dataMetadata], Data: p.about.Name,
		Inputs: p.about.Conventions.Inputs, outputs: f, about: p.about, ids: p.about.TestFiles,
	}
	r.Test, _ = f.Dims()
	for i := range r.Test {
		if slices.ContainsFunc(f.RawRowView(i), func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }) {
			return nil, input.Errorf("%s: the output for example %d is not finite: are its numbers of another "+
				"magnitude than those of the fit?", p.spec.Data, i+1)
		}
	}
	if r.decision, err = decisionOf(p.metadata); err != nil {
		return nil, input.Errorf("the model in %s: its temperature and class weights cannot be read: %w: fit it again",
			p.spec.Model, err)
	}
	judged := f
	if p.rows != nil {
		r.Target, r.Notes, r.ids = p.about.Pipeline.Table.Target.Name, p.rows.Notes, p.rows.IDs
		if n := len(p.rows.Labelled); n < r.Test {
			r.Scored, judged = &n, tensors.PickRows(f, p.rows.Labelled)
		}
	}
	if p.rows == nil && p.spec.TestData != "" {
		r.Data = p.spec.TestData
	}
	if p.targets == nil {
		if p.rows == nil {
			r.Scored = new(int)
		}
		return r, nil
	}
	r.testScores, err = scored(r.decision, p.about, judged, p.targets, p.spec.Seed)
	return r, err
}
