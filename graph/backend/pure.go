package backend

import (
	"github.com/ansatz-lab/ansatz/graph/backend/kernel"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// pure is the engine in Go. The native engines embed it and override what their libraries do faster.
type pure[T Float] struct {
	threads int
	gemm    func(transA, transB bool, m, n, k int, a, b []T, beta T, c []T)
	scratch scratch[T]
	loops   *kernel.Loops[T] // nil for the portable ones, until prepare
	rooms   []room[T]        // one per thread
	team    *team            // nil until there is work to divide
}

// room is one thread's scratch memory for chains and reductions.
type room[T Float] struct {
	results    [MaxChain][block]T // of a chain's instructions
	sums       []float64
	some, diff []T
}

// prepare sets the loops and rooms if they are nil.
func (e *pure[T]) prepare() {
	if e.loops == nil {
		e.loops = kernel.InGo[T]()
	}
	if e.rooms == nil {
		e.rooms = make([]room[T], e.threads)
	}
}

// parallel divides work among the threads: see team.run.
func (e *pure[T]) parallel(n, grain int, f func(part, lo, hi int)) (parts int) {
	if e.team == nil {
		e.team = newTeam(e.threads)
	}
	return e.team.run(n, grain, f)
}

func openPure(threads int) *Device {
	return &Device{
		name: "go", threads: threads, worker: &caller{},
		f32: newSingle(threads, kernel.Fastest),
		f64: &pure[float64]{threads: threads, gemm: gonumDgemm},
	}
}

func (e *pure[T]) Gemm(transA, transB bool, m, n, k int, a, b []T, beta T, c []T) {
	e.gemm(transA, transB, m, n, k, a, b, beta, c)
}

// Gram computes all of C.
func (e *pure[T]) Gram(n int, a []T, beta T, c []T) {
	e.gemm(true, false, n, n, len(a)/n, a, a, beta, c)
}

func gonumDgemm(transA, transB bool, m, n, k int, a, b []float64, beta float64, c []float64) {
	ta, lda := transpose(transA, m, k)
	tb, ldb := transpose(transB, k, n)
	gonum.Implementation{}.Dgemm(ta, tb, m, n, k, 1, a, lda, b, ldb, beta, c, n)
}

// transpose returns BLAS's flag and leading dimension for a matrix whose op is
// rows×cols.
func transpose(trans bool, rows, cols int) (blas.Transpose, int) {
	if trans {
		return blas.Trans, rows
	}
	return blas.NoTrans, cols
}

// scratch lends slices for the duration of one call and keeps them for the next, so that a step does not allocate.
type scratch[T Float] struct{ free [][]T }

// take returns a slice of n elements, not cleared.
func (s *scratch[T]) take(n int) []T {
	best := -1
	for i, b := range s.free {
		if cap(b) >= n && (best < 0 || cap(b) < cap(s.free[best])) {
			best = i
		}
	}
	if best < 0 {
		return make([]T, n)
	}
	b := s.free[best]
	last := len(s.free) - 1
	s.free[best] = s.free[last]
	s.free = s.free[:last]
	return b[:n]
}

// give takes back slices that take returned.
func (s *scratch[T]) give(bs ...[]T) { s.free = append(s.free, bs...) }
