package graph

import (
	"github.com/ansatz-lab/ansatz/graph/backend"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gorgonia.org/tensor"
)

// JacobianRows holds the rows of J for a batch: for every example, a row for every output.
type JacobianRows struct {
	examples, outputs int
	parts             []partRows
}

// partRows holds the columns of one part, in the precision of the function.
type partRows struct {
	*jacobianPart
	explicit any // examples·outputs × width
	cots     any // or the factors: examples·outputs·positions × filters
	patches  any // and examples·positions × patch
}

func newJacobianRows(j *Jacobian, examples, outputs int) *JacobianRows {
	r := &JacobianRows{examples: examples, outputs: outputs}
	floats := func(n int) any {
		if j.f.dtype == tensor.Float64 {
			return make([]float64, n)
		}
		return make([]float32, n)
	}
	for _, p := range j.parts {
		rows := partRows{jacobianPart: p}
		if p.factored {
			rows.cots = floats(examples * outputs * p.positions * p.filters)
			if p.weight {
				rows.patches = floats(examples * p.positions * p.patch)
			}
		} else {
			rows.explicit = floats(examples * outputs * p.width())
		}
		r.parts = append(r.parts, rows)
	}
	return r
}

// Len returns the number of rows.
func (r *JacobianRows) Len() int { return r.examples * r.outputs }

// AddGram adds the inner products of the rows of r and s to dst, r.Len() × s.Len(), in float64. Both must be in the
// same parameters. Where r is s, only the upper half of dst is valid afterwards.
func (r *JacobianRows) AddGram(dst blas64.General, s *JacobianRows) {
	var m gramMemory
	for k, p := range r.parts {
		switch {
		case p.factored:
			m.addFactored(dst, r, s, k)
		case r == s:
			m.addSquares(dst, p, r.Len())
		default:
			m.addExplicit(dst, p, s.parts[k], r.Len(), s.Len())
		}
	}
}

// gramMemory is memory for intermediate products, which all parts use.
type gramMemory struct{ a, b, d, g, h, i []float64 }

// explicitColumns is how many columns of J are converted to float64 at a time.
const explicitColumns = 4096

// addSquares adds the inner products of explicit rows with each other, some columns at a time.
func (m *gramMemory) addSquares(dst blas64.General, p partRows, rows int) {
	sym := blas64.Symmetric{N: rows, Stride: dst.Stride, Data: dst.Data, Uplo: blas.Upper}
	for at := 0; at < p.width(); at += explicitColumns {
		n := min(explicitColumns, p.width()-at)
		blas64.Syrk(blas.NoTrans, 1, m.columns(&m.a, p.explicit, rows, p.width(), at, n), 1, sym)
	}
}

// addExplicit adds the inner products of the explicit rows of p and q, some columns at a time.
func (m *gramMemory) addExplicit(dst blas64.General, p, q partRows, rows, others int) {
	for at := 0; at < p.width(); at += explicitColumns {
		n := min(explicitColumns, p.width()-at)
		a := m.columns(&m.a, p.explicit, rows, p.width(), at, n)
		b := m.columns(&m.b, q.explicit, others, p.width(), at, n)
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, a, b, 1, dst)
	}
}

// columns returns columns at to at+n−1 of a matrix in float64.
func (m *gramMemory) columns(memory *[]float64, of any, rows, width, at, n int) blas64.General {
	out := blas64.General{Rows: rows, Cols: n, Stride: n, Data: grow(memory, rows*n)}
	for i := range rows {
		backend.Widen(out.Data[i*n:][:n], of, i*width+at)
	}
	return out
}

// factoredRows is about how many rows of products of cotangents are computed at a time.
const factoredRows = 256

// addFactored adds the inner products for a layer that keeps its factors, some examples at a time.
func (m *gramMemory) addFactored(dst blas64.General, r, s *JacobianRows, part int) {
	p, q := r.parts[part], s.parts[part]
	perExample := r.outputs * p.positions
	b := m.matrix(&m.b, q.cots, 0, s.examples*perExample, p.filters)
	var g blas64.General
	if p.weight {
		g = m.matrix(&m.g, q.patches, 0, s.examples*p.positions, p.patch)
	}
	group := max(1, factoredRows/perExample)
	for at := 0; at < r.examples; at += group {
		n := min(group, r.examples-at)
		a := m.matrix(&m.a, p.cots, at*perExample*p.filters, n*perExample, p.filters)
		d := blas64.General{Rows: a.Rows, Cols: b.Rows, Stride: b.Rows, Data: grow(&m.d, a.Rows*b.Rows)}
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, a, b, 0, d)
		h := m.patchProducts(p, g, at, n, s.examples)
		block := blas64.General{Rows: n * r.outputs, Cols: dst.Cols, Stride: dst.Stride,
			Data: dst.Data[at*r.outputs*dst.Stride:]}
		backend.Contract(block, d, h, r.outputs, p.positions)
	}
}

// patchProducts returns h·h′, or h·h′ + 1 with a bias, of the n examples from at on with all others, whose patches
// are g.
func (m *gramMemory) patchProducts(p partRows, g blas64.General, at, n, others int) blas64.General {
	rows, cols := n*p.positions, others*p.positions
	out := blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: grow(&m.h, rows*cols)}
	one := 0.
	if p.bias {
		one = 1
	}
	for k := range out.Data {
		out.Data[k] = one
	}
	if p.weight {
		x := m.matrix(&m.i, p.patches, at*p.positions*p.patch, rows, p.patch)
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, x, g, 1, out)
	}
	return out
}

// matrix returns values from offset at on as a matrix rows×cols of float64.
func (m *gramMemory) matrix(memory *[]float64, of any, at, rows, cols int) blas64.General {
	out := blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: grow(memory, rows*cols)}
	backend.Widen(out.Data, of, at)
	return out
}

// grow returns n elements of a memory, which grows if necessary.
func grow(memory *[]float64, n int) []float64 {
	if cap(*memory) < n {
		*memory = make([]float64, n)
	}
	return (*memory)[:n]
}
