package graph

import (
	"math"

	"github.com/ansatz-lab/ansatz/graph/backend"
)

// The activations and other functions of each element. Most are expressions of a few others, which are computed
// together in one pass. Where a function has a kink its derivative there is the one on the left, as for ReLU, unless
// its comment says otherwise.

// Sigmoid returns 1/(1 + e⁻ˣ), whose derivative is σ(1 − σ).
func (g *Graph) Sigmoid(x *Node) *Node {
	return g.map1("sigmoid", backend.Sigmoid, 0, x, func(p pull) []*Node {
		return []*Node{g.weigh(g.Sub(p.out, g.Mul(p.out, p.out)), p.cot)}
	})
}

// Softplus returns log(1 + eˣ), whose derivative is the sigmoid.
func (g *Graph) Softplus(x *Node) *Node {
	return g.map1("softplus", backend.Softplus, 0, x, func(p pull) []*Node {
		return []*Node{g.weigh(g.Sigmoid(p.in[0]), p.cot)}
	})
}

// Erf returns the error function, whose derivative is 2/√π·exp(−x²).
func (g *Graph) Erf(x *Node) *Node {
	return g.map1("erf", backend.Erf, 0, x, func(p pull) []*Node {
		x := p.in[0]
		return []*Node{g.weigh(g.Scale(2/math.SqrtPi, g.Exp(g.Scale(-1, g.Mul(x, x)))), p.cot)}
	})
}

// Log returns the natural logarithm.
func (g *Graph) Log(x *Node) *Node {
	return g.map1("log", backend.Log, 0, x, func(p pull) []*Node {
		return []*Node{g.weigh(g.Reciprocal(p.in[0]), p.cot)}
	})
}

// Sqrt returns √x. Its derivative at 0 is infinite.
func (g *Graph) Sqrt(x *Node) *Node {
	return g.map1("sqrt", backend.Sqrt, 0, x, func(p pull) []*Node {
		return []*Node{g.weigh(g.Scale(.5, g.Reciprocal(p.out)), p.cot)}
	})
}

// Reciprocal returns 1/x.
func (g *Graph) Reciprocal(x *Node) *Node {
	return g.map1("reciprocal", backend.Inverse, 0, x, func(p pull) []*Node {
		return []*Node{g.weigh(g.Scale(-1, g.Mul(p.out, p.out)), p.cot)}
	})
}

// Div returns a/b, element by element, for nodes of one shape.
func (g *Graph) Div(a, b *Node) *Node {
	return g.Mul(a, g.Reciprocal(b))
}

// Sin returns the sine.
func (g *Graph) Sin(x *Node) *Node {
	return g.map1("sin", backend.Sin, 0, x, func(p pull) []*Node { return []*Node{g.weigh(g.Cos(p.in[0]), p.cot)} })
}

// Cos returns the cosine.
func (g *Graph) Cos(x *Node) *Node {
	return g.map1("cos", backend.Cos, 0, x, func(p pull) []*Node {
		return []*Node{g.weigh(g.Scale(-1, g.Sin(p.in[0])), p.cot)}
	})
}

// PowerOf returns xᵏ, for any x if k is an integer and for x ≥ 0 otherwise. ([Graph.Power], which kernels use, is 0 for
// negative x.)
func (g *Graph) PowerOf(k float64, x *Node) *Node {
	if g.err != nil {
		return nil
	}
	switch k {
	case 0:
		return g.onesLike(x)
	case 1:
		return x
	case 2:
		return g.Mul(x, x)
	case 3:
		return g.Mul(g.Mul(x, x), x)
	case .5:
		return g.Sqrt(x)
	case -1:
		return g.Reciprocal(x)
	}
	return g.map1("power of", backend.Pow, k, x, func(p pull) []*Node {
		return []*Node{g.weigh(g.Scale(k, g.PowerOf(k-1, p.in[0])), p.cot)}
	})
}

// Neg returns −x.
func (g *Graph) Neg(x *Node) *Node { return g.Scale(-1, x) }

// Abs returns |x|. Its derivative at 0 is 0.
func (g *Graph) Abs(x *Node) *Node {
	return g.Add(g.ReLU(x), g.ReLU(g.Neg(x)))
}

