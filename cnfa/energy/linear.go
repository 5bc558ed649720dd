package energy

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// LinearCNN is a linear CNN (paper energy, section 4; architecture linear-cnn) in closed form. By Lemmas A.1
// and A.2 it is the linear regression of labels on the average patches K of the images, N×d, and its weights
// are the mean w̄ of the filters. With models.MeanSquaredError the loss is ‖Kw̄ − y‖²/N. Its gradient is the
// same in every one of the m filters, (2/(Nm))Kᵀ(Kw̄ − y), so that gradient descent is
//
//	w̄ ← w̄ − (2η/(Nm)) Kᵀ(Kw̄ − y)
//
// and the filters' deviations from w̄ do not change. The paper's η (eq. 9, for the loss ½‖Kw − y‖²) is 2η/(Nm)
// here. Every method applies a function to the singular values of K, so that 10⁹ steps take as long as one.
// A LinearCNN may be used by several goroutines.
type LinearCNN struct {
	n, d int
	left *mat.Dense // N×r, r the rank
	v    *mat.Dense // d×r
	s    []float64  // singular values of K, all above rounding
}

// NewLinearCNN factors K, N×d. It returns an error if K is zero or not finite.
func NewLinearCNN(k mat.Matrix) (*LinearCNN, error) {
	n, d := k.Dims()
	if norm := mat.Norm(k, 2); norm == 0 || math.IsNaN(norm) || math.IsInf(norm, 0) {
		return nil, fmt.Errorf("cnfa: average patches of %d images with norm %v: want finite ones that are not all 0",
			n, norm)
	}
	var svd mat.SVD
	if !svd.Factorize(k, mat.SVDThin) {
		return nil, fmt.Errorf("cnfa: the singular values of the %d×%d average patches were not found", n, d)
	}
	l := &LinearCNN{n: n, d: d, s: svd.Values(nil)}
	least := l.s[0] * float64(max(n, d)) * 0x1p-52
	rank := 0
	for rank < len(l.s) && l.s[rank] > least {
		rank++
	}
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	l.left, l.v, l.s = mat.DenseCopyOf(u.Slice(0, n, 0, rank)), mat.DenseCopyOf(v.Slice(0, d, 0, rank)), l.s[:rank]
	return l, nil
}

// Rank returns the rank of KᵀK up to rounding. Where it is less than d, the optimum is not unique.
func (l *LinearCNN) Rank() int { return len(l.s) }

// Curvatures returns the eigenvalues of KᵀK/N that are not 0, in descending order.
func (l *LinearCNN) Curvatures() []float64 {
	h := make([]float64, len(l.s))
	for i, s := range l.s {
		h[i] = s * s / float64(l.n)
	}
	return h
}

// Descent is full-batch gradient descent on the mean squared error.
type Descent struct {
	Rate  float64 // η, the learning rate
	Width int     // m, the number of filters
	Steps int     // t
}

// Time returns ηt/m. For short steps, the progress of training depends on it alone.
func (g Descent) Time() float64 { return g.Rate * float64(g.Steps) / float64(g.Width) }

// MaxRate returns the learning rate above which gradient descent with width filters diverges: width/h with h
// the largest of the [LinearCNN.Curvatures].
func (l *LinearCNN) MaxRate(width int) float64 { return float64(width) / l.Curvatures()[0] }

// Optimum returns the mean filter of least loss for N labels y (Theorem 4.1), d long: (KᵀK)⁻¹Kᵀy or, where KᵀK
// is singular ([LinearCNN.Rank] below d), the one of least norm, K⁺y.
func (l *LinearCNN) Optimum(y []float64) ([]float64, error) {
	return l.filtered(y, func(float64) float64 { return 1 })
}

// Descend returns the mean filter after the steps of g (Theorem 4.2, eq. 9) from
// the mean filter start, d long; nil is 0:
//
//	w̄ = start + V(I − (I − (2η/m)S²/N)^t)(S⁻¹Pᵀy − Vᵀstart), K = PSVᵀ.
//
// Where descent diverges, the elements are huge or infinite, as they would be after these steps.
func (l *LinearCNN) Descend(y, start []float64, g Descent) ([]float64, error) {
	if err := g.check(); err != nil {
		return nil, err
	}
	learned := func(s float64) float64 { return g.learned(s * s / float64(l.n)) }
	w, err := l.filtered(y, learned)
	if err != nil || start == nil {
		return w, err
	}
	if len(start) != l.d {
		return nil, fmt.Errorf("cnfa: a mean filter of %d weights to start from: want %d", len(start), l.d)
	}
	gone := l.coordinates(start)
	for i, s := range l.s {
		gone[i] *= -learned(s)
	}
	floats.Add(w, l.vector(gone))
	floats.Add(w, start)
	return w, nil
}

