package experiments

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// gaussian is a matrix of independent normal numbers.
func gaussian(rng *rand.Rand, rows, columns int, sd float64) *mat.Dense {
	m := mat.NewDense(rows, columns, nil)
	for i := range m.RawMatrix().Data {
		m.RawMatrix().Data[i] = sd * rng.NormFloat64()
	}
	return m
}

// relativeError is ‖a − b‖/‖b‖.
func relativeError(a, b mat.Matrix) float64 {
	var d mat.Dense
	d.Sub(a, b)
	return mat.Norm(&d, 2) / mat.Norm(b, 2)
}

// vectorsApart is relativeError of vectors.
func vectorsApart(a, b []float64) float64 {
	return floats.Distance(a, b, 2) / floats.Norm(b, 2)
}

// unlike is ‖A/‖A‖ − B/‖B‖‖, 0 where A ∝ B with a positive factor; NaN where one
// is zero.
func unlike(a, b mat.Matrix) float64 {
	var x, y mat.Dense
	x.Scale(1/mat.Norm(a, 2), a)
	y.Scale(1/mat.Norm(b, 2), b)
	x.Sub(&x, &y)
	return mat.Norm(&x, 2)
}

// vectorsUnlike is unlike of vectors, up to a sign too.
func vectorsUnlike(a, b []float64) float64 {
	x, y := mat.NewVecDense(len(a), a), mat.NewVecDense(len(b), b)
	var minus mat.VecDense
	minus.ScaleVec(-1, y)
	return math.Min(unlike(x, y), unlike(x, &minus))
}

// cosineOf is ⟨A, B⟩/(‖A‖‖B‖).
func cosineOf(a, b *mat.SymDense) float64 {
	return innerProduct(a, b) / (mat.Norm(a, 2) * mat.Norm(b, 2))
}

// gramOf is WᵀW.
func gramOf(w mat.Matrix) *mat.SymDense {
	_, d := w.Dims()
	g := mat.NewSymDense(d, nil)
	g.SymOuterK(1, w.T())
	return g
}

// outerOf is vvᵀ.
func outerOf(v []float64) *mat.SymDense {
	return gramOf(mat.NewDense(1, len(v), append([]float64(nil), v...)))
}

// scaled is c·A.
func scaled(c float64, a *mat.SymDense) *mat.SymDense {
	out := mat.NewSymDense(a.SymmetricDim(), nil)
	out.ScaleSym(c, a)
	return out
}

// product multiplies matrices, from the left.
func product(first mat.Matrix, more ...mat.Matrix) *mat.Dense {
	out := mat.DenseCopyOf(first)
	for _, m := range more {
		var next mat.Dense
		next.Mul(out, m)
		out = &next
	}
	return out
}
