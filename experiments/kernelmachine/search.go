package kernelmachine

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ansatz-lab/ansatz/experiments/checkpoint"
	"github.com/ansatz-lab/ansatz/experiments/examples"
	"github.com/ansatz-lab/ansatz/experiments/importance"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/measure"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/search"
	"github.com/ansatz-lab/ansatz/internal/words"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// SearchSpec says how to search for the settings of a machine. The settings in the [RFMSpec] are tried first.
type SearchSpec struct {
	Trials  int           // at most; 0 is no search
	Time    time.Duration // after which trials that have not ended are dropped; 0 is no limit
	Folds   int           // of the cross-validation; 0 is [DefaultFolds]
	Average int           // how many of the best trials are averaged; 0 is 1
	Fixed   []string      // of [search.Dimensions]: settings that are not varied
	Out     string        // the folder in which trials are kept; "" keeps none
}

// DefaultFolds is the default number of folds of a search.
const DefaultFolds = 3

// trialsFolder holds the trials of a search, in the folder of its record.
const trialsFolder = "trials"

// searchFitter is a search with its examples, ready to begin.
type searchFitter struct {
	spec     RFMSpec
	machine  rfm.Machine
	examples *examples.Set // with the transform of the spec
	space    search.Space
	settings []search.Settings
	folds    [][]int
	weights  []float64 // of the classes; nil for equal ones
}

// WriteSplit implements [Fitter]. It writes no validation rows, because the folds validate on training rows.
func (f *searchFitter) WriteSplit(w io.Writer) error { return f.examples.WriteParts(w, nil) }

// newSearch opens the examples of a search and draws what it tries. Its errors are input errors.
func newSearch(ctx context.Context, s RFMSpec) (*searchFitter, error) {
	s.Search.Folds, s.Search.Average = cmp.Or(s.Search.Folds, DefaultFolds), cmp.Or(s.Search.Average, 1)
	m, err := s.machine()
	if err != nil {
		return nil, err
	}
	switch {
	case s.Leaf > 0:
		return nil, input.Errorf("--search tries machines without a tree: leave --leaf out, or give the tree what a search on " +
			"fewer rows (--train) found")
	case s.Refits > 0:
		return nil, input.Errorf("--refits is for one machine: the spread of a search's importances is that over its folds")
	case s.Search.Average > s.Search.Trials:
		return nil, input.Errorf("--average %d: --search %d makes fewer trials: give at most --average %[2]d, or a larger --search",
			s.Search.Average, s.Search.Trials)
	}
	s.ForFolds = true
	f := &searchFitter{spec: s, machine: m}
	if f.examples, err = examples.Open(ctx, s.Spec); err != nil {
		return nil, err
	}
	f.machine.Task = f.examples.Task
	if len(f.examples.Parts.Validation) > 0 {
		return nil, input.Errorf("--search chooses by cross-validation on the training rows: let --split-column say train for the " +
			"validation rows")
	}
	if f.weights, err = s.classWeights(f.examples); err != nil {
		return nil, err
	}
	f.setSpace()
	f.settings = f.space.Draw(s.Search.Trials, s.Seed)
	f.folds, err = search.Folds(f.examples, s.Search.Folds, s.Seed)
	return f, err
}

// setSpace sets the space of the search: the settings of the spec, and which of them are fixed.
func (f *searchFitter) setSpace() {
	s, m := f.spec, f.machine
	f.space = search.Space{Fixed: slices.Clone(s.Search.Fixed), Base: search.Settings{Kernel: m.Kernel.String(),
		Bandwidth: rfm.Bandwidth(m.Kernel), Adaptive: s.Adaptive, Ridge: s.Ridge, Power: cmp.Or(s.AGOPPower, 1),
		Diagonal: s.Diagonal}}
	if f.examples.Pipeline.Table == nil {
		return
	}
	f.space.Base.Transform, f.space.Transforms = f.examples.Pipeline.Table.Scaling(), f.examples.Transforms()
	if s.Normalise != "" || s.Transform != "" {
		f.space.Fixed = append(f.space.Fixed, "transform")
	}
}

// Plan describes the table and the trials to come.
func (f *searchFitter) Plan() string {
	s := fmt.Sprintf("A search of %s by %d-fold cross-validation on %d training examples: %s.",
		words.Count(len(f.settings), "trial"), len(f.folds), linalg.RowCount(f.examples.Train.X), f.space.Text())
	if len(f.settings) < f.spec.Search.Trials {
		s += fmt.Sprintf(" There are no more than %d different settings.", len(f.settings))
	}
	return strings.Join(append(f.examples.ProfileLines(), s), "\n")
}

