package theory

import (
	"context"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// paperNet is a function defined in a paper, of rows x and some parameters, in float64.
type paperNet struct {
	device *backend.Device
	params map[string]*tensor.Dense
	// build adds f to the graph g and returns it, rows × outputs.
	build func(g *graph.Graph, x *graph.Node, param func(name string) *graph.Node) *graph.Node
}

// setParam adds a parameter, or overwrites the values of an existing one in place.
func (n *paperNet) setParam(name string, m *mat.Dense) {
	if n.params == nil {
		n.params = map[string]*tensor.Dense{}
	}
	if p := n.params[name]; p != nil {
		copy(p.Float64s(), mat.DenseCopyOf(m).RawMatrix().Data)
		return
	}
	n.params[name] = denseTensor(m)
}

// param returns a copy of a parameter.
func (n *paperNet) param(name string) *mat.Dense {
	p := n.params[name]
	return mat.NewDense(p.Shape()[0], p.Shape()[1], append([]float64(nil), p.Float64s()...))
}

// denseTensor returns a copy of m as a tensor.
func denseTensor(m *mat.Dense) *tensor.Dense {
	r, c := m.Dims()
	return tensor.New(tensor.WithShape(r, c), tensor.WithBacking(mat.DenseCopyOf(m).RawMatrix().Data))
}

// function builds f for a number of rows; it shares the parameters of n.
func (n *paperNet) function(rows, features int) (*graph.Function, *graph.Node, error) {
	g := graph.New(n.device, graph.Double)
	x := g.Input("x", rows, features)
	f, err := g.Function(n.build(g, x, n.bindTo(g)))
	return f, x, err
}

// bindTo returns a function that adds a parameter of n to a graph, once, with its value.
func (n *paperNet) bindTo(g *graph.Graph) func(name string) *graph.Node {
	return func(name string) *graph.Node {
		if p := g.Named(name); p != nil {
			return p
		}
		v := n.params[name]
		p := g.Param(name, v.Shape()...)
		if g.Err() == nil {
			if err := g.Let(p, v); err != nil {
				return g.Fail("%v", err)
			}
		}
		return p
	}
}

// agop returns the AGOP of f in x over rows.
func (n *paperNet) agop(ctx context.Context, rows *mat.Dense) (*mat.SymDense, error) {
	r, c := rows.Dims()
	f, _, err := n.function(r, c)
	if err != nil {
		return nil, err
	}
	once := func(yield func(*tensor.Dense, error) bool) { yield(denseTensor(rows), nil) }
	return f.AGOP(ctx, "x", once, graph.Outputs{})
}

// evaluate returns f at rows.
func (n *paperNet) evaluate(ctx context.Context, rows *mat.Dense) (*mat.Dense, error) {
	r, c := rows.Dims()
	f, x, err := n.function(r, c)
	if err != nil {
		return nil, err
	}
	p, err := f.Compile(graph.Plan{Outputs: []*graph.Node{f.Output}})
	if err != nil {
		return nil, err
	}
	copy(f.Data(x).Float64s(), mat.DenseCopyOf(rows).RawMatrix().Data)
	if err := p.Run(ctx); err != nil {
		return nil, err
	}
	v := p.Value(f.Output)
	return mat.NewDense(v.Shape()[0], v.Shape()[1], append([]float64(nil), v.Float64s()...)), nil
}

// paperDescent is gradient descent on half the sum of squared errors, ½Σ(f − y)², with the step as the papers define
// it.
type paperDescent struct {
	net   *paperNet
	names []string
	grads []*graph.Node
	prog  *graph.Program
}

// newDescent prepares the descent of some parameters on examples.
func (n *paperNet) newDescent(x, y *mat.Dense, names ...string) (*paperDescent, error) {
	r, c := x.Dims()
	f, in, err := n.function(r, c)
	if err != nil {
		return nil, err
	}
	targets, one := f.Input("y", f.Output.Shape()...), f.Input("one", 1)
	diff := f.Sub(f.Output, targets)
	loss := f.Scale(.5, f.Dot(diff, diff))
	d := &paperDescent{net: n, names: names}
	var params []*graph.Node
	for _, name := range names {
		params = append(params, f.Named(name))
	}
	d.grads = f.Pullback([]*graph.Node{loss}, []*graph.Node{one}, params)
	if f.Err() != nil {
		return nil, f.Err()
	}
	if d.prog, err = f.Compile(graph.Plan{Outputs: d.grads}); err != nil {
		return nil, err
	}
	copy(f.Data(in).Float64s(), mat.DenseCopyOf(x).RawMatrix().Data)
	copy(f.Data(targets).Float64s(), mat.DenseCopyOf(y).RawMatrix().Data)
	f.Data(one).Float64s()[0] = 1
	return d, nil
}

// gradients returns the gradients of the loss in the order of the names. They are valid until the
// next call.
func (d *paperDescent) gradients(ctx context.Context) ([][]float64, error) {
	if err := d.prog.Run(ctx); err != nil {
		return nil, err
	}
	var all [][]float64
	for _, g := range d.grads {
		all = append(all, d.prog.Value(g).Float64s())
	}
	return all, nil
}

// takeSteps takes steps w ← w − rate·∂loss/∂w.
func (d *paperDescent) takeSteps(ctx context.Context, rate float64, steps int) error {
	for range steps {
		all, err := d.gradients(ctx)
		if err != nil {
			return err
		}
		for i, g := range all {
			w := d.net.params[d.names[i]].Float64s()
			for k := range w {
				w[k] -= rate * g[k]
			}
		}
	}
	return nil
}
