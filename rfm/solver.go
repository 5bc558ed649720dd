package rfm

import (
	"context"

	"gonum.org/v1/gonum/mat"
)

// Solver finds the coefficients α for the kernel matrix K of training points. [Cholesky] and [EigenPro] solve
// (K + λI)α = Y; [OnMatrix] minimises other losses.
type Solver interface {
	String() string
	solve(ctx context.Context, p *problem) (*solved, error)
	// bytes estimates the memory of solve for n points and the given number of outputs.
	bytes(n, outputs int) int64
}

// problem is a regression: transformed points Wx, n×r, targets, n×outputs, and the ridge.
type problem struct {
	machinery
	kernel Kernel
	points *mat.Dense
	y      *mat.Dense
	ridge  float64
	seed   uint64
	limit  int64 // of memory; 0 is none
	// validate returns the scores of coefficients on validation examples; nil where there are none.
	validate func(alpha *mat.Dense) (Scores, error)
}

// solved holds the coefficients, n×outputs, and the predictions Kα at the points.
type solved struct {
	alpha, fitted *mat.Dense
	Solution
}

// Solution says how a regression was solved.
type Solution struct {
	// Method is cholesky, pseudo-inverse, eigenpro, projection, gradient descent, or the Name of an [OnMatrix].
	Method string `json:"method"`
	// Rank is the number of eigenvalues of K that the pseudo-inverse kept; 0 for others.
	Rank int `json:"rank,omitempty"`
	// Epochs is the number of EigenPro's passes over the examples; 0 for others.
	Epochs int `json:"epochs,omitempty"`
	// Pass is the number of the pass that early stopping chose on validation examples; 0 if it chose none.
	Pass int `json:"pass,omitempty"`
	// Residual is ‖Y − (K + λI)α‖/‖Y‖ where the method is not exact.
	Residual float64 `json:"residual,omitempty"`
	// Note is a warning for the user, such as that EigenPro stopped early; often empty.
	Note string `json:"note,omitempty"`
}
