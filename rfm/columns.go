package rfm

import "gonum.org/v1/gonum/mat"

// Here the columns of matrices n×outputs are vectors, each with its own scalars.

// dotColumns sets dst[k] = Σᵢ aᵢₖbᵢₖ.
func dotColumns(dst []float64, a, b *mat.Dense) {
	clear(dst)
	n, _ := a.Dims()
	for i := range n {
		x, y := a.RawRowView(i), b.RawRowView(i)
		for k := range dst {
			dst[k] += x[k] * y[k]
		}
	}
}

// addColumns adds sₖ times a column of x to that of y.
func addColumns(y *mat.Dense, s []float64, x *mat.Dense) {
	n, _ := y.Dims()
	for i := range n {
		to, from := y.RawRowView(i), x.RawRowView(i)
		for k, v := range s {
			to[k] += v * from[k]
		}
	}
}

// follow sets y to x + sₖy.
func follow(y *mat.Dense, s []float64, x *mat.Dense) {
	n, _ := y.Dims()
	for i := range n {
		to, from := y.RawRowView(i), x.RawRowView(i)
		for k, v := range s {
			to[k] = from[k] + v*to[k]
		}
	}
}

// scaleColumns multiplies a column of x by sₖ.
func scaleColumns(x *mat.Dense, s []float64) {
	n, _ := x.Dims()
	for i := range n {
		row := x.RawRowView(i)
		for k, v := range s {
			row[k] *= v
		}
	}
}
