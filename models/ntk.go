package models

import (
	"context"
	"fmt"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/internal/words"
	"github.com/ansatz-lab/ansatz/models/kernels"
	"gonum.org/v1/gonum/mat"
)

// NTKOptions says how to compute the neural tangent kernel of a network. The zero value uses all cores, float32
// gradients, and batches that fit into the caches.
type NTKOptions struct {
	Threads   int
	Backend   string
	Precision graph.Precision // of the gradients; their products are added up in float64
	// Batch is the largest number of images at a time; 0 chooses one to suit memory and caches. Networks with weights in
	// groups, weights that several layers share, or layers of tokens are evaluated one image at a time.
	Batch int
	// Memory, if not 0, bounds the memory in bytes. If the gradients of all images do not fit, they are recomputed
	// for every block of the kernel. If that does not fit either, NTK returns a [*NTKMemoryError].
	Memory int64
	// Form selects the full kernel, the mean over outputs (trace), or a kernel of each output (diagonal). With k outputs, a
	// trace kernel has 1/k² of the entries of a full one and a diagonal kernel 1/k, and their products take about 1/k of the
	// time.
	Form kernels.Form
	// Of, if not nil, lists the trained parameters to which the columns of J are restricted, such as those of one layer.
	// The kernels of disjoint parts of the parameters add up to that of all. [Network.ParametersByLayer] returns such parts.
	Of []string
	// ByLayer also computes the trace kernel of every layer's columns, from the same gradients.
	ByLayer bool
	// Progress, if not nil, is called with the number of images whose gradients have been computed.
	Progress func(done, total int)
}

// NTK is the empirical neural tangent kernel of a network at its weights (ntk
// eq. 1), Θ = JJᵀ for the Jacobian J of all outputs at some images in all trained
// weights, in evaluation mode.
type NTK struct {
	// Gram is Θ: a single block of images·outputs rows, the outputs of the first image first, or the blocks of another
	// [NTKOptions.Form].
	Gram kernels.Kernel
	// Layers, with [NTKOptions.ByLayer], holds the trace kernels of the layers of [Network.ParametersByLayer], images × images
	// each. They add up to the trace kernel.
	Layers []*mat.SymDense
	// Outputs are f(w₀, x), images × outputs.
	Outputs    *mat.Dense
	Parameters int // the columns of J
}

// NTKMemoryError says that a kernel would need more memory than the limit.
type NTKMemoryError struct {
	Need, Limit int64
	Rows        int // of the kernel
}

// Error returns the need, the limit, and what reduces the need.
func (e *NTKMemoryError) Error() string {
	return fmt.Sprintf("the neural tangent kernel of %d rows would take about %s, there are %s: take fewer images or a "+
		"narrower network", e.Rows, words.Bytes(e.Need), words.Bytes(e.Limit))
}

// InputError returns true: the request exceeds the memory.
func (e *NTKMemoryError) InputError() bool { return true }

// NTK computes the kernel of images, (image, row, column, channel), normalised as
// the network reads them. For every layer it uses the cheaper of gradients and their factors ([graph.Jacobian]). The
// whole J is never in memory.
func (n *Network) NTK(ctx context.Context, px []float32, o NTKOptions) (*NTK, error) {
	images := len(px) / n.Input.Size()
	if images < 1 || images*n.Input.Size() != len(px) {
		return nil, fmt.Errorf("models: %d numbers are not images of %v", len(px), n.Input)
	}
	t, err := newNTKTeam(n, images, o)
	if err != nil {
		return nil, err
	}
	defer t.close()
	return t.run(ctx, px)
}

func rowsOf(m mat.Matrix) int { r, _ := m.Dims(); return r }
