package kernelmachine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/ansatz-lab/ansatz/data/array"
	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/examples"
	"github.com/ansatz-lab/ansatz/experiments/importance"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/measure"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/workload"
	"github.com/ansatz-lab/ansatz/internal/words"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// RFMSpec holds the settings of a recursive feature machine. All fields but Data may be zero.
type RFMSpec struct {
	examples.Spec
	Kernel          string  // as [rfm.ParseKernel] reads it; "" is laplace
	Bandwidth       float64 // 0 is [rfm.DefaultBandwidth]
	Ridge           float64
	Iterations      int
	Diagonal        bool
	CentreGradients bool
	Sample          int     // training examples in the AGOP; 0 is all
	Scale           string  // none, max or trace; "" is none
	Select          string  // validation or last; "" is validation
	Holdout         float64 // 0 is [rfm.DefaultHoldout]
	Solver          string  // cholesky or eigenpro; "" is cholesky
	AGOPPower       float64 // α of M = AGOP^α; 0 is 1
	Adaptive        bool    // Bandwidth is a multiple of the median distance of training examples, and 0 is 1
	Search          SearchSpec
	ClassWeights    string // balanced, or CLASS=WEIGHT,…; "" is equal weights
	Refits          int    // machines fitted to other draws of the training rows, for the spread of importances
	Leaf            int    // most rows of a leaf of a tree; 0 is one machine without a tree
	Memory          string // that a tree may use, as [input.ParseMemory] reads it; "" is the free memory
	Precision       int    // 32 or 64 bits; 0 is 32
	Backend         string
	Threads         int
}

// RFM is a recursive feature machine with its examples, ready to be fitted.
type RFM struct {
	spec     RFMSpec
	machine  rfm.Machine
	examples *examples.Set
	weights  []float64 // of the classes; nil for equal ones
	conv     RFMConventions
}

// NewRFM opens the examples that the spec names. Its errors are input errors.
func NewRFM(ctx context.Context, s RFMSpec) (*RFM, error) {
	m, err := s.machine()
	if err != nil {
		return nil, err
	}
	r, err := s.open(ctx, m)
	if err == nil && (s.Refits == 1 || s.Refits > 0 && (r.examples.Shape != nil || s.Iterations == 0)) {
		err = input.Errorf("--refits %d: want at least 2, a table, and --iters above 0: refits give the spread of the "+
			"importances of columns", s.Refits)
	}
	return r, err
}

// open opens the examples for a machine of the settings, or of the leaves of a tree.
func (s RFMSpec) open(ctx context.Context, m rfm.Machine) (r *RFM, err error) {
	if m.Select == rfm.Best {
		s.Spec.Holdout = cmp.Or(s.Holdout, rfm.DefaultHoldout)
	}
	r = &RFM{spec: s}
	if r.examples, err = examples.Open(ctx, s.Spec); err != nil {
		return nil, err
	}
	if n := len(r.examples.Parts.Validation); n > 0 && m.Select == rfm.Last {
		return nil, input.Errorf("--select last chooses on no rows, and --split-column says validation for %d: let it say train "+
			"for them, or leave out --select last", n)
	}
	m.Task, m.Held = r.examples.Task, r.examples.Held()
	r.machine = m
	if r.weights, err = s.classWeights(r.examples); err != nil {
		return nil, err
	}
	r.setConventions()
	return r, nil
}

// machine returns the machine of the settings.
func (s RFMSpec) machine() (m rfm.Machine, err error) {
	m = rfm.Machine{
		Ridge: s.Ridge, Iterations: s.Iterations, Diagonal: s.Diagonal, CentreGradients: s.CentreGradients,
		Sample: s.Sample, Holdout: s.Holdout, Seed: s.Seed, Threads: s.Threads, Power: s.AGOPPower, Adaptive: s.Adaptive,
	}
	if s.Adaptive {
		s.Bandwidth = cmp.Or(s.Bandwidth, 1)
	}
	if m.Kernel, err = rfm.ParseKernel(cmp.Or(s.Kernel, rfm.Laplace{}.String()), s.Bandwidth); err != nil {
		return m, &input.Error{Err: err}
	}
	if m.Scale, err = input.Choice("--scale", s.Scale, rfm.Unscaled, rfm.ScaleMax, rfm.ScaleTrace); err != nil {
		return m, err
	}
	if m.Select, err = input.Choice("--select", s.Select, rfm.Best, rfm.Last); err != nil {
		return m, err
	}
	if m.Solver, err = input.Choice[rfm.Solver]("--solver", s.Solver, rfm.Cholesky{}, rfm.EigenPro{}); err != nil {
		return m, err
	}
	if m.Precision, err = input.ParsePrecision(s.Precision); err != nil {
		return m, err
	}
	m.Backend = s.Backend
	return m, input.CheckBackend(s.Backend)
}

