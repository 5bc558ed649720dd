package rfm

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/ansatz-lab/ansatz/graph"
	"gonum.org/v1/gonum/mat"
)

// agop returns the average gradient outer product of the predictor over the rows of x,
// (1/n) Σᵢ Σ over outputs ∇f(xᵢ)∇f(xᵢ)ᵀ, or its diagonal. It is computed as a network's is: with δ the
// gradient of f in the output Wx of the first layer, the lens, it is Wᵀ(Σδδᵀ)W/n.
func (p *predictor) agop(ctx context.Context, x *mat.Dense, centred, diagonal bool) (*Metric, error) {
	node, layer := p.x, (*graph.Layer)(nil)
	if p.lens.full != nil {
		layer = &p.Layers[0]
		node = layer.Pre
	}
	m, err := p.Moments([]*graph.Node{node}, graph.Outputs{Centred: centred, Diagonal: diagonal && layer == nil})
	if err != nil {
		return nil, err
	}
	n, _ := x.Dims()
	for i := 0; i < n; {
		count := p.load(x, i)
		if err := m.Batch(ctx, count, nil); err != nil {
			return nil, err
		}
		i += count
		p.report("agop", i, n)
	}
	sum := m.Take()[0]
	if layer == nil && diagonal {
		return DiagonalMetric(scaled(1/float64(n), sum.Diagonal())), nil
	}
	out := sum.Sym()
	if layer != nil {
		out = sum.Sandwich(p.Filters(*layer))
	}
	out.ScaleSym(1/float64(n), out)
	full := FullMetric(out)
	if diagonal {
		return DiagonalMetric(full.Diagonal()), nil
	}
	return full, nil
}

func scaled(by float64, v []float64) []float64 {
	for i := range v {
		v[i] *= by
	}
	return v
}

// scale returns m divided by the norm that s names, or m itself where it is zero.
func (s Scale) scale(m *Metric) *Metric {
	by := 1.
	switch s {
	case ScaleMax:
		by = m.largest()
	case ScaleTrace:
		by = m.Trace() / float64(m.Dim())
	case ScaleFrobenius:
		by = mat.Norm(m.Dense(), 2)
	}
	if !(by > 0) || by == 1 {
		return m
	}
	if m.IsDiagonal() {
		return DiagonalMetric(scaled(1/by, m.Diagonal()))
	}
	var out mat.SymDense
	out.ScaleSym(1/by, m.full)
	return FullMetric(&out)
}

// sampleRows returns n rows of x, drawn without replacement, in the order of x; n = 0 means all rows.
func sampleRows(x *mat.Dense, n int, rng *rand.Rand) *mat.Dense {
	have, _ := x.Dims()
	if n <= 0 || n >= have {
		return x
	}
	rows := rng.Perm(have)[:n]
	slices.Sort(rows)
	return pickRows(x, rows)
}

func pickRows(x *mat.Dense, rows []int) *mat.Dense {
	_, d := x.Dims()
	out := mat.NewDense(len(rows), d, nil)
	for i, r := range rows {
		out.SetRow(i, x.RawRowView(r))
	}
	return out
}
