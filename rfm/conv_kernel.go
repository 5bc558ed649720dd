package rfm

import (
	"fmt"
	"strings"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/internal/suggest"
)

// ConvKernel is a kernel of images that compares their patches. The metric M is not a part of it: it reads the
// patches h transformed to u = Wh with WᵀW = M (paper cnfa, section 3.1).
type ConvKernel interface {
	// Matrix builds K(xᵢ, zⱼ), b×n, of images whose patches are the rows of u and
	// v: a row for every position of the grid, of b (n) vectors of length r.
	Matrix(g *graph.Graph, grid Grid, u, v Patches) *graph.Node
	// positions is the number of rows of its largest maps.
	positions(grid Grid) int
	// Depth is the number of convolutions, the first of which reads the patches.
	Depth() int
	// Shallower is the kernel with one convolution fewer, nil if it has only one.
	Shallower() ConvKernel
	// String names the kernel with its parameters, as [ParseConvKernel] reads it.
	String() string
	// Formula is the kernel as a formula, for the readers of records.
	Formula() string

	bandwidth() float64
	check() error
}

// ConvKernels lists the names that [ParseConvKernel] knows, for help texts.
const ConvKernels = "cntk, cntk-gap (averaged over positions, for small images), cnngp and laplace"

// MaxConvDepth is the largest number of convolutions of a kernel.
const MaxConvDepth = 20

// ParseConvKernel returns the kernel of a name: cntk, cntk-gap, cnngp or laplace. Depth is the number of convolutions; 0
// means 1, and laplace cannot have more. Only laplace has a bandwidth; 0 means [DefaultBandwidth].
func ParseConvKernel(name string, depth int, bandwidth float64) (ConvKernel, error) {
	depth = max(depth, 1)
	var k ConvKernel
	switch strings.ToLower(name) {
	case "cntk":
		k = CNTK{Layers: depth}
	case "cntk-gap":
		k = CNTK{Layers: depth, Pooled: true}
	case "cnngp":
		k = CNNGP{Layers: depth}
	case "laplace":
		if depth > 1 {
			return nil, badInput("the Laplace kernel of patches has one layer, not %d", depth)
		}
		k = PatchLaplace{Bandwidth: bandwidth}
	default:
		return nil, badInput("there is no convolutional kernel %q%s: there are %s", name,
			suggest.Hint(name, []string{"cntk", "cntk-gap", "cnngp", "laplace"}), ConvKernels)
	}
	if bandwidth != 0 && k.bandwidth() == 0 {
		return nil, badInput("the kernel %v has no bandwidth", k)
	}
	return k, k.check()
}

// CNTK is the convolutional neural tangent kernel of an infinitely wide network of Layers convolutions with q×q filters
// and √2·ReLU, without biases, whose last activations are flattened and read by a linear layer (Arora et al. 2019).
// Weights have the variance 1/channels, so that every convolution multiplies by about q².
type CNTK struct {
	Layers int // 1 to [MaxConvDepth]
	// Pooled averages over the positions before the linear layer, instead of flattening. The kernel then compares every
	// position of one image with every position of the other, so its cost grows with the square of their number.
	Pooled bool
}

// CNNGP is the covariance of the outputs of the network of [CNTK] at its initialisation, but without the first
// layer's division by the number of channels. With one layer it is the kernel of cnfa's section 3.1, (1/PQ) Σ over
// positions of ‖u‖‖v‖κ₁(cos(u, v)), where the paper misprints uᵀv for (uᵀv)² under the root of κ₁.
type CNNGP struct {
	Layers int // 1 to [MaxConvDepth]
}

// PatchLaplace is (1/PQ) Σ over positions of exp(−‖u − v‖/L). Its gradient where u = v, which does not exist, is 0.
type PatchLaplace struct {
	Bandwidth float64 // L > 0; 0 is [DefaultBandwidth]
}

// Depth is Layers.
func (k CNTK) Depth() int { return k.Layers }

// String is "cnngp".
func (CNNGP) String() string { return "cnngp" }

// Depth is Layers.
func (k CNNGP) Depth() int { return k.Layers }

// Depth is 1.
func (PatchLaplace) Depth() int { return 1 }

// Shallower implements [ConvKernel].
func (k CNTK) Shallower() ConvKernel {
	if k.Layers < 2 {
		return nil
	}
	k.Layers--
	return k
}

// Shallower implements [ConvKernel].
func (k CNNGP) Shallower() ConvKernel {
	if k.Layers < 2 {
		return nil
	}
	k.Layers--
	return k
}

// Shallower is nil.
func (PatchLaplace) Shallower() ConvKernel { return nil }

// String is "cntk", or "cntk-gap" where it is Pooled.
func (k CNTK) String() string {
	if k.Pooled {
		return "cntk-gap"
	}
	return "cntk"
}

// String is "laplace".
func (PatchLaplace) String() string { return "laplace" }

// Formula implements [ConvKernel].
func (k CNTK) Formula() string {
	readout := "flattened"
	if k.Pooled {
		readout = "averaged over positions"
	}
	return fmt.Sprintf("CNTK of %d convolutions with √2·ReLU, without biases, %s, of patches as the metric shows them",
		k.Layers, readout)
}

// Formula implements [ConvKernel].
func (k CNNGP) Formula() string {
	return fmt.Sprintf(
		"channels × CNNGP of %d convolutions with √2·ReLU, without biases, flattened, of patches as the metric shows them",
		k.Layers)
}

// Formula implements [ConvKernel].
func (PatchLaplace) Formula() string {
	return "mean over positions of exp(−‖u − v‖/L), of patches u and v as the metric shows them"
}

func (CNTK) bandwidth() float64           { return 0 }
func (CNNGP) bandwidth() float64          { return 0 }
func (k PatchLaplace) bandwidth() float64 { return bandwidthOr(k.Bandwidth) }

func (k CNTK) check() error         { return checkConvDepth(k, k.Layers) }
func (k CNNGP) check() error        { return checkConvDepth(k, k.Layers) }
func (k PatchLaplace) check() error { return checkBandwidth(k.Bandwidth) }

func checkConvDepth(k ConvKernel, depth int) error {
	if depth < 1 || depth > MaxConvDepth {
		return badInput("kernel %v of depth %d: want 1 to %d convolutions", k, depth, MaxConvDepth)
	}
	return nil
}
