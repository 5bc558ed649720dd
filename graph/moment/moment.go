// Package moment computes second moments S = Σ δδᵀ of vectors. It holds them as matrices, as diagonals, as blocks on the
// diagonal, or as the vectors themselves if there are few.
package moment

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Moment is a second moment S = Σ δδᵀ of n-vectors. It is held as S, as the diagonal of S, or as the vectors if there
// are few. The moment of a layer with groups has only the blocks of S on the diagonal, see [Moment.Blocks].
type Moment struct {
	n      int
	sym    *mat.SymDense
	diag   []float64
	rows   *mat.Dense // the vectors, one δᵀ per row; nil if another field is set, or if there are none
	blocks []Moment   // one for each group, if there are several; of the other fields only n is then set
}

// N returns the length of the vectors.
func (m Moment) N() int { return m.n }

// Factor returns R with S = RᵀR, one δ per row, if the moment is held as its vectors.
func (m Moment) Factor() (r *mat.Dense, ok bool) { return m.rows, m.rows != nil }

// Sym returns S, n×n, with zeros outside of its blocks.
func (m Moment) Sym() *mat.SymDense {
	if m.sym != nil {
		return m.sym
	}
	s := mat.NewSymDense(m.n, nil)
	m.placeBlocks(s)
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
	if m.blocks != nil {
		return m.blockDiagonals()
	}
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

// Sandwich returns WᵀSW for W of n rows. With several blocks it is the sum of W_gᵀS_gW_g over the blocks.
func (m Moment) Sandwich(w mat.Matrix) *mat.SymDense {
	_, d := w.Dims()
	out := mat.NewSymDense(d, nil)
	if m.blocks != nil {
		m.sandwichBlocks(out, mat.DenseCopyOf(w))
		return out
	}
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

// Of returns the moment S = s.
func Of(s *mat.SymDense) Moment { return Moment{n: s.SymmetricDim(), sym: s} }

// OfRows returns the moment S = rᵀr, held as the rows of r.
func OfRows(r *mat.Dense) Moment {
	_, n := r.Dims()
	return Moment{n: n, rows: r}
}

// Sum returns the sum of at least one moment, times scale. All must have the same length and number of blocks. The sum is
// held as vectors if all moments are.
func Sum(ms []Moment, scale float64) Moment {
	if ms[0].blocks != nil {
		return sumBlocks(ms, scale)
	}
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
	return Of(sum)
}
