package rfm

import (
	"cmp"
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/graph"
)

// Laplace is exp(−‖u − v‖/L), the kernel that paper rfm uses nearly everywhere.
// Its gradient does not exist where u = v, and counts as 0 there.
type Laplace struct {
	Bandwidth float64 // L > 0; 0 is DefaultBandwidth
}

// Gaussian is exp(−‖u − v‖²/(2L²)).
type Gaussian struct {
	Bandwidth float64 // L > 0; 0 is DefaultBandwidth
}

// Exponential is the γ-exponential kernel exp(−(‖u − v‖/L)^γ), 0 < γ ≤ 2. With γ = 1 it is [Laplace].
type Exponential struct {
	Bandwidth float64 // L > 0; 0 is DefaultBandwidth
	Gamma     float64 // 0 is 1
}

// HomogeneousExponential is the H-γ-exponential kernel ‖u‖‖v‖ exp(−(‖u/‖u‖ − v/‖v‖‖/L)^γ), 0 < γ ≤ 2 (Geifman et al.
// 2020, which rfm Fig. 4b compares with). It is 0 where u or v is.
type HomogeneousExponential struct {
	Bandwidth float64 // L > 0; 0 is DefaultBandwidth
	Gamma     float64 // 0 is 1
}

// Matrix implements [Kernel].
func (k Laplace) Matrix(g *graph.Graph, u, v *graph.Node) *graph.Node {
	return Exponential{Bandwidth: k.Bandwidth}.Matrix(g, u, v)
}

// Matrix implements [Kernel].
func (k Gaussian) Matrix(g *graph.Graph, u, v *graph.Node) *graph.Node {
	l := k.bandwidth()
	return g.Exp(g.Scale(-1/(2*l*l), g.SquaredDistances(u, v)))
}

// Matrix implements [Kernel].
func (k Exponential) Matrix(g *graph.Graph, u, v *graph.Node) *graph.Node {
	gamma := k.gamma()
	return g.Exp(g.Scale(-math.Pow(k.bandwidth(), -gamma), g.Power(gamma/2, g.SquaredDistances(u, v))))
}

// Matrix implements [Kernel].
func (k HomogeneousExponential) Matrix(g *graph.Graph, u, v *graph.Node) *graph.Node {
	onSphere := Exponential(k).Matrix(g, unitRows(g, u), unitRows(g, v))
	return timesNorms(g, onSphere, u, v)
}

// unitRows returns the rows of x divided by their norms; rows of zeros stay zeros.
func unitRows(g *graph.Graph, x *graph.Node) *graph.Node {
	return g.ColMul(x, g.Power(-1, g.Norms(x)))
}

// timesNorms returns kᵢⱼ‖uᵢ‖‖vⱼ‖.
func timesNorms(g *graph.Graph, k, u, v *graph.Node) *graph.Node {
	return g.RowMul(g.ColMul(k, g.Norms(u)), g.Norms(v))
}

// String implements [Kernel].
func (k Laplace) String() string { return "laplace" }

// String implements [Kernel].
func (k Gaussian) String() string { return "gaussian" }

// String implements [Kernel].
func (k Exponential) String() string { return fmt.Sprintf("exponential:%v", k.gamma()) }

// String implements [Kernel].
func (k HomogeneousExponential) String() string {
	return fmt.Sprintf("h-exponential:%v", Exponential(k).gamma())
}

// Formula implements [Kernel].
func (k Laplace) Formula() string { return "exp(−‖x − z‖_M/L)" }

// Formula implements [Kernel].
func (k Gaussian) Formula() string { return "exp(−‖x − z‖²_M/(2L²))" }

// Formula implements [Kernel].
func (k Exponential) Formula() string {
	return fmt.Sprintf("exp(−(‖x − z‖_M/L)^%v)", k.gamma())
}

// Formula implements [Kernel].
func (k HomogeneousExponential) Formula() string {
	return fmt.Sprintf("‖u‖‖v‖exp(−(‖u/‖u‖ − v/‖v‖‖/L)^%v), u = M^½x, v = M^½z", Exponential(k).gamma())
}

func (k Laplace) symmetries() (rotations, shifts bool)                { return true, true }
func (k Gaussian) symmetries() (rotations, shifts bool)               { return true, true }
func (k Exponential) symmetries() (rotations, shifts bool)            { return true, true }
func (k HomogeneousExponential) symmetries() (rotations, shifts bool) { return true, false }

func (k Laplace) check() error                { return checkBandwidth(k.Bandwidth) }
func (k Gaussian) check() error               { return checkBandwidth(k.Bandwidth) }
func (k HomogeneousExponential) check() error { return Exponential(k).check() }

func (k Exponential) check() error {
	if g := k.gamma(); !(g > 0 && g <= 2) {
		return fmt.Errorf(
			"rfm: kernel %v: γ = %v: want more than 0 and at most 2, beyond which it is not positive semi-definite",
			k, g)
	}
	return checkBandwidth(k.Bandwidth)
}

func (k Exponential) gamma() float64 { return cmp.Or(k.Gamma, 1) }

func (k Laplace) bandwidth() float64                { return bandwidthOr(k.Bandwidth) }
func (k Gaussian) bandwidth() float64               { return bandwidthOr(k.Bandwidth) }
func (k Exponential) bandwidth() float64            { return bandwidthOr(k.Bandwidth) }
func (k HomogeneousExponential) bandwidth() float64 { return bandwidthOr(k.Bandwidth) }

func bandwidthOr(l float64) float64 { return cmp.Or(l, DefaultBandwidth) }

func checkBandwidth(l float64) error {
	if !(l >= 0) || math.IsInf(l, 0) {
		return fmt.Errorf("rfm: bandwidth %v: want a finite number above 0, or 0 for %v", l, DefaultBandwidth)
	}
	return nil
}

// L1 is exp(−‖u − v‖₁/L), the product of a Laplace kernel for every coordinate. It changes under rotations.
// Its gradient is 0 in coordinates that coincide.
type L1 struct {
	Bandwidth float64 // L > 0; 0 is DefaultBandwidth
}

// Product is ∏ₖ exp(−(|uₖ − vₖ|/L)^q), the product kernel of xRFM, 0 < q ≤ 2. With q = 1 it is L1, and with
// q = 2 a Gaussian of bandwidth L/√2. Its gradient is 0 in coordinates that coincide, also for q < 1, where
// it is unbounded nearby.
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

func (k L1) symmetries() (rotations, shifts bool)      { return false, true }
func (k Product) symmetries() (rotations, shifts bool) { return false, true }

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
