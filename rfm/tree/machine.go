package tree

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/internal/random"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// Machine is a tree to fit.
type Machine struct {
	// Leaf is the machine of every leaf, and of the subsamples that decide the splits. Its Seed decides the whole fit. Its
	// Metric and Validation must be nil; Threads, Memory, Progress, Each and Remember are not used: a leaf has one thread,
	// so that the result does not depend on how many leaves are fitted at a time.
	Leaf rfm.Machine
	// Rows is the largest number of training rows of a leaf, at least 1. If there are no more training rows than that, the
	// tree has one leaf, which Leaf.Fit fits.
	Rows int
	// SplitRows is the number of rows of a node's subsample; 0 is [DefaultSplitRows].
	SplitRows int
	// Temperatures are those among which the validation rows choose, none of them negative; nil is
	// [DefaultTemperatures]. If Leaf.Select is rfm.Last there are no validation rows, and the first temperature is used.
	Temperatures []float64
	// Threads is the number of leaves fitted at a time; 0 is one for each core.
	Threads int
	// Memory, if not 0, bounds the memory of the fit in bytes, without that of the examples. If need be, fewer leaves are
	// fitted at a time.
	Memory int64
	// Progress, if not nil, is called with the progress; calls do not overlap.
	Progress func(stage string, done, total int)
}

// DefaultSplitRows is the default number of rows of a node's subsample.
const DefaultSplitRows = 4000

// The machine of a subsample runs firstIterations at the root, which begins with M = I, and nextIterations below it, where
// it begins with the parent's M.
const firstIterations, nextIterations = 8, 1

// DefaultTemperatures are the default temperatures to choose from; 0 is hard routing.
var DefaultTemperatures = []float64{.05, 0, .025, .1, .2}

// Plan says in advance what a fit will do.
type Plan struct {
	Train      int   // rows that the leaves are fitted to; if the tree has one leaf, with those that it holds out
	Validation int   // rows that choose the leaves' iterations and the temperature
	Leaves     int   // number of leaves if every split is in the middle, which needs rows that differ
	LeafRows   int   // rows of the largest leaf in that case
	AtATime    int   // number of leaves fitted at the same time
	Bytes      int64 // memory, without the examples
}

// Plan returns what a fit to n rows of d features will do. It returns an [*rfm.MemoryError] if the memory is too small for
// one leaf at a time, and an [*rfm.InputError] for options that cannot be used.
func (m *Machine) Plan(n, d, outputs int) (Plan, error) {
	if err := m.check(); err != nil {
		return Plan{}, err
	}
	p := Plan{Train: n, Leaves: 1}
	if held := m.held(n); n-held > m.Rows {
		p.Train, p.Validation = n-held, held
		for p.Leaves = 2; ceil(p.Train, p.Leaves) > m.Rows; p.Leaves *= 2 {
		}
	}
	p.LeafRows = ceil(p.Train, p.Leaves)
	models := 16 * int64(n) * int64(d+outputs) // the centres, plain and transformed
	// Splits may be uneven, so that leaves may be as large as Rows; and a subsample may be larger than a leaf.
	largest := min(p.Train, m.Rows)
	if p.Leaves > 1 {
		largest = max(largest, min(p.Train, m.splitRows()))
	}
	each := m.Leaf.Bytes(largest, d, outputs) + 8*int64(largest)*int64(d+outputs)
	for p.AtATime = min(m.threads(), p.Leaves); ; p.AtATime-- {
		p.Bytes = models + int64(p.AtATime)*each
		switch {
		case m.Memory == 0 || p.Bytes <= m.Memory:
			return p, nil
		case p.AtATime == 1:
			return p, &rfm.MemoryError{Need: p.Bytes, Limit: m.Memory, Examples: n,
				Solver: fmt.Sprintf("a tree with leaves of up to %d rows", m.Rows)}
		}
	}
}

func ceil(n, by int) int { return (n + by - 1) / by }

func (m *Machine) splitRows() int {
	if m.SplitRows == 0 {
		return DefaultSplitRows
	}
	return m.SplitRows
}

