package cnfa

import (
	"math"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// PowerSimilarity is Pearson's similarity of M and A^α, with its null: the mean and the standard deviation of the
// similarity of M and (WᵀQSQᵀW)^α, over the same rotations Q as those of α = 1.
type PowerSimilarity struct {
	Exponent float64 // α
	// Pearson has the standard error PearsonStdErr, by the jackknife over groups of images; NaN with one group, and for
	// the CNFM of W − W₀.
	Pearson, PearsonStdErr     float64
	PearsonNull, PearsonNullSD float64
	Draws                      []float64 // of the null, one by one
}

// spectrum holds the eigenvalues of A = XᵀX, d×d, those that are larger than rounding. With XXᵀ = PΔPᵀ the
// eigenvectors are the columns of XᵀC for C = PΔ^{−½}.
type spectrum struct {
	values []float64
	c      *mat.Dense
	sums   []float64 // (1ᵀv)² of every eigenvector v
}

// newSpectrum returns the spectrum of XᵀX from XXᵀ and X·1, without eigenvalues that are no more than a share of the largest.
func newSpectrum(xx *mat.SymDense, ones *mat.VecDense, rounding float64) (*spectrum, error) {
	values, p, err := backend.EigenSym(xx, true)
	if err != nil {
		return nil, err
	}
	n := len(values)
	s := &spectrum{values: above(rounding, values)}
	if len(s.values) == 0 {
		return s, nil
	}
	s.c = mat.DenseCopyOf(p.Slice(0, n, n-len(s.values), n))
	scaleColumns(s.c, s.values, func(v float64) float64 { return 1 / math.Sqrt(v) })
	var sums mat.VecDense
	sums.MulVec(s.c.T(), ones)
	for i := range s.values {
		s.sums = append(s.sums, sums.AtVec(i)*sums.AtVec(i))
	}
	return s, nil
}

// products returns vᵀMv of every eigenvector v, for M = DᵀD, from XDᵀ.
func (s *spectrum) products(xd *mat.Dense) []float64 {
	if len(s.values) == 0 {
		return nil
	}
	var vd mat.Dense
	vd.Mul(s.c.T(), xd)
	out := make([]float64, len(s.values))
	for i := range out {
		row := vd.RawRowView(i)
		out[i] = floats.Dot(row, row)
	}
	return out
}

// productsOn is products for A with the core LLᵀ on a basis Q, from QᵀKKᵀQ.
func (s *spectrum) productsOn(l *mat.Dense, kk *mat.SymDense) []float64 {
	if len(s.values) == 0 {
		return nil
	}
	var lc, klc mat.Dense
	lc.Mul(l, s.c)
	klc.Mul(kk, &lc)
	out := make([]float64, len(s.values))
	for j := range out {
		out[j] = mat.Dot(lc.ColView(j), klc.ColView(j))
	}
	return out
}

// power returns A^α, and ⟨M, A^α⟩ from the products of M.
func (s *spectrum) power(alpha float64, products []float64) (inner float64, a self) {
	for i, v := range s.values {
		x := math.Pow(v, alpha)
		inner += x * products[i]
		a.norm2 += x * x
		a.sum += x * s.sums[i]
	}
	return inner, a
}

// spectra are the spectra of the blocks of A, with the products of those of M.
type spectra []blockSpectrum

type blockSpectrum struct {
	*spectrum
	inner []float64 // vᵀMv of every eigenvector v
}

// power returns A^α, block by block, and its inner product with M.
func (s spectra) power(alpha float64) (inner float64, a self) {
	for _, b := range s {
		x, p := b.spectrum.power(alpha, b.inner)
		inner += x
		a.add(p)
	}
	return inner, a
}

// spectrum returns the spectrum of WᵀSW from the core s of S, whose rounding is given, and the factor L, s = LLᵀ, with
// X = LᵀQᵀW.
func (s *layerSpace) spectrum(core *mat.SymDense, rounding float64) (*spectrum, *mat.Dense, error) {
	l, err := factor(core)
	if err != nil {
		return nil, nil, err
	}
	var ones mat.VecDense
	ones.MulVec(l.T(), s.u)
	a, err := newSpectrum(congruence(l, s.g), &ones, rounding)
	return a, l, err
}

// factor returns L with LLᵀ = s for a positive semi-definite s, which may be singular: Cholesky's, or one from its
// eigenvectors.
func factor(s *mat.SymDense) (*mat.Dense, error) {
	n := s.SymmetricDim()
	copied := mat.NewSymDense(n, nil)
	copied.CopySym(s)
	if u, ok := backend.Cholesky(copied); ok {
		l := mat.NewDense(n, n, nil)
		for i := range n {
			for j := i; j < n; j++ {
				l.Set(j, i, u.Data[i*u.Stride+j])
			}
		}
		return l, nil
	}
	values, v, err := backend.EigenSym(s, true)
	if err != nil {
		return nil, err
	}
	scaleColumns(v, values, math.Sqrt)
	return v, nil
}

// scaleColumns multiplies the columns of v by f of their eigenvalues, or by 0 where an eigenvalue is no more than
// rounding of the largest.
func scaleColumns(v *mat.Dense, values []float64, f func(float64) float64) {
	floor := 1e-13 * values[len(values)-1]
	rows, _ := v.Dims()
	for j, x := range values {
		k := 0.
		if x > floor {
			k = f(x)
		}
		for i := range rows {
			v.Set(i, j, k*v.At(i, j))
		}
	}
}