// AtLeast returns the greater of x and k. Its derivative where x = k is 0.
func (g *Graph) AtLeast(k float64, x *Node) *Node {
	return g.map1("at least", backend.Greater, k, x, func(p pull) []*Node {
		return []*Node{g.Mask(g.Shift(-k, p.in[0]), p.cot)}
	})
}

// AtMost returns the smaller of x and k. Its derivative where x = k is 0.
func (g *Graph) AtMost(k float64, x *Node) *Node {
	return g.map1("at most", backend.Less, k, x, func(p pull) []*Node {
		return []*Node{g.Mask(g.Shift(k, g.Neg(p.in[0])), p.cot)}
	})
}

// Clip limits x to [lo, hi]; both may be infinite. Its derivative at lo and hi is 0, as in PyTorch's relu6; clamp has 1.
func (g *Graph) Clip(x *Node, lo, hi float64) *Node {
	switch {
	case lo == 0:
		x = g.ReLU(x)
	case !math.IsInf(lo, -1):
		x = g.AtLeast(lo, x)
	}
	if !math.IsInf(hi, 1) {
		x = g.AtMost(hi, x)
	}
	return x
}

// Maximum returns the greater of a and b, of one shape, and a NaN of either. Where they are equal b gets the derivative;
// PyTorch halves it.
func (g *Graph) Maximum(a, b *Node) *Node {
	return g.map2("maximum", backend.Max, a, b, func(p pull) []*Node {
		fromA := g.Mask(g.Sub(p.in[0], p.in[1]), p.cot)
		return []*Node{fromA, p.ifWanted(1, func() *Node { return g.Sub(p.cot, fromA) })}
	})
}

// Minimum returns the smaller of a and b, element by element, as [Graph.Maximum] returns the greater.
func (g *Graph) Minimum(a, b *Node) *Node {
	return g.Neg(g.Maximum(g.Neg(a), g.Neg(b)))
}

// ReLU6 returns x, but at least 0 and at most 6.
func (g *Graph) ReLU6(x *Node) *Node { return g.Clip(x, 0, 6) }

// LeakyReLU returns x where x > 0, and slope·x elsewhere.
func (g *Graph) LeakyReLU(x *Node, slope float64) *Node {
	return g.Add(g.Scale(slope, x), g.Scale(1-slope, g.ReLU(x)))
}

// ELU returns x where x > 0, and alpha·(eˣ − 1) elsewhere. Its derivative at 0 is alpha.
func (g *Graph) ELU(x *Node, alpha float64) *Node {
	positive := g.ReLU(x)
	return g.Add(positive, g.Scale(alpha, g.Shift(-1, g.Exp(g.Sub(x, positive)))))
}

// SiLU returns x·σ(x), which is also called Swish.
func (g *Graph) SiLU(x *Node) *Node {
	return g.Mul(x, g.Sigmoid(x))
}

// GELU returns x·Φ(x), with the distribution function Φ of the standard normal.
func (g *Graph) GELU(x *Node) *Node {
	return g.Mul(x, g.Shift(.5, g.Scale(.5, g.Erf(g.Scale(math.Sqrt2/2, x)))))
}

// GELUTanh returns the approximation x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³))) of GELU.
func (g *Graph) GELUTanh(x *Node) *Node {
	inner := g.Mul(x, g.Shift(1, g.Scale(.044715, g.Mul(x, x))))
	return g.Mul(x, g.Shift(.5, g.Scale(.5, g.Tanh(g.Scale(math.Sqrt(2/math.Pi), inner)))))
}

// HardSigmoid returns slope·x + shift, but at least 0 and at most 1. PyTorch uses 1/6 and ½.
func (g *Graph) HardSigmoid(x *Node, slope, shift float64) *Node {
	return g.Clip(g.Shift(shift, g.Scale(slope, x)), 0, 1)
}

// HardSwish returns x times its hard sigmoid, with PyTorch's slope and shift.
func (g *Graph) HardSwish(x *Node) *Node {
	return g.Mul(x, g.HardSigmoid(x, 1./6, .5))
}

// Mish returns x·tanh(log(1 + eˣ)).
func (g *Graph) Mish(x *Node) *Node {
	return g.Mul(x, g.Tanh(g.Softplus(x)))
}
