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
	// Pearson has the standard error PearsonStdErr, by the jackknife over groups of images, or over as many sets of them as
	// the null has draws if these are fewer; NaN with one group or one draw, and for the CNFM of W − W₀.
	Pearson, PearsonStdErr     float64
	PearsonNull, PearsonNullSD float64
	Draws                      []float64 // of the null, one by one
}

// spectrum holds the eigenvalues of A, those that are larger than rounding, with their eigenvectors v.
type spectrum struct {
	values []float64
	c      *mat.Dense // the eigenvectors as columns or, after [spectrumOfRows], C with v = XᵀC
	sums   []float64  // (1ᵀv)² of every eigenvector
}

// newSpectrum returns the spectrum of A on an orthonormal basis, on which 1 has the coordinates ones. It leaves out
// eigenvalues up to the fraction rounding of the largest.
func newSpectrum(a *mat.SymDense, ones *mat.VecDense, rounding float64) (*spectrum, error) {
	values, p, err := backend.EigenSym(a, true)
	if err != nil {
		return nil, err
	}
	n := len(values)
	s := &spectrum{values: above(rounding, values)}
	if len(s.values) == 0 {
		return s, nil
	}
	s.c = mat.DenseCopyOf(p.Slice(0, n, n-len(s.values), n))
	var sums mat.VecDense
	sums.MulVec(s.c.T(), ones)
	for i := range s.values {
		s.sums = append(s.sums, sums.AtVec(i)*sums.AtVec(i))
	}
	return s, nil
}

// spectrumOfRows returns the spectrum of A = XᵀX from XXᵀ = PΔPᵀ and X·1: its eigenvectors are XᵀPΔ^{−½}.
func spectrumOfRows(xx *mat.SymDense, ones *mat.VecDense) (*spectrum, error) {
	s, err := newSpectrum(xx, ones, doubleRounding)
	if err != nil || len(s.values) == 0 {
		return s, err
	}
	scaleColumns(s.c, s.values, func(v float64) float64 { return 1 / math.Sqrt(v) })
	for i, v := range s.values {
		s.sums[i] /= v
	}
	return s, nil
}

// productsWithRows returns vᵀMv of every eigenvector v, for M = DᵀD, from XDᵀ, after [spectrumOfRows].
func (s *spectrum) productsWithRows(xd *mat.Dense) []float64 {
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

// products returns vᵀMv of every eigenvector v, for M on the basis of A.
func (s *spectrum) products(m *mat.SymDense) []float64 {
	out := make([]float64, len(s.values))
	if len(out) == 0 {
		return nil
	}
	var mv mat.Dense
	mv.Mul(dense(m), s.c) // faster than dsymm
	for i := range m.SymmetricDim() {
		for j, x := range mv.RawRowView(i) {
			out[j] += x * s.c.At(i, j)
		}
	}
	return out
}

// power returns ⟨M, A^α⟩, from the products of M, and the norm and sum of A^α.
func (s *spectrum) power(alpha float64, products []float64) (inner float64, a self) {
	for i, v := range s.values {
		x := math.Pow(v, alpha)
		inner += x * products[i]
		a.norm2 += x * x
		a.sum += x * s.sums[i]
	}
	return inner, a
}

// spectra are the spectra of the blocks of A, with the products of the blocks of M.
type spectra []blockSpectrum

type blockSpectrum struct {
	*spectrum
	inner []float64 // vᵀMv of every eigenvector v
}

// power returns ⟨M, A^α⟩, and the norm and sum of A^α, over all blocks.
func (s spectra) power(alpha float64) (inner float64, a self) {
	for _, b := range s {
		x, p := b.spectrum.power(alpha, b.inner)
		inner += x
		a.add(p)
	}
	return inner, a
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

// scaleColumns multiplies each column of v by f of its eigenvalue, or by 0 if the eigenvalue is 0 up to rounding,
// relative to the largest.
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
