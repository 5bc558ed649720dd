package models

import (
	"context"
	"errors"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/models/weights"
	"gonum.org/v1/gonum/mat"
)

// Linearized is the linearization of a network at its weights w₀ (ntk eq. 2),
//
//	f_lin(u, x) = f(w₀, x) + ∇f(w₀, x)·u,
//
// in evaluation mode, with u over all trained weights, zero at first. It is not
// safe for concurrent use. To train it by stochastic gradients, give
// [TrainOptions] Linearized.
type Linearized struct{}

// Linearize prepares the linearization of n for batches of at most so many images.
func (n *Network) Linearize(d *backend.Device, batch int, p graph.Precision) (*Linearized, error) {
	return nil, errors.New("not yet")
}

// Tangents is u under the names of the weights. The tensors are l's own.
func (l *Linearized) Tangents() *weights.StateDict { return nil }

// Predict returns f_lin(u, x) of images, (image, row, column, channel), as
// images × outputs.
func (l *Linearized) Predict(ctx context.Context, px []float32) (*mat.Dense, error) {
	return nil, errors.New("not yet")
}

// Dual sets u to the solution of the ridge regression of targets, images ×
// outputs, in its dual form,
//
//	u = Jᵀα, (Θ + λI)α = Y − f(w₀, X);
//
// with λ = 0 it is that of least norm among those of least squares. One kernel
// serves a path of ridges.
func (l *Linearized) Dual(ctx context.Context, px []float32, k *NTK, targets *mat.Dense, ridge float64) (*DualSolution, error) {
	return nil, errors.New("not yet")
}

// DualSolution says how the dual system was solved.
type DualSolution struct {
	Method string // cholesky, or pseudo-inverse where Θ + λI is singular up to rounding
	Rank   int    // of the pseudo-inverse; 0 for cholesky
	// Fitted is f_lin(u, X) at the training images, images × outputs.
	Fitted *mat.Dense
	Norm   float64 // ‖u‖
}

// ConjugateGradients solves min ‖f_lin(u, X) − Y‖² + λ‖u‖² without the kernel, from the u that
// there is, by CGLS: one JVP and one VJP over the images an iteration, until the gradient has
// fallen to tolerance of its first length or after so many iterations. Each is told of, if not nil.
func (l *Linearized) ConjugateGradients(ctx context.Context, px []float32, targets *mat.Dense, o CGOptions) (*CGSolution, error) {
	return nil, errors.New("not yet")
}

// CGOptions say when conjugate gradients stop.
type CGOptions struct {
	Ridge      float64
	Iterations int     // at most; 0 is 1000
	Tolerance  float64 // 0 is 1e-6
	// Each, if not nil, is told of every iteration: its number from 1, the
	// residual ‖f_lin(u, X) − Y‖ over its first value, and that of the gradient.
	Each func(iteration int, residual, gradient float64)
}

// CGSolution says how far conjugate gradients came.
type CGSolution struct {
	Iterations         int
	Residual, Gradient float64 // over their first values
	Converged          bool
	Fitted             *mat.Dense // f_lin(u, X), images × outputs
}
