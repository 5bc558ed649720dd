//go:build !native || !cgo

package backend

import "gonum.org/v1/gonum/mat"

// eigenSym overwrites the symmetric n×n matrix a by its eigenvectors, one a
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
