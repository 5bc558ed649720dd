package graph_test

import (
	"context"
	"fmt"
	"log"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"gorgonia.org/tensor"
)

// The gradient of f(x) = Σ relu(Wx)² in x is 2Wᵀrelu(Wx).
func ExampleGraph_Pullback() {
	d, err := backend.Open(backend.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer d.Close()
	g := graph.New(d, graph.Double)
	x, w := g.Input("x", 1, 2), g.Param("W", 3, 2)
	h := g.ReLU(g.Linear(x, w))
	f := g.Dot(h, h)
	one := g.Input("one", 1)
	grad := g.Pullback([]*graph.Node{f}, []*graph.Node{one}, []*graph.Node{x})[0]

	copy(g.Data(x).Float64s(), []float64{1, 2})
	copy(g.Data(w).Float64s(), []float64{1, 0, 0, 1, -1, 0})
	g.Data(one).Float64s()[0] = 1
	p, err := g.Compile(graph.Plan{Outputs: []*graph.Node{f, grad}})
	if err != nil {
		log.Fatal(err)
	}
	if err := p.Run(context.Background()); err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Value(f).Float64s(), p.Value(grad).Float64s())
	// Output: [5] [2 4]
}

// The AGOP of a linear function f(x) = Wx is WᵀW, whatever the examples.
func ExampleFunction_AGOP() {
	d, err := backend.Open(backend.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer d.Close()
	g := graph.New(d, graph.Double)
	x, w := g.Input("x", 2, 2), g.Param("W", 3, 2)
	f, err := g.Function(g.Linear(x, w))
	if err != nil {
		log.Fatal(err)
	}
	copy(g.Data(w).Float64s(), []float64{1, 2, 3, 4, 5, 6})
	batches := func(yield func(*tensor.Dense, error) bool) {
		yield(tensor.New(tensor.WithShape(2, 2), tensor.WithBacking([]float64{1, 1, 1, -1})), nil)
	}
	a, err := f.AGOP(context.Background(), "x", batches, graph.Outputs{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(a.At(0, 0), a.At(0, 1), a.At(1, 1))
	// Output: 35 44 56
}
