package rfm

import (
	"cmp"
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/graph"
)

// Lpq is exp(−(‖u − v‖ₚ/L)^q), a kernel of xRFM (arXiv 2508.10053), with 0 < q ≤ p ≤ 2; beyond these bounds it is not
// positive semi-definite. With p = 2 it is [Exponential], and with q = p [Product]. For p < 2 it changes under
// rotations. Its gradient counts as 0 where u = v, and in coordinates that coincide.
type Lpq struct {
	Bandwidth float64 // L > 0; 0 is DefaultBandwidth
	P         float64 // of the norm; 0 is 2
	Q         float64 // the exponent; 0 is 1
}

// Matrix implements [Kernel].
func (k Lpq) Matrix(g *graph.Graph, u, v *graph.Node) *graph.Node {
	p, q := k.exponents()
	return g.Exp(g.Scale(-math.Pow(k.bandwidth(), -q), g.Power(q/p, powerDistances(g, p, u, v))))
}

// powerDistances returns Σₖ |uₖ − vₖ|^p of the rows of u and v.
func powerDistances(g *graph.Graph, p float64, u, v *graph.Node) *graph.Node {
	if p == 2 {
		return g.SquaredDistances(u, v) // a matrix product
	}
	return g.PowerDistance(p, u, v)
}

// String implements [Kernel].
func (k Lpq) String() string {
	p, q := k.exponents()
	return fmt.Sprintf("lpq:%v:%v", p, q)
}

// Formula implements [Kernel].
func (k Lpq) Formula() string {
	p, q := k.exponents()
	return fmt.Sprintf("exp(−(‖u − v‖ₚ/L)^%v) with p = %v, u = M^½x, v = M^½z", q, p)
}

func (k Lpq) symmetries() (rotations, shifts bool) {
	p, _ := k.exponents()
	return p == 2, true
}

func (k Lpq) bandwidth() float64 { return bandwidthOr(k.Bandwidth) }

func (k Lpq) check() error {
	if p, q := k.exponents(); !(q > 0 && q <= p && p <= 2) {
		return fmt.Errorf("rfm: kernel %v: want 0 < q ≤ p ≤ 2, beyond which it is not positive semi-definite", k)
	}
	return checkBandwidth(k.Bandwidth)
}

func (k Lpq) exponents() (p, q float64) { return cmp.Or(k.P, 2), cmp.Or(k.Q, 1) }
