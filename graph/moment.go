package graph

import (
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// Moment is a second moment S = Σ δδᵀ of n-vectors. It is held as S, as the diagonal of S, or as the vectors where
// there are few.
type Moment struct {
	n    int
	sym  *mat.SymDense
	diag []float64
	rows *mat.Dense // the vectors, one δᵀ a row; nil if another field is set, or if there are none
}

// N returns the length of the vectors.
func (m Moment) N() int { return m.n }

// Factor returns R with S = RᵀR, one δ a row, if the moment is held as its vectors.
func (m Moment) Factor() (r *mat.Dense, ok bool) { return m.rows, m.rows != nil }

// Sym returns S, n×n.
func (m Moment) Sym() *mat.SymDense {
	if m.sym != nil {
		return m.sym
	}
	s := mat.NewSymDense(m.n, nil)
	for i, v := range m.diag {
		s.SetSym(i, i, v)
	}
	if m.rows != nil {
		s.SymOuterK(1, m.rows.T())
	}
	return s
}

// Diagonal returns the diagonal of S.
func (m Moment) Diagonal() []float64 {
	d := slices.Clone(m.diag)
	if d == nil {
		d = make([]float64, m.n)
	}
	for i := range d {
		switch {
		case m.sym != nil:
			d[i] = m.sym.At(i, i)
		case m.rows != nil:
			c := m.rows.ColView(i)
			d[i] = mat.Dot(c, c)
		}
	}
	return d
}

// Sandwich returns Wᵀ S W for W of n rows.
func (m Moment) Sandwich(w mat.Matrix) *mat.SymDense {
	_, d := w.Dims()
	out := mat.NewSymDense(d, nil)
	if m.rows != nil {
		var rw mat.Dense
		rw.Mul(m.rows, w)
		out.SymOuterK(1, rw.T())
		return out
	}
	var sw, wsw mat.Dense
	sw.Mul(m.Sym(), w)
	wsw.Mul(w.T(), &sw)
	for i := range d {
		for j, v := range wsw.RawRowView(i)[i:] {
			out.SetSym(i, i+j, v)
		}
	}
	return out
}

// MomentOf returns the moment S = s.
func MomentOf(s *mat.SymDense) Moment { return Moment{n: s.SymmetricDim(), sym: s} }

// MomentOfRows returns the moment S = rᵀr, held as the rows of r.
func MomentOfRows(r *mat.Dense) Moment {
	_, n := r.Dims()
	return Moment{n: n, rows: r}
}

// SumMoments returns scale·Σ of at least one moment, all of one length. It is held as vectors if all of them are.
func SumMoments(ms []Moment, scale float64) Moment {
	n, total := ms[0].n, 0
	for _, m := range ms {
		r, few := m.Factor()
		if !few {
			return sumDense(ms, scale)
		}
		k, _ := r.Dims()
		total += k
	}
	rows := mat.NewDense(total, n, nil)
	at := 0
	for _, m := range ms {
		k, _ := m.rows.Dims()
		rows.Slice(at, at+k, 0, n).(*mat.Dense).Scale(math.Sqrt(scale), m.rows)
		at += k
	}
	return Moment{n: n, rows: rows}
}

func sumDense(ms []Moment, scale float64) Moment {
	sum := mat.NewSymDense(ms[0].n, nil)
	for _, m := range ms {
		sum.AddSym(sum, m.Sym())
	}
	sum.ScaleSym(scale, sum)
	return MomentOf(sum)
}

// accumulator adds up the moment at one node. For every batch, begin is called, then add for every pass, then end.
type accumulator interface {
	begin(n, examples int)
	add(delta *tensor.Dense) error
	end()
	take(scale float64) Moment
	bytes() int64
}

// newAccumulator returns the accumulator for cot. It holds vectors if one batch has fewer than half as many as they
// are long.
func newAccumulator(g *Graph, cot *Node, outputs int, o Outputs) accumulator {
	if g.dtype == tensor.Float64 {
		return accumulatorOf[float64](g, cot, o.Passes(outputs), o)
	}
	return accumulatorOf[float32](g, cot, o.Passes(outputs), o)
}

func accumulatorOf[T backend.Float](g *Graph, cot *Node, passes int, o Outputs) accumulator {
	var a accumulator
	switch {
	case o.Diagonal:
		a = newDiagonalMoment[T](g, cot)
	case 2*rows(cot)*passes <= cols(cot):
		a = &rowMoment{n: cols(cot), rows: rows(cot), passes: passes}
	default:
		a = newGramMoment[T](g, cot)
	}
	if o.Centred {
		return newCentredMoment[T](g, cot, passes, a)
	}
	return a
}

// gramMoment adds up S: in the graph's precision over the passes of a batch,
// in float64 over batches.
type gramMoment[T backend.Float] struct {
	engine  backend.Engine[T]
	n, rows int
	fresh   bool // no pass of the batch was added yet
	batch   []T
	total   []float64
}

func newGramMoment[T backend.Float](g *Graph, cot *Node) *gramMoment[T] {
	n := cols(cot)
	return &gramMoment[T]{engine: backend.EngineOf[T](g.device), n: n, rows: rows(cot), batch: make([]T, n*n),
		total: make([]float64, n*n)}
}

func (s *gramMoment[T]) begin(n, examples int) { s.fresh = true }

// add adds all rows of delta. The rows of examples that do not count are zero, because their cotangents are.
func (s *gramMoment[T]) add(delta *tensor.Dense) error {
	d := delta.Data().([]T)
	beta := T(1)
	if s.fresh {
		beta = 0
	}
	s.engine.Gemm(true, false, s.n, s.n, s.rows, d, d, beta, s.batch)
	s.fresh = false
	return nil
}

func (s *gramMoment[T]) end() {
	for i, v := range s.batch {
		s.total[i] += float64(v)
	}
}

func (s *gramMoment[T]) take(scale float64) Moment {
	sym := mat.NewSymDense(s.n, nil)
	for i := range s.n {
		for j := i; j < s.n; j++ {
			sym.SetSym(i, j, scale*(s.total[i*s.n+j]+s.total[j*s.n+i])/2)
		}
	}
	clear(s.total)
	return Moment{n: s.n, sym: sym}
}

func (s *gramMoment[T]) bytes() int64 { return 16 * int64(s.n) * int64(s.n) }

// rowMoment keeps the vectors until S is smaller than all of them.
type rowMoment struct {
	n, rows, passes int
	data            []float64
	sum             *mat.SymDense
}

func (s *rowMoment) begin(n, examples int) {}

// add adds all rows of delta, as gramMoment does.
func (s *rowMoment) add(delta *tensor.Dense) error {
	at, n := len(s.data), s.rows*s.n
	s.data = slices.Grow(s.data, n)[:at+n]
	copyFloats(s.data[at:], delta)
	return nil
}

func (s *rowMoment) end() {
	if len(s.data) > s.n*s.n {
		s.fold()
	}
}

// fold replaces the vectors by S.
func (s *rowMoment) fold() {
	if s.sum == nil {
		s.sum = mat.NewSymDense(s.n, nil)
	}
	if len(s.data) > 0 {
		s.sum.SymRankK(s.sum, 1, mat.NewDense(len(s.data)/s.n, s.n, s.data).T())
	}
	s.data = s.data[:0]
}

func (s *rowMoment) take(scale float64) Moment {
	if s.sum != nil {
		s.fold()
		sym := s.sum
		s.sum = nil
		sym.ScaleSym(scale, sym)
		return Moment{n: s.n, sym: sym}
	}
	m := Moment{n: s.n}
	if len(s.data) > 0 {
		m.rows = mat.NewDense(len(s.data)/s.n, s.n, s.data)
		m.rows.Scale(math.Sqrt(scale), m.rows)
	}
	s.data = nil
	return m
}

func (s *rowMoment) bytes() int64 {
	return 8 * int64(s.n) * int64(s.rows*s.passes)
}
