package graph

import (
	"fmt"
	"slices"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"gorgonia.org/tensor"
)

// BroadcastShape returns the shape to which two shapes are expanded, by numpy's rules.
func BroadcastShape(a, b []int) ([]int, error) {
	shape := make([]int, max(len(a), len(b)))
	at := func(s []int, k int) int {
		if k -= len(shape) - len(s); k < 0 {
			return 1
		}
		return s[k]
	}
	for k := range shape {
		x, y := at(a, k), at(b, k)
		if x != y && x != 1 && y != 1 {
			return nil, fmt.Errorf("shapes %v and %v do not broadcast: axis %d has %d and %d elements", a, b, k, x, y)
		}
		shape[k] = max(x, y)
	}
	return shape, nil
}

// both returns two operands expanded to one shape.
func (g *Graph) both(a, b *Node) (*Node, *Node) {
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
	return g.Add(g.both(a, b))
}

// SubBroadcast returns a − b with numpy's broadcasting.
func (g *Graph) SubBroadcast(a, b *Node) *Node { return g.Sub(g.both(a, b)) }

// MulBroadcast returns a·b, element by element, with numpy's broadcasting.
func (g *Graph) MulBroadcast(a, b *Node) *Node {
	if y, ok := g.byRows(a, b, (*Graph).RowMul); ok {
		return y
	}
	return g.Mul(g.both(a, b))
}

// DivBroadcast returns a/b, element by element, with numpy's broadcasting.
func (g *Graph) DivBroadcast(a, b *Node) *Node {
	if g.err != nil {
		return nil
	}
	return g.MulBroadcast(a, g.Reciprocal(b))
}

// byRows applies an op of rows and a vector, if one operand has the shape of the result and the other one is a row of
// it.
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
	kept := keptRun(wide, shape)
	if kept[1] != len(shape) || kept[0] < 0 {
		return nil, false
	}
	y := f(g, g.Reshape(a, product(shape[:kept[0]]), size(b)), g.Reshape(b, size(b)))
	return g.Reshape(y, shape...), true
}

// BatchMatMul returns op(a)·op(b) of the matrices along the last two axes, where op transposes when its flag is set. The
// axes before them agree.
func (g *Graph) BatchMatMul(a, b *Node, transA, transB bool) *Node {
	if g.err != nil {
		return nil
	}
	sa, sb := a.Shape(), b.Shape()
	if len(sa) < 2 || len(sa) != len(sb) || !slices.Equal(sa[:len(sa)-2], sb[:len(sb)-2]) {
		return g.Fail("matrix products of shapes %v and %v: want equal axes before the last two", sa, sb)
	}
	lead := slices.Clone(sa[:len(sa)-2])
	m, k := matrixSides(sa, transA)
	k2, n := matrixSides(sb, transB)
	if k != k2 {
		return g.Fail("matrix products of %d×%d and %d×%d", m, k, k2, n)
	}
	batch := product(lead)
	if batch == 1 {
		y := g.MatMul(g.Reshape(a, sa[len(sa)-2:]...), g.Reshape(b, sb[len(sb)-2:]...), transA, transB)
		return g.Reshape(y, append(lead, m, n)...)
	}
	return g.apply(spec{
		name: "batch matmul", attr: [2]bool{transA, transB}, in: []*Node{a, b}, shape: tensor.Shape(append(lead, m, n)),
		f32: gemmBatch[float32](transA, transB, batch, m, n, k), f64: gemmBatch[float64](transA, transB, batch, m, n, k),
		rule: func(p pull) []*Node {
			return []*Node{
				p.if1(0, func() *Node {
					if transA {
						return g.BatchMatMul(p.in[1], p.cot, transB, true)
					}
					return g.BatchMatMul(p.cot, p.in[1], false, !transB)
				}),
				p.if1(1, func() *Node {
					if transB {
						return g.BatchMatMul(p.cot, p.in[0], true, transA)
					}
					return g.BatchMatMul(p.in[0], p.cot, !transA, false)
				}),
			}
		},
	})
}

// matrixSides returns the rows and columns of op of the matrices along the last two axes.
func matrixSides(shape tensor.Shape, trans bool) (rows, cols int) {
	rows, cols = shape[len(shape)-2], shape[len(shape)-1]
	if trans {
		return cols, rows
	}
	return rows, cols
}

func gemmBatch[T backend.Float](transA, transB bool, batch, m, n, k int) func(*call[T]) error {
	return func(c *call[T]) error {
		c.engine.GemmBatch(transA, transB, batch, m, n, k, c.in[0], c.in[1], c.out)
		return nil
	}
}
