package rfm

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/moment"
	"github.com/ansatz-lab/ansatz/rfm/crew"
	"github.com/ansatz-lab/ansatz/rfm/tensors"
	"gonum.org/v1/gonum/mat"
)

// agop returns the average gradient outer product of the model over the rows of x, or its diagonal. It chooses the cheaper of
// two methods.
func (m *Model) agop(ctx context.Context, on machinery, x *mat.Dense, centred, diagonal bool) (*Metric, error) {
	n, r := m.points.Dims()
	_, outputs := m.alpha.Dims()
	if x == m.centres && !centred && pairsPay(n, r, outputs) && isOfDistances(m.kernel) {
		if out, err := m.agopOfPairs(ctx, on, diagonal); out != nil || err != nil {
			return out, err
		}
	}
	p, err := m.predictor(on, x)
	if err != nil {
		return nil, err
	}
	return p.agop(ctx, x, centred, diagonal)
}

// pairsPay reports whether computing the AGOP over n centres from pairs of centres, in about n²(n + r) operations, is cheaper
// than one pass for every output, 2n²r operations each, and whether its tiles fit into pairBytes of memory.
func pairsPay(n, r, outputs int) bool {
	return n+r < 2*outputs*r && crew.MomentBytes(n, r) <= pairBytes
}

const pairBytes = 1 << 29

// isOfDistances reports whether the gradient of a kernel is a weighted sum of differences of points.
func isOfDistances(k Kernel) bool {
	g := graph.New(nil, graph.Double)
	return differenceWeight(k)(g, g.Input("u", 2, 2), g.Input("v", 2, 2)) != nil
}

// differenceWeight returns a function that builds the weights w with which the gradient of a kernel in u is Σⱼ wⱼ(u − vⱼ).
// For kernels without such weights the function returns nil.
func differenceWeight(k Kernel) crew.Pairs {
	return func(g *graph.Graph, u, v *graph.Node) *graph.Node {
		w, _ := g.DifferenceWeight(k.Matrix(g, u, v), u, v)
		return w
	}
}

// leastKept is the least share of the terms of a moment of pairs that must remain after they cancel, so that rounding errors
// stay small. On 1500 digits in float32, the Laplace kernel kept .8, .21, .12 and .09 in four iterations, with errors of
// 1.3e-7 to 2.4e-6. A Gaussian with a ridge of 1e-5 kept .02 in the last one, with an error of 3e-5; the passes have 6e-5.
var leastKept = map[graph.Precision]float64{graph.Single: 1e-2, graph.Double: 1e-4}

// agopOfPairs returns the AGOP over the centres, computed from weights of pairs of centres, or nil if it would lose too many
// digits.
func (m *Model) agopOfPairs(ctx context.Context, on machinery, diagonal bool) (*Metric, error) {
	s, kept, err := on.members().Moment(ctx, on.device, m.points, m.alpha, differenceWeight(m.kernel), on.reports("agop"))
	if err != nil || kept < leastKept[on.precision] {
		return nil, err
	}
	n, _ := m.points.Dims()
	s.ScaleSym(1/float64(n), s)
	for i, a := range m.lens.diag {
		for j := range i + 1 {
			s.SetSym(i, j, s.At(i, j)*a*m.lens.diag[j])
		}
	}
	if m.lens.full != nil {
		s = moment.Of(s).Sandwich(m.lens.full)
	}
	out := FullMetric(s)
	if diagonal {
		out = DiagonalMetric(out.Diagonal())
	}
	return out, nil
}

// agop returns the average gradient outer product of the predictor over the rows of x,
// (1/n) Σᵢ Σ over outputs ∇f(xᵢ)∇f(xᵢ)ᵀ, or its diagonal. It is computed like the AGOP of a network: with δ the
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
	return tensors.PickRows(x, rows)
}
