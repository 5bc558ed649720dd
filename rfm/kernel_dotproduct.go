package rfm

import (
	"fmt"

	"github.com/ansatz-lab/ansatz/graph"
)

// MaxDepth is the largest depth of [NTK] and [NNGP].
const MaxDepth = 20

// NTK is the neural tangent kernel of an infinitely wide network of Depth hidden
// layers with activation √2·ReLU, weights N(0, 1)/√width and no biases; inputs
// are not divided by their dimension (Jacot et al. 2018, Arora et al. 2019).
//
// With ρ₀ = cos(u, v) and θ₀ = ρ₀, a layer gives ρ ← κ₁(ρ) and θ ← κ₁(ρ) + θκ₀(ρ)
// with the arc-cosine kernels κ₀ and κ₁, and the kernel is ‖u‖‖v‖θ.
type NTK struct {
	Depth int // number of hidden layers, 1 to MaxDepth
}

// NNGP is the covariance of the outputs of the same network at its initialisation, ‖u‖‖v‖ρ.
type NNGP struct {
	Depth int // number of hidden layers, 1 to MaxDepth
}

// Matrix implements [Kernel].
func (k NTK) Matrix(g *graph.Graph, u, v *graph.Node) *graph.Node {
	_, theta := layers(g, k.Depth, u, v)
	return timesNorms(g, theta, u, v)
}

// Matrix implements [Kernel].
func (k NNGP) Matrix(g *graph.Graph, u, v *graph.Node) *graph.Node {
	rho, _ := layers(g, k.Depth, u, v)
	return timesNorms(g, rho, u, v)
}

// layers returns ρ and θ after depth layers.
func layers(g *graph.Graph, depth int, u, v *graph.Node) (rho, theta *graph.Node) {
	rho = g.Cosines(u, v)
	theta = rho
	for range depth {
		next := g.ArcCosine1(rho)
		theta = g.Add(next, g.Mul(theta, g.ArcCosine0(rho)))
		rho = next
	}
	return rho, theta
}

// String implements [Kernel].
func (k NTK) String() string { return fmt.Sprintf("ntk:%d", k.Depth) }

// String implements [Kernel].
func (k NNGP) String() string { return fmt.Sprintf("nngp:%d", k.Depth) }

// Formula implements [Kernel].
func (k NTK) Formula() string {
	return fmt.Sprintf("NTK of %d hidden layers of √2·ReLU, without biases, at M^½x and M^½z", k.Depth)
}

// Formula implements [Kernel].
func (k NNGP) Formula() string {
	return fmt.Sprintf("NNGP of %d hidden layers of √2·ReLU, without biases, at M^½x and M^½z", k.Depth)
}

func (k NTK) symmetries() (rotations, shifts bool)  { return true, false }
func (k NNGP) symmetries() (rotations, shifts bool) { return true, false }

func (k NTK) bandwidth() float64  { return 0 }
func (k NNGP) bandwidth() float64 { return 0 }

func (k NTK) check() error  { return checkDepth(k, k.Depth) }
func (k NNGP) check() error { return checkDepth(k, k.Depth) }

func checkDepth(k Kernel, depth int) error {
	if depth < 1 || depth > MaxDepth {
		return fmt.Errorf("rfm: kernel %v: want a depth of 1 to %d hidden layers", k, MaxDepth)
	}
	return nil
}

// Polynomial is (1 + u·v)^p, whose functions are the polynomials of degree at most p. With r features, (r+p choose p) of
// them are linearly independent. It is the fixed polynomial kernel of rfm's Proposition 2.
type Polynomial struct {
	Degree int // p, 1 to MaxDegree; 0 is 1
}

// MaxDegree is the largest degree of [Polynomial].
const MaxDegree = 20

// Matrix implements Kernel.
func (k Polynomial) Matrix(g *graph.Graph, u, v *graph.Node) *graph.Node {
	base := g.Shift(1, g.MatMul(u, v, false, true))
	out := base
	for range max(k.Degree, 1) - 1 {
		out = g.Mul(out, base)
	}
	return out
}

// String implements [Kernel].
func (k Polynomial) String() string { return fmt.Sprintf("polynomial:%d", max(k.Degree, 1)) }

// Formula implements Kernel.
func (k Polynomial) Formula() string { return fmt.Sprintf("(1 + xᵀMz)^%d", max(k.Degree, 1)) }

func (Polynomial) symmetries() (rotations, shifts bool) { return true, false }
func (Polynomial) bandwidth() float64                   { return 0 }

func (k Polynomial) check() error {
	if k.Degree < 0 || k.Degree > MaxDegree {
		return fmt.Errorf("rfm: polynomial kernel of degree %d: want a whole number from 1 to %d", k.Degree, MaxDegree)
	}
	return nil
}
