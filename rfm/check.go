package rfm

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"

	"github.com/ansatz-lab/ansatz/internal/words"
	"github.com/ansatz-lab/ansatz/rfm/crew"
	"gonum.org/v1/gonum/mat"
)

// errNoExamples is returned where there are no examples to learn from or to predict.
var errNoExamples = errors.New("rfm: no examples")

// InputError says why an option or an example cannot be used.
type InputError struct{ Reason string }

// Error returns the reason.
func (e *InputError) Error() string { return "rfm: " + e.Reason }

// InputError returns true: the user gave an option or an example that cannot be used.
func (e *InputError) InputError() bool { return true }

func badInput(format string, args ...any) error { return &InputError{fmt.Sprintf(format, args...)} }

// MemoryError says that a fit would need more memory than the limit, both in bytes.
type MemoryError struct {
	Need, Limit int64
	Examples    int
	Solver      string
	// Diagonal is the memory that the fit would need if only the diagonal of M were kept; 0 if that is not an option.
	Diagonal int64
}

// FitsDiagonal reports whether the fit would fit into memory with only the diagonal of M in place of all of it, d×d for d
// features.
func (e *MemoryError) FitsDiagonal() bool { return e.Diagonal > 0 && e.Diagonal <= e.Limit }

// Error says how much memory the fit needs, and the limit.
func (e *MemoryError) Error() string {
	return fmt.Sprintf("rfm: a fit of %d examples by %s takes about %s, there is room for %s",
		e.Examples, e.Solver, words.Bytes(e.Need), words.Bytes(e.Limit))
}

// InputError returns true: the request exceeds the memory.
func (e *MemoryError) InputError() bool { return true }

// newFit checks the machine and the examples, and holds out those for validation.
func (m *Machine) newFit(x, y *mat.Dense) (*fit, error) {
	c := *m
	if c.Kernel == nil {
		c.Kernel = Laplace{}
	}
	if c.Solver == nil {
		c.Solver = Cholesky{}
	}
	if err := (Examples{x, y}).Check(c.Task, "training"); err != nil {
		return nil, err
	}
	_, d := x.Dims()
	if c.Metric == nil {
		c.Metric = Identity(d)
	}
	if err := c.check(d); err != nil {
		return nil, err
	}
	train, validation, err := c.holdOut(x, y)
	if err != nil {
		return nil, err
	}
	if err := c.checkMemory(train); err != nil {
		return nil, err
	}
	return c.open(train, validation)
}

func (m *Machine) check(d int) error {
	if err := m.Kernel.check(); err != nil {
		return err
	}
	_, adapts := distancesOf(m.Kernel)
	switch {
	case m.Adaptive && !adapts:
		return badInput("an adaptive bandwidth for the %v kernel, which has none", m.Kernel)
	case !(m.Power >= 0) || math.IsInf(m.Power, 0):
		return badInput("a power of %v of the AGOP: want a finite number above 0, or 0 for 1", m.Power)
	case !(m.Ridge >= 0) || math.IsInf(m.Ridge, 0):
		return badInput("a ridge of %v: want a finite number of at least 0", m.Ridge)
	case m.Iterations < 0:
		return badInput("%d iterations: want at least 0", m.Iterations)
	case m.Sample < 0:
		return badInput("the AGOP of %d examples: want at least 1, or 0 for all", m.Sample)
	case !(m.Holdout >= 0 && m.Holdout < 1):
		return badInput("a holdout of %v: want a share between 0 and 1", m.Holdout)
	case m.Metric.Dim() != d:
		return badInput("a metric of %d features for examples of %d", m.Metric.Dim(), d)
	}
	return nil
}

// Check returns an [*InputError] for inputs and targets that differ in number, or that are not finite. What says of which
// examples they are, as in "training".
func (e Examples) Check(t Task, what string) error {
	if e.X == nil || e.Y == nil || e.X.IsEmpty() || e.Y.IsEmpty() {
		return badInput("there are no %s examples", what)
	}
	n, _ := e.X.Dims()
	for i := range n {
		if j := slices.IndexFunc(e.X.RawRowView(i), notFinite); j >= 0 {
			return badInput("feature %d of %s example %d is %v: want numbers; fill in what is missing",
				j, what, i, e.X.At(i, j))
		}
	}
	return checkTargets(t, what, n, e.Y)
}