// RFMFit is a record with the fitted machine.
type RFMFit struct {
	RFMRecord
	fittedModel

	metrics  []*rfm.Metric // of the iterations
	tested   []*mat.Dense  // outputs of the iterations for the test examples, if there are any
	adaptive bool
}

// fittedModel is the selected model with the examples that it was fitted to.
type fittedModel struct {
	model    *rfm.Model
	examples *examples.Set
	decision measure.Decision
}

// SaveMetric writes the M of the selected model as an NPY file, d×d.
func (f *fittedModel) SaveMetric(path string) error {
	return array.WriteNPY(path, f.model.Metric().Dense())
}

// SaveModel writes the selected model into a folder.
func (f *fittedModel) SaveModel(dir string) error {
	return saveModel(f.model, &f.examples.Description, f.decision, dir)
}

// Run fits the machine and tests every iteration. Progress may be nil.
func (r *RFM) Run(ctx context.Context, progress func(rfm.Progress)) (*RFMFit, error) {
	m := r.machine
	m.Progress = progress
	out := &RFMFit{RFMRecord: newRFMRecord(r.examples, m.Kernel), fittedModel: fittedModel{examples: r.examples},
		adaptive: m.Adaptive}
	m.Each = func(it *rfm.Iteration) error { return out.addIteration(ctx, it, progress) }
	start := time.Now()
	model, err := study.Setting{}.Fit(ctx, "", m, r.examples.Train)
	var memory *rfm.MemoryError
	if errors.As(err, &memory) {
		if memory.FitsDiagonal() {
			return nil, input.Errorf("%w: M, features × features, does not fit: --diag keeps only its diagonal", err)
		}
		return nil, input.Errorf("%w: take fewer examples (--train), --solver eigenpro or, of a table, --solver cholesky with "+
			"--leaf 5000", err)
	}
	if err != nil {
		return nil, err
	}
	out.Seconds = time.Since(start).Seconds()
	out.model, out.Conventions = model, r.conv
	if k := slices.Index(out.metrics, model.Metric()); k >= 0 {
		out.Selected = out.Iterations[k].Iteration
	}
	if out.decision, err = calibrate(ctx, model, r.examples, m.HeldRows(out.Train), r.weights); err != nil {
		return nil, err
	}
	if out.tested != nil {
		out.Result = measured(out.decision, &r.examples.Description, out.tested[out.Selected], r.examples.Test.Y, m.Seed)
	}
	return out, r.setImportances(ctx, out, progress)
}

// newRFMRecord returns the record of a machine before its first iteration.
func newRFMRecord(e *examples.Set, k rfm.Kernel) RFMRecord {
	r := RFMRecord{Data: e.Name, Kernel: k.String(), Train: linalg.RowCount(e.Train.X), page: record.NewPageData()}
	if e.Test.X != nil {
		r.Test = linalg.RowCount(e.Test.X)
	}
	return r
}

// RFMRecord is the record of a recursive feature machine, as scripts read it.
type RFMRecord struct {
	Data       string            `json:"data"`
	Kernel     string            `json:"kernel"`
	Train      int               `json:"train"`
	Test       int               `json:"test"`
	Iterations []IterationRecord `json:"iterations"`
	Selected   int               `json:"selected"`
	Seconds    float64           `json:"seconds"`
	// Result measures the predictions of the selected model for the test examples.
	measure.Result
	// For a table, if the selected iteration learned features: the columns, the most important first, and the leading
	// eigenvectors of M.
	Importances []importance.Column    `json:"importances,omitempty"`
	Directions  []importance.Direction `json:"directions,omitempty"`
	Conventions RFMConventions         `json:"conventions"`

	page record.PageData
}