// Regulariser returns Λ, d×d, such that the mean filter after the steps of g from 0 is (KᵀK + Λ)⁻¹Kᵀy
// (Theorem 4.2). It has the eigenvectors of KᵀK. Where KᵀK has the eigenvalue λ, with x = 2ηλ/(Nm), it has the
// eigenvalue
//
//	λ(1 − x)^t / (1 − (1 − x)^t), which is Nm/(2ηt) for λ = 0.
//
// It is positive definite for short steps, x < 1, and has negative eigenvalues after an odd number of longer
// ones. It does not exist before the first step, nor where (1 − x)^t is 1; that is an error.
func (l *LinearCNN) Regulariser(g Descent) (*mat.SymDense, error) {
	if err := g.check(); err != nil {
		return nil, err
	}
	if g.Steps == 0 {
		return nil, fmt.Errorf("cnfa: the regulariser before the first step is infinite: want at least 1 step")
	}
	flat := float64(l.n) * float64(g.Width) / (2 * g.Rate * float64(g.Steps))
	out := mat.NewSymDense(l.d, nil)
	for i := range l.d {
		out.SetSym(i, i, flat)
	}
	for i, s := range l.s {
		learned := g.learned(s * s / float64(l.n))
		if learned == 0 {
			return nil, fmt.Errorf(
				"cnfa: %d steps of rate %v lead back to the start along an eigenvector: there is no regulariser",
				g.Steps, g.Rate)
		}
		out.SymRankOne(out, s*s*(1-learned)/learned-flat, l.v.ColView(i))
	}
	return out, nil
}

// learned returns 1 − (1 − (2η/m)h)^t, the fraction of the optimum that is learned along an eigenvector of KᵀK/N
// with eigenvalue h.
func (g Descent) learned(h float64) float64 {
	x := 2 * g.Rate * h / float64(g.Width)
	if x < 1 {
		return -math.Expm1(float64(g.Steps) * math.Log1p(-x))
	}
	return 1 - math.Pow(1-x, float64(g.Steps))
}

func (g Descent) check() error {
	if !(g.Rate > 0) || math.IsInf(g.Rate, 0) || g.Width < 1 || g.Steps < 0 {
		return fmt.Errorf(
			"cnfa: %d steps of rate %v with %d filters: want a finite rate above 0, at least 1 filter and at least "+
				"0 steps", g.Steps, g.Rate, g.Width)
	}
	return nil
}

// filtered returns V·f(S)·S⁻¹·Pᵀy.
func (l *LinearCNN) filtered(y []float64, f func(s float64) float64) ([]float64, error) {
	if len(y) != l.n {
		return nil, fmt.Errorf("cnfa: %d labels for the average patches of %d images", len(y), l.n)
	}
	c := mat.NewVecDense(len(l.s), nil)
	c.MulVec(l.left.T(), mat.NewVecDense(l.n, y))
	out := c.RawVector().Data
	for i, s := range l.s {
		out[i] *= f(s) / s
	}
	return l.vector(out), nil
}

// coordinates returns Vᵀw; vector, its counterpart, returns Vc.
func (l *LinearCNN) coordinates(w []float64) []float64 {
	var c mat.VecDense
	c.MulVec(l.v.T(), mat.NewVecDense(l.d, w))
	return c.RawVector().Data
}

func (l *LinearCNN) vector(c []float64) []float64 {
	var w mat.VecDense
	w.MulVec(l.v, mat.NewVecDense(len(l.s), c))
	return w.RawVector().Data
}

// Filters returns the filters after the steps of g from w0, m×d. All filters move by as much as their mean
// (Lemma A.2), so that their covariance does not change. The width of g must be m.
func (l *LinearCNN) Filters(y []float64, w0 *mat.Dense, g Descent) (*mat.Dense, error) {
	m, d := w0.Dims()
	if m != g.Width || d != l.d {
		return nil, fmt.Errorf("cnfa: %d filters of %d weights for a descent of width %d on patches of %d pixels",
			m, d, g.Width, l.d)
	}
	start := MeanFilter(w0)
	now, err := l.Descend(y, start, g)
	if err != nil {
		return nil, err
	}
	w := mat.DenseCopyOf(w0)
	for j := range m {
		for i := range d {
			w.Set(j, i, w0.At(j, i)+now[i]-start[i])
		}
	}
	return w, nil
}

// MeanFilter returns w̄, the mean of the rows of W.
func MeanFilter(w *mat.Dense) []float64 {
	m, d := w.Dims()
	mean := make([]float64, d)
	for j := range m {
		for i, v := range w.RawRowView(j) {
			mean[i] += v / float64(m)
		}
	}
	return mean
}

// SquaredProfile returns the two terms on the right side of
//
//	(1/m) Σⱼ ⟨wⱼ, pᵢ⟩² = ⟨w̄, pᵢ⟩² + Cᵢᵢ,
//
// for filters W, m×d, and orthonormal components p, d×k, one per column: the term of the mean filter w̄ and that of
// the covariance C of the filters. It is eq. 8 (Theorem A.3) for any filters; in the paper C is σ²I, the covariance
// of the distribution that the filters are drawn from. The energy of eq. 1 is the root of m times the sum.
func SquaredProfile(w, p *mat.Dense) (mean, spread []float64) {
	m, _ := w.Dims()
	_, k := p.Dims()
	var wp mat.Dense
	wp.Mul(w, p)
	mean, spread = MeanFilter(&wp), make([]float64, k)
	for j := range m {
		for i, v := range wp.RawRowView(j) {
			spread[i] += (v - mean[i]) * (v - mean[i]) / float64(m)
		}
	}
	for i, v := range mean {
		mean[i] = v * v
	}
	return mean, spread
}
