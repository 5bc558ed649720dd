package backend

// Concat writes the operands to dst in outer blocks.
func (e *pure[T]) Concat(outer int, operands [][]T, dst []T) {
	for o := range outer {
		for _, x := range operands {
			n := len(x) / outer
			copy(dst[:n], x[o*n:])
			dst = dst[n:]
		}
	}
}

func (e *pure[T]) Transpose(batch, rows, cols int, x, dst []T) {
	size := rows * cols
	if rows == 1 || cols == 1 {
		copy(dst, x)
		return
	}
	e.parallel(batch, 1, func(_, lo, hi int) {
		for n := lo; n < hi; n++ {
			transposeOne(rows, cols, x[n*size:(n+1)*size], dst[n*size:(n+1)*size])
		}
	})
}

// transposeOne works square by square, so that source and destination stay in the cache.
func transposeOne[T Float](rows, cols int, x, dst []T) {
	const square = 16
	for r0 := 0; r0 < rows; r0 += square {
		for c0 := 0; c0 < cols; c0 += square {
			for r := r0; r < min(r0+square, rows); r++ {
				for c := c0; c < min(c0+square, cols); c++ {
					dst[c*rows+r] = x[r*cols+c]
				}
			}
		}
	}
}

func (e *pure[T]) Patches(s ConvShape, x, p []T) {
	each, area := s.OutH()*s.OutW()*s.PatchSize(), s.KH*s.KW
	e.parallel(s.N, 1, func(_, lo, hi int) {
		for n := lo; n < hi; n++ {
			image, patches := x[n*s.H*s.W*s.C:(n+1)*s.H*s.W*s.C], p[n*each:(n+1)*each]
			visit(s, tile{lo: 0, hi: s.OutH()}, func(at, from int) {
				first := at - at%s.PatchSize() + at%s.PatchSize()/s.C
				for c := range s.C {
					v := T(0)
					if from >= 0 {
						v = image[from+c]
					}
					patches[first+c*area] = v
				}
			})
		}
	})
}

func (e *pure[T]) Fold(s ConvShape, p, dx []T) {
	clear(dx)
	e.eachPatch(s, func(at, from int) {
		if from >= 0 {
			dx[from] += p[at]
		}
	})
}

// eachPatch calls f for every element of every patch: at is its offset in PyTorch's
// order, from its offset in the images, negative in the padding. The images are
// divided among the threads.
func (e *pure[T]) eachPatch(s ConvShape, f func(at, from int)) {
	k := s.KH * s.KW
	e.parallel(s.N, 1, func(_, lo, hi int) {
		for n := lo; n < hi; n++ {
			first := n * s.OutH() * s.OutW() * s.PatchSize()
			visit(s, tile{lo: 0, hi: s.OutH()}, func(at, from int) {
				patch, within := at/s.PatchSize(), at%s.PatchSize()/s.C
				for c := range s.C {
					source := -1
					if from >= 0 {
						source = n*s.H*s.W*s.C + from + c
					}
					f(first+patch*s.PatchSize()+c*k+within, source)
				}
			})
		}
	})
}
