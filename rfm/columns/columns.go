// Package columns has vector operations on each column of a matrix, n×outputs, with a scalar of its own for each. Solvers
// use them to iterate separately for every output, yet read the matrices row by row, as they lie in memory.
package columns

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

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

// Means returns the means of the columns of x.
func Means(x *mat.Dense) []float64 {
	n, d := x.Dims()
	out := make([]float64, d)
	for i := range n {
		floats.AddScaled(out, 1/float64(n), x.RawRowView(i))
	}
	return out
}

// Variation returns Σ(y − ȳ)² of every column, exactly 0 for a column that does not vary.
func Variation(y *mat.Dense) []float64 {
	n, c := y.Dims()
	mean, sums := Means(y), make([]float64, c)
	varies := make([]bool, c)
	for i := range n {
		for k, v := range y.RawRowView(i) {
			sums[k] += (v - mean[k]) * (v - mean[k])
			varies[k] = varies[k] || v != y.At(0, k)
		}
	}
	for k := range sums {
		if !varies[k] {
			sums[k] = 0 // without the rounding error of the mean
		}
	}
	return sums
}
