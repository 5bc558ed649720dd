package rfm

import (
	"context"
	"fmt"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/rfm/tensors"
	"gonum.org/v1/gonum/mat"
)

// Machine says what kernel machine to fit, and how it learns its features. Its zero value is kernel ridge regression
// with the Laplace kernel of bandwidth [DefaultBandwidth], no ridge and no feature learning.
type Machine struct {
	// Kernel is nil for Laplace with DefaultBandwidth.
	Kernel Kernel
	// Ridge is λ ≥ 0 in (K + λI)α = Y. If K + λI is singular, Fit uses the pseudo-inverse, and
	// Iteration.Solution says so.
	Ridge float64
	// Iterations is T, the number of times that M is set to the AGOP and the regression is solved again; 0 is a
	// plain kernel machine.
	Iterations int
	// Task selects the scores: R² or the accuracy.
	Task Task

	// Metric is the initial M; nil is the identity.
	Metric *Metric
	// Diagonal keeps only the diagonal of the AGOP.
	Diagonal bool
	// CentreGradients subtracts from the gradients of every output their mean over the examples, before the
	// outer products.
	CentreGradients bool
	// Sample is the number of training examples, drawn by Seed, in the average of the AGOP; 0 is all.
	Sample int
	// Power is α: M is set to AGOP^α, or to that of its diagonal; 0 is 1.
	Power float64
	// Adaptive measures the kernel's bandwidth in median distances: in every iteration L is the kernel's bandwidth
	// times the median distance between training examples under the current M, in the kernel's own norm.
	Adaptive bool
	// Scale says what AGOP^α is divided by before it becomes M.
	Scale Scale

	// Select says which iteration is the result. The zero value is the best one on validation examples.
	Select Select
	// Holdout is the share of the training examples, drawn by Seed, that are held out for validation; 0 is
	// [DefaultHoldout]. It is ignored if Select is Last, or if Validation is set.
	Holdout float64
	// Held, if not nil, are the rows that are held out, in ascending order, in place of a share that is drawn.
	Held []int
	// Validation, if not nil, replaces the holdout.
	Validation *Examples

	// Solver solves the regressions; nil is [Cholesky].
	Solver Solver

	Seed      uint64
	Precision graph.Precision
	Backend   string // native, go, or "" for native where it is built in
	Threads   int    // 0 is all cores
	// Memory, if not 0, bounds the memory in bytes. A fit that would take more returns a [*MemoryError] before it
	// begins.
	Memory int64

	// Each, if not nil, is called after every iteration's regression. Its error ends the fit.
	Each func(*Iteration) error
	// Remember, if not nil, returns the iteration that find computes, or the one that find returned in an earlier fit
	// of the same machine to the same examples. Package gob stores an iteration bit for bit, so that a fit that was
	// interrupted continues from its last one.
	Remember func(iteration int, find func() (*Iteration, error)) (*Iteration, error)
	// Progress, if not nil, is called with the progress, from one goroutine at a time.
	Progress func(Progress)
}

// DefaultHoldout is the default share of the training examples that are held out.
const DefaultHoldout = .2

// Task is regression or classification.
type Task int

const (
	Regression     Task = iota // scores are R², the zero value
	Classification             // scores are accuracies; targets are one-hot
)

// String returns "regression" or "classification".
func (t Task) String() string { return [...]string{"regression", "classification"}[t] }

// ParseTask returns the task of a name, as [Task.String] gives it.
func ParseTask(name string) (Task, error) {
	for _, t := range []Task{Regression, Classification} {
		if name == t.String() {
			return t, nil
		}
	}
	return 0, fmt.Errorf("task is %q, want %v or %v", name, Regression, Classification)
}

// Scale says what an AGOP is divided by.
type Scale int

const (
	Unscaled       Scale = iota // nothing, as in Algorithm 1
	ScaleMax                    // its largest element
	ScaleTrace                  // its trace over d, so that the trace becomes that of the identity
	ScaleFrobenius              // its Frobenius norm
)

// String returns "none", "max", "trace" or "frobenius".
func (s Scale) String() string { return [...]string{"none", "max", "trace", "frobenius"}[s] }

// Select says which iteration of a fit is the result.
type Select int

const (
	Best Select = iota // the best one on validation examples
	Last               // that of index [Machine.Iterations]
)

// String returns "validation" or "last".
func (s Select) String() string { return [...]string{"validation", "last"}[s] }

// Examples are rows of inputs, n×d, and their targets, n×outputs.
type Examples struct{ X, Y *mat.Dense }

// Rows returns copies of some of the examples, in the order of rows.
func (e Examples) Rows(rows []int) Examples {
	return Examples{tensors.PickRows(e.X, rows), tensors.PickRows(e.Y, rows)}
}

// Iteration holds the result of one iteration of a fit.
type Iteration struct {
	Index int // the number of times that M was set to the AGOP before
	// Metric is the M of the kernel, Bandwidth its L, 0 where it has none.
	Metric    *Metric
	Bandwidth float64
	// Alpha are the coefficients of the centres, one column per output. The caller must not change them.
	Alpha *mat.Dense
	// Train and Validation are scores; Validation is nil without validation examples.
	Train      Scores
	Validation *Scores
	// Solution says how the regression was solved.
	Solution Solution
	// Seconds is the time of the iteration, including that for its metric.
	Seconds float64

	model *Model // nil if gob has read the iteration
}

// Model returns the predictor of the iteration. The caller may keep it.
func (i *Iteration) Model() *Model { return i.model }

// Progress says how far a stage of a fit is.
type Progress struct {
	Iteration   int    // from 0
	Stage       string // the current step, in words
	Done, Total int    // in the units of the stage
}

// Fit learns from examples x, n×d, and targets y, n×outputs, finite numbers with n > 0. If no examples are held out,
// the model keeps x itself, which the caller must then not change. Fit returns an [*InputError] for options or examples
// that cannot be used, an untyped error for parameters of the kernel that are out of range, a [*MemoryError], and the
// errors of ctx and of Each.
func (m *Machine) Fit(ctx context.Context, x, y *mat.Dense) (*Model, error) {
	f, err := m.newFit(x, y)
	if err != nil {
		return nil, err
	}
	defer f.close()
	return f.run(ctx)
}
