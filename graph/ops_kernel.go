package graph

import (
	"github.com/ansatz-lab/ansatz/graph/backend"
	"gorgonia.org/tensor"
)

// SquaredDistances returns ‖uᵢ − vⱼ‖², b×n, for the rows of u, b×d, and v, n×d.
//
// It computes ‖u‖² + ‖v‖² − 2u·v, where rounding destroys distances that are small relative to the norms. So a
// distance below [Graph.Coincident] times ‖u‖² + ‖v‖² is 0, and its derivative too.
func (g *Graph) SquaredDistances(u, v *Node) *Node {
	if g.err != nil {
		return nil
	}
	return g.expandSquare(g.MatMul(g.Scale(-2, u), v, false, true), g.DotCols(u, u), g.DotCols(v, v))
}

// RowSquaredDistances reads every row of u, P×(b·d), as b vectors and every row of v, P×(n·d), as n vectors. It
// returns ‖uᵢ − vⱼ‖² for the vectors of the same row, P×(b·n), with small distances as in [Graph.SquaredDistances].
func (g *Graph) RowSquaredDistances(u, v *Node, b, d, n int) *Node {
	if g.err != nil {
		return nil
	}
	dots := g.RowMatMul(u, g.RowTranspose(v, n, d), b, d, n)
	squares, others := g.RowSquares(u, b, d), g.RowSquares(v, n, d)
	if g.err != nil {
		return nil
	}
	both := g.Add(g.RowMatMul(squares, g.onesLike(others), b, 1, n), g.RowMatMul(g.onesLike(squares), others, b, 1, n))
	return g.atLeast(g.Coincident(), g.Sub(both, g.Scale(2, dots)), both)
}

// atLeast returns x where x ≥ k·y, and 0 elsewhere, for k·y ≥ 0. The derivative in x is 1 where it returns x, else 0.
func (g *Graph) atLeast(k float64, x, y *Node) *Node {
	if !g.sameShape("at least", x, y) {
		return nil
	}
	return g.elementwise("at least", backend.Instr{Code: backend.AtLeast, K: k}, x.Shape(), []*Node{x, y}, nil,
		func(p pull) []*Node {
			return []*Node{g.inWeight(p.cot, func(c *Node) *Node { return g.Mask(p.out, c) }), nil}
		})
}

// Coincident returns the fraction of ‖u‖² + ‖v‖² below which ‖u − v‖² counts as 0. The value for float32 was measured:
// it is a few times the rounding error of sums of 784 products.
func (g *Graph) Coincident() float64 {
	if g.dtype == tensor.Float64 {
		return 4e-15
	}
	return 2e-6
}

// expandSquare returns xᵢⱼ + vᵢ + wⱼ, or 0 where that is below Coincident.
func (g *Graph) expandSquare(x, v, w *Node) *Node {
	if g.err != nil {
		return nil
	}
	in := backend.Instr{Code: backend.Distance, K: g.Coincident()}
	return g.elementwise("squared distance", in, x.Shape(), []*Node{x}, []*Node{v, w}, func(p pull) []*Node {
		cot := g.inWeight(p.cot, func(c *Node) *Node { return g.Mask(p.out, c) })
		return []*Node{
			cot,
			p.ifWanted(1, func() *Node { return g.SumCols(cot) }),
			p.ifWanted(2, func() *Node { return g.SumRows(cot) }),
		}
	})
}

// Cosines returns uᵢ·vⱼ / ‖uᵢ‖‖vⱼ‖, b×n, for the rows of u, b×d, and v, n×d; 0
// where one of them is 0. Cosines within [Graph.Coincident] of ±1 are ±1, with derivative 0, which is the derivative
// in u and v there.
func (g *Graph) Cosines(u, v *Node) *Node {
	if g.err != nil {
		return nil
	}
	dots := g.MatMul(u, v, false, true)
	return g.clampCosine(g.RowMul(g.ColMul(dots, g.Power(-.5, g.DotCols(u, u))), g.Power(-.5, g.DotCols(v, v))))
}

// CosinesOf returns the cosines x/y for inner products x and products of norms y,
// of one shape; 0 where y is 0. Near ±1 it does what [Graph.Cosines] does.
func (g *Graph) CosinesOf(x, y *Node) *Node { return g.clampCosine(g.Mul(x, g.Power(-1, y))) }

func (g *Graph) clampCosine(x *Node) *Node {
	return g.map1("clamp", backend.Clamp, g.Coincident(), x, func(p pull) []*Node {
		return []*Node{g.inWeight(p.cot, func(c *Node) *Node { return g.Mask(g.sine2(p.out), c) })}
	})
}

// sine2 returns 1 − t².
func (g *Graph) sine2(t *Node) *Node { return g.Shift(1, g.Scale(-1, g.Mul(t, t))) }

// ArcCosine0 returns κ₀(t) = 1 − arccos(t)/π, the arc-cosine kernel of order 0 of
// unit vectors with the inner product t. Its derivative is 1/(π√(1−t²)), and 0
// at ±1.
func (g *Graph) ArcCosine0(t *Node) *Node {
	return g.map1("arc-cosine 0", backend.ArcCos0, 0, t, func(p pull) []*Node {
		return []*Node{g.weigh(g.Scale(oneOverPi, g.Power(-.5, g.sine2(p.in[0]))), p.cot)}
	})
}

// ArcCosine1 returns κ₁(t) = √(1−t²)/π + t·κ₀(t), the arc-cosine kernel of order
// 1. Its derivative is κ₀.
func (g *Graph) ArcCosine1(t *Node) *Node {
	return g.map2("arc-cosine 1", backend.ArcCos1, t, g.ArcCosine0(t), func(p pull) []*Node {
		return []*Node{g.weigh(p.in[1], p.cot), nil}
	})
}

const oneOverPi = 0.31830988618379067154

// Norms returns the vector of the norms of the rows of x. Its derivative is 0 at
// a row of zeros.
func (g *Graph) Norms(x *Node) *Node {
	return g.Power(.5, g.DotCols(x, x))
}

// onesLike returns ones in the shape of x.
func (g *Graph) onesLike(x *Node) *Node { return g.Shift(1, g.Scale(0, x)) }
