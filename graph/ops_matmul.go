package graph

import (
	"slices"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"gorgonia.org/tensor"
)

// MatMul returns op(a)·op(b) of two matrices, where op transposes when its flag
// is set.
func (g *Graph) MatMul(a, b *Node, transA, transB bool) *Node {
	if g.err != nil {
		return nil
	}
	if a.Dims() != 2 || b.Dims() != 2 {
		return g.Fail("matrix product of shapes %v and %v: want two matrices", a.Shape(), b.Shape())
	}
	return g.BatchMatMul(a, b, transA, transB)
}

// BatchMatMul returns op(a)·op(b) of the matrices along the last two axes, where op transposes when its flag is set. The
// axes before them must agree.
func (g *Graph) BatchMatMul(a, b *Node, transA, transB bool) *Node {
	if g.err != nil {
		return nil
	}
	sa, sb := a.Shape(), b.Shape()
	if len(sa) < 2 || len(sa) != len(sb) || !slices.Equal(sa[:len(sa)-2], sb[:len(sb)-2]) {
		return g.Fail("matrix product of shapes %v and %v: want equal axes before the last two", sa, sb)
	}
	lead := slices.Clone(sa[:len(sa)-2])
	m, k := matrixSides(sa, transA)
	k2, n := matrixSides(sb, transB)
	if k != k2 {
		return g.Fail("matrix product of %d×%d and %d×%d", m, k, k2, n)
	}
	batch := lead.TotalSize()
	return g.apply(spec{
		name: "matmul", attr: [2]bool{transA, transB}, in: []*Node{a, b}, shape: tensor.Shape(append(lead, m, n)),
		f32: gemmBatch[float32](transA, transB, batch, m, n, k), f64: gemmBatch[float64](transA, transB, batch, m, n, k),
		rule: func(p pull) []*Node {
			return []*Node{
				p.ifWanted(0, func() *Node {
					if transA {
						return g.BatchMatMul(p.in[1], p.cot, transB, true)
					}
					return g.BatchMatMul(p.cot, p.in[1], false, !transB)
				}),
				p.ifWanted(1, func() *Node {
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
	if batch == 1 {
		return func(c *call[T]) error {
			c.engine.Gemm(transA, transB, m, n, k, c.in[0], c.in[1], 0, c.out)
			return nil
		}
	}
	return func(c *call[T]) error {
		c.engine.GemmBatch(transA, transB, batch, m, n, k, c.in[0], c.in[1], c.out)
		return nil
	}
}

// Linear returns x·wᵀ, as PyTorch's linear layer without its bias: w is (out, in), and x has rows of in features and
// any axes before them, (batch, in) or (batch, token, in), which the result keeps.
func (g *Graph) Linear(x, w *Node) *Node {
	if g.err != nil {
		return nil
	}
	if w.Dims() != 2 {
		return g.Fail("linear layer: weights of shape %v: want (out, in)", w.Shape())
	}
	if x.Dims() < 2 || cols(x) != w.Shape()[1] {
		return g.Fail("linear layer: weights of shape %v read %d features, the input has shape %v",
			w.Shape(), w.Shape()[1], x.Shape())
	}
	return g.onRows(x, func(x *Node) *Node { return g.MatMul(x, w, false, true) })
}

// onRows applies f to the rows of x as a matrix, and gives the rows that it returns the axes of x.
func (g *Graph) onRows(x *Node, f func(x *Node) *Node) *Node {
	if g.err != nil || x.Dims() <= 2 {
		return f(x)
	}
	y := f(g.Reshape(x, rows(x), cols(x)))
	if g.err != nil {
		return nil
	}
	shape := x.Shape().Clone()
	shape[len(shape)-1] = cols(y)
	return g.Reshape(y, shape...)
}