// about says what the trials depend on besides their settings.
func (f *searchFitter) about() search.About {
	s, m := f.spec, f.machine
	return search.About{Data: s.Data, Rows: strings.TrimSpace(f.examples.Conventions.Fitted()), Folds: len(f.folds),
		Seed: s.Seed, Iterations: m.Iterations, Given: f.space.Base.String(),
		Fixed: strings.Join(slices.Sorted(slices.Values(f.space.Fixed)), ", "),
		Machine: fmt.Sprintf("%v, scale %v, centred gradients %v, sample %d, %d bits, unit sphere %v", m.Solver, m.Scale,
			m.CentreGradients, m.Sample, 32+32*int(m.Precision), s.Sphere),
		Backend: input.BackendName(s.Backend), Version: record.Version()}
}

// Run makes the trials, fits the best of them to all training examples, and tests that once. Progress may be nil.
func (f *searchFitter) Run(ctx context.Context, progress func(stage string, done, total int)) (Fitted, error) {
	report := func(stage string, done, total int) {
		if progress != nil {
			progress(stage, done, total)
		}
	}
	start := time.Now()
	trials, err := f.makeTrials(ctx, report)
	if err != nil {
		return nil, err
	}
	ranked := search.Rank(trials)
	if len(ranked) == 0 {
		return nil, input.Errorf("none of %s has a score; the first, of the given settings, failed: %s",
			words.Count(len(trials), "trial"), trials[0].Error)
	}
	out := &searchFit{SearchRecord: SearchRecord{Data: f.examples.Name, Train: linalg.RowCount(f.examples.Train.X),
		Folds: len(f.folds), Asked: f.spec.Search.Trials, Varied: f.space.Text(), Trials: trials, page: record.NewPageData()}}
	for _, t := range ranked[:min(f.spec.Search.Average, len(ranked))] {
		m, err := f.fitMember(ctx, t, report)
		if err != nil {
			return nil, f.interrupted(ctx, err)
		}
		out.members, out.Chosen = append(out.members, m), append(out.Chosen, t.Number)
	}
	shares, err := out.calibrate(ctx, f, ranked, report)
	if err == nil {
		err = out.test(ctx)
	}
	if err != nil {
		return nil, f.interrupted(ctx, err)
	}
	out.describe(f)
	out.Seconds = time.Since(start).Seconds()
	return out, out.setImportances(shares)
}

// search returns the search of the trials.
func (f *searchFitter) search() *search.Search {
	return &search.Search{Settings: f.settings, Machine: f.machine, Examples: f.examples, Folds: f.folds,
		Threads: f.spec.Threads, Time: f.spec.Search.Time, Memory: record.AvailableMemory()}
}

// makeTrials makes the trials, except those that an earlier run kept in the folder, and returns all.
func (f *searchFitter) makeTrials(ctx context.Context, report func(stage string, done, total int)) ([]search.Trial, error) {
	dir := ""
	if f.spec.Search.Out != "" {
		dir = filepath.Join(f.spec.Search.Out, trialsFolder)
	}
	keep, release, err := search.OpenFolder(dir, f.about())
	if err != nil {
		return nil, err
	}
	defer release()
	s := f.search()
	s.Keep = keep
	report("trials", 0, len(f.settings))
	s.Progress = func(done []search.Trial) { report("trials", len(done), len(f.settings)) }
	trials, err := s.Run(ctx)
	return trials, f.interrupted(ctx, err)
}

// interrupted returns a [search.InterruptedError] if ctx stopped a search whose trials are kept, so that it can continue.
// It returns other errors unchanged.
func (f *searchFitter) interrupted(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil || f.spec.Search.Out == "" || checkpoint.Interrupted(err) {
		return err
	}
	return &search.InterruptedError{Dir: filepath.Join(f.spec.Search.Out, trialsFolder)}
}

// member is a machine of the result, with the examples as it sees them.
type member struct {
	machine  rfm.Machine
	model    *rfm.Model
	examples *examples.Set
}

// fitMember fits the settings of a trial to all training examples, with the iteration that the folds chose.
func (f *searchFitter) fitMember(ctx context.Context, t search.Trial, report func(stage string, done, total int)) (*member,
	error) {
	e := f.examples
	if t.Transform != f.space.Base.Transform {
		s := f.spec.Spec
		s.Transform, s.Normalise, s.ForFolds = t.Transform, "", false
		var err error
		if e, err = examples.Open(ctx, s); err != nil {
			return nil, err
		}
	}
	m, err := t.Settings.Machine(f.machine)
	if err != nil {
		return nil, err
	}
	m.Iterations, m.Select, m.Memory = t.Iteration, rfm.Last, record.AvailableMemory()
	m.Progress = func(p rfm.Progress) {
		report(fmt.Sprintf("trial %d on all rows, iteration %d, %s", t.Number, p.Iteration, p.Stage), p.Done, p.Total)
	}
	model, err := m.Fit(ctx, e.Train.X, e.Train.Y)
	return &member{m, model, e}, err
}

// searchFit is the record of a search with its result.
type searchFit struct {
	SearchRecord

	members  []*member
	decision measure.Decision
}