// IterationRecord is the record of an iteration. Measures that do not apply are nil.
type IterationRecord struct {
	Iteration int `json:"iteration"`
	// Ridge is the λ that was chosen, nil if there was no choice.
	Ridge              *float64 `json:"ridge,omitempty"`
	TrainAccuracy      *float64 `json:"train_accuracy,omitempty"`
	ValidationAccuracy *float64 `json:"validation_accuracy,omitempty"`
	TestAccuracy       *float64 `json:"test_accuracy,omitempty"`
	TrainMSE           *float64 `json:"train_mse,omitempty"`
	ValidationMSE      *float64 `json:"validation_mse,omitempty"`
	TestMSE            *float64 `json:"test_mse,omitempty"`
	TrainR2            *float64 `json:"train_r2,omitempty"`
	ValidationR2       *float64 `json:"validation_r2,omitempty"`
	TestR2             *float64 `json:"test_r2,omitempty"`
	// Trace is the trace of the M with which the iteration was solved, which is I in iteration 0.
	Trace float64 `json:"trace"`
	// Bandwidth is the L of an adaptive bandwidth, nil for a fixed one.
	Bandwidth *float64     `json:"bandwidth,omitempty"`
	Solution  rfm.Solution `json:"solution"`
	Seconds   float64      `json:"seconds"` // without the test
}

// addIteration tests the model of an iteration and adds its record.
func (r *RFMFit) addIteration(ctx context.Context, it *rfm.Iteration, progress func(rfm.Progress)) error {
	rec, err := newIterationRecord(r.examples, it, progress, func(m *rfm.Model) (rfm.Scores, error) {
		outputs, err := m.Predict(ctx, r.examples.Test.X)
		if err != nil {
			return rfm.Scores{}, err
		}
		r.tested = append(r.tested, outputs)
		return r.examples.Task.Score(outputs, r.examples.Test.Y)
	})
	if r.adaptive {
		rec.Bandwidth = &it.Bandwidth
	}
	r.Iterations, r.metrics = append(r.Iterations, rec), append(r.metrics, it.Metric)
	return err
}

// newIterationRecord tests the model of an iteration by score, if there are test examples, and returns its record.
func newIterationRecord(e *examples.Set, it *rfm.Iteration, progress func(rfm.Progress),
	score func(*rfm.Model) (rfm.Scores, error)) (IterationRecord, error) {
	rec := IterationRecord{Iteration: it.Index, Trace: it.Metric.Trace(), Solution: it.Solution, Seconds: it.Seconds}
	var test *rfm.Scores
	if e.Test.X != nil {
		if progress != nil {
			progress(rfm.Progress{Iteration: it.Index, Stage: "test", Done: 0, Total: 1})
		}
		s, err := score(it.Model())
		if err != nil {
			return rec, err
		}
		test = &s
	}
	rec.setScores(it.Train, it.Validation, test, e.Unit)
	return rec, nil
}

// setScores sets the scores, whose targets are in the given unit; validation and test may be nil.
func (r *IterationRecord) setScores(train rfm.Scores, validation, test *rfm.Scores, unit float64) {
	r.TrainAccuracy, r.TrainMSE, r.TrainR2 = scoresRecord(train, unit)
	if validation != nil {
		r.ValidationAccuracy, r.ValidationMSE, r.ValidationR2 = scoresRecord(*validation, unit)
	}
	if test != nil {
		r.TestAccuracy, r.TestMSE, r.TestR2 = scoresRecord(*test, unit)
	}
}

// scoresRecord returns scores of targets in the given unit; nil if they are not defined.
func scoresRecord(s rfm.Scores, unit float64) (accuracy, mse, r2 *float64) {
	defined := func(v float64) *float64 {
		if math.IsNaN(v) {
			return nil
		}
		return &v
	}
	return defined(s.Accuracy), defined(s.MSE * unit * unit), defined(s.R2)
}

// RFMConventions says what the numbers depend on, besides the examples.
type RFMConventions struct {
	examples.Conventions
	Kernel    string  `json:"kernel" fact:"kernel"`
	Bandwidth float64 `json:"bandwidth,omitempty" fact:"bandwidth L"`
	Adaptive  string  `json:"adaptive_bandwidth,omitempty" fact:"adaptive bandwidth"`
	Ridge     float64 `json:"ridge" fact:"ridge λ"`
	Metric    string  `json:"metric" fact:"metric"`
	AGOP      string  `json:"agop" fact:"AGOP"`
	Power     float64 `json:"agop_power,omitempty" fact:"power of the AGOP"`
	Scale     string  `json:"scale" fact:"scale"`
	Select    string  `json:"select" fact:"selected"`
	Solver    string  `json:"solver"`
	record.RunConventions
}

