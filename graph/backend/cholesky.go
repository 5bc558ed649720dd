package backend

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Cholesky overwrites the upper half of a, n×n, by the factor U with UᵀU = a, and
// reports whether a is positive definite; what is in a is lost in either case.
// It takes O(n³) time and may be called from anywhere.
func Cholesky(a *mat.SymDense) (u blas64.Triangular, ok bool) {
	raw := a.RawSymmetric()
	u = blas64.Triangular{N: raw.N, Stride: raw.Stride, Data: raw.Data, Uplo: blas.Upper, Diag: blas.NonUnit}
	return u, cholesky(raw.N, raw.Stride, raw.Data)
}
