package rfm

import (
	"cmp"
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/graph"
)

// L1 is exp(−‖u − v‖₁/L), a product of a Laplace kernel for every coordinate. It
// is no function of an inner product, and M^½ and its rotations differ. Its
// gradient is 0 in coordinates that coincide.
type L1 struct {
	Bandwidth float64 // L > 0; 0 is DefaultBandwidth
}

// Product is ∏ₖ exp(−(|uₖ − vₖ|/L)^q), the product kernel of xRFM, 0 < q ≤ 2. L1
// is that of q = 1, and q = 2 is a Gaussian of bandwidth L/√2. Its gradient is 0
// in coordinates that coincide, also for q < 1, where it is unbounded beside
// them.
type Product struct {
	Bandwidth float64 // L > 0; 0 is DefaultBandwidth
	Exponent  float64 // q; 0 is 1
}

// Matrix implements [Kernel].
func (k L1) Matrix(g *graph.Graph, u, v *graph.Node) *graph.Node {
	return Product{Bandwidth: k.Bandwidth}.Matrix(g, u, v)
}

// Matrix implements [Kernel].
func (k Product) Matrix(g *graph.Graph, u, v *graph.Node) *graph.Node {
	q := k.exponent()
	return g.Exp(g.Scale(-math.Pow(k.bandwidth(), -q), g.PowerDistance(q, u, v)))
}

// Rotates implements [Kernel].
func (k L1) Rotates() bool { return false }

// Rotates implements [Kernel].
func (k Product) Rotates() bool { return false }

// String implements [Kernel].
func (k L1) String() string { return "l1" }

// String implements [Kernel].
func (k Product) String() string { return fmt.Sprintf("product:%v", k.exponent()) }

// Formula implements [Kernel].
func (k L1) Formula() string { return "exp(−‖u − v‖₁/L), u = M^½x, v = M^½z" }

// Formula implements [Kernel].
func (k Product) Formula() string {
	return fmt.Sprintf("exp(−Σₖ(|uₖ − vₖ|/L)^%v), u = M^½x, v = M^½z", k.exponent())
}

func (k L1) bandwidth() float64      { return bandwidthOr(k.Bandwidth) }
func (k Product) bandwidth() float64 { return bandwidthOr(k.Bandwidth) }

func (k L1) check() error { return checkBandwidth(k.Bandwidth) }

func (k Product) check() error {
	if q := k.exponent(); !(q > 0 && q <= 2) {
		return fmt.Errorf(
			"rfm: kernel %v: exponent %v: want more than 0 and at most 2, beyond which it is not positive "+
				"semi-definite", k, q)
	}
	return checkBandwidth(k.Bandwidth)
}

func (k Product) exponent() float64 { return cmp.Or(k.Exponent, 1) }
