package graph

import (
	"slices"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"gorgonia.org/tensor"
)

// elementwise applies an instruction to full operands of one shape and to
// vectors.
func (g *Graph) elementwise(name string, in backend.Instr, shape tensor.Shape, full, vectors []*Node, r rule) *Node {
	if g.err != nil {
		return nil
	}
	for _, x := range full {
		if !slices.Equal(x.Shape(), shape) { // tensor.Shape.Eq takes a column for a vector
			return g.Fail("%s: operands of shape %v and %v: want one shape", name, shape, x.Shape())
		}
	}
	if len(full) > 1 {
		in.B = 1
	}
	in.V, in.W = int32(len(full)), int32(len(full)+1)
	return g.apply(spec{name: name, attr: in.K, in: append(full[:len(full):len(full)], vectors...), shape: shape,
		instr: &in, rule: r})
}

func (g *Graph) map1(name string, code backend.Code, k float64, x *Node, r rule) *Node {
	if g.err != nil {
		return nil
	}
	return g.elementwise(name, backend.Instr{Code: code, K: k}, x.Shape(), []*Node{x}, nil, r)
}

func (g *Graph) map2(name string, code backend.Code, a, b *Node, r rule) *Node {
	if g.err != nil {
		return nil
	}
	return g.elementwise(name, backend.Instr{Code: code}, a.Shape(), []*Node{a, b}, nil, r)
}

// Add returns a + b, for nodes of one shape.
func (g *Graph) Add(a, b *Node) *Node {
	return g.map2("add", backend.Add, a, b, func(p pull) []*Node { return []*Node{p.cot, p.cot} })
}

// Sub returns a − b, for nodes of one shape.
func (g *Graph) Sub(a, b *Node) *Node {
	return g.map2("sub", backend.Sub, a, b, func(p pull) []*Node {
		return []*Node{p.cot, p.ifWanted(1, func() *Node { return g.Scale(-1, p.cot) })}
	})
}

// Mul returns the product of a and b, element by element, for nodes of one shape.
func (g *Graph) Mul(a, b *Node) *Node {
	return g.map2("mul", backend.Mul, a, b, func(p pull) []*Node {
		return []*Node{
			p.ifWanted(0, func() *Node { return g.timesWeight(p.in[1], p.cot) }),
			p.ifWanted(1, func() *Node { return g.timesWeight(p.in[0], p.cot) }),
		}
	})
}

// Scale returns k·x.
func (g *Graph) Scale(k float64, x *Node) *Node {
	return g.map1("scale", backend.Scale, k, x, func(p pull) []*Node {
		return []*Node{g.inWeight(p.cot, func(c *Node) *Node { return g.Scale(k, c) })}
	})
}

// Shift returns x + k.
func (g *Graph) Shift(k float64, x *Node) *Node {
	return g.map1("shift", backend.Shift, k, x, func(p pull) []*Node { return []*Node{p.cot} })
}

// ReLU returns max(x, 0). Its derivative at 0 is 0.
func (g *Graph) ReLU(x *Node) *Node {
	return g.map1("relu", backend.ReLU, 0, x, func(p pull) []*Node { return []*Node{g.Mask(p.out, p.cot)} })
}

// Mask returns x where y > 0 and 0 elsewhere. It is linear in x; its
// derivative in y is 0 wherever it exists.
func (g *Graph) Mask(y, x *Node) *Node {
	return g.map2("mask", backend.Mask, y, x, func(p pull) []*Node {
		return []*Node{nil, p.ifWanted(1, func() *Node {
			return g.inWeight(p.cot, func(c *Node) *Node { return g.Mask(p.in[0], c) })
		})}
	})
}

// Tanh returns tanh x, whose derivative is 1 − tanh² x.
func (g *Graph) Tanh(x *Node) *Node {
	return g.map1("tanh", backend.Tanh, 0, x, func(p pull) []*Node {
		return []*Node{g.Sub(p.cot, g.Mul(g.Mul(p.out, p.out), p.cot))}
	})
}

// Rsqrt returns 1/√x, whose derivative is −x^(−3/2)/2.
func (g *Graph) Rsqrt(x *Node) *Node {
	return g.map1("rsqrt", backend.Rsqrt, 0, x, func(p pull) []*Node {
		cube := g.Mul(g.Mul(p.out, p.out), p.out)
		return []*Node{g.Scale(-.5, g.Mul(cube, p.cot))}
	})
}

// Exp returns eˣ.
func (g *Graph) Exp(x *Node) *Node {
	return g.map1("exp", backend.Exp, 0, x, func(p pull) []*Node { return []*Node{g.weigh(p.out, p.cot)} })
}

// Power returns xᵏ where x > 0 and 0 elsewhere. Its derivative is 0 where x ≤ 0, as needed for the square root of a
// squared distance of 0.
func (g *Graph) Power(k float64, x *Node) *Node {
	return g.map1("power", backend.Power, k, x, func(p pull) []*Node {
		return []*Node{g.weigh(g.Scale(k, g.Power(k-1, p.in[0])), p.cot)}
	})
}

// RowAdd returns x + v, the vector v added to every row of x.
func (g *Graph) RowAdd(x, v *Node) *Node {
	return g.rowOp("row add", backend.RowAdd, x, []*Node{v}, func(p pull) []*Node {
		return []*Node{p.cot, p.ifWanted(1, func() *Node { return g.SumRows(p.cot) })}
	})
}

