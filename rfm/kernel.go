package rfm

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/internal/suggest"
)

// Kernel is a positive semi-definite function K of two points. The metric M is not a part of it: with the metric M,
// the kernel of x and z is K(Wx, Wz) with WᵀW = M.
type Kernel interface {
	// Matrix builds the expression of K(uᵢ, vⱼ), b×n, for the rows of u, b×d, and v, n×d.
	Matrix(g *graph.Graph, u, v *graph.Node) *graph.Node
	// String names the kernel with its parameters, as [ParseKernel] reads it.
	String() string
	// Formula is the kernel as a formula, for the readers of records.
	Formula() string
	// symmetries reports whether K(Qu, Qv) = K(u, v) for every rotation Q, and K(u + s, v + s) = K(u, v) for every
	// shift s. If rotations holds, any W with WᵀW = M gives the same kernel; otherwise W must be the symmetric M^½.
	symmetries() (rotations, shifts bool)
	// bandwidth is L, 0 for kernels that have none.
	bandwidth() float64
	// check reports parameters that are out of their range.
	check() error
}

// DefaultBandwidth is the L that the papers use.
const DefaultBandwidth = 10.

// Bandwidth returns the L of a kernel, or 0 if it has none.
func Bandwidth(k Kernel) float64 { return k.bandwidth() }

// Kernels lists the kernels that [ParseKernel] reads, for help texts.
const Kernels = "laplace, gaussian, exponential:GAMMA, h-exponential:GAMMA, ntk:DEPTH, nngp:DEPTH, l1, " +
	"product:EXPONENT, lpq:P:Q, polynomial:DEGREE"

// kernelNames lists the names of [Kernels], without parameters.
func kernelNames() []string {
	names := strings.Split(Kernels, ", ")
	for i := range names {
		names[i], _, _ = strings.Cut(names[i], ":")
	}
	return names
}

// ParseKernel returns the kernel with a name and its parameters, as in ntk:3. Kernels without a bandwidth ignore it;
// 0 is [DefaultBandwidth].
func ParseKernel(s string, bandwidth float64) (Kernel, error) {
	parts := strings.Split(s, ":")
	name, given := parts[0], len(parts)-1
	numbers := make([]float64, max(given, 2))
	for i, text := range parts[1:] {
		var err error
		if numbers[i], err = strconv.ParseFloat(text, 64); err != nil {
			return nil, fmt.Errorf("rfm: kernel %q: %q is not a number: there are %s", s, text, Kernels)
		}
	}
	k, takes := kernelOf(name, bandwidth, numbers[0], numbers[1])
	switch {
	case k == nil:
		return nil, fmt.Errorf("rfm: there is no kernel %q%s: there are %s", s, suggest.Hint(name, kernelNames()), Kernels)
	case given > 0 && takes == 0:
		return nil, fmt.Errorf("rfm: kernel %q: %s has no parameter", s, name)
	case given > takes:
		return nil, fmt.Errorf("rfm: kernel %q: %d parameters: there are %s", s, given, Kernels)
	case given > 0 && slices.Contains([]string{"ntk", "nngp", "polynomial"}, name) &&
		(numbers[0] != math.Trunc(numbers[0]) || math.Abs(numbers[0]) > 1<<30):
		return nil, fmt.Errorf("rfm: kernel %q: want a whole number, as in %s:2", s, name)
	case slices.Contains(numbers[:given], 0):
		return nil, fmt.Errorf("rfm: kernel %q: want a parameter above 0", s)
	}
	return k, k.check()
}

// kernelOf returns the kernel of a name, or nil, and the number of its parameters.
func kernelOf(name string, bandwidth, number, second float64) (k Kernel, takes int) {
	switch name {
	case "laplace":
		return Laplace{bandwidth}, 0
	case "gaussian":
		return Gaussian{bandwidth}, 0
	case "exponential":
		return Exponential{bandwidth, number}, 1
	case "h-exponential":
		return HomogeneousExponential{bandwidth, number}, 1
	case "ntk":
		return NTK{depthOf(number)}, 1
	case "nngp":
		return NNGP{depthOf(number)}, 1
	case "l1":
		return L1{bandwidth}, 0
	case "product":
		return Product{bandwidth, number}, 1
	case "lpq":
		return Lpq{bandwidth, number, second}, 2
	case "polynomial":
		return Polynomial{depthOf(number)}, 1
	}
	return nil, 0
}

// depthOf converts a parameter to a depth or degree; 0 becomes 1.
func depthOf(number float64) int { return cmp.Or(int(number), 1) }
