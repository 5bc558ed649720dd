package graph_test

import (
	"context"
	"fmt"
	"log"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"gonum.org/v1/gonum/blas/blas64"
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

// A gradient is an expression like any other. Its derivative in a direction v is the Hessian times v.
// For f(x) = Σ x³ that is 6xv.
func ExampleGraph_Pushforward() {
	d, err := backend.Open(backend.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer d.Close()
	g := graph.New(d, graph.Double)
	x, v, one := g.Input("x", 2), g.Input("v", 2), g.Input("one", 1)
	f := g.Sum(g.Mul(x, g.Mul(x, x)))
	grad := g.Pullback([]*graph.Node{f}, []*graph.Node{one}, []*graph.Node{x})[0]
	hessian := g.Pushforward(grad, []*graph.Node{x}, []*graph.Node{v})

	copy(g.Data(x).Float64s(), []float64{1, 2})
	copy(g.Data(v).Float64s(), []float64{1, 1})
	g.Data(one).Float64s()[0] = 1
	p, err := g.Compile(graph.Plan{Outputs: []*graph.Node{f, grad, hessian}})
	if err != nil {
		log.Fatal(err)
	}
	if err := p.Run(context.Background()); err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Value(f).Float64s(), p.Value(grad).Float64s(), p.Value(hessian).Float64s())
	// Output: [9] [3 12] [6 12]
}

// The example computes the AGOP of f(x) = Σ relu(Wx) in the input of the layer, which the neural feature ansatz
// compares with WᵀW. The two inputs have the gradients (2, 1) and (1, 2).
func ExampleFunction_AGOP() {
	d, err := backend.Open(backend.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer d.Close()
	g := graph.New(d, graph.Double)
	x, w, a := g.Input("x", 2, 2), g.Param("W", 2, 2), g.Param("a", 1, 2)
	f, err := g.Function(g.LinearLayer("out", g.ReLU(g.LinearLayer("hidden", x, w, nil)), a, nil))
	if err != nil {
		log.Fatal(err)
	}
	copy(g.Data(w).Float64s(), []float64{1, 2, 1, -1})
	copy(g.Data(a).Float64s(), []float64{1, 1})
	batches := func(yield func(*tensor.Dense, error) bool) {
		yield(tensor.New(tensor.WithShape(2, 2), tensor.WithBacking([]float64{2, 1, -1, 2})), nil)
	}
	m, err := f.AGOP(context.Background(), "hidden/in", batches, graph.Outputs{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.At(0, 0), m.At(0, 1), m.At(1, 1))
	// Output: 2.5 2 2.5
}

// The example computes the AGOP of ExampleFunction_AGOP without a gradient in x. The layer depends on x only through
// Wx, so that its AGOP is WᵀSW/n, where S is the sum of δδᵀ and δ the gradient in the pre-activation. One backward pass
// computes S of all layers.
func ExampleFunction_Moments() {
	d, err := backend.Open(backend.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer d.Close()
	g := graph.New(d, graph.Double)
	x, w, a := g.Input("x", 2, 2), g.Param("W", 2, 2), g.Param("a", 1, 2)
	f, err := g.Function(g.LinearLayer("out", g.ReLU(g.LinearLayer("hidden", x, w, nil)), a, nil))
	if err != nil {
		log.Fatal(err)
	}
	copy(g.Data(x).Float64s(), []float64{2, 1, -1, 2})
	copy(g.Data(w).Float64s(), []float64{1, 2, 1, -1})
	copy(g.Data(a).Float64s(), []float64{1, 1})
	m, err := f.Moments([]*graph.Node{f.Layers[0].Pre, f.Layers[1].Pre}, graph.Outputs{})
	if err != nil {
		log.Fatal(err)
	}
	if err := m.Batch(context.Background(), 2, nil); err != nil {
		log.Fatal(err)
	}
	for i, s := range m.Take() {
		layer := f.Layers[i]
		agop := s.Sandwich(f.Filters(layer))
		agop.ScaleSym(1./2, agop)
		fmt.Println(layer.Name, agop.At(0, 0), agop.At(0, 1), agop.At(1, 1))
	}
	// Output:
	// hidden 2.5 2 2.5
	// out 1 1 1
}

// The example linearizes f(w) = (w·x)² at w = (1, 1) for x = (1, 2). In the direction (0.5, 0) the linearization grows
// from 9 to 12, and f itself from 9 to 12.25.
func ExampleGraph_Linearize() {
	d, err := backend.Open(backend.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer d.Close()
	g := graph.New(d, graph.Double)
	x, w := g.Input("x", 1, 2), g.Param("w", 1, 2)
	z := g.Linear(x, w)
	f := g.Mul(z, z)
	lin, tangents := g.Linearize(f, []*graph.Node{w})

	copy(g.Data(x).Float64s(), []float64{1, 2})
	copy(g.Data(w).Float64s(), []float64{1, 1})
	copy(g.Data(tangents[0]).Float64s(), []float64{.5, 0})
	p, err := g.Compile(graph.Plan{Outputs: []*graph.Node{f, lin}})
	if err != nil {
		log.Fatal(err)
	}
	if err := p.Run(context.Background()); err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Value(f).Float64s(), p.Value(lin).Float64s())
	// Output: [9] [12]
}

// The tangent kernel JJᵀ of f(x) = w·x is XXᵀ.
func ExampleFunction_Jacobian() {
	d, err := backend.Open(backend.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer d.Close()
	g := graph.New(d, graph.Double)
	x, w := g.Input("x", 2, 3), g.Param("w", 1, 3)
	f, err := g.Function(g.LinearLayer("fc", x, w, nil))
	if err != nil {
		log.Fatal(err)
	}
	copy(g.Data(x).Float64s(), []float64{1, 2, 0, 0, 1, 1})
	j, err := f.Jacobian([]*graph.Node{w})
	if err != nil {
		log.Fatal(err)
	}
	rows, err := j.Rows(context.Background(), 2)
	if err != nil {
		log.Fatal(err)
	}
	n := rows.Len()
	gram := blas64.General{Rows: n, Cols: n, Stride: n, Data: make([]float64, n*n)}
	rows.AddGram(gram, rows)
	fmt.Println(gram.Data[0], gram.Data[1], gram.Data[3]) // elements below the diagonal are undefined
	// Output: 5 2 2
}
