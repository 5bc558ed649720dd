package graph

import (
	"github.com/ansatz-lab/ansatz/graph/backend"
	"gorgonia.org/tensor"
)

// NormaliseRows returns (x − mean)/√(var + eps) of every row of x, along its last axis, with the variance divided by the
// length of the row.
func (g *Graph) NormaliseRows(x *Node, eps float64) *Node {
	if g.err != nil {
		return nil
	}
	n := cols(x)
	return g.apply(spec{
		name: "normalise rows", attr: eps, in: []*Node{x}, shape: x.Shape(),
		f32: normaliseRows[float32](n, eps), f64: normaliseRows[float64](n, eps),
		// With y the result and s = 1/√(var + eps), dx = s·(dy − mean(dy) − y·mean(dy·y)).
		rule: func(p pull) []*Node {
			shape := p.cot.Shape()
			mean := g.ColFill(g.Scale(1/float64(n), g.SumCols(p.cot)), shape...)
			along := g.ColMul(p.out, g.Scale(1/float64(n), g.DotCols(p.cot, p.out)))
			return []*Node{g.ColMul(g.Sub(g.Sub(p.cot, mean), along), g.rowScales(p.in[0], p.out, eps))}
		},
	})
}

func normaliseRows[T backend.Float](cols int, eps float64) func(*call[T]) error {
	return func(c *call[T]) error { c.engine.NormaliseRows(cols, eps, c.in[0], c.out); return nil }
}

// rowScales returns s = 1/√(var + eps) of every row of x, for the normalised rows y.
func (g *Graph) rowScales(x, y *Node, eps float64) *Node {
	if g.err != nil {
		return nil
	}
	n := float64(cols(x))
	return g.apply(spec{
		name: "row scales", attr: eps, in: []*Node{x, y}, shape: tensor.Shape{rows(x)},
		f32: rowScales[float32](eps), f64: rowScales[float64](eps),
		// ds/dx = −s²·y/n, and y is a function of x.
		rule: func(p pull) []*Node {
			return []*Node{g.ColMul(p.in[1], g.Scale(-1/n, g.Mul(p.cot, g.Mul(p.out, p.out)))), nil}
		},
	})
}

func rowScales[T backend.Float](eps float64) func(*call[T]) error {
	return func(c *call[T]) error { c.engine.RowScales(eps, c.in[0], c.out); return nil }
}

// LayerNorm normalises the rows of x, then multiplies them by gamma and adds beta, vectors of the length of a row.
func (g *Graph) LayerNorm(x, gamma, beta *Node, eps float64) *Node {
	return g.RowAffine(g.NormaliseRows(x, eps), gamma, beta)
}

// GroupNorm normalises every group of channels of every image, (batch, row, column, channel), over all positions, then
// multiplies the channels by gamma and adds beta. With as many groups as channels it is an instance norm.
func (g *Graph) GroupNorm(x *Node, groups int, gamma, beta *Node, eps float64) *Node {
	if g.err != nil {
		return nil
	}
	s := x.Shape().Clone()
	if len(s) != 4 || groups < 1 || s[3]%groups != 0 {
		return g.Fail("group norm of %v with %d groups: want images and a number that divides their channels", s, groups)
	}
	each := s[3] / groups
	rows := g.Permute(g.Reshape(x, s[0], s[1]*s[2], groups, each), 0, 2, 1, 3)
	y := g.NormaliseRows(g.Reshape(rows, s[0]*groups, s[1]*s[2]*each), eps)
	y = g.Permute(g.Reshape(y, s[0], groups, s[1]*s[2], each), 0, 2, 1, 3)
	return g.RowAffine(g.Reshape(y, s...), gamma, beta)
}

// SoftmaxAxis returns the softmax along an axis of x.
func (g *Graph) SoftmaxAxis(x *Node, axis int) *Node { return g.alongLast(x, axis, g.Softmax) }

// LogSoftmaxAxis returns the logarithm of the softmax along an axis of x.
func (g *Graph) LogSoftmaxAxis(x *Node, axis int) *Node {
	return g.alongLast(x, axis, func(x *Node) *Node {
		return g.Sub(x, g.ColFill(g.LogSumExp(x), x.Shape()...))
	})
}

// alongLast moves an axis of x to the last place, applies f, and moves it back.
func (g *Graph) alongLast(x *Node, axis int, f func(x *Node) *Node) *Node {
	if g.err != nil {
		return nil
	}
	if axis < 0 || axis >= x.Dims() {
		return g.Fail("axis %d of %v", axis, x.Shape())
	}
	order := append(indices(axis), indices(x.Dims())[axis+1:]...)
	order = append(order, axis)
	back := make([]int, len(order))
	for k, a := range order {
		back[a] = k
	}
	y := g.Permute(x, order...)
	if g.err != nil {
		return nil
	}
	return g.Permute(f(y), back...)
}
