package graph

import (
	"github.com/ansatz-lab/ansatz/graph/backend"
	"gorgonia.org/tensor"
)

// RowMatMul reads every row of a, P×(m·k), as a matrix m×k and every row of b, P×(k·n), as a matrix k×n, and returns
// the products, P×(m·n).
func (g *Graph) RowMatMul(a, b *Node, m, k, n int) *Node {
	if !g.rowMatrices("row matrix product", a, m, k) || !g.rowMatrices("row matrix product", b, k, n) {
		return nil
	}
	if a.Shape()[0] != b.Shape()[0] {
		return g.Fail("row matrix product: %d rows of matrices with %d", a.Shape()[0], b.Shape()[0])
	}
	return g.apply(spec{
		name: "row matmul", attr: [3]int{m, k, n}, in: []*Node{a, b}, shape: tensor.Shape{a.Shape()[0], m * n},
		f32: rowMatMul[float32](m, k, n), f64: rowMatMul[float64](m, k, n),
		rule: func(p pull) []*Node {
			return []*Node{
				p.ifWanted(0, func() *Node { return g.weighedRowMatMul(p.cot, g.RowTranspose(p.in[1], k, n), m, n, k) }),
				p.ifWanted(1, func() *Node { return g.RowMatMul(g.RowTranspose(p.in[0], m, k), p.cot, k, m, n) }),
			}
		},
	})
}

// weighedRowMatMul is RowMatMul of a cotangent. If the cotangent is a weight times a seed, which changes from output to
// output, the matrix product multiplies the two itself, and the scaled weight is never stored.
func (g *Graph) weighedRowMatMul(cot, b *Node, m, k, n int) *Node {
	of := g.factors[cot]
	if of.byColumn() {
		return g.scaledRowMatMul(of.weight, of.cot, b, m, k, n)
	}
	return g.RowMatMul(cot, b, m, k, n)
}

// scaledRowMatMul returns RowMatMul(RowMul(a, s), b, m, k, n).
func (g *Graph) scaledRowMatMul(a, s, b *Node, m, k, n int) *Node {
	return g.apply(spec{
		name: "scaled row matmul", attr: [3]int{m, k, n}, in: []*Node{a, s, b},
		shape: tensor.Shape{a.Shape()[0], m * n},
		f32:   scaledRowMatMul[float32](m, k, n), f64: scaledRowMatMul[float64](m, k, n),
		rule: func(p pull) []*Node {
			a, s, b := p.in[0], p.in[1], p.in[2]
			scaled := func() *Node { return g.RowMatMul(p.cot, g.RowTranspose(b, k, n), m, n, k) }
			return []*Node{
				p.ifWanted(0, func() *Node { return g.RowMul(scaled(), s) }),
				p.ifWanted(1, func() *Node { return g.DotRows(scaled(), a) }),
				p.ifWanted(2, func() *Node { return g.RowMatMul(g.RowTranspose(g.RowMul(a, s), m, k), p.cot, k, m, n) }),
			}
		},
	})
}

func rowMatMul[T backend.Float](m, k, n int) func(*call[T]) error {
	return func(c *call[T]) error {
		c.engine.RowMatMul(m, k, n, c.in[0], nil, c.in[1], c.out)
		return nil
	}
}

func scaledRowMatMul[T backend.Float](m, k, n int) func(*call[T]) error {
	return func(c *call[T]) error {
		c.engine.RowMatMul(m, k, n, c.in[0], c.in[1], c.in[2], c.out)
		return nil
	}
}

// RowTranspose reads every row of x, P×(m·n), as a matrix m×n and returns the transposes, P×(n·m).
func (g *Graph) RowTranspose(x *Node, m, n int) *Node {
	if !g.rowMatrices("row transpose", x, m, n) {
		return nil
	}
	if m == 1 || n == 1 {
		return x
	}
	if o, ok := x.Op().(*op); ok && o.name == rowTransposeName && o.attr == [2]int{n, m} {
		return o.in[0]
	}
	rows := x.Shape()[0]
	return g.apply(spec{
		name: rowTransposeName, attr: [2]int{m, n}, in: []*Node{x}, shape: x.Shape(),
		f32:  func(c *call[float32]) error { c.engine.Transpose(rows, m, n, c.in[0], c.out); return nil },
		f64:  func(c *call[float64]) error { c.engine.Transpose(rows, m, n, c.in[0], c.out); return nil },
		rule: func(p pull) []*Node { return []*Node{g.RowTranspose(p.cot, n, m)} },
	})
}

const rowTransposeName = "row transpose"

func (g *Graph) rowMatrices(name string, x *Node, m, n int) bool {
	if g.err != nil {
		return false
	}
	if x.Dims() != 2 || m < 1 || n < 1 || x.Shape()[1] != m*n {
		g.Fail("%s: an operand of shape %v: want rows of %d×%d", name, x.Shape(), m, n)
		return false
	}
	return true
}

// RowSquares reads every row of x, P×(m·n), as m vectors of length n and returns their squared norms, P×m.
func (g *Graph) RowSquares(x *Node, m, n int) *Node {
	if !g.rowMatrices("row squares", x, m, n) {
		return nil
	}
	rows := x.Shape()[0]
	vectors := g.Reshape(x, rows*m, n)
	return g.Reshape(g.DotCols(vectors, vectors), rows, m)
}

// SumSets returns the sums of sets of rows of x, P×m, one row for every set. The sets hold row numbers from 0 to P−1; the
// sum of an empty set is zero.
func (g *Graph) SumSets(x *Node, sets *backend.Sets) *Node {
	if g.err != nil {
		return nil
	}
	if x.Dims() != 2 || x.Shape()[0] != sets.In {
		return g.Fail("sums of sets of %d rows: an operand of shape %v", sets.In, x.Shape())
	}
	return g.apply(spec{
		name: "sum sets", attr: sets, in: []*Node{x}, shape: tensor.Shape{sets.Len(), x.Shape()[1]},
		f32: func(c *call[float32]) error { c.engine.SumSets(sets, c.in[0], c.out); return nil },
		f64: func(c *call[float64]) error { c.engine.SumSets(sets, c.in[0], c.out); return nil },
		rule: func(p pull) []*Node {
			return []*Node{g.inRows(p.cot, func(c *Node) *Node { return g.SumSets(c, sets.Adjoint()) })}
		},
	})
}
