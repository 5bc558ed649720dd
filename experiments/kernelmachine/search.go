package kernelmachine

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ansatz-lab/ansatz/experiments/checkpoint"
	"github.com/ansatz-lab/ansatz/experiments/examples"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/search"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// SearchSpec says how to search for the settings of a machine. Those of the [RFMSpec] are tried first.
type SearchSpec struct {
	Trials  int           // at most; 0 is no search
	Time    time.Duration // after which no trial begins; 0 is no limit
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
}

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
	case s.Search.Average > s.Search.Trials:
		return nil, input.Errorf("--average %d: --search %d makes no more trials than that", s.Search.Average, s.Search.Trials)
	}
	s.ForFolds = true
	f := &searchFitter{spec: s, machine: m}
	if f.examples, err = examples.Open(ctx, s.Spec); err != nil {
		return nil, err
	}
	f.machine.Task = f.examples.Task
	f.setSpace()
	f.settings = f.space.Draw(s.Search.Trials, s.Seed)
	f.folds, err = search.Folds(f.examples.Train.Y, f.machine.Task, s.Search.Folds, s.Seed)
	return f, err
}

// setSpace sets the space of the search: the settings of the spec, and what of them is fixed.
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

// Plan says what will be tried.
func (f *searchFitter) Plan() string {
	s := fmt.Sprintf("A search of %s by %d-fold cross-validation on %d training examples: %s.",
		record.Count(len(f.settings), "trial"), len(f.folds), linalg.RowCount(f.examples.Train.X), f.space.Text())
	if len(f.settings) < f.spec.Search.Trials {
		s += fmt.Sprintf(" There are no more than %d different settings.", len(f.settings))
	}
	return s
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
		return nil, input.Errorf("none of %s has a score; that of the settings given failed: %s", record.Count(len(trials),
			"trial"), trials[0].Error)
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
	if err := out.test(ctx); err != nil {
		return nil, f.interrupted(ctx, err)
	}
	out.describe(f)
	out.Seconds = time.Since(start).Seconds()
	return out, nil
}

// makeTrials makes the trials that are not there yet.
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
	s := &search.Search{Settings: f.settings, Machine: f.machine, Examples: f.examples, Folds: f.folds,
		Threads: f.spec.Threads, Time: f.spec.Search.Time, Memory: record.AvailableMemory(), Keep: keep}
	report("trials", 0, len(f.settings))
	s.Progress = func(done []search.Trial) { report("trials", len(done), len(f.settings)) }
	trials, err := s.Run(ctx)
	return trials, f.interrupted(ctx, err)
}

// interrupted returns the error of a search that ctx stopped, which can continue if its trials are kept; other errors
// as they are.
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

	members []*member
}

// test scores the mean of the members' outputs on the test examples, if there are any.
func (f *searchFit) test(ctx context.Context) error {
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
	s, err := first.Task.Score(meanOf(outputs), first.Test.Y)
	f.Test = linalg.RowCount(first.Test.X)
	f.Accuracy, f.MSE, f.R2 = scoresRecord(s, first.Unit)
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
		f.Conventions.Select += fmt.Sprintf("; trials began within %v, so that their number depends on the machine", limit)
	}
	if n := len(f.members); n > 1 {
		f.Conventions.Select += fmt.Sprintf("; the outputs of the best %d are averaged, and what is said of kernel and inputs is "+
			"said of the best", n)
	}
	f.setImportances()
}

// setImportances sets the shares of a table's features of the trace of M: means over the members that learned an M, and
// none where all have M = I.
func (f *searchFit) setImportances() {
	shares, learned := make([]float64, len(f.members[0].examples.Features)), 0.
	for _, m := range f.members {
		if m.machine.Iterations == 0 || len(shares) == 0 || !(m.model.Metric().Trace() > 0) {
			continue
		}
		learned++
		metric := m.model.Metric()
		for i, v := range metric.Diagonal() {
			shares[i] += v / metric.Trace()
		}
	}
	for i := range shares {
		shares[i] /= learned
	}
	if learned > 0 {
		f.Importances = newImportances(f.members[0].examples.Features, shares)
	}
}

// SaveMetric writes the M of the result as an NPY file. An average has one in each member, which is an input error.
func (f *searchFit) SaveMetric(path string) error {
	if len(f.members) > 1 {
		return input.Errorf("--metric-out: each of the %d members of an average has an M: give --model-out, and read metric in "+
			"the model.safetensors of a member", len(f.members))
	}
	return (&fittedModel{model: f.members[0].model}).SaveMetric(path)
}

// SaveModel writes the result into a folder: a machine as it is saved elsewhere, or an average of several.
func (f *searchFit) SaveModel(dir string) error {
	if len(f.members) == 1 {
		return saveModel(f.members[0].model, &f.members[0].examples.Description, dir)
	}
	return saveEnsemble(f.members, dir)
}

// Save writes the record with its report, and the result as model, into a folder. It returns the path of the report.
func (f *searchFit) Save(dir string) (string, error) {
	path, err := record.SaveRecord(dir, f)
	if err != nil {
		return "", err
	}
	return path, f.SaveModel(filepath.Join(dir, "model"))
}
