package cnfa

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"
)

// ErrZero is returned where a similarity is not defined: a matrix is zero or, for centred measures, constant.
var ErrZero = errors.New("the similarity is not defined: a matrix is zero or constant")

// cnfm holds the CNFM of a layer, for comparisons with its AGOP.
type cnfm struct {
	blocks  []*cnfmBlock
	self    self    // of all blocks
	entries float64 // the number of entries of all blocks
	trace   float64
	own     bool // of W, not of W − W₀
}

// cnfmBlock holds M = DᵀD, d×d, of a block.
type cnfmBlock struct {
	f    *filters
	d    *mat.Dense    // D, c×d
	self self          // of M
	k    *mat.Dense    // K, once product has computed it
	gram *mat.SymDense // once small has computed it
	// values are the positive eigenvalues of M in ascending order, once findValues has found them.
	values []float64
}

// cnfm returns the CNFM of W − W₀, or of W where w0, the blocks of W₀, is nil.
func (l layer) cnfm(w0 []*mat.Dense) *cnfm {
	m := &cnfm{entries: l.entries(), own: w0 == nil}
	for i, f := range l {
		var start *mat.Dense
		if w0 != nil {
			start = w0[i]
		}
		b := f.cnfm(start)
		m.blocks = append(m.blocks, b)
		m.self.add(b.self)
		m.trace += square(b.d)
	}
	return m
}

// cnfm returns the block's part of [layer.cnfm].
func (f *filters) cnfm(w0 *mat.Dense) *cnfmBlock {
	m, v := &cnfmBlock{f: f, d: f.w}, f.u
	if w0 != nil {
		m.d = new(mat.Dense)
		m.d.Sub(f.w, w0)
		v = rowSums(m.d)
	}
	m.self = self{frobenius2(m.small()), mat.Dot(v, v)}
	return m
}

// small returns M where patches have fewer elements than there are filters, and DDᵀ elsewhere. Both have the same norm and
// positive eigenvalues.
func (m *cnfmBlock) small() *mat.SymDense {
	c, d := m.d.Dims()
	switch {
	case m.gram != nil:
	case d < c:
		m.gram = CNFM(m.d)
	case m.d == m.f.w:
		m.gram = m.f.gram()
	default:
		m.gram = outer(m.d)
	}
	return m.gram
}

// product returns K = WDᵀ, c×c.
func (m *cnfmBlock) product() *mat.Dense {
	switch {
	case m.k != nil:
	case m.d == m.f.w:
		m.k = dense(m.f.gram())
	default:
		m.k = new(mat.Dense)
		m.k.Mul(m.f.w, m.d.T())
	}
	return m.k
}

// project returns QᵀK for the basis q, c×r with orthonormal columns; nil is the identity.
func (m *cnfmBlock) project(q *mat.Dense) *mat.Dense {
	if q == nil {
		return m.product()
	}
	var qk mat.Dense
	if c, d := m.d.Dims(); d < c {
		qk.Mul(m.f.onto(q), m.d.T())
	} else {
		qk.Mul(q.T(), m.product())
	}
	return &qk
}

// self holds the inner product of a matrix, or of a list of blocks, with itself, and the sum of its elements.
type self struct{ norm2, sum float64 }

// add adds the sums of another block.
func (s *self) add(b self) {
	s.norm2 += b.norm2
	s.sum += b.sum
}

// pearson returns the correlation of all entries of all blocks of M and A, from ⟨M, A⟩.
func (m *cnfm) pearson(inner float64, a self) (float64, error) {
	d2 := m.entries
	return Ratio(inner-a.sum*m.self.sum/d2, m.self.norm2-m.self.sum*m.self.sum/d2, a.norm2-a.sum*a.sum/d2,
		m.self.norm2, a.norm2)
}

// cosine returns the cosine of M and A, from ⟨M, A⟩.
func (m *cnfm) cosine(inner float64, a self) (float64, error) {
	return Ratio(inner, m.self.norm2, a.norm2, m.self.norm2, a.norm2)
}

// Ratio returns xy/√(xx·yy), or [ErrZero] if xx or yy is 0 up to rounding, relative to scaleX or scaleY.
func Ratio(xy, xx, yy, scaleX, scaleY float64) (float64, error) {
	if !(xx > 1e-12*scaleX) || !(yy > 1e-12*scaleY) {
		return 0, ErrZero
	}
	return xy / math.Sqrt(xx*yy), nil
}
