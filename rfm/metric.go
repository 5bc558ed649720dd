package rfm

import (
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Metric is the feature matrix M, positive semi-definite, of the distance
// ‖x − z‖²_M = (x − z)ᵀM(x − z): a full matrix or a diagonal one.
type Metric struct {
	full *mat.SymDense
	diag []float64
}

// Identity is the metric I of d features.
func Identity(d int) *Metric {
	m := &Metric{diag: make([]float64, d)}
	for i := range m.diag {
		m.diag[i] = 1
	}
	return m
}

// FullMetric is the metric m, which must be positive semi-definite up to
// rounding. It is used where it is, not copied.
func FullMetric(m *mat.SymDense) *Metric { return &Metric{full: m} }

// DiagonalMetric is the metric with the elements m, none negative, on its
// diagonal. It is used where it is, not copied.
func DiagonalMetric(m []float64) *Metric { return &Metric{diag: m} }

// Dim is the number of features.
func (m *Metric) Dim() int {
	if m.full != nil {
		return m.full.SymmetricDim()
	}
	return len(m.diag)
}

// IsDiagonal reports whether the metric is held as a diagonal.
func (m *Metric) IsDiagonal() bool { return m.full == nil }

// Diagonal returns the elements of the diagonal.
func (m *Metric) Diagonal() []float64 {
	d := make([]float64, m.Dim())
	copy(d, m.diag)
	if m.full != nil {
		for i := range d {
			d[i] = m.full.At(i, i)
		}
	}
	return d
}

// largest is the largest element, which lies on the diagonal.
func (m *Metric) largest() float64 { return slices.Max(m.Diagonal()) }

// Trace is the sum of the diagonal.
func (m *Metric) Trace() float64 {
	t := 0.
	for _, v := range m.Diagonal() {
		t += v
	}
	return t
}

// Dense returns M, d×d, not to be changed.
func (m *Metric) Dense() *mat.SymDense {
	if m.full != nil {
		return m.full
	}
	s := mat.NewSymDense(len(m.diag), nil)
	for i, v := range m.diag {
		s.SetSym(i, i, v)
	}
	return s
}
