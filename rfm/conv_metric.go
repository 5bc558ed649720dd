package rfm

import (
	"math"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"gonum.org/v1/gonum/mat"
)

// lensOf returns the W with which a kernel of patches sees them: with WᵀW = M,
// or with WᵀW = M² if whole, so that ‖Wh‖ is ‖M^½h‖ or ‖Mh‖.
func (m *Metric) lensOf(whole bool) (*lens, error) {
	l, err := m.lens(true)
	if err != nil || !whole {
		return l, err
	}
	if l.full == nil {
		return diagonalLens(squares(m.diag))
	}
	r, _ := l.full.Dims()
	for i := range r { // a row √λ·q becomes λ·q
		row := mat.NewVecDense(l.d, l.full.RawRowView(i))
		row.ScaleVec(mat.Norm(row, 2), row)
	}
	return l, nil
}

func squares(v []float64) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = x * x
	}
	return out
}

// keepLargest returns the metric with only a share of its eigenvalues, the
// largest, rounded up; all for 0 or 1.
func (m *Metric) keepLargest(share float64) (*Metric, error) {
	if share == 0 || share == 1 {
		return m, nil
	}
	values, vectors, err := backend.EigenSym(m.Dense(), true)
	if err != nil {
		return nil, errMetric
	}
	d := len(values)
	first := d - int(math.Ceil(share*float64(d)))
	kept := mat.DenseCopyOf(vectors.Slice(0, d, first, d))
	scaled := mat.DenseCopyOf(kept)
	for j, v := range values[first:] {
		for i := range d {
			scaled.Set(i, j, max(v, 0)*kept.At(i, j))
		}
	}
	out := mat.NewSymDense(d, nil)
	var product mat.Dense
	product.Mul(scaled, kept.T())
	for i := range d {
		for j := i; j < d; j++ {
			out.SetSym(i, j, (product.At(i, j)+product.At(j, i))/2)
		}
	}
	return FullMetric(out), nil
}