// setConventions sets the conventions of the machine and its examples.
func (r *RFM) setConventions() {
	m := r.machine
	c := RFMConventions{
		Conventions: r.examples.Conventions,
		Kernel:      m.Kernel.String() + ": " + m.Kernel.Formula(),
		Bandwidth:   rfm.Bandwidth(m.Kernel),
		Ridge:       m.Ridge,
		Metric: "M starts at I; the kernel of M is K(M^½x, M^½z); trace is that of the M with which an " +
			"iteration was solved",
		AGOP: "(1/n) Σ over examples and outputs of ∇f∇fᵀ, gradients at coincident points 0, " +
			"all examples that are fitted",
		Scale:          m.Scale.String(),
		Select:         "the last iteration",
		Solver:         fmt.Sprintf("(K + λI)α = Y by %v", m.Solver),
		RunConventions: record.NewRunConventions(record.RegressionPrecision(m.Precision), m.Backend, m.Threads, m.Seed),
	}
	if n, _ := r.examples.Train.X.Dims(); m.Sample > 0 && m.Sample < n-len(m.HeldRows(n)) {
		c.AGOP = fmt.Sprintf("(1/n) Σ over examples and outputs of ∇f∇fᵀ, gradients at coincident points 0, %d "+
			"training examples, drawn anew for every iteration", m.Sample)
	}
	if m.CentreGradients {
		c.AGOP += "; centred: the mean gradient of each output is subtracted"
	}
	if m.Diagonal {
		c.AGOP += "; its diagonal"
	}
	if m.Power != 1 {
		c.Power = m.Power
	}
	if m.Adaptive {
		c.Bandwidth = 0
		c.Adaptive = fmt.Sprintf("L of an iteration is %v times the median distance in its M, in the kernel's norm, of "+
			"training examples (at most 1000, drawn by the seed)", rfm.Bandwidth(m.Kernel))
	}
	if m.Select == rfm.Best {
		held := fmt.Sprintf("a held-out %.4g %% of the training examples", 100*cmp.Or(m.Holdout, rfm.DefaultHoldout))
		if n := len(r.examples.Parts.Validation); n > 0 {
			held = words.Count(n, "validation row")
		}
		c.Select = "the best iteration on " + held + "; test examples choose nothing"
	}
	r.conv = c
}

// Job returns the cost of the fit.
func (r *RFM) Job() cost.Machine {
	m, x := r.machine, r.examples.Train
	inputs, outputs := linalg.ColumnCount(x.X), linalg.ColumnCount(x.Y)
	s := workload.MachineSize{Train: linalg.RowCount(x.X), Inputs: inputs, Outputs: outputs, Iterations: m.Iterations,
		Sample: m.Sample, Diagonal: m.Diagonal}
	if r.examples.Test.X != nil {
		s.Tested = linalg.RowCount(r.examples.Test.X)
	}
	s.Reading = workload.ReadingOf(r.spec.Data, r.spec.Size, s.Train+s.Tested, r.spec.Normalise == workload.ByDataset)
	return s.Job()
}

// OpenExamples opens the images of a spec as the seed draws them. In a dry run they are outlines.
func OpenExamples(ctx context.Context, in study.Setting, s examples.Spec) (*examples.Set, error) {
	s.Dir, s.Seed = in.DataDir, in.Seed
	if in.Dry() {
		e, reading, err := examples.Outline(s)
		in.AddReading(reading)
		return e, err
	}
	return examples.Open(ctx, s)
}

// OpenOwnExamples is [OpenExamples] with equally many training images of every class, so that every seed
// learns from images of its own. If the spec gives no number of training images, it takes all.
func OpenOwnExamples(ctx context.Context, in study.Setting, s examples.Spec) (*examples.Set, error) {
	s.Balanced = s.Train > 0
	if !in.Dry() && (input.IsTable(s.Data) || input.IsFolder(s.Data)) {
		return nil, input.Errorf("%s: want the name of an image set with a test split", s.Data)
	}
	return OpenExamples(ctx, in, s)
}

// RecordExamples adds the examples to the data of the outcome.
func RecordExamples(o *study.Outcome, what string, e *examples.Set) {
	o.Data = append(o.Data, study.DataUsed{Name: what + ", training: " + e.Conventions.Train,
		Images: linalg.RowCount(e.Train.X), SHA256: e.Conventions.TrainSHA})
	if e.Test.X != nil {
		o.Data = append(o.Data, study.DataUsed{Name: what + ", test: " + e.Conventions.Test,
			Images: linalg.RowCount(e.Test.X), SHA256: e.Conventions.TestSHA})
	}
}
