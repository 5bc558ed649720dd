package cnfa

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// Filters returns the filters after the steps of g from those of w0, m×d: all
// have moved by what their mean has (Lemma A.2), which leaves their covariance as
// it was. The width of g must be m.
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

// MeanFilter is w̄, the mean of the rows of W.
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

// SquaredProfile is the right side of eq. 8 (Theorem A.3) as it holds for any
// filters W, m×d, and an orthonormal basis of components p, d×k by columns: for
// every i
//
//	(1/m) Σⱼ ⟨wⱼ, pᵢ⟩² = ⟨w̄, pᵢ⟩² + Cᵢᵢ,
//
// in two parts, of the mean filter w̄ and of the filters' covariance C. In the
// paper C is σ²I, the covariance from which they are drawn. The energy of eq. 1 is
// the root of m times the sum.
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
