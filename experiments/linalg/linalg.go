package linalg

import (
	"math"
	"math/rand/v2"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/graph/values"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Elements returns all n² elements of a symmetric matrix, row by row.
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

// Float32s returns the elements of a matrix in single precision, row by row.
func Float32s(x *mat.Dense) []float32 {
	n, d := x.Dims()
	out := make([]float32, n*d)
	for i := range n {
		values.Convert(out[i*d:(i+1)*d], x.RawRowView(i))
	}
	return out
}

// RowCount returns the number of rows of a matrix.
func RowCount(x mat.Matrix) int {
	n, _ := x.Dims()
	return n
}

// ColumnCount returns the number of columns of a matrix.
func ColumnCount(x mat.Matrix) int {
	_, n := x.Dims()
	return n
}

// Outline returns an n×d matrix that has its dimensions and no elements, for dry runs. Dims is the
// only method that may be called.
func Outline(n, d int) *mat.Dense {
	m := new(mat.Dense)
	m.SetRawMatrix(blas64.General{Rows: n, Cols: d, Stride: d})
	return m
}

// Gaussian returns a rows×columns matrix of independent normal numbers with mean 0 and the given
// standard deviation.
func Gaussian(rng *rand.Rand, rows, columns int, sd float64) *mat.Dense {
	m := mat.NewDense(rows, columns, nil)
	for i := range m.RawMatrix().Data {
		m.RawMatrix().Data[i] = sd * rng.NormFloat64()
	}
	return m
}

// RelativeError returns ‖a − b‖/‖b‖ in the Frobenius norm.
func RelativeError(a, b mat.Matrix) float64 {
	var d mat.Dense
	d.Sub(a, b)
	return mat.Norm(&d, 2) / mat.Norm(b, 2)
}

// RelativeDistance returns ‖a − b‖/‖b‖ for vectors.
func RelativeDistance(a, b []float64) float64 {
	return floats.Distance(a, b, 2) / floats.Norm(b, 2)
}

// MatrixDissimilarity returns ‖A/‖A‖ − B/‖B‖‖ in the Frobenius norm: 0 if A is a positive multiple
// of B, NaN if one of them is zero.
func MatrixDissimilarity(a, b mat.Matrix) float64 {
	var x, y mat.Dense
	x.Scale(1/mat.Norm(a, 2), a)
	y.Scale(1/mat.Norm(b, 2), b)
	x.Sub(&x, &y)
	return mat.Norm(&x, 2)
}

// Dissimilarity returns ‖a/‖a‖ ∓ b/‖b‖‖ for vectors, with the sign that makes it smaller.
func Dissimilarity(a, b []float64) float64 {
	x, y := mat.NewVecDense(len(a), a), mat.NewVecDense(len(b), b)
	var minus mat.VecDense
	minus.ScaleVec(-1, y)
	return math.Min(MatrixDissimilarity(x, y), MatrixDissimilarity(x, &minus))
}

// Cosine returns ⟨A, B⟩/(‖A‖‖B‖) in the Frobenius inner product.
func Cosine(a, b *mat.SymDense) float64 {
	return InnerProduct(a, b) / (mat.Norm(a, 2) * mat.Norm(b, 2))
}

// OuterProduct returns vvᵀ.
func OuterProduct(v []float64) *mat.SymDense {
	return backend.Gram(mat.NewDense(1, len(v), append([]float64(nil), v...)))
}

// Scaled returns c·A.
func Scaled(c float64, a *mat.SymDense) *mat.SymDense {
	out := mat.NewSymDense(a.SymmetricDim(), nil)
	out.ScaleSym(c, a)
	return out
}

// Product returns the product of matrices, from left to right.
func Product(first mat.Matrix, more ...mat.Matrix) *mat.Dense {
	out := mat.DenseCopyOf(first)
	for _, m := range more {
		var next mat.Dense
		next.Mul(out, m)
		out = &next
	}
	return out
}
