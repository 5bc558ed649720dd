package rfm

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Metric is the feature matrix M, positive semi-definite, of the distance
// ‖x − z‖²_M = (x − z)ᵀM(x − z): a full matrix or a diagonal one.
type Metric struct {
	full *mat.SymDense
	diag []float64
}

// Identity returns the metric I of d features.
func Identity(d int) *Metric { return DiagonalMetric(slices.Repeat([]float64{1}, d)) }

// FullMetric returns the metric m, which must be positive semi-definite up to rounding. It does not copy m.
func FullMetric(m *mat.SymDense) *Metric { return &Metric{full: m} }

// DiagonalMetric returns the metric with the diagonal m, whose elements must not be negative. It does not copy m.
func DiagonalMetric(m []float64) *Metric { return &Metric{diag: m} }

// Dim returns the number of features.
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

// largest returns the largest element, which is on the diagonal.
func (m *Metric) largest() float64 { return slices.Max(m.Diagonal()) }

// Trace returns the sum of the diagonal.
func (m *Metric) Trace() float64 { return floats.Sum(m.Diagonal()) }

// Dense returns M, d×d. The caller must not change it.
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

// The first byte of a marshalled metric says what the numbers after it are.
const (
	diagonalBytes = 'd'
	fullBytes     = 'f' // the upper half, row after row
)

// MarshalBinary implements [encoding.BinaryMarshaler], also for package gob: the d numbers of a diagonal
// metric, or the d·(d+1)/2 of a full one, bit for bit.
func (m *Metric) MarshalBinary() ([]byte, error) {
	kind, numbers := byte(diagonalBytes), m.diag
	if !m.IsDiagonal() {
		kind, numbers = fullBytes, upperHalf(m.full)
	}
	b := bytes.NewBuffer([]byte{kind})
	err := binary.Write(b, binary.LittleEndian, numbers)
	return b.Bytes(), err
}

func upperHalf(m *mat.SymDense) []float64 {
	raw := m.RawSymmetric()
	all := make([]float64, 0, raw.N*(raw.N+1)/2)
	for i := range raw.N {
		all = append(all, raw.Data[i*raw.Stride+i:i*raw.Stride+raw.N]...)
	}
	return all
}

// UnmarshalBinary implements [encoding.BinaryUnmarshaler]. It returns an error, and leaves m as it was, for
// bytes that are not in the form of MarshalBinary; it does not check the numbers.
func (m *Metric) UnmarshalBinary(b []byte) error {
	if len(b) == 0 || len(b)%8 != 1 {
		return errors.New("rfm: the bytes of a metric are incomplete")
	}
	numbers := make([]float64, len(b)/8)
	if _, err := binary.Decode(b[1:], binary.LittleEndian, numbers); err != nil {
		return err
	}
	switch d := int(math.Sqrt(2 * float64(len(numbers)))); {
	case b[0] == diagonalBytes:
		m.diag, m.full = numbers, nil
	case b[0] == fullBytes && d*(d+1)/2 == len(numbers) && d > 0:
		m.diag, m.full = nil, mat.NewSymDense(d, nil)
		for i, at := 0, 0; i < d; i++ {
			for j := i; j < d; j++ {
				m.full.SetSym(i, j, numbers[at])
				at++
			}
		}
	default:
		return errors.New("rfm: not the bytes of a metric")
	}
	return nil
}

// lensOf returns the lens for a kernel of patches h, with WᵀW = M or, if whole, with WᵀW = M², so that ‖Wh‖ is
// ‖M^½h‖ or ‖Mh‖.
func (m *Metric) lensOf(whole bool) (*lens, error) {
	l, err := m.lens(true)
	if err != nil || !whole {
		return l, err
	}
	if l.full == nil {
		return diagonalLens(floats.MulTo(make([]float64, m.Dim()), m.diag, m.diag))
	}
	r, _ := l.full.Dims()
	for i := range r { // a row √λ·q becomes λ·q
		row := mat.NewVecDense(l.d, l.full.RawRowView(i))
		row.ScaleVec(mat.Norm(row, 2), row)
	}
	return l, nil
}

// Filters returns a matrix W with WᵀW = M or, if whole, with WᵀW = M², so that ‖Wh‖ is ‖M^½h‖ or ‖Mh‖. Its rows are the
// filters.
func (m *Metric) Filters(whole bool) (*mat.Dense, error) {
	l, err := m.lensOf(whole)
	if err != nil {
		return nil, err
	}
	if w := l.matrix(); w != nil {
		return mat.DenseCopyOf(w), nil
	}
	return mat.DenseCopyOf(Identity(l.d).Dense()), nil
}

// ToPower returns M^α, computed from the eigenvalues of M; negative ones count as 0. For α = 1 it returns m itself.
func (m *Metric) ToPower(alpha float64) (*Metric, error) {
	if alpha == 1 {
		return m, nil
	}
	if m.IsDiagonal() {
		out := m.Diagonal()
		for i, v := range out {
			if v-v != 0 {
				return nil, errMetric
			}
			out[i] = math.Pow(max(v, 0), alpha)
		}
		return DiagonalMetric(out), nil
	}
	values, vectors, err := backend.EigenSym(m.full, true)
	if err != nil {
		return nil, fmt.Errorf("rfm: the metric: %w", err)
	}
	d := len(values)
	scaled := mat.NewDense(d, d, nil)
	for j, v := range values {
		root := math.Pow(max(v, 0), alpha/2)
		for i := range d {
			scaled.Set(i, j, root*vectors.At(i, j))
		}
	}
	var out mat.SymDense
	out.SymOuterK(1, scaled)
	return FullMetric(&out), nil
}

// keepLargest returns the metric with only the given share, rounded up, of its eigenvalues, the largest ones. A share of 0 or
// 1 keeps all.
func (m *Metric) keepLargest(share float64) (*Metric, error) {
	if share == 0 || share == 1 {
		return m, nil
	}
	values, vectors, err := backend.EigenSym(m.Dense(), true)
	if err != nil {
		return nil, fmt.Errorf("rfm: the metric: %w", err)
	}
	d := len(values)
	first := d - max(1, int(math.Ceil(share*float64(d)-1e-9))) // .28·25 is rounded to more than 7
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
