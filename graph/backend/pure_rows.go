package backend

import "math"

const (
	// rowBlock is the number of rows that are summed in the working precision
	// before they go into a float64 sum.
	rowBlock = 32
	// rowLength is the length up to which short rows are joined.
	rowLength = 256
)

func (e *pure[T]) SumRows(x, dst []T) {
	e.reduceRows(len(x), dst, func(r *room[T], sums []T, i int) {
		e.loops.Add(sums, sums, x[i:i+len(sums)])
	})
}

func (e *pure[T]) DotRows(x, y, dst []T) {
	e.reduceRows(len(x), dst, func(r *room[T], sums []T, i int) {
		e.loops.Affine(sums, x[i:i+len(sums)], y[i:i+len(sums)], sums)
	})
}

func (e *pure[T]) VarRows(x, mean, dst []T) {
	means := e.scratch.take(joined(len(mean)))
	defer e.scratch.give(means)
	for i := range means {
		means[i] = mean[i%len(mean)]
	}
	e.reduceRows(len(x), dst, func(r *room[T], sums []T, i int) {
		r.diff = grown(r.diff, len(sums))
		e.loops.Sub(r.diff, x[i:i+len(sums)], means[:len(sums)])
		e.loops.Affine(sums, r.diff, r.diff, sums)
	})
	rows := T(len(x) / len(dst))
	for j := range dst {
		dst[j] /= rows
	}
}

// joined returns the total length of the rows of cols that are summed as one row,
// so that the loops are long.
func joined(cols int) int { return max(1, rowLength/cols) * cols }

// reduceRows sums n elements, in rows of len(dst), into dst. add adds the
// elements from i on, where a row starts, to sums.
func (e *pure[T]) reduceRows(n int, dst []T, add func(r *room[T], sums []T, i int)) {
	e.prepare()
	length := joined(len(dst))
	for i := range e.rooms {
		e.rooms[i].sums = grown(e.rooms[i].sums, length)
		clear(e.rooms[i].sums)
	}
	e.parallel((n+length-1)/length, rowBlock, func(part, lo, hi int) {
		r := &e.rooms[part]
		r.some = grown(r.some, length)
		for i := lo; i < hi; i += rowBlock {
			clear(r.some)
			for j := i; j < min(i+rowBlock, hi); j++ {
				add(r, r.some[:min(length, n-j*length)], j*length)
			}
			for c, v := range r.some {
				r.sums[c] += float64(v)
			}
		}
	})
	for c := range dst {
		var s float64
		for part := range e.rooms {
			sums := e.rooms[part].sums
			for i := c; i < length; i += len(dst) {
				s += sums[i]
			}
		}
		dst[c] = T(s)
	}
}

func (e *pure[T]) DotCols(x, y, dst []T) {
	cols := len(x) / len(dst)
	e.parallel(len(dst), 64, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			var s float64
			for j := i * cols; j < (i+1)*cols; j++ {
				s += float64(x[j]) * float64(y[j])
			}
			dst[i] = T(s)
		}
	})
}

func (e *pure[T]) SumCols(x, dst []T) {
	cols := len(x) / len(dst)
	e.parallel(len(dst), max(1, serialElements/cols), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			var s float64
			for row := x[i*cols : (i+1)*cols]; len(row) > 0; row = row[min(rowBlock, len(row)):] {
				var some T
				for _, v := range row[:min(rowBlock, len(row))] {
					some += v
				}
				s += float64(some)
			}
			dst[i] = T(s)
		}
	})
}

func (e *pure[T]) Dot(x, y, dst []T) {
	sums := make([]float64, e.threads)
	e.parallel(len(x), block, func(part, lo, hi int) {
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
	dst[0] = T(s)
}

func (e *pure[T]) LogSumExp(cols int, x, dst []T) {
	e.parallel(len(dst), 64, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			top, sum := expSum(x[i*cols : (i+1)*cols])
			dst[i] = T(top + math.Log(sum))
		}
	})
}

func (e *pure[T]) Softmax(cols int, x, dst []T) {
	e.parallel(len(x)/cols, 64, func(_, lo, hi int) {
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
