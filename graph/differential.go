package graph

import (
	"context"
	"fmt"

	"github.com/ansatz-lab/ansatz/graph/values"
	"gorgonia.org/tensor"
)

// Differential is the derivative J of a function's output in some of its nodes,
// at their current values, as a linear map and its adjoint. It is not safe for
// concurrent use.
type Differential struct {
	f        *Function
	wrt      []*Node
	seed     *Node
	tangents []*Node
	pulled   []*Node
	pushed   *Node
	pull     *Program
	push     *Program
}

// Differential prepares the derivative of f's output in the nodes wrt.
func (f *Function) Differential(wrt ...*Node) (*Differential, error) {
	d := &Differential{f: f, wrt: wrt, seed: f.seed()}
	d.pulled = f.Pullback([]*Node{f.Output}, []*Node{d.seed}, wrt)
	if f.err != nil {
		return nil, f.err
	}
	for i, n := range d.pulled {
		if n == nil {
			return nil, fmt.Errorf("graph: the output does not depend on %s", wrt[i].Name())
		}
	}
	var err error
	if d.pull, err = f.Compile(Plan{Outputs: d.pulled, Repeat: []*Node{d.seed}}); err != nil {
		return nil, err
	}
	for i, n := range wrt {
		d.tangents = append(d.tangents, f.fresh(fmt.Sprintf("tangent %d", i), n.Shape()))
	}
	d.pushed = f.Pushforward(f.Output, wrt, d.tangents)
	d.push, err = f.Compile(Plan{Outputs: []*Node{f.Output, d.pushed}, Repeat: d.tangents})
	return d, err
}

// seed declares a cotangent of the output.
func (f *Function) seed() *Node { return f.fresh("cotangent", f.Output.Shape()) }

// fresh declares an input under a new name. [Graph.Inputs] does not list it.
func (g *Graph) fresh(name string, shape tensor.Shape) *Node {
	g.serial++
	return g.declare(fmt.Sprintf("%s %d", name, g.serial), shape)
}

// Cotangent returns the tensor that holds r in Jᵀ·r; write it before a Pull. It has the shape of the output.
func (d *Differential) Cotangent() *tensor.Dense { return d.f.Data(d.seed) }

// Tangent returns the tensor that holds the i-th part of u in J·u; write it before a Push. It has the shape of the i-th
// node of wrt.
func (d *Differential) Tangent(i int) *tensor.Dense { return d.f.Data(d.tangents[i]) }

// Parts returns the number of nodes wrt.
func (d *Differential) Parts() int { return len(d.wrt) }

// Output returns the function's output at the last [Differential.Push].
func (d *Differential) Output() *tensor.Dense { return d.push.Value(d.f.Output) }

// Pull computes Jᵀ·r, one tensor for every node of wrt, valid until the next call. If again is set, it uses the
// forward pass of the last Pull; the inputs and parameters must then be the same.
func (d *Differential) Pull(ctx context.Context, again bool) ([]*tensor.Dense, error) {
	if err := runOrRepeat(ctx, d.pull, again); err != nil {
		return nil, err
	}
	out := make([]*tensor.Dense, len(d.pulled))
	for i, n := range d.pulled {
		out[i] = d.pull.Value(n)
	}
	return out, nil
}

// Push computes J·u, with the shape of the output, valid until the next call. For again see [Differential.Pull].
func (d *Differential) Push(ctx context.Context, again bool) (*tensor.Dense, error) {
	if err := runOrRepeat(ctx, d.push, again); err != nil {
		return nil, err
	}
	return d.push.Value(d.pushed), nil
}

func runOrRepeat(ctx context.Context, p *Program, again bool) error {
	if again {
		return p.Repeat(ctx)
	}
	return p.Run(ctx)
}

// Row writes row k of J into dst: the gradient of element k of the whole output in the nodes of wrt, one after
// another. For again see [Differential.Pull].
func (d *Differential) Row(ctx context.Context, k int, dst []float64, again bool) error {
	r := d.Cotangent()
	if k < 0 || k >= r.Size() {
		return fmt.Errorf("graph: row %d of a Jacobian with %d rows", k, r.Size())
	}
	if want := d.Columns(); len(dst) != want {
		return fmt.Errorf("graph: a row of the Jacobian has %d elements, the destination %d", want, len(dst))
	}
	r.Zero()
	values.Set(r, k, 1)
	parts, err := d.Pull(ctx, again)
	if err != nil {
		return err
	}
	for _, p := range parts {
		dst = dst[values.CopyTo(dst, p):]
	}
	return nil
}

// Columns returns the number of columns of J.
func (d *Differential) Columns() int {
	n := 0
	for _, x := range d.wrt {
		n += size(x)
	}
	return n
}

// Linearize returns the linearization of y in some parameters,
//
//	y(w) + Σ (∂y/∂w)·u,
//
// as an expression of the tangents u. They are new parameters, zero at first, with the order and the shapes of wrt.
// The pullback of the linearization in the tangents is one pullback of y, Jᵀr.
func (g *Graph) Linearize(y *Node, wrt []*Node) (lin *Node, tangents []*Node) {
	if g.err != nil {
		return nil, nil
	}
	for _, w := range wrt {
		tangents = append(tangents, g.Param("tangent of "+w.Name(), w.Shape()...))
	}
	along := g.Pushforward(y, wrt, tangents)
	if along == nil {
		return g.Fail("linearization: the output depends on none of the parameters"), nil
	}
	return g.Add(y, along), tangents
}
