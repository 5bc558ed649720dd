package cnfa

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"
)

// ErrZero is returned where a similarity is not defined: a matrix is zero or, for centred measures, constant.
var ErrZero = errors.New("the similarity is not defined: a matrix is zero or constant")

// cnfm holds M = DᵀD, d×d, for comparisons with A = WᵀSW.
type cnfm struct {
	d    *mat.Dense // D, c×d
	k    *mat.Dense // K = WDᵀ, c×c
	self self       // of M
	size float64    // d
}

// cnfm returns the CNFM of W − W₀, or of W where w0 is nil.
func (f *filters) cnfm(w0 *mat.Dense) *cnfm {
	_, d := f.w.Dims()
	if w0 == nil {
		return &cnfm{d: f.w, k: dense(f.g), self: self{frobenius2(f.g), mat.Dot(f.u, f.u)}, size: float64(d)}
	}
	m := &cnfm{d: new(mat.Dense), k: new(mat.Dense), size: float64(d)}
	m.d.Sub(f.w, w0)
	m.k.Mul(f.w, m.d.T())
	v := rowSums(m.d)
	m.self = self{frobenius2(outer(m.d)), mat.Dot(v, v)}
	return m
}

// project returns QᵀK for the basis q, c×r with orthonormal columns; nil is the identity.
func (m *cnfm) project(q *mat.Dense) *mat.Dense {
	if q == nil {
		return m.k
	}
	var qk mat.Dense
	qk.Mul(q.T(), m.k)
	return &qk
}

// on returns QᵀKKᵀQ.
func (m *cnfm) on(q *mat.Dense) *mat.SymDense { return outer(m.project(q)) }

// self holds the inner product of a d×d matrix with itself, and the sum of its elements.
type self struct{ norm2, sum float64 }

// pearson returns the correlation of all d² elements of M and A, from ⟨M, A⟩.
func (m *cnfm) pearson(inner float64, a self) (float64, error) {
	d2 := m.size * m.size
	return ratio(inner-a.sum*m.self.sum/d2, m.self.norm2-m.self.sum*m.self.sum/d2, a.norm2-a.sum*a.sum/d2,
		m.self.norm2, a.norm2)
}

// cosine returns the cosine of M and A, from ⟨M, A⟩.
func (m *cnfm) cosine(inner float64, a self) (float64, error) {
	return ratio(inner, m.self.norm2, a.norm2, m.self.norm2, a.norm2)
}

// ratio returns xy/√(xx·yy), or [ErrZero] where xx or yy is no more than rounding, relative to its scale.
func ratio(xy, xx, yy, scaleX, scaleY float64) (float64, error) {
	if !(xx > 1e-12*scaleX) || !(yy > 1e-12*scaleY) {
		return 0, ErrZero
	}
	return xy / math.Sqrt(xx*yy), nil
}
