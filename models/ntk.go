package models

import (
	"context"
	"errors"

	"github.com/ansatz-lab/ansatz/graph"
	"gonum.org/v1/gonum/mat"
)

// NTKOptions say how the neural tangent kernel of a network is computed. The
// zero value takes all cores, float32 gradients and batches that suit the caches.
type NTKOptions struct {
	Threads   int
	Backend   string
	Precision graph.Precision // of the gradients; the kernel adds them up in float64
	Batch     int             // images at a time; 0 is what suits memory and caches
	// Memory, if not 0, is how many bytes may be taken. Where the gradients of all
	// images do not fit, they are made again for every block of the kernel; more
	// than that is refused with a [*graph.MemoryError].
	Memory int64
	// Progress, if not nil, is told how far it is.
	Progress func(done, total int)
}

// NTK is the empirical neural tangent kernel of a network at its weights (ntk
// eq. 1), Θ = JJᵀ for the Jacobian J of all outputs at some images in all trained
// weights, in evaluation mode.
type NTK struct {
	// Gram is Θ, images·outputs on either side: the outputs of the first image
	// come first.
	Gram *mat.SymDense
	// Outputs are f(w₀, x), images × outputs.
	Outputs    *mat.Dense
	Parameters int // the columns of J
}

// NTK computes the kernel of images, (image, row, column, channel), normalised as
// the network reads them.
func (n *Network) NTK(ctx context.Context, px []float32, o NTKOptions) (*NTK, error) {
	return nil, errors.New("not yet")
}
