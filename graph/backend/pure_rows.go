package backend

import "math"

// rowBlock is the number of rows that are summed in the working precision
// before they go into a float64 sum.
const rowBlock = 32

func (e *pure[T]) SumRows(x, dst []T) {
	e.reduceRows(len(x), dst, func(i, c int) T { return x[i+c] })
}

func (e *pure[T]) DotRows(x, y, dst []T) {
	e.reduceRows(len(x), dst, func(i, c int) T { return x[i+c] * y[i+c] })
}

func (e *pure[T]) VarRows(x, mean, dst []T) {
	e.reduceRows(len(x), dst, func(i, c int) T {
		d := x[i+c] - mean[c]
		return d * d
	})
	rows := T(len(x) / len(dst))
	for j := range dst {
		dst[j] /= rows
	}
}

// reduceRows computes dst[c] = Σ term(i, c) over the row starts i of n elements.
func (e *pure[T]) reduceRows(n int, dst []T, term func(i, c int) T) {
	cols := len(dst)
	sums := make([][]float64, e.threads)
	parallel(e.threads, n/cols, rowBlock, func(part, lo, hi int) {
		total, some := make([]float64, cols), make([]T, cols)
		for ; lo < hi; lo += rowBlock {
			clear(some)
			for r := lo; r < min(lo+rowBlock, hi); r++ {
				for c := range some {
					some[c] += term(r*cols, c)
				}
			}
			for c, v := range some {
				total[c] += float64(v)
			}
		}
		sums[part] = total
	})
	for c := range dst {
		var s float64
		for _, total := range sums {
			if total != nil {
				s += total[c]
			}
		}
		dst[c] = T(s)
	}
}

func (e *pure[T]) DotCols(x, y, dst []T) {
	cols := len(x) / len(dst)
	parallel(e.threads, len(dst), 64, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			var s float64
			for j := i * cols; j < (i+1)*cols; j++ {
				s += float64(x[j]) * float64(y[j])
			}
			dst[i] = T(s)
		}
	})
}

func (e *pure[T]) Dot(x, y []T) T {
	sums := make([]float64, e.threads)
	parallel(e.threads, len(x), block, func(part, lo, hi int) {
		var s float64
		for i := lo; i < hi; i++ {
			s += float64(x[i]) * float64(y[i])
		}
		sums[part] = s
	})
	var s float64
	for _, v := range sums {
		s += v
	}
	return T(s)
}

func (e *pure[T]) LogSumExp(cols int, x, dst []T) {
	parallel(e.threads, len(dst), 64, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			top, sum := expSum(x[i*cols : (i+1)*cols])
			dst[i] = T(top + math.Log(sum))
		}
	})
}

func (e *pure[T]) Softmax(cols int, x, dst []T) {
	parallel(e.threads, len(x)/cols, 64, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			row := x[i*cols : (i+1)*cols]
			top, sum := expSum(row)
			for j, v := range row {
				dst[i*cols+j] = T(math.Exp(float64(v)-top) / sum)
			}
		}
	})
}

// expSum returns the largest element of row and Σ exp(x − largest).
func expSum[T Float](row []T) (top, sum float64) {
	top = math.Inf(-1)
	for _, v := range row {
		top = max(top, float64(v))
	}
	for _, v := range row {
		sum += math.Exp(float64(v) - top)
	}
	return top, sum
}
