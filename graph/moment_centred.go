package graph

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

func (s *diagonalMoment[T]) begin(n, examples int) {}

func (s *diagonalMoment[T]) add(_ int, delta *tensor.Dense) error {
	d := delta.Data().([]T)
	s.engine.DotRows(d, d, s.pass)
	for i, v := range s.pass {
		s.total[i] += float64(v)
	}
	return nil
}

func (s *diagonalMoment[T]) end() {}

func (s *diagonalMoment[T]) take(scale float64) Moment {
	m := Moment{n: len(s.total), diag: s.total}
	for i := range m.diag {
		m.diag[i] *= scale
	}
	s.total = make([]float64, len(s.total))
	return m
}

func (s *diagonalMoment[T]) bytes() int64 { return 16 * int64(len(s.total)) }

// centredMoment is a moment of vectors minus the mean m of their pass:
// Σ(δ − m)(δ − m)ᵀ = Σδδᵀ − n·mmᵀ.
type centredMoment[T backend.Float] struct {
	accumulator
	vectors
	engine  backend.Engine[T]
	perPass []T
	sums    []float64 // Σδ of each pass, one after the other
	counted int       // vectors that were added to each pass
}

func newCentredMoment[T backend.Float](e backend.Engine[T], v vectors, a accumulator) *centredMoment[T] {
	return &centredMoment[T]{accumulator: a, vectors: v, engine: e, perPass: make([]T, v.n),
		sums: make([]float64, v.n*v.passes)}
}

func (s *centredMoment[T]) begin(n, examples int) {
	s.counted += s.rows / examples * n
	s.accumulator.begin(n, examples)
}

func (s *centredMoment[T]) add(pass int, delta *tensor.Dense) error {
	s.engine.SumRows(delta.Data().([]T), s.perPass)
	for i, v := range s.perPass {
		s.sums[pass*s.n+i] += float64(v)
	}
	return s.accumulator.add(pass, delta)
}

func (s *centredMoment[T]) take(scale float64) Moment {
	m := s.accumulator.take(scale)
	weight := -scale / float64(max(s.counted, 1))
	if m.diag == nil {
		m = MomentOf(m.Sym())
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

func (s *centredMoment[T]) bytes() int64 { return s.accumulator.bytes() + 8*int64(len(s.sums)) }
