//go:build !native || !cgo

package backend

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// cholesky overwrites the upper half of the symmetric n×n matrix a by U with
// UᵀU = a.
func cholesky(n, stride int, a []float64) bool {
	_, ok := lapack64.Potrf(blas64.Symmetric{N: n, Stride: stride, Data: a, Uplo: blas.Upper})
	return ok
}

// eigenSym overwrites the symmetric n×n matrix a by its eigenvectors, one per
// row.
func eigenSym(n int, a, values []float64, vectors bool) bool {
	var e mat.EigenSym
	if !e.Factorize(mat.NewSymDense(n, a), vectors) {
		return false
	}
	e.Values(values)
	if vectors {
		var v mat.Dense
		e.VectorsTo(&v)
		mat.NewDense(n, n, a).Copy(v.T())
	}
	return true
}
