package moment

import (
	"github.com/ansatz-lab/ansatz/graph/backend"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// diagonalMoment adds up Σδ², element by element.
type diagonalMoment[T backend.Float] struct {
	engine backend.Engine[T]
	pass   []T
	total  []float64
}

func newDiagonalMoment[T backend.Float](e backend.Engine[T], n int) *diagonalMoment[T] {
	return &diagonalMoment[T]{engine: e, pass: make([]T, n), total: make([]float64, n)}
}

func (s *diagonalMoment[T]) Begin(n, examples int) {}

func (s *diagonalMoment[T]) Add(_ int, delta *tensor.Dense) error {
	d := delta.Data().([]T)
	s.engine.DotRows(d, d, s.pass)
	for i, v := range s.pass {
		s.total[i] += float64(v)
	}
	return nil
}

func (s *diagonalMoment[T]) End() {}

func (s *diagonalMoment[T]) Take(scale float64) Moment {
	m := Moment{n: len(s.total), diag: s.total}
	for i := range m.diag {
		m.diag[i] *= scale
	}
	s.total = make([]float64, len(s.total))
	return m
}

func (s *diagonalMoment[T]) Bytes(int64) int64 { return 16 * int64(len(s.total)) }

// centredMoment is a moment of vectors minus the mean m of their pass:
// Σ(δ − m)(δ − m)ᵀ = Σδδᵀ − n·mmᵀ.
type centredMoment[T backend.Float] struct {
	Accumulator
	vectors
	engine  backend.Engine[T]
	perPass []T
	sums    []float64 // Σδ of each pass, one after the other
	counted int       // the number of vectors added in each pass
}

func newCentredMoment[T backend.Float](e backend.Engine[T], v vectors, a Accumulator) *centredMoment[T] {
	return &centredMoment[T]{Accumulator: a, vectors: v, engine: e, perPass: make([]T, v.n),
		sums: make([]float64, v.n*v.passes)}
}

func (s *centredMoment[T]) Begin(n, examples int) {
	s.counted += s.rows / examples * n
	s.Accumulator.Begin(n, examples)
}

func (s *centredMoment[T]) Add(pass int, delta *tensor.Dense) error {
	s.engine.SumRows(delta.Data().([]T), s.perPass)
	for i, v := range s.perPass {
		s.sums[pass*s.n+i] += float64(v)
	}
	return s.Accumulator.Add(pass, delta)
}

func (s *centredMoment[T]) Take(scale float64) Moment {
	m := s.Accumulator.Take(scale)
	weight := -scale / float64(max(s.counted, 1))
	if m.diag == nil {
		m = Of(m.Sym())
	}
	for at := 0; at < len(s.sums); at += s.n {
		sum := s.sums[at : at+s.n]
		if m.sym != nil {
			m.sym.SymRankOne(m.sym, weight, mat.NewVecDense(s.n, sum))
			continue
		}
		for i, v := range sum {
			m.diag[i] = max(0, m.diag[i]+weight*v*v) // rounding could make it negative
		}
	}
	clear(s.sums)
	s.counted = 0
	return m
}

func (s *centredMoment[T]) Bytes(batches int64) int64 {
	return s.Accumulator.Bytes(batches) + 8*int64(len(s.sums))
}
