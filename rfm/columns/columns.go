// Package columns takes the columns of matrices, n×outputs, as vectors, each with a scalar of its own. So solvers go on
// with every output by itself, and read the matrices row by row, as they lie in memory.
package columns

import "gonum.org/v1/gonum/mat"

// Dot sets dst[k] = Σᵢ aᵢₖbᵢₖ.
func Dot(dst []float64, a, b *mat.Dense) {
	clear(dst)
	n, _ := a.Dims()
	for i := range n {
		x, y := a.RawRowView(i), b.RawRowView(i)
		for k := range dst {
			dst[k] += x[k] * y[k]
		}
	}
}

// Add adds sₖ times column k of x to column k of y.
func Add(y *mat.Dense, s []float64, x *mat.Dense) {
	n, _ := y.Dims()
	for i := range n {
		to, from := y.RawRowView(i), x.RawRowView(i)
		for k, v := range s {
			to[k] += v * from[k]
		}
	}
}

// ScaleAndAdd sets column k of y to sₖ times itself plus column k of x.
func ScaleAndAdd(y *mat.Dense, s []float64, x *mat.Dense) {
	n, _ := y.Dims()
	for i := range n {
		to, from := y.RawRowView(i), x.RawRowView(i)
		for k, v := range s {
			to[k] = from[k] + v*to[k]
		}
	}
}

// Scale multiplies column k of x by sₖ.
func Scale(x *mat.Dense, s []float64) {
	n, _ := x.Dims()
	for i := range n {
		row := x.RawRowView(i)
		for k, v := range s {
			row[k] *= v
		}
	}
}
