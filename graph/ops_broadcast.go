package graph

import (
	"slices"

	"github.com/ansatz-lab/ansatz/graph/backend"
)

// BroadcastShape returns the shape to which two shapes are expanded, by numpy's rules.
func BroadcastShape(a, b []int) ([]int, error) { return backend.BroadcastShape(a, b) }

// expandBoth returns two operands expanded to one shape.
func (g *Graph) expandBoth(a, b *Node) (*Node, *Node) {
	if g.err != nil {
		return nil, nil
	}
	shape, err := BroadcastShape(a.Shape(), b.Shape())
	if err != nil {
		g.Fail("%w", err)
		return nil, nil
	}
	return g.Expand(a, shape...), g.Expand(b, shape...)
}

// AddBroadcast returns a + b with numpy's broadcasting.
func (g *Graph) AddBroadcast(a, b *Node) *Node {
	if y, ok := g.byRows(a, b, (*Graph).RowAdd); ok {
		return y
	}
	return g.Add(g.expandBoth(a, b))
}

// SubBroadcast returns a − b with numpy's broadcasting.
func (g *Graph) SubBroadcast(a, b *Node) *Node { return g.Sub(g.expandBoth(a, b)) }

// MulBroadcast returns a·b, element by element, with numpy's broadcasting.
func (g *Graph) MulBroadcast(a, b *Node) *Node {
	if y, ok := g.byRows(a, b, (*Graph).RowMul); ok {
		return y
	}
	return g.Mul(g.expandBoth(a, b))
}

// DivBroadcast returns a/b, element by element, with numpy's broadcasting.
func (g *Graph) DivBroadcast(a, b *Node) *Node {
	if g.err != nil {
		return nil
	}
	return g.MulBroadcast(a, g.Reciprocal(b))
}

// byRows applies f, an op of rows and a vector, if one operand has the shape of the result and the other one is a row
// of it. It reports false otherwise.
func (g *Graph) byRows(a, b *Node, f func(g *Graph, x, v *Node) *Node) (*Node, bool) {
	if g.err != nil {
		return nil, true
	}
	shape, err := BroadcastShape(a.Shape(), b.Shape())
	if err != nil {
		return g.Fail("%w", err), true
	}
	if slices.Equal(b.Shape(), shape) {
		a, b = b, a
	}
	if !slices.Equal(a.Shape(), shape) || size(b) == size(a) {
		return nil, false
	}
	wide := append(slices.Repeat([]int{1}, len(shape)-b.Dims()), b.Shape()...)
	kept := backend.KeptRun(wide, shape)
	if kept[1] != len(shape) || kept[0] < 0 {
		return nil, false
	}
	y := f(g, g.Reshape(a, size(a)/size(b), size(b)), g.Reshape(b, size(b)))
	return g.Reshape(y, shape...), true
}
