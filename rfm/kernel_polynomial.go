package rfm

import (
	"fmt"

	"github.com/ansatz-lab/ansatz/graph"
)

// Polynomial is (1 + u·v)^p, whose functions are the polynomials of degree p at
// most: of r features, (r+p choose p) of them are independent. It is the fixed
// polynomial kernel of rfm's Proposition 2.
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

// Rotates implements Kernel.
func (Polynomial) Rotates() bool { return true }

// String implements [Kernel].
func (k Polynomial) String() string { return fmt.Sprintf("polynomial:%d", max(k.Degree, 1)) }

// Formula implements Kernel.
func (k Polynomial) Formula() string { return fmt.Sprintf("(1 + xᵀMz)^%d", max(k.Degree, 1)) }

func (Polynomial) bandwidth() float64 { return 0 }

func (k Polynomial) check() error {
	if k.Degree < 0 || k.Degree > MaxDegree {
		return fmt.Errorf("rfm: polynomial kernel of degree %d: want a whole number from 1 to %d", k.Degree, MaxDegree)
	}
	return nil
}
