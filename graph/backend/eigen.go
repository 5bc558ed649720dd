package backend

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// Eigenbasis is the eigendecomposition A = VΛVᵀ of a large symmetric n×n matrix, kept in little memory. The native
// backend does not form V. It keeps the factors of V = QS: the reflections Q that make A tridiagonal, in place of A, and
// the eigenvectors S of the tridiagonal matrix. They suffice for a few products of V with vectors, and save the product
// QS, which takes half as long as all the rest.
type Eigenbasis struct {
	// Values are the eigenvalues in ascending order.
	Values []float64
	eigenvectors
}

// NewEigenbasis decomposes a, n×n, and destroys it: its memory belongs to the result. In addition it needs
// [EigenbasisBytes]. NewEigenbasis calls progress, if not nil, with the fraction of the work done, up to 1, and ends early
// with the context's error. It returns [ErrEigen] for a matrix that is not finite, and an error for one that is too large
// for LAPACK. It may be called outside of [Device.Do].
func NewEigenbasis(ctx context.Context, a *mat.SymDense, progress func(share float64)) (*Eigenbasis, error) {
	n, raw := a.SymmetricDim(), a.RawSymmetric()
	if n > mostEigen {
		return nil, fmt.Errorf("backend: the eigenvectors of a %d×%d matrix: LAPACK takes at most %d rows", n, n, mostEigen)
	}
	for i := range n {
		for _, x := range raw.Data[i*raw.Stride+i : i*raw.Stride+n] {
			if x-x != 0 {
				return nil, fmt.Errorf("%w (%d×%d)", ErrEigen, n, n)
			}
		}
	}
	if progress == nil {
		progress = func(float64) {}
	}
	e := &Eigenbasis{Values: make([]float64, n)}
	if err := e.decompose(ctx, raw, progress); err != nil {
		return nil, err
	}
	progress(1)
	return e, nil
}

// mostEigen is the largest n for which the 1 + 4n + n² elements of dstedc's work space can be counted in 32 bits.
const mostEigen = 46338

// Coefficients returns XV for m vectors, the rows of X, m×n.
func (e *Eigenbasis) Coefficients(x *mat.Dense) *mat.Dense { return e.transform(x, true) }

// Combine returns CVᵀ for the coefficients of m vectors, the rows of C, m×n.
func (e *Eigenbasis) Combine(c *mat.Dense) *mat.Dense { return e.transform(c, false) }
