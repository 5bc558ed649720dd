package graph

import (
	"math"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"gorgonia.org/tensor"
)

// PowerDistance returns the matrix Σₖ |u[i,k] − v[j,k]|^p, b×n, of the rows of
// u, b×d, and v, n×d: for p = 1 their L1 distances. p must be positive and
// finite. Where two coordinates are equal, the derivative in them is 0, and so is the second derivative, which
// would be infinite for p < 2.
func (g *Graph) PowerDistance(p float64, u, v *Node) *Node {
	if g.err != nil {
		return nil
	}
	if !(p > 0) || math.IsInf(p, 1) {
		return g.Fail("power distance with exponent %v: want a positive number", p)
	}
	if u.Dims() != 2 || v.Dims() != 2 || u.Shape()[1] != v.Shape()[1] {
		return g.Fail("power distance of rows of shapes %v and %v: want two matrices with as many columns",
			u.Shape(), v.Shape())
	}
	return g.sumDifferences(powerOf{p, false}, u, v, nil, nil)
}

// powerOf is the function |δ|^p of a difference δ, or sign(δ)·|δ|^p.
type powerOf struct {
	p   float64
	odd bool
}

// derivative returns k and h with f′ = k·h; k = 0 where f is constant.
func (f powerOf) derivative() (k float64, h powerOf) { return f.p, powerOf{f.p - 1, !f.odd} }

// parity returns s = ±1 with f(−δ) = s·f(δ).
func (f powerOf) parity() float64 {
	if f.odd {
		return -1
	}
	return 1
}

func (f powerOf) differences(u, v *Node) backend.Differences {
	return backend.Differences{Rows: u.Shape()[0], Others: v.Shape()[0], Cols: u.Shape()[1], Power: f.p, Odd: f.odd}
}

// sumDifferences returns A[i,j] = Σₖ c[i,k]·w[j,k]·f(u[i,k] − v[j,k]), b×n. The
// weights c, b×d, and w, n×d, may be nil, for ones. Its derivatives are
// weighDifferences, whose own derivatives use both ops.
func (g *Graph) sumDifferences(f powerOf, u, v, c, w *Node) *Node {
	if g.err != nil {
		return nil
	}
	in, at := optional(u, v, c, w)
	s := f.differences(u, v)
	return g.apply(spec{
		name: "sum of differences", attr: [3]any{f, c != nil, w != nil}, in: in, shape: tensor.Shape{s.Rows, s.Others},
		f32: sumDifferences[float32](s, at), f64: sumDifferences[float64](s, at),
		rule: func(p pull) []*Node {
			s := f.parity()
			cots := []*Node{
				p.ifWanted(0, func() *Node { return g.times(c, g.slope(f, 1, u, v, p.cot, w, false)) }),
				p.ifWanted(1, func() *Node { return g.times(w, g.slope(f, s, v, u, p.cot, c, true)) }),
			}
			if c != nil {
				cots = append(cots, p.ifWanted(at[2], func() *Node { return g.weighDifferences(f, u, v, p.cot, w, false) }))
			}
			if w != nil {
				cots = append(cots,
					p.ifWanted(at[3], func() *Node { return g.Scale(s, g.weighDifferences(f, v, u, p.cot, c, true)) }))
			}
			return cots
		},
	})
}

// weighDifferences returns B[i,k] = Σⱼ q[i,j]·w[j,k]·f(u[i,k] − v[j,k]), b×d. q
// is b×n or, if trans is set, n×b; w, n×d, may be nil, for ones.
func (g *Graph) weighDifferences(f powerOf, u, v, q, w *Node, trans bool) *Node {
	if g.err != nil {
		return nil
	}
	in, at := optional(u, v, q, w)
	s := f.differences(u, v)
	return g.apply(spec{
		name: "weighted differences", attr: [2]any{f, trans}, in: in, shape: tensor.Shape{s.Rows, s.Cols},
		f32: weighDifferences[float32](s, trans, at), f64: weighDifferences[float64](s, trans, at),
		rule: func(p pull) []*Node {
			s := f.parity()
			cots := []*Node{
				p.ifWanted(0, func() *Node { return g.times(p.cot, g.slope(f, 1, u, v, q, w, trans)) }),
				p.ifWanted(1, func() *Node { return g.times(w, g.slope(f, s, v, u, q, p.cot, !trans)) }),
				p.ifWanted(2, func() *Node {
					if trans {
						return g.Scale(s, g.sumDifferences(f, v, u, w, p.cot))
					}
					return g.sumDifferences(f, u, v, p.cot, w)
				}),
			}
			if w != nil {
				cots = append(cots,
					p.ifWanted(3, func() *Node { return g.Scale(s, g.weighDifferences(f, v, u, q, p.cot, !trans)) }))
			}
			return cots
		},
	})
}

// slope returns s·weighDifferences of f′, nil where f is constant.
func (g *Graph) slope(f powerOf, s float64, u, v, q, w *Node, trans bool) *Node {
	k, h := f.derivative()
	if k == 0 {
		return nil
	}
	return g.Scale(s*k, g.weighDifferences(h, u, v, q, w, trans))
}

// times returns a·b, either of which may be nil: a for ones, b for zeros.
func (g *Graph) times(a, b *Node) *Node {
	if a == nil || b == nil {
		return b
	}
	return g.Mul(a, b)
}

// optional returns the operands that are not nil, and the index of every operand among them, -1 for nil.
func optional(all ...*Node) (in []*Node, at [4]int) {
	for i, n := range all {
		at[i] = -1
		if n != nil {
			at[i] = len(in)
			in = append(in, n)
		}
	}
	return in, at
}

func sumDifferences[T backend.Float](s backend.Differences, at [4]int) func(*call[T]) error {
	return func(c *call[T]) error {
		c.engine.SumDifferences(s, c.in[0], c.in[1], c.operand(at[2]), c.operand(at[3]), c.out)
		return nil
	}
}

func weighDifferences[T backend.Float](s backend.Differences, trans bool, at [4]int) func(*call[T]) error {
	return func(c *call[T]) error {
		c.engine.WeighDifferences(s, trans, c.in[2], c.in[0], c.in[1], c.operand(at[3]), c.out)
		return nil
	}
}

// operand returns operand i, nil for -1.
func (c *call[T]) operand(i int) []T {
	if i < 0 {
		return nil
	}
	return c.in[i]
}
