package rfm

import "github.com/ansatz-lab/ansatz/graph"

// Kernel is a positive semi-definite function of two points. Its metric comes
// from outside: the kernel of M at x and z is K(Wx, Wz) with WᵀW = M.
type Kernel interface {
	// Matrix builds the expression of K(uᵢ, vⱼ), b×n, for the rows of u, b×d,
	// and v, n×d.
	Matrix(g *graph.Graph, u, v *graph.Node) *graph.Node
	// String names the kernel with its parameters, as [ParseKernel] reads it.
	String() string
	// Formula is the kernel as a reader of a record would write it.
	Formula() string
	// Rotates says that K(Qu, Qv) = K(u, v) for every rotation Q, so that any W
	// with WᵀW = M will do; else W is the symmetric M^½.
	Rotates() bool
	// bandwidth is L, 0 for kernels that have none.
	bandwidth() float64
	// check reports parameters that are out of their range.
	check() error
}

// DefaultBandwidth is the L that the papers take.
const DefaultBandwidth = 10.

// Bandwidth is the L of a kernel, 0 where it has none.
func Bandwidth(k Kernel) float64 { return k.bandwidth() }
