package backend

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Gram returns AᵀA, d×d, for A of d columns. It may be called outside of [Device.Do].
func Gram(a mat.Matrix) *mat.SymDense {
	_, d := a.Dims()
	g := mat.NewSymDense(d, nil)
	g.SymOuterK(1, a.T())
	return g
}

// Cholesky overwrites the upper half of a, n×n, by the factor U with UᵀU = a, and reports whether a is positive
// definite. It destroys a in either case. It may be called outside of [Device.Do].
func Cholesky(a *mat.SymDense) (u blas64.Triangular, ok bool) {
	raw := a.RawSymmetric()
	u = blas64.Triangular{N: raw.N, Stride: raw.Stride, Data: raw.Data, Uplo: blas.Upper, Diag: blas.NonUnit}
	return u, cholesky(raw.N, raw.Stride, raw.Data)
}

// ErrEigen is returned if an eigendecomposition does not converge, such as for a matrix with a NaN.
var ErrEigen = errors.New(
	"backend: the eigendecomposition did not converge: the matrix holds values that are not finite")

// mostVectors is the largest n for which the 1 + 6n + 2n² elements of dsyevd's work space can be counted in 32 bits.
const mostVectors = 32766

// EigenSym returns the eigenvalues of a, in ascending order, and the eigenvectors as the columns of an n×n matrix, nil
// unless vectors is set. It may be called outside of [Device.Do].
func EigenSym(a mat.Symmetric, vectors bool) (values []float64, v *mat.Dense, err error) {
	n := a.SymmetricDim()
	if vectors && n > mostVectors {
		return nil, nil, fmt.Errorf("backend: the eigenvectors of a %d×%d matrix: LAPACK takes at most %d rows", n, n, mostVectors)
	}
	full := mat.NewDense(n, n, nil)
	full.Copy(a)
	raw := full.RawMatrix()
	for _, x := range raw.Data {
		if x-x != 0 {
			return nil, nil, ErrEigen
		}
	}
	values = make([]float64, n)
	if !eigenSym(n, raw.Data, values, vectors) {
		return nil, nil, fmt.Errorf("%w (%d×%d)", ErrEigen, n, n)
	}
	if !vectors {
		return values, nil, nil
	}
	// LAPACK's columns are our rows.
	v = mat.NewDense(n, n, nil)
	v.Copy(full.T())
	return values, v, nil
}
