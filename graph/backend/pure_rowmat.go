package backend

func (e *pure[T]) RowMatMul(m, k, n int, a, s, b, dst []T) {
	rows := len(dst) / (m * n)
	e.parallel(rows, 1, func(_, lo, hi int) {
		for p := lo; p < hi; p++ {
			matMul(m, k, n, a[p*m*k:(p+1)*m*k], s, b[p*k*n:(p+1)*k*n], dst[p*m*n:(p+1)*m*n])
		}
	})
}

// matMul computes one product.
func matMul[T Float](m, k, n int, a, s, b, dst []T) {
	clear(dst)
	for i := range m {
		to := dst[i*n : (i+1)*n]
		for j := range k {
			v := a[i*k+j]
			if s != nil {
				v *= s[i*k+j]
			}
			for c, w := range b[j*n : (j+1)*n] {
				to[c] += v * w
			}
		}
	}
}

func (e *pure[T]) SumSets(sets *Sets, x, dst []T) {
	e.prepare()
	cols := len(dst) / sets.Len()
	e.parallel(sets.Len(), 1, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			sum := dst[i*cols : (i+1)*cols]
			clear(sum)
			for _, r := range sets.Of(i) {
				e.loops.Add(sum, sum, x[int(r)*cols:(int(r)+1)*cols])
			}
		}
	})
}
