package graph

import (
	"slices"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"gorgonia.org/tensor"
)

// SumRows returns the vector Σᵢ x[i,·], the sum over all axes but the last.
func (g *Graph) SumRows(x *Node) *Node {
	if g.err != nil {
		return nil
	}
	return g.apply(spec{name: "sum rows", in: []*Node{x}, shape: tensor.Shape{cols(x)},
		f32: sumRows[float32], f64: sumRows[float64],
		rule: func(p pull) []*Node { return []*Node{g.sameRows(p.cot, x.Shape()...)} },
	})
}

func sumRows[T backend.Float](c *call[T]) error { c.engine.SumRows(c.in[0], c.out); return nil }

// MeanRows returns the mean of the rows of x.
func (g *Graph) MeanRows(x *Node) *Node {
	if g.err != nil {
		return nil
	}
	return g.Scale(1/float64(rows(x)), g.SumRows(x))
}

// DotRows returns the vector Σᵢ x[i,·]·y[i,·] of the sums over all axes but the
// last of the products of x and y.
func (g *Graph) DotRows(x, y *Node) *Node {
	if !g.sameShape("dot rows", x, y) {
		return nil
	}
	return g.apply(spec{name: "dot rows", in: []*Node{x, y}, shape: tensor.Shape{cols(x)},
		f32: dotRows[float32], f64: dotRows[float64],
		rule: func(p pull) []*Node {
			return []*Node{
				p.ifWanted(0, func() *Node { return g.RowMul(p.in[1], p.cot) }),
				p.ifWanted(1, func() *Node { return g.RowMul(p.in[0], p.cot) }),
			}
		},
	})
}

func dotRows[T backend.Float](c *call[T]) error {
	c.engine.DotRows(c.in[0], c.in[1], c.out)
	return nil
}

// VarRows returns Σᵢ (x[i,·] − m)² / rows: the variances, divided by the number
// of rows, if m is the mean of the rows.
func (g *Graph) VarRows(x, m *Node) *Node {
	if g.err != nil {
		return nil
	}
	if m.Dims() != 1 || size(m) != cols(x) {
		return g.Fail("variance of rows of %d about a vector of shape %v", cols(x), m.Shape())
	}
	return g.apply(spec{name: "var rows", in: []*Node{x, m}, shape: tensor.Shape{cols(x)},
		f32: varRows[float32], f64: varRows[float64],
		rule: func(p pull) []*Node {
			x, m := p.in[0], p.in[1]
			a := g.Scale(2/float64(rows(x)), p.cot)
			return []*Node{
				p.ifWanted(0, func() *Node { return g.RowAffine(x, a, g.Scale(-1, g.Mul(a, m))) }),
				p.ifWanted(1, func() *Node { return g.Scale(-2, g.Mul(p.cot, g.Sub(g.MeanRows(x), m))) }),
			}
		},
	})
}

func varRows[T backend.Float](c *call[T]) error {
	c.engine.VarRows(c.in[0], c.in[1], c.out)
	return nil
}

// DotCols returns the vector Σⱼ x[·,j]·y[·,j] of the inner products of the rows
// of x and y; its length is their number.
func (g *Graph) DotCols(x, y *Node) *Node {
	if !g.sameShape("dot columns", x, y) {
		return nil
	}
	return g.apply(spec{name: "dot columns", in: []*Node{x, y}, shape: tensor.Shape{rows(x)},
		f32: dotCols[float32], f64: dotCols[float64],
		rule: func(p pull) []*Node {
			return []*Node{
				p.ifWanted(0, func() *Node { return g.ColMul(p.in[1], p.cot) }),
				p.ifWanted(1, func() *Node { return g.ColMul(p.in[0], p.cot) }),
			}
		},
	})
}

func dotCols[T backend.Float](c *call[T]) error {
	c.engine.DotCols(c.in[0], c.in[1], c.out)
	return nil
}

// SumCols returns the vector Σⱼ x[·,j] of the sums of the rows of x; its length
// is their number.
func (g *Graph) SumCols(x *Node) *Node {
	if g.err != nil {
		return nil
	}
	return g.apply(spec{name: "sum columns", in: []*Node{x}, shape: tensor.Shape{rows(x)},
		f32: sumCols[float32], f64: sumCols[float64],
		rule: func(p pull) []*Node { return []*Node{g.ColFill(p.cot, x.Shape()...)} },
	})
}

func sumCols[T backend.Float](c *call[T]) error { c.engine.SumCols(c.in[0], c.out); return nil }

// Dot returns Σ x·y over all elements, a node of shape (1).
func (g *Graph) Dot(x, y *Node) *Node {
	if !g.sameShape("dot", x, y) {
		return nil
	}
	return g.apply(spec{name: "dot", in: []*Node{x, y}, shape: tensor.Shape{1},
		f32: dot[float32], f64: dot[float64],
		rule: func(p pull) []*Node {
			return []*Node{
				p.ifWanted(0, func() *Node { return g.ScalarMul(p.in[1], p.cot) }),
				p.ifWanted(1, func() *Node { return g.ScalarMul(p.in[0], p.cot) }),
			}
		},
	})
}

func dot[T backend.Float](c *call[T]) error {
	c.engine.Dot(c.in[0], c.in[1], c.out)
	return nil
}

// Sum returns the sum of all elements of x, a node of shape (1).
func (g *Graph) Sum(x *Node) *Node {
	if g.err != nil {
		return nil
	}
	return g.apply(spec{name: "sum", in: []*Node{x}, shape: tensor.Shape{1},
		f32: sumRows[float32], f64: sumRows[float64], // rows of one column
		rule: func(p pull) []*Node { return []*Node{g.ScalarFill(p.cot, x.Shape()...)} },
	})
}

func (g *Graph) sameShape(name string, x, y *Node) bool {
	if g.err != nil {
		return false
	}
	if !slices.Equal(x.Shape(), y.Shape()) {
		g.Fail("%s: operands of shape %v and %v: want one shape", name, x.Shape(), y.Shape())
		return false
	}
	return true
}
