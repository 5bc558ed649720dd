package rfm

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/rfm/columns"
	"github.com/ansatz-lab/ansatz/rfm/tensors"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// lens is the map u = W(x − origin), with WᵀW = M, that transforms the points of a kernel. W is a matrix r×d (full) or a
// diagonal (diag); if M = I, both are nil.
type lens struct {
	d, r   int
	full   *mat.Dense
	diag   []float64
	origin []float64 // nil is 0
}

// lensFor returns the lens for a kernel with the given centres. If the kernel depends only on differences of points, the
// origin is the mean of the centres. This changes none of its values, but without it rounding would destroy the distances
// between points that are close together and far from 0.
func (m *Metric) lensFor(k Kernel, centres *mat.Dense) (*lens, error) {
	rotations, _ := k.symmetries()
	l, err := m.lens(rotations)
	if err != nil {
		return nil, err
	}
	return l.from(k, centres), nil
}

// from sets the origin for a kernel with the given centres, and returns l.
func (l *lens) from(k Kernel, centres *mat.Dense) *lens {
	if _, shifts := k.symmetries(); shifts {
		l.origin = columns.Means(centres)
	}
	return l
}

// centre returns x with the origin subtracted from every row, or x itself where the origin is 0.
func (l *lens) centre(x *mat.Dense) *mat.Dense {
	if l.origin == nil {
		return x
	}
	out := mat.DenseCopyOf(x)
	for i := range out.RawMatrix().Rows {
		floats.Sub(out.RawRowView(i), l.origin)
	}
	return out
}

// errMetric is returned for an M that is not finite.
var errMetric = errors.New("rfm: the metric holds values that are not finite")

// lens returns the lens of M, with the origin 0. For kernels that rotations do not change, W has a row for every
// eigenvalue of M above rounding, so that r is the numerical rank of M. For others it is the symmetric root, d×d.
func (m *Metric) lens(rotates bool) (*lens, error) {
	d := m.Dim()
	if m.IsDiagonal() {
		return diagonalLens(m.diag)
	}
	values, vectors, err := backend.EigenSym(m.full, true)
	if err != nil {
		return nil, fmt.Errorf("rfm: the metric: %w", err)
	}
	least := max(rounding*values[d-1], -values[0])
	first, _ := slices.BinarySearchFunc(values, least, func(v, t float64) int {
		if v <= t {
			return -1
		}
		return 1
	})
	first = min(first, d-1) // a metric of zeros has a row too
	w := mat.DenseCopyOf(vectors.Slice(0, d, first, d).T())
	for i, v := range values[first:] {
		row := w.RawRowView(i)
		for j := range row {
			row[j] *= math.Sqrt(max(v, 0))
		}
	}
	if !rotates {
		var root mat.Dense
		root.Mul(vectors.Slice(0, d, first, d), w)
		w = &root
	}
	r, _ := w.Dims()
	return &lens{d: d, r: r, full: w}, nil
}

// rounding is the size below which an eigenvalue counts as zero in float32, relative to the largest.
const rounding = 1e-9

func diagonalLens(m []float64) (*lens, error) {
	l := &lens{d: len(m), r: len(m), diag: make([]float64, len(m))}
	plain := true
	for i, v := range m {
		if v-v != 0 {
			return nil, errMetric
		}
		if v < 0 {
			return nil, badInput("element %d of the diagonal of the metric is %v: want at least 0", i, v)
		}
		l.diag[i] = math.Sqrt(v)
		plain = plain && v == 1
	}
	if plain {
		l.diag = nil
	}
	return l, nil
}

// uncentre adds the origin to every row of x, and returns x.
func (l *lens) uncentre(x *mat.Dense) *mat.Dense {
	for i := 0; l.origin != nil && i < x.RawMatrix().Rows; i++ {
		floats.Add(x.RawRowView(i), l.origin)
	}
	return x
}

// metric returns M = WᵀW.
func (l *lens) metric() *Metric {
	if l.full == nil {
		m := Identity(l.d)
		for i, w := range l.diag {
			m.diag[i] = w * w
		}
		return m
	}
	var m mat.SymDense
	m.SymOuterK(1, l.full.T())
	return FullMetric(&m)
}

// lensLayer is the name of the lens among the layers of a predictor.
const lensLayer = "metric"

// through builds u = Wx for the rows of x, from which the origin was subtracted; put sets the value of W.
func (l *lens) through(g *graph.Graph, x *graph.Node) *graph.Node {
	switch {
	case l.full != nil:
		return g.LinearLayer(lensLayer, x, g.Param("W", l.r, l.d), nil)
	case l.diag != nil:
		return g.RowMul(x, g.Param("W", l.d))
	}
	return x
}

// put sets the value of W in an expression.
func (l *lens) put(g *graph.Graph) {
	switch w := g.Named("W"); {
	case l.full != nil:
		tensors.Put(g, w, l.full)
	case l.diag != nil:
		tensors.Put(g, w, mat.NewDense(1, l.d, l.diag))
	}
}
