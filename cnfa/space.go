package cnfa

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// ErrZero is returned where a similarity is not defined because a matrix is
// zero (or, for the centred ones, constant).
var ErrZero = errors.New("the similarity is not defined: a matrix is zero or constant")

// layerSpace is the geometry of one layer, in which all that the measures need
// is computed without any d×d matrix (d the patch size), for
//
//	M = DᵀD, the CNFM, with D = W or W − W₀, and A = WᵀSW, the AGOP.
//
// With G = WWᵀ, K = WDᵀ, u = W·1 and v = D·1 the inner products are
//
//	⟨M, A⟩ = tr(KKᵀS),  ⟨A, A⟩ = tr(GSGS),  ⟨M, M⟩ = ‖DDᵀ‖²,
//	1ᵀA1 = uᵀSu,  1ᵀM1 = ‖v‖²,
//
// and the sums centre them: ⟨P, Q⟩ − (1ᵀP1)(1ᵀQ1)/d². S enters only through a
// core s = QᵀSQ on an orthonormal basis Q of either the range of W or that of
// S, whichever is smaller.
type layerSpace struct {
	d     float64       // patch size
	g     *mat.SymDense // QᵀGQ
	kk    *mat.SymDense // QᵀKKᵀQ
	u     *mat.VecDense // Qᵀu
	norm2 float64       // ⟨M, M⟩
	sum   float64       // 1ᵀM1
}

// filters is what a layer's space is made from.
type filters struct {
	w, d *mat.Dense // c×d; d is w or w − w₀
	g    *mat.SymDense
	k    *mat.Dense
	u    *mat.VecDense
	// norm2 and sum are those of the CNFM.
	norm2, sum float64
}

// newFilters prepares W, and W₀ unless nil.
func newFilters(w, w0 *mat.Dense) *filters {
	f := &filters{w: w, d: w, g: outer(w)}
	f.u = rowSums(w)
	if w0 == nil {
		f.k = dense(f.g)
		f.norm2, f.sum = frobenius2(f.g), mat.Dot(f.u, f.u)
		return f
	}
	f.d = new(mat.Dense)
	f.d.Sub(w, w0)
	f.k = new(mat.Dense)
	f.k.Mul(w, f.d.T())
	v := rowSums(f.d)
	f.norm2, f.sum = frobenius2(outer(f.d)), mat.Dot(v, v)
	return f
}

// outer returns wwᵀ.
func outer(w *mat.Dense) *mat.SymDense {
	c, _ := w.Dims()
	g := mat.NewSymDense(c, nil)
	g.SymOuterK(1, w)
	return g
}

// rowSums returns w·1.
func rowSums(w *mat.Dense) *mat.VecDense {
	c, _ := w.Dims()
	u := mat.NewVecDense(c, nil)
	for i := range c {
		u.SetVec(i, floats.Sum(w.RawRowView(i)))
	}
	return u
}

// bare is the space without a basis: enough to normalise products.
func (f *filters) bare() *layerSpace {
	_, d := f.w.Dims()
	return &layerSpace{d: float64(d), norm2: f.norm2, sum: f.sum}
}

// on returns the space on the basis q, c×r with orthonormal columns; nil is
// the identity.
func (f *filters) on(q *mat.Dense) *layerSpace {
	s := f.bare()
	if q == nil {
		s.g, s.kk, s.u = f.g, outer(f.k), f.u
		return s
	}
	var qk mat.Dense
	qk.Mul(q.T(), f.k)
	s.g, s.kk, s.u = congruence(q, f.g), outer(&qk), new(mat.VecDense)
	s.u.MulVec(q.T(), f.u)
	return s
}

// congruence returns qᵀaq.
func congruence(q *mat.Dense, a *mat.SymDense) *mat.SymDense {
	var aq, qaq mat.Dense
	aq.Mul(a, q)
	qaq.Mul(q.T(), &aq)
	return symmetric(&qaq)
}

// symmetric returns the symmetric part of a square matrix.
func symmetric(a *mat.Dense) *mat.SymDense {
	n, _ := a.Dims()
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			s.SetSym(i, j, (a.At(i, j)+a.At(j, i))/2)
		}
	}
	return s
}

// frobenius2 returns ‖a‖².
func frobenius2(a *mat.SymDense) float64 { return traceProduct(a, a) }

// traceProduct returns tr(ab) of symmetric matrices.
func traceProduct(a, b *mat.SymDense) float64 {
	n := a.SymmetricDim()
	ra, rb := a.RawSymmetric(), b.RawSymmetric()
	s := 0.
	for i := range n {
		x, y := ra.Data[i*ra.Stride+i:i*ra.Stride+n], rb.Data[i*rb.Stride+i:i*rb.Stride+n]
		s += x[0] * y[0]
		for j := 1; j < len(x); j++ {
			s += 2 * x[j] * y[j]
		}
	}
	return s
}

// products are the inner products of a matrix A with M and with itself, and the
// sum of its elements.
type products struct{ inner, norm2, sum float64 }

// of returns the products of A = WᵀSW.
func (s *layerSpace) of(core *mat.SymDense) products {
	return products{
		inner: traceProduct(s.kk, core),
		norm2: traceSquare(product(s.g, core)),
		sum:   mat.Inner(s.u, core, s.u),
	}
}

// product returns ab. (gonum multiplies two symmetric matrices element by
// element; one symmetric and one dense matrix go to BLAS.)
func product(a, b *mat.SymDense) *mat.Dense {
	var ab mat.Dense
	ab.Mul(a, dense(b))
	return &ab
}

// dense returns a in full.
func dense(a *mat.SymDense) *mat.Dense {
	n := a.SymmetricDim()
	raw := a.RawSymmetric()
	full := mat.NewDense(n, n, nil)
	for i := range n {
		row := full.RawRowView(i)
		for j := i; j < n; j++ {
			v := raw.Data[i*raw.Stride+j]
			row[j] = v
			full.Set(j, i, v)
		}
	}
	return full
}

// traceSquare returns tr(aa) of a square matrix.
func traceSquare(a *mat.Dense) float64 {
	n, _ := a.Dims()
	s := 0.
	for i := range n {
		row := a.RawRowView(i)
		for j, x := range row {
			s += x * a.At(j, i)
		}
	}
	return s
}

// pearson returns the correlation of all d² elements of M and A.
func (s *layerSpace) pearson(p products) (float64, error) {
	d2 := s.d * s.d
	return ratio(p.inner-p.sum*s.sum/d2, s.norm2-s.sum*s.sum/d2, p.norm2-p.sum*p.sum/d2, s.norm2, p.norm2)
}

// cosine returns the same without centring.
func (s *layerSpace) cosine(p products) (float64, error) {
	return ratio(p.inner, s.norm2, p.norm2, s.norm2, p.norm2)
}

// ratio returns xy/√(xx·yy). Values that are rounding beside their scale count
// as zero.
func ratio(xy, xx, yy, scaleX, scaleY float64) (float64, error) {
	if !(xx > 1e-12*scaleX) || !(yy > 1e-12*scaleY) {
		return 0, ErrZero
	}
	return xy / math.Sqrt(xx*yy), nil
}
