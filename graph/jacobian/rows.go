// Package jacobian holds rows of a Jacobian and computes their inner products. It keeps the rows in full or as factors,
// whichever makes inner products cheaper.
package jacobian

import (
	"github.com/ansatz-lab/ansatz/graph/backend"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// Part describes the columns of J of the weights and the bias of one use of a layer, or of another parameter.
//
// The gradient of an output in the weights of a layer is the matrix Σδhᵀ over the
// positions at which the layer reads patches h. The inner product of two of them,
//
//	⟨Σδhᵀ, Σδ′h′ᵀ⟩ = ΣΣ (δ·δ′)(h·h′),
//
// does not need the gradients themselves: a layer with few positions keeps the factors δ and h, where h is the same for
// all outputs. With the bias the inner product is ΣΣ (δ·δ′)(h·h′ + 1).
type Part struct {
	Weight, Bias bool // which of the two are among the columns
	Positions    int  // per example
	Filters      int
	Patch        int // elements of h
	Factored     bool
}

// SetForm decides whether the rows of J are kept as factors, by the cost of an inner product of two rows. Factors take
// positions² products of cotangents, and of patches once for all pairs of outputs; full rows take one product.
func (p *Part) SetForm(outputs int) {
	factors := p.Positions * p.Positions * (p.Filters + 2 + p.Patch/(outputs*outputs))
	p.Factored = factors < p.Filters*p.Patch
}

// Width returns the number of columns of the part.
func (p *Part) Width() int {
	w := 0
	if p.Weight {
		w += p.Filters * p.Patch
	}
	if p.Bias {
		w += p.Filters
	}
	return w
}

// Elements returns the number of values that are stored for the rows of an example.
func (p *Part) Elements(outputs int) int {
	if !p.Factored {
		return outputs * p.Width()
	}
	n := outputs * p.Positions * p.Filters
	if p.Weight {
		n += p.Positions * p.Patch
	}
	return n
}

// Rows holds the rows of J for a batch: for every example, a row for every output.
type Rows struct {
	Examples, Outputs int
	Parts             []PartRows
}

// PartRows holds the columns of one part, []float32 or []float64.
type PartRows struct {
	*Part
	Explicit any // examples·outputs × width
	Cots     any // or the factors δ: examples·outputs·positions × filters
	Patches  any // and h: examples·positions × patch
}

// New returns rows of zeros, in double or single precision.
func New(parts []*Part, examples, outputs int, double bool) *Rows {
	r := &Rows{Examples: examples, Outputs: outputs}
	floats := func(n int) any {
		if double {
			return make([]float64, n)
		}
		return make([]float32, n)
	}
	for _, p := range parts {
		rows := PartRows{Part: p}
		if p.Factored {
			rows.Cots = floats(examples * outputs * p.Positions * p.Filters)
			if p.Weight {
				rows.Patches = floats(examples * p.Positions * p.Patch)
			}
		} else {
			rows.Explicit = floats(examples * outputs * p.Width())
		}
		r.Parts = append(r.Parts, rows)
	}
	return r
}

// Len returns the number of rows.
func (r *Rows) Len() int { return r.Examples * r.Outputs }

// AddGram adds the inner products of the rows of r and s to dst, r.Len() × s.Len(), in float64. The columns of both must
// be of the same parameters. If r is s, only the upper half of dst is valid afterwards.
func (r *Rows) AddGram(dst blas64.General, s *Rows) {
	var m gramMemory
	for k, p := range r.Parts {
		switch {
		case p.Factored:
			m.addFactored(dst, r, s, k)
		case r == s:
			m.addSquares(dst, p, r.Len())
		default:
			m.addExplicit(dst, p, s.Parts[k], r.Len(), s.Len())
		}
	}
}

// Join returns one row per example, with the columns of all outputs, one after another. The inner products of these rows
// are the sums over outputs Σ_c ⟨J_c(x), J_c(z)⟩; products of different outputs do not occur in them. The result may share
// memory with r.
func (r *Rows) Join() *Rows {
	all := &Rows{Examples: r.Examples, Outputs: 1}
	for _, p := range r.Parts {
		part := *p.Part
		part.Filters *= r.Outputs // factors δ are (output, filter) at every position
		joined := PartRows{Part: &part, Explicit: p.Explicit, Cots: p.Cots, Patches: p.Patches}
		if p.Factored && p.Positions > 1 && r.Outputs > 1 {
			switch cots := p.Cots.(type) {
			case []float32:
				joined.Cots = swapOutputs(cots, r.Outputs, p.Positions, p.Filters)
			case []float64:
				joined.Cots = swapOutputs(cots, r.Outputs, p.Positions, p.Filters)
			}
		}
		all.Parts = append(all.Parts, joined)
	}
	return all
}

// Split returns rows for each output, with one row per example, that of the output. The results share the patches.
func (r *Rows) Split() []*Rows {
	all := make([]*Rows, r.Outputs)
	for c := range all {
		all[c] = &Rows{Examples: r.Examples, Outputs: 1}
		for _, p := range r.Parts {
			p.Explicit = strided(p.Explicit, c*p.Width(), p.Width(), r.Outputs*p.Width())
			p.Cots = strided(p.Cots, c*p.Positions*p.Filters, p.Positions*p.Filters, r.Outputs*p.Positions*p.Filters)
			all[c].Parts = append(all[c].Parts, p)
		}
	}
	return all
}

// Columns returns the rows with some of the columns: of every part those of the weight, of the bias, of both or of neither.
// The rows must not come from Join. The result may share memory with r.
func (r *Rows) Columns(keep []PartColumns) *Rows {
	some := &Rows{Examples: r.Examples, Outputs: r.Outputs}
	for i, p := range r.Parts {
		part := *p.Part
		part.Weight, part.Bias = p.Weight && keep[i].Weight, p.Bias && keep[i].Bias
		if part.Width() == 0 {
			continue
		}
		if part != *p.Part {
			first := 0
			if !part.Weight {
				first = p.Width() - part.Width()
			}
			p.Explicit = strided(p.Explicit, first, part.Width(), p.Width())
			p.Part = &part
		}
		some.Parts = append(some.Parts, p)
	}
	return some
}

// PartColumns says which columns of a part to keep.
type PartColumns struct{ Weight, Bias bool }

// strided returns runs of values, []float32 or []float64: the first run begins at first, and each further one stride
// elements later. It returns nil for nil.
func strided(values any, first, run, stride int) any {
	switch v := values.(type) {
	case []float32:
		return everyRun(v, first, run, stride)
	case []float64:
		return everyRun(v, first, run, stride)
	}
	return nil
}

func everyRun[F float32 | float64](v []F, first, run, stride int) []F {
	if run == stride {
		return v
	}
	out := make([]F, 0, len(v)/stride*run)
	for ; first < len(v); first += stride {
		out = append(out, v[first:first+run]...)
	}
	return out
}

// swapOutputs returns (example, output, position, filter) as (example, position, output, filter).
func swapOutputs[F float32 | float64](cots []F, outputs, positions, filters int) []F {
	out := make([]F, 0, len(cots))
	for example := 0; example < len(cots); example += outputs * positions * filters {
		for p := range positions {
			for c := range outputs {
				out = append(out, cots[example+(c*positions+p)*filters:][:filters]...)
			}
		}
	}
	return out
}

// gramMemory is memory for intermediate products, reused for all parts.
type gramMemory struct{ a, b, d, g, h, i []float64 }

// explicitColumns is how many columns of J are converted to float64 at a time.
const explicitColumns = 4096

// addSquares adds the inner products of explicit rows with one another, some columns at a time.
func (m *gramMemory) addSquares(dst blas64.General, p PartRows, rows int) {
	sym := blas64.Symmetric{N: rows, Stride: dst.Stride, Data: dst.Data, Uplo: blas.Upper}
	for at := 0; at < p.Width(); at += explicitColumns {
		n := min(explicitColumns, p.Width()-at)
		blas64.Syrk(blas.NoTrans, 1, m.columns(&m.a, p.Explicit, rows, p.Width(), at, n), 1, sym)
	}
}

// addExplicit adds the inner products of the explicit rows of p and q, some columns at a time.
func (m *gramMemory) addExplicit(dst blas64.General, p, q PartRows, rows, others int) {
	for at := 0; at < p.Width(); at += explicitColumns {
		n := min(explicitColumns, p.Width()-at)
		a := m.columns(&m.a, p.Explicit, rows, p.Width(), at, n)
		b := m.columns(&m.b, q.Explicit, others, p.Width(), at, n)
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
func (m *gramMemory) addFactored(dst blas64.General, r, s *Rows, part int) {
	p, q := r.Parts[part], s.Parts[part]
	perExample := r.Outputs * p.Positions
	b := m.matrix(&m.b, q.Cots, 0, s.Examples*perExample, p.Filters)
	var g blas64.General
	if p.Weight {
		g = m.matrix(&m.g, q.Patches, 0, s.Examples*p.Positions, p.Patch)
	}
	group := max(1, factoredRows/perExample)
	for at := 0; at < r.Examples; at += group {
		n := min(group, r.Examples-at)
		a := m.matrix(&m.a, p.Cots, at*perExample*p.Filters, n*perExample, p.Filters)
		d := blas64.General{Rows: a.Rows, Cols: b.Rows, Stride: b.Rows, Data: grow(&m.d, a.Rows*b.Rows)}
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, a, b, 0, d)
		h := m.patchProducts(p, g, at, n, s.Examples)
		block := blas64.General{Rows: n * r.Outputs, Cols: dst.Cols, Stride: dst.Stride,
			Data: dst.Data[at*r.Outputs*dst.Stride:]}
		backend.Contract(block, d, h, r.Outputs, p.Positions)
	}
}

// patchProducts returns h·h′, or h·h′ + 1 with a bias, of the n examples from at on with all others, whose patches
// are g.
func (m *gramMemory) patchProducts(p PartRows, g blas64.General, at, n, others int) blas64.General {
	rows, cols := n*p.Positions, others*p.Positions
	out := blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: grow(&m.h, rows*cols)}
	one := 0.
	if p.Bias {
		one = 1
	}
	for k := range out.Data {
		out.Data[k] = one
	}
	if p.Weight {
		x := m.matrix(&m.i, p.Patches, at*p.Positions*p.Patch, rows, p.Patch)
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