func (m *Machine) threads() int {
	if m.Threads == 0 {
		return runtime.GOMAXPROCS(0)
	}
	return m.Threads
}

// held returns the number of rows that are held out for validation.
func (m *Machine) held(n int) int {
	if m.Leaf.Select == rfm.Last {
		return 0
	}
	if m.Leaf.Held != nil {
		return len(m.Leaf.Held)
	}
	share := m.Leaf.Holdout
	if share == 0 {
		share = rfm.DefaultHoldout
	}
	return max(1, int(math.Round(share*float64(n))))
}

func badInput(format string, args ...any) error {
	return &rfm.InputError{Reason: fmt.Sprintf(format, args...)}
}

func (m *Machine) check() error {
	switch {
	case m.Rows < 1:
		return badInput("leaves of %d rows: want at least 1", m.Rows)
	case m.SplitRows < 0 || m.SplitRows == 1:
		return badInput("a subsample of %d rows: want at least 2, or 0 for %d", m.SplitRows, DefaultSplitRows)
	case m.Leaf.Metric != nil || m.Leaf.Validation != nil:
		return badInput("the machine of the leaves has a metric or validation examples: a tree makes its own")
	case m.Threads < 0:
		return badInput("%d threads: want at least 1, or 0 for all cores", m.Threads)
	}
	for _, t := range m.Temperatures {
		if !(t >= 0) || math.IsInf(t, 0) {
			return badInput("a temperature of %v: want a finite number of at least 0", t)
		}
	}
	return nil
}

// Fit grows the tree of examples x, n×d, with targets y, n×outputs, and fits its leaves. It returns the errors of
// [Machine.Plan] and of [rfm.Machine.Fit], and those of ctx. While it runs, OpenBLAS uses one thread in the whole process.
func (m *Machine) Fit(ctx context.Context, x, y *mat.Dense) (*Model, error) {
	if err := (rfm.Examples{X: x, Y: y}).Check(m.Leaf.Task, "training"); err != nil {
		return nil, err
	}
	n, d := x.Dims()
	_, outputs := y.Dims()
	plan, err := m.Plan(n, d, outputs)
	if err != nil {
		return nil, err
	}
	defer backend.OneBLASThread()()
	f := &fit{Machine: m, plan: plan, all: rfm.Examples{X: x, Y: y}}
	f.leaf = m.Leaf
	f.leaf.Threads, f.leaf.Progress, f.leaf.Each, f.leaf.Remember = 1, nil, nil, nil
	f.leaf.Memory = 0
	if m.Memory > 0 {
		f.leaf.Memory = (m.Memory - 16*int64(n)*int64(d+outputs)) / int64(plan.AtATime)
	}
	f.model = &Model{task: m.Leaf.Task, features: d, outputs: outputs, threads: m.threads()}
	if plan.Leaves == 1 {
		return f.fitOneLeaf(ctx)
	}
	held := m.HeldRows(n)
	f.leaf.Held = nil // a leaf is validated on the held-out rows that reach it
	train := make([]int, 0, plan.Train)
	for i := range n {
		if _, out := slices.BinarySearch(held, i); !out {
			train = append(train, i)
		}
	}
	if err := f.grow(ctx, train, held); err != nil {
		return nil, err
	}
	if err := f.fitLeaves(ctx); err != nil {
		return nil, err
	}
	return f.model, f.chooseTemperature(ctx, held)
}

// HeldRows returns the rows of n training rows that choose the leaves' iterations and the temperature, in ascending order.
func (m *Machine) HeldRows(n int) []int {
	if m.Leaf.Held != nil || n-m.held(n) <= m.Rows {
		return m.Leaf.HeldRows(n)
	}
	held := random.New(m.Leaf.Seed, "tree/holdout", 0).Perm(n)[:m.held(n)]
	slices.Sort(held)
	return held
}

// temperatures returns the temperatures to choose from.
func (m *Machine) temperatures() []float64 {
	if len(m.Temperatures) == 0 {
		return DefaultTemperatures
	}
	return m.Temperatures
}

// report calls the callback, if there is one.
func (m *Machine) report(stage string, done, total int) {
	if m.Progress != nil {
		m.Progress(stage, done, total)
	}
}
