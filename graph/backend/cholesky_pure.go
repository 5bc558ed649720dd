//go:build !native || !cgo

package backend

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// cholesky overwrites the upper half of the symmetric n×n matrix a by U with
// UᵀU = a.
func cholesky(n, stride int, a []float64) bool {
	_, ok := lapack64.Potrf(blas64.Symmetric{N: n, Stride: stride, Data: a, Uplo: blas.Upper})
	return ok
}
