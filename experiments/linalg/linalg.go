package linalg

import "gonum.org/v1/gonum/mat"

// Elements are all elements of a symmetric matrix, by rows.
func Elements(a *mat.SymDense) []float64 { return mat.DenseCopyOf(a).RawMatrix().Data }

// InnerProduct returns tr(AB), the sum of the products of the elements of two symmetric n×n
// matrices.
func InnerProduct(a, b *mat.SymDense) (dot float64) {
	x, y := a.RawSymmetric(), b.RawSymmetric()
	for i := range x.N {
		u, v := x.Data[i*x.Stride+i:i*x.Stride+x.N], y.Data[i*y.Stride+i:i*y.Stride+x.N]
		dot -= u[0] * v[0]
		for j := range u {
			dot += 2 * u[j] * v[j]
		}
	}
	return dot
}

// RowCount returns the number of rows of a matrix.
func RowCount(x mat.Matrix) int {
	n, _ := x.Dims()
	return n
}
