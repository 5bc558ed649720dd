package graph_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
)

// For exponentials and powers of squared distances, the pullback computed from the weights of
// [graph.Graph.DifferenceWeight] is that of [graph.Graph.Pullback]. Other functions have no such weights.
func TestDifferenceWeight(t *testing.T) {
	d, err := backend.Open(backend.Options{Backend: "go", Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for name, c := range map[string]struct {
		k  func(g *graph.Graph, u, v *graph.Node) *graph.Node
		is bool
	}{
		"gaussian": {func(g *graph.Graph, u, v *graph.Node) *graph.Node {
			return g.Exp(g.Scale(-.3, g.SquaredDistances(u, v)))
		}, true},
		"laplace": {func(g *graph.Graph, u, v *graph.Node) *graph.Node {
			return g.Exp(g.Scale(-.5, g.Power(.5, g.SquaredDistances(u, v))))
		}, true},
		"of others": {func(g *graph.Graph, u, v *graph.Node) *graph.Node {
			return g.Exp(g.Scale(-.3, g.SquaredDistances(u, g.Scale(2, v))))
		}, false},
		"of scaled points": {func(g *graph.Graph, u, v *graph.Node) *graph.Node {
			return g.Exp(g.Scale(-.3, g.SquaredDistances(g.Scale(2, u), v)))
		}, false},
		"inner products": {func(g *graph.Graph, u, v *graph.Node) *graph.Node {
			return g.Exp(g.Scale(.3, g.MatMul(u, v, false, true)))
		}, false},
		"distances and inner products": {func(g *graph.Graph, u, v *graph.Node) *graph.Node {
			return g.Exp(g.Scale(-.3, g.Add(g.SquaredDistances(u, v), g.MatMul(u, v, false, true))))
		}, false},
		"times a norm": {func(g *graph.Graph, u, v *graph.Node) *graph.Node {
			return g.ColMul(g.Exp(g.Scale(-.3, g.SquaredDistances(u, v))), g.Norms(u))
		}, false},
		"cosines":      {func(g *graph.Graph, u, v *graph.Node) *graph.Node { return g.Cosines(u, v) }, false},
		"L1 distances": {func(g *graph.Graph, u, v *graph.Node) *graph.Node { return g.PowerDistance(1, u, v) }, false},
		"constant":     {func(g *graph.Graph, u, v *graph.Node) *graph.Node { return g.MatMul(v, v, false, true) }, false},
	} {
		const b, n, r = 5, 5, 3
		g := graph.New(d, graph.Double)
		u, v, q := g.Input("u", b, r), g.Input("v", n, r), g.Input("q", b, n)
		k := c.k(g, u, v)
		w, is := g.DifferenceWeight(k, u, v)
		if err := g.Err(); err != nil || is != c.is {
			t.Errorf("%s: a function of distances: %v, want %v (%v)", name, is, c.is, err)
			continue
		}
		if !is {
			continue
		}
		pulled := g.Pullback([]*graph.Node{k}, []*graph.Node{q}, []*graph.Node{u})[0]
		program, err := g.Compile(graph.Plan{Outputs: []*graph.Node{w, pulled}})
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(1, 2))
		for _, n := range []*graph.Node{u, v, q} {
			x := g.Data(n).Data().([]float64)
			for i := range x {
				x[i] = rng.NormFloat64()
			}
		}
		if err := program.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		of := func(n *graph.Node) []float64 { return program.Value(n).Data().([]float64) }
		for i := range b {
			for a := range r {
				want := 0.
				for j := range n {
					want += of(q)[i*n+j] * of(w)[i*n+j] * (of(u)[i*r+a] - of(v)[j*r+a])
				}
				if got := of(pulled)[i*r+a]; math.Abs(got-want) > 1e-12*(1+math.Abs(want)) {
					t.Errorf("%s: gradient %d, %d: %v, by the weight %v", name, i, a, got, want)
				}
			}
		}
	}
}
