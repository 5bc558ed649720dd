package rfm

import (
	"context"

	"gonum.org/v1/gonum/mat"
)

// OnMatrix is a [Solver] that calls a function of the kernel matrix to find the coefficients, for losses other than the
// squared error, such as that of a support vector machine. The machine's ridge has no effect.
type OnMatrix struct {
	Name string
	// Find returns the coefficients, n×outputs, for the kernel matrix k and the targets. It may overwrite the elements
	// of k below the diagonal.
	Find func(ctx context.Context, k *mat.SymDense, targets *mat.Dense) (*mat.Dense, error)
}

// String returns the name.
func (o OnMatrix) String() string { return o.Name }

func (OnMatrix) bytes(n, outputs int) int64 { return Cholesky{}.bytes(n, outputs) }

func (o OnMatrix) solve(ctx context.Context, p *problem) (*solved, error) {
	k, err := p.gram(ctx, p.kernel, p.points)
	if err != nil {
		return nil, err
	}
	if err := checkFinite(p.kernel, k); err != nil {
		return nil, err
	}
	alpha, err := o.Find(ctx, k, p.y)
	if err != nil {
		return nil, err
	}
	var fitted mat.Dense
	fitted.Mul(k, alpha)
	return &solved{alpha: alpha, fitted: &fitted, Solution: Solution{Method: o.Name}}, nil
}