// checkTargets returns an error for targets that are not finite, or whose number is not n.
func checkTargets(t Task, what string, n int, y *mat.Dense) error {
	if y == nil || y.IsEmpty() {
		return badInput("there are no %s examples", what)
	}
	ny, c := y.Dims()
	if ny != n {
		return badInput("%d %s examples with %d targets", n, what, ny)
	}
	for i := range n {
		if j := slices.IndexFunc(y.RawRowView(i), notFinite); j >= 0 {
			return badInput("target %d of %s example %d is %v", j, what, i, y.At(i, j))
		}
	}
	if t == Classification && c < 2 {
		return badInput("a classification with %d class: want two or more, one-hot targets", c)
	}
	return nil
}

func notFinite(v float64) bool { return v-v != 0 }

// holdOut divides the examples into those to train on and those to validate on.
func (m *Machine) holdOut(x, y *mat.Dense) (train, validation Examples, err error) {
	train = Examples{x, y}
	if m.Select == Last {
		return train, validation, nil
	}
	if m.Validation != nil {
		if err := m.Validation.Check(m.Task, "validation"); err != nil {
			return train, validation, err
		}
		if _, d := m.Validation.X.Dims(); d != m.Metric.Dim() {
			return train, validation, badInput("validation examples of %d features for a metric of %d", d, m.Metric.Dim())
		}
		return train, *m.Validation, nil
	}
	n, _ := x.Dims()
	held := m.HeldRows(n)
	if len(held) >= n || m.Held != nil && (len(held) == 0 || held[0] < 0 || held[len(held)-1] >= n) {
		return train, validation, badInput("%d of %d training examples to hold out for choosing the best iteration: want "+
			"some, and others to train on; or take the last iteration", len(held), n)
	}
	rest := make([]int, 0, n-len(held))
	for i := range n {
		if _, out := slices.BinarySearch(held, i); !out {
			rest = append(rest, i)
		}
	}
	return train.Rows(rest), train.Rows(held), nil
}

// HeldRows returns the rows of n training examples that are held out, in ascending order; nil if there are none.
func (m *Machine) HeldRows(n int) []int {
	switch {
	case m.Select == Last, m.Validation != nil:
		return nil
	case m.Held != nil:
		return m.Held
	}
	share := m.Holdout
	if share == 0 {
		share = DefaultHoldout
	}
	held := stream(m.Seed, "holdout", 0).Perm(n)[:min(n, max(1, int(math.Round(share*float64(n)))))]
	slices.Sort(held)
	return held
}

// checkMemory returns a [*MemoryError] if the fit would take more than the machine's Memory.
func (m *Machine) checkMemory(train Examples) error {
	n, d := train.X.Dims()
	_, c := train.Y.Dims()
	need := m.Bytes(n, d, c)
	if m.Memory > 0 && need > m.Memory {
		e := &MemoryError{Need: need, Limit: m.Memory, Examples: n, Solver: m.Solver.String()}
		if diagonal := *m; !m.Diagonal {
			diagonal.Diagonal = true
			e.Diagonal = diagonal.Bytes(n, d, c)
		}
		return e
	}
	return nil
}

// Bytes estimates the memory of a fit to n examples of d features, without that of the examples.
func (m *Machine) Bytes(n, d, outputs int) int64 {
	solver := m.Solver
	if solver == nil {
		solver = Cholesky{}
	}
	return solver.bytes(n, outputs) + m.workBytes(n, d, outputs)
}

// workBytes estimates the memory of an iteration without the solver's: the transformed points in both
// precisions, the values of a batch of every thread, matrices d×d, and the tiles of an AGOP by pairs.
func (m *Machine) workBytes(n, d, outputs int) int64 {
	side, tiles := int64(d), int64(0)
	if !m.Diagonal && m.Iterations > 0 {
		side *= int64(d)
	}
	if m.Iterations > 0 && pairsPay(n, d, outputs) {
		tiles = crew.MomentBytes(n, d) * int64(1+m.Precision)
	}
	threads := int64(cmp.Or(m.Threads, runtime.GOMAXPROCS(0)))
	return 16*int64(n)*int64(d+outputs) + max(64, 16*threads)*batchElements + 64*side + tiles
}

// stream returns the k-th source of random numbers for a named purpose.
func stream(seed uint64, name string, k int) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprintf(h, "rfm/1/%s/%d", name, k)
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}