// RowMul returns x with every row multiplied by v, element by element.
func (g *Graph) RowMul(x, v *Node) *Node {
	return g.rowOp("row mul", backend.RowMul, x, []*Node{v}, func(p pull) []*Node {
		return []*Node{
			p.ifWanted(0, func() *Node { return g.RowMul(p.cot, p.in[1]) }),
			p.ifWanted(1, func() *Node { return g.DotRows(p.in[0], p.cot) }),
		}
	})
}

// RowAffine returns x·v + w, with the vectors v and w applied to every row of x.
func (g *Graph) RowAffine(x, v, w *Node) *Node {
	return g.rowOp("row affine", backend.RowAffine, x, []*Node{v, w}, func(p pull) []*Node {
		return []*Node{
			p.ifWanted(0, func() *Node { return g.RowMul(p.cot, p.in[1]) }),
			p.ifWanted(1, func() *Node { return g.DotRows(p.in[0], p.cot) }),
			p.ifWanted(2, func() *Node { return g.SumRows(p.cot) }),
		}
	})
}

func (g *Graph) rowOp(name string, code backend.Code, x *Node, vectors []*Node, r rule) *Node {
	if g.err != nil {
		return nil
	}
	for _, v := range vectors {
		if v.Dims() != 1 || size(v) != cols(x) {
			return g.Fail("%s: rows of %d with a vector of shape %v: want length %d", name, cols(x), v.Shape(), cols(x))
		}
	}
	return g.elementwise(name, backend.Instr{Code: code}, x.Shape(), []*Node{x}, vectors, r)
}

// RowFill returns a node of the given shape whose every row is v.
func (g *Graph) RowFill(v *Node, shape ...int) *Node {
	if g.err != nil {
		return nil
	}
	if v.Dims() != 1 || len(shape) == 0 || shape[len(shape)-1] != size(v) {
		return g.Fail("row fill: shape %v from rows of shape %v", shape, v.Shape())
	}
	return g.elementwise("row fill", backend.Instr{Code: backend.RowFill}, shape, nil, []*Node{v},
		func(p pull) []*Node { return []*Node{g.SumRows(p.cot)} })
}

// ColMul returns x with its i-th row multiplied by v[i].
func (g *Graph) ColMul(x, v *Node) *Node {
	if g.err != nil {
		return nil
	}
	if v.Dims() != 1 || size(v) != rows(x) {
		return g.Fail("column mul: %d rows with a vector of shape %v: want length %d", rows(x), v.Shape(), rows(x))
	}
	return g.elementwise("column mul", backend.Instr{Code: backend.ColMul}, x.Shape(), []*Node{x}, []*Node{v},
		func(p pull) []*Node {
			return []*Node{
				p.ifWanted(0, func() *Node { return g.ColMul(p.cot, p.in[1]) }),
				p.ifWanted(1, func() *Node { return g.DotCols(p.in[0], p.cot) }),
			}
		})
}

// ColFill returns a node of the given shape whose i-th row is v[i] throughout.
func (g *Graph) ColFill(v *Node, shape ...int) *Node {
	if g.err != nil {
		return nil
	}
	if v.Dims() != 1 || len(shape) == 0 || tensor.Shape(shape[:len(shape)-1]).TotalSize() != size(v) {
		return g.Fail("column fill: shape %v from a vector of shape %v: want an element for each row", shape, v.Shape())
	}
	return g.elementwise("column fill", backend.Instr{Code: backend.ColFill}, shape, nil, []*Node{v},
		func(p pull) []*Node { return []*Node{g.SumCols(p.cot)} })
}

// ScalarMul returns s·x, s being a node of one element.
func (g *Graph) ScalarMul(x, s *Node) *Node {
	if g.err != nil {
		return nil
	}
	if size(s) != 1 {
		return g.Fail("scalar mul: a factor of shape %v: want one element", s.Shape())
	}
	return g.elementwise("scalar mul", backend.Instr{Code: backend.ScalarMul}, x.Shape(), []*Node{x}, []*Node{s},
		func(p pull) []*Node {
			return []*Node{
				p.ifWanted(0, func() *Node { return g.ScalarMul(p.cot, p.in[1]) }),
				p.ifWanted(1, func() *Node { return g.Reshape(g.Dot(p.in[0], p.cot), p.in[1].Shape()...) }),
			}
		})
}

// ScalarFill returns a node of the given shape whose every element is s, a node
// of one element.
func (g *Graph) ScalarFill(s *Node, shape ...int) *Node {
	if g.err != nil {
		return nil
	}
	if size(s) != 1 || len(shape) == 0 {
		return g.Fail("scalar fill: shape %v from a node of shape %v: want one element", shape, s.Shape())
	}
	return g.elementwise("scalar fill", backend.Instr{Code: backend.ScalarFill}, shape, nil, []*Node{s},
		func(p pull) []*Node { return []*Node{g.Reshape(g.Sum(p.cot), s.Shape()...)} })
}

// ifWanted returns f() if the cotangent of operand i is needed, else nil.
func (p pull) ifWanted(i int, f func() *Node) *Node {
	if !p.want[i] {
		return nil
	}
	return f()
}
