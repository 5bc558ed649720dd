package rfm

import (
	"context"

	"github.com/ansatz-lab/ansatz/graph"
	"gonum.org/v1/gonum/mat"
)

// Machine says what kernel machine to fit, and how it learns its features. Its
// zero value is kernel ridge regression with the Laplace kernel of bandwidth
// [DefaultBandwidth], no ridge and no feature learning.
type Machine struct {
	// Kernel is nil for Laplace with DefaultBandwidth.
	Kernel Kernel
	// Ridge is λ ≥ 0 in (K + λI)α = Y. Where that is singular the
	// pseudo-inverse is taken, and Iteration.Solution says so.
	Ridge float64
	// Iterations is T, how often M is set to the AGOP and the regression solved
	// again: 0 is a plain kernel machine.
	Iterations int
	// Task is what scores are of.
	Task Task

	// Metric is the M to start from; nil is the identity.
	Metric *Metric
	// Diagonal keeps only the diagonal of the AGOP.
	Diagonal bool
	// CentreGradients takes from the gradients of every output their mean over
	// the examples before the outer products.
	CentreGradients bool
	// Sample is on how many training examples, drawn by Seed, the AGOP is taken;
	// 0 is all.
	Sample int
	// Scale is what the AGOP is divided by before it becomes M.
	Scale Scale

	// Select says which iteration is the result. The zero value holds out
	// Holdout of the training examples.
	Select Select
	// Holdout is the share of the training examples, drawn by Seed, on which the
	// best iteration is chosen; 0 is [DefaultHoldout]. It does not matter where
	// Select is Last, or where Validation is there.
	Holdout float64
	// Validation, if not nil, takes the place of a holdout.
	Validation *Examples

	// Solver solves the regressions; nil is [Cholesky].
	Solver Solver

	Seed      uint64
	Precision graph.Precision
	Backend   string // native, go, or "" for native where it is built in
	Threads   int    // 0 is all cores
	// Memory, if not 0, is how many bytes may be taken. More is refused with a
	// [*MemoryError] before any is.
	Memory int64

	// Each, if not nil, is called after every iteration's regression. An error
	// ends the fit.
	Each func(*Iteration) error
	// Remember, if not nil, returns the iteration that find computes, or the one that
	// find returned in an earlier fit of the same machine to the same examples. Package
	// gob stores an iteration to the bit, so that a fit that was interrupted continues
	// from its last one.
	Remember func(iteration int, find func() (*Iteration, error)) (*Iteration, error)
	// Progress, if not nil, is told what is going on, from one goroutine.
	Progress func(Progress)
}

// DefaultHoldout is the share of the training examples on which the best
// iteration is chosen.
const DefaultHoldout = .2

// Task is what a machine is for.
type Task int

const (
	Regression     Task = iota // scores are R², the zero value
	Classification             // scores are accuracies; targets are one-hot
)

// String is "regression" or "classification".
func (t Task) String() string { return [...]string{"regression", "classification"}[t] }

// Scale is what an AGOP is divided by.
type Scale int

const (
	Unscaled       Scale = iota // nothing, as in Algorithm 1
	ScaleMax                    // its largest element
	ScaleTrace                  // its trace over d, so that the trace becomes that of the identity
	ScaleFrobenius              // its Frobenius norm
)

// String is "none", "max", "trace" or "frobenius".
func (s Scale) String() string { return [...]string{"none", "max", "trace", "frobenius"}[s] }

// Select says which iteration of a fit is the result.
type Select int

const (
	Best Select = iota // the one that does best on validation examples
	Last               // that of index [Machine.Iterations]
)

// String is "validation" or "last".
func (s Select) String() string { return [...]string{"validation", "last"}[s] }

// Examples are rows of inputs, n×d, and their targets, n×outputs.
type Examples struct{ X, Y *mat.Dense }

// Rows returns copies of some of the examples, in the order of rows.
func (e Examples) Rows(rows []int) Examples {
	return Examples{pickRows(e.X, rows), pickRows(e.Y, rows)}
}

// Iteration is what an iteration of a fit found.
type Iteration struct {
	Index int // how often M was set to the AGOP before: 0 is the kernel as it is
	// Metric is the M that the kernel had.
	Metric *Metric
	// Alpha are the coefficients of the centres, one column an output, not to be changed.
	Alpha *mat.Dense
	// Train and Validation are scores; Validation is nil where there are no such
	// examples.
	Train      Scores
	Validation *Scores
	// Solution is how the regression was solved.
	Solution Solution
	// Seconds is the time that the iteration took, the finding of its metric
	// included.
	Seconds float64

	model *Model // nil in an iteration that gob has read
}

// Model is the predictor of the iteration. It may be kept.
func (i *Iteration) Model() *Model { return i.model }

// Progress says how far a stage of a fit is.
type Progress struct {
	Iteration   int    // from 0
	Stage       string // what is being done, in words
	Done, Total int    // of the stage, in whatever it counts
}

// Fit learns from examples x, n×d, and targets y, n×outputs. It takes n > 0
// rows of finite numbers. Where none are held out the model keeps x itself, which
// must not be changed while it is used. It returns an [*InputError] for options or
// examples that cannot be used, but an untyped error for parameters of the kernel
// that are out of range; a [*MemoryError]; and the errors of ctx and of Each.
func (m *Machine) Fit(ctx context.Context, x, y *mat.Dense) (*Model, error) {
	f, err := m.newFit(x, y)
	if err != nil {
		return nil, err
	}
	defer f.close()
	return f.run(ctx)
}
