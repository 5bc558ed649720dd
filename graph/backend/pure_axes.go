package backend

import "math"

// SumMiddle computes dst[i,j] = Σₖ x[i,k,j] for x of outer×n×inner elements.
func (e *pure[T]) SumMiddle(outer, n, inner int, x, dst []T) {
	e.parallel(outer, max(1, block/(n*inner)), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			out := dst[i*inner : (i+1)*inner]
			clear(out)
			for k := range n {
				row := x[(i*n+k)*inner:][:len(out)]
				for j, value := range row {
					out[j] += value
				}
			}
		}
	})
}

// GemmBatch computes C = op(A)·op(B) for batch pairs of matrices, stored one after another.
func (e *pure[T]) GemmBatch(transA, transB bool, batch, m, n, k int, a, b, c []T) {
	eachProduct(e.gemm, transA, transB, batch, m, n, k, a, b, c)
}

// eachProduct computes products of matrices one after another.
func eachProduct[T Float](gemm func(transA, transB bool, m, n, k int, a, b []T, beta T, c []T), transA, transB bool,
	batch, m, n, k int, a, b, c []T) {
	for i := range batch {
		gemm(transA, transB, m, n, k, a[i*m*k:(i+1)*m*k], b[i*k*n:(i+1)*k*n], 0, c[i*m*n:(i+1)*m*n])
	}
}

// NormaliseRows computes (x − mean)/√(var + eps) of every row of cols, with the variance divided by cols.
func (e *pure[T]) NormaliseRows(cols int, eps float64, x, dst []T) {
	e.parallel(len(x)/cols, max(1, block/cols), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			in, out := x[i*cols:(i+1)*cols], dst[i*cols:(i+1)*cols]
			mean, scale := moments(in, eps)
			for j, v := range in {
				out[j] = T((float64(v) - mean) * scale)
			}
		}
	})
}

// RowScales computes 1/√(var + eps) of every row.
func (e *pure[T]) RowScales(eps float64, x, dst []T) {
	cols := len(x) / len(dst)
	e.parallel(len(dst), max(1, block/cols), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			_, scale := moments(x[i*cols:(i+1)*cols], eps)
			dst[i] = T(scale)
		}
	})
}

// moments returns the mean of a row, and 1/√(var + eps).
func moments[T Float](row []T, eps float64) (mean, scale float64) {
	for _, v := range row {
		mean += float64(v)
	}
	mean /= float64(len(row))
	variance := 0.
	for _, v := range row {
		d := float64(v) - mean
		variance += d * d
	}
	return mean, 1 / math.Sqrt(variance/float64(len(row))+eps)
}