// calibrate fits the temperature of a classification to out-of-fold outputs: a machine that was fitted to the other folds
// predicts the training examples of each fold. If the best trial learned M, it returns each feature's share of the trace
// of M, a list for each fold.
func (f *searchFit) calibrate(ctx context.Context, of *searchFitter, ranked []search.Trial,
	report func(stage string, done, total int)) (shares [][]float64, err error) {
	f.decision.Weights = of.weights
	classes := f.members[0].examples.Task == rfm.Classification
	if !classes && f.members[0].examples.Shape != nil {
		return nil, nil
	}
	s := of.search()
	var all []*mat.Dense
	for k, t := range ranked[:len(f.members)] {
		if k > 0 && !classes {
			break
		}
		outputs, metrics, err := s.OutOfFold(ctx, t, func(done int) { report("calibration", done, len(of.folds)) })
		if err != nil {
			return nil, err
		}
		all = append(all, outputs)
		for _, m := range metrics {
			if k == 0 && t.Iteration > 0 {
				shares = append(shares, importance.Shares(m))
			}
		}
	}
	if classes {
		e := f.members[0].examples
		f.decision.Temperature = measure.FitTemperature(meanOf(all), examples.ClassIndices(e.Train.Y))
	}
	return shares, nil
}

// test scores the mean of the members' outputs on the test examples, if there are any.
func (f *searchFit) test(ctx context.Context) (err error) {
	first := f.members[0].examples
	if first.Test.X == nil {
		return nil
	}
	var outputs []*mat.Dense
	for _, m := range f.members {
		p, err := m.model.Predict(ctx, m.examples.Test.X)
		if err != nil {
			return err
		}
		outputs = append(outputs, p)
	}
	f.Test = linalg.RowCount(first.Test.X)
	f.testScores, err = scored(f.decision, &first.Description, meanOf(outputs), first.Test.Y, f.members[0].machine.Seed)
	return err
}

// describe sets the conventions and the importances.
func (f *searchFit) describe(of *searchFitter) {
	best := f.members[0]
	r := RFM{spec: of.spec, machine: best.machine, examples: best.examples}
	r.setConventions()
	f.Conventions = r.conv
	f.Conventions.Select = fmt.Sprintf("the settings and the iteration, of 0 to %d, with the best mean score of %d-fold "+
		"cross-validation over the training examples; what fills in for missing values and the scaling of a fold are those of "+
		"its training rows; test examples choose nothing", of.machine.Iterations, f.Folds)
	if limit := of.spec.Search.Time; limit > 0 {
		f.Limit = limit.Seconds()
		f.Conventions.Select += fmt.Sprintf("; only the first trial and those that ended within %v count, so that their number "+
			"depends on the machine", limit)
	}
	if n := len(f.members); n > 1 {
		f.Conventions.Select += fmt.Sprintf("; the outputs of the best %d are averaged, and what is said of kernel and inputs is "+
			"said of the best", n)
	}
}

// setImportances sets the importances of a table's columns: means over the members that learned an M, none if all have
// M = I. Shares are from the folds of the best trial, and so are the directions from the best member.
func (f *searchFit) setImportances(shares [][]float64) error {
	best := f.members[0]
	mean, learned := make([]float64, len(best.examples.Features)), 0.
	for _, m := range f.members {
		if m.machine.Iterations > 0 && len(mean) > 0 && m.model.Metric().Trace() > 0 {
			floats.Add(mean, importance.Shares(m.model.Metric()))
			learned++
		}
	}
	if learned == 0 {
		return nil
	}
	floats.Scale(1/learned, mean)
	f.Importances = importance.Columns(best.examples.Columns(), mean, shares...)
	if best.machine.Iterations == 0 {
		return nil
	}
	var err error
	f.Directions, err = importance.Directions(best.model.Metric(), best.examples.Features)
	return err
}

// SaveMetric writes the M of the result as an NPY file. It returns an input error for an average, which has an M in each
// member.
func (f *searchFit) SaveMetric(path string) error {
	if len(f.members) > 1 {
		return input.Errorf("--metric-out: each of the %d members of an average has an M: give --model-out, and read metric in "+
			"the model.safetensors of a member", len(f.members))
	}
	return (&fittedModel{model: f.members[0].model}).SaveMetric(path)
}

// SaveModel writes the result into a folder: as one machine, or as an average of several.
func (f *searchFit) SaveModel(dir string) error {
	if len(f.members) == 1 {
		return saveModel(f.members[0].model, &f.members[0].examples.Description, f.decision, dir)
	}
	return saveEnsemble(f.members, f.decision, dir)
}

// Save writes the record with its report, and the result as model, into a folder. It returns the path of the report.
func (f *searchFit) Save(dir string) (string, error) {
	path, err := record.SaveRecord(dir, f)
	if err != nil {
		return "", err
	}
	return path, f.SaveModel(filepath.Join(dir, "model"))
}
