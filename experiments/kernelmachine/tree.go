package kernelmachine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/ansatz-lab/ansatz/experiments/examples"
	"github.com/ansatz-lab/ansatz/experiments/importance"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/measure"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/internal/memory"
	"github.com/ansatz-lab/ansatz/internal/words"
	"github.com/ansatz-lab/ansatz/rfm"
	"github.com/ansatz-lab/ansatz/rfm/tree"
)

// TreeFitter is a tree of recursive feature machines with its examples, ready to be fitted.
type TreeFitter struct {
	spec     RFMSpec
	machine  tree.Machine
	plan     tree.Plan
	used     int64 // bytes that the process holds before the fit
	budget   int64 // bytes that it may hold
	examples *examples.Set
	weights  []float64 // of the classes; nil for equal ones
	conv     RFMConventions
}

// newTree opens the examples of a tree and plans its fit. Its errors are input errors.
func newTree(ctx context.Context, s RFMSpec) (*TreeFitter, error) {
	m, err := s.machine()
	if err != nil {
		return nil, err
	}
	if _, direct := m.Solver.(rfm.Cholesky); !direct {
		return nil, input.Errorf("--leaf is for --solver cholesky: a leaf is small enough for its kernel matrix")
	}
	if !input.IsTable(s.Data) {
		return nil, input.Errorf("--leaf is for tables, which %s is not", s.Data)
	}
	if s.Refits > 0 {
		return nil, input.Errorf("--refits is for one machine: a tree's importances are averages over its leaves already")
	}
	t := &TreeFitter{spec: s}
	free := record.AvailableMemory()
	if t.budget, err = input.ParseMemory("--memory", s.Memory); err != nil {
		return nil, err
	}
	if t.budget == 0 && free > 0 {
		t.budget = free + memory.OfProcess("VmRSS")
	}
	defer memory.Limit(t.budget)() // the garbage collector works harder where memory is short
	r, err := s.open(ctx, m)
	if err != nil {
		return nil, err
	}
	debug.FreeOSMemory() // what reading the table took
	t.examples, t.weights, t.conv = r.examples, r.weights, r.conv
	if m.Iterations > 0 {
		t.conv.Metric = "M of a leaf starts at that of its parent's subsample, of a tree of one leaf at I; the kernel of M " +
			"is K(M^½x, M^½z)"
	}
	t.machine = tree.Machine{Leaf: r.machine, Rows: s.Leaf, Threads: s.Threads}
	return t, t.makePlan()
}

// makePlan plans the fit within the memory.
func (t *TreeFitter) makePlan() error {
	t.used = memory.OfProcess("VmRSS")
	if t.budget > 0 {
		t.machine.Memory = max(1, t.budget-t.used)
	}
	x := t.examples.Train
	var err error
	t.plan, err = t.machine.Plan(linalg.RowCount(x.X), linalg.ColumnCount(x.X), linalg.ColumnCount(x.Y))
	var tooLittle *rfm.MemoryError
	if errors.As(err, &tooLittle) {
		return input.Errorf("the tree needs about %s: %s for the table, and %s for its leaves of up to %d rows, one at a "+
			"time; it may take %s: give smaller leaves (--leaf), fewer rows (--train) or more --memory",
			words.Bytes(t.used+tooLittle.Need), words.Bytes(t.used), words.Bytes(tooLittle.Need), t.spec.Leaf, words.Bytes(t.budget))
	}
	if err != nil {
		return &input.Error{Err: err}
	}
	return nil
}

// uncollected is the factor by which the memory in use grows before garbage is collected, if there is room.
const uncollected = 1 + memory.GarbagePercent/100.

// Plan describes the table and, in a sentence or two, the fit.
func (t *TreeFitter) Plan() string {
	p := t.plan
	s := fmt.Sprintf("A tree of %s: ", words.Count(p.Train, "row"))
	if p.Leaves == 1 {
		s += fmt.Sprintf("one leaf, since no more than %s are to be fitted", words.Count(t.spec.Leaf, "row"))
	} else {
		s += fmt.Sprintf("%d leaves of about %s, %d fitted at a time", p.Leaves, words.Count(p.LeafRows, "row"), p.AtATime)
	}
	if p.Validation > 0 {
		s += fmt.Sprintf("; %d other rows choose iterations and temperature", p.Validation)
	}
	need, of := float64(t.used)+uncollected*float64(p.Bytes), ""
	if t.budget > 0 {
		need, of = min(need, float64(t.budget)), " of "+words.Bytes(t.budget)
	}
	s += ". Memory: about " + words.Bytes(need) + of
	return strings.Join(append(t.examples.ProfileLines(), s+"."), "\n")
}

// Run fits the tree and tests it. Progress may be nil.
func (t *TreeFitter) Run(ctx context.Context, progress func(stage string, done, total int)) (Fitted, error) {
	defer memory.Limit(t.budget)()
	t.machine.Progress = progress
	start := time.Now()
	e := t.examples
	model, err := t.machine.Fit(ctx, e.Train.X, e.Train.Y)
	var tooLittle *rfm.MemoryError
	if errors.As(err, &tooLittle) {
		return nil, input.Errorf("%w: give a larger --ridge, with which the kernel matrix is not singular, smaller leaves "+
			"(--leaf) or more --memory", err)
	}
	if err != nil {
		return nil, err
	}
	held := t.machine.HeldRows(linalg.RowCount(e.Train.X))
	r := TreeRecord{Data: e.Name, Kernel: t.machine.Leaf.Kernel.String(), Train: linalg.RowCount(e.Train.X),
		Validation: len(held), LeafRows: model.LeafRows(), LeftOut: model.LeftOut(),
		Temperature: model.Temperature(), Seconds: time.Since(start).Seconds(), Conventions: t.conv,
		page: record.NewPageData()}
	if shares := model.Importances(); shares != nil {
		r.Importances = importance.Columns(e.Columns(), shares)
	}
	fit := &TreeFit{model: model, about: &e.Description}
	if fit.decision, err = calibrate(ctx, model, e, held, t.weights); err != nil {
		return nil, err
	}
	if e.Test.X != nil {
		r.Test = linalg.RowCount(e.Test.X)
		f, err := model.PredictReporting(ctx, e.Test.X, func(done, total int) {
			if progress != nil {
				progress("test", done, total)
			}
		})
		if err != nil {
			return nil, err
		}
		if r.testScores, err = scored(fit.decision, &e.Description, f, e.Test.Y, t.machine.Leaf.Seed); err != nil {
			return nil, err
		}
	}
	fit.TreeRecord = r
	return fit, nil
}

// TreeFit is a record with the fitted tree.
type TreeFit struct {
	TreeRecord

	model    *tree.Model
	about    *examples.Description
	decision measure.Decision
}

// SaveModel writes the tree into a folder.
func (f *TreeFit) SaveModel(dir string) error { return saveModel(f.model, f.about, f.decision, dir) }

// SaveMetric returns an input error: a tree has a metric in every leaf.
func (f *TreeFit) SaveMetric(string) error {
	return input.Errorf("--metric-out: a tree has an M in each of its %d leaves: give --model-out, and read metric in the "+
		"model.safetensors of a leaf", len(f.LeafRows))
}

// Save writes the record with its report, and the tree as model, into a folder. It returns the path of the report.
func (f *TreeFit) Save(dir string) (string, error) {
	path, err := record.SaveRecord(dir, f)
	if err != nil {
		return "", err
	}
	return path, f.SaveModel(filepath.Join(dir, "model"))
}
