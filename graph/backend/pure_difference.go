package backend

import "math"

func (e *pure[T]) SumDifferences(s Differences, u, v, c, w, dst []T) {
	e.prepare()
	d, step := s.Cols, s.othersAtOnce()
	e.parallel(s.Rows, 1, func(part, lo, hi int) {
		room := e.rooms[part].results[0][:]
		for first := 0; first < s.Others; first += step {
			for i := lo; i < hi; i++ {
				for j := first; j < min(first+step, s.Others); j++ {
					dst[i*s.Others+j] = e.sumDifferences(&s, room, u[i*d:][:d], v[j*d:][:d], row(c, i, d), row(w, j, d))
				}
			}
		}
	})
}

// sumDifferences returns Σₖ c[k]·w[k]·f(u[k] − v[k]).
func (e *pure[T]) sumDifferences(s *Differences, room, u, v, c, w []T) T {
	var total T
	for lo := 0; lo < len(u); lo += block {
		hi := min(lo+block, len(u))
		f := room[:hi-lo]
		differences(s, f, u[lo:hi], v[lo:hi])
		if c != nil {
			e.loops.Mul(f, f, c[lo:hi])
		}
		if w != nil {
			e.loops.Mul(f, f, w[lo:hi])
		}
		total += sum(f)
	}
	return total
}

func (e *pure[T]) WeighDifferences(s Differences, trans bool, p, u, v, w, dst []T) {
	e.prepare()
	d, step := s.Cols, s.othersAtOnce()
	alongRow, alongCol := 1, s.Others // steps to the next j and i in p
	if trans {
		alongRow, alongCol = s.Rows, 1
	}
	e.parallel(s.Rows, 1, func(part, lo, hi int) {
		clear(dst[lo*d : hi*d])
		room := e.rooms[part].results[0][:]
		for first := 0; first < s.Others; first += step {
			for i := lo; i < hi; i++ {
				for j := first; j < min(first+step, s.Others); j++ {
					e.addDifferences(&s, room, p[i*alongCol+j*alongRow], u[i*d:][:d], v[j*d:][:d], row(w, j, d),
						dst[i*d:][:d])
				}
			}
		}
	})
}

// addDifferences adds p·w[k]·f(u[k] − v[k]) to dst[k].
func (e *pure[T]) addDifferences(s *Differences, room []T, p T, u, v, w, dst []T) {
	for lo := 0; lo < len(u); lo += block {
		hi := min(lo+block, len(u))
		f := room[:hi-lo]
		differences(s, f, u[lo:hi], v[lo:hi])
		if w != nil {
			e.loops.Mul(f, f, w[lo:hi])
		}
		e.loops.Scale(f, f, p)
		e.loops.Add(dst[lo:hi], dst[lo:hi], f)
	}
}

// row returns row i of a matrix, nil for a nil matrix.
func row[T Float](x []T, i, cols int) []T {
	if x == nil {
		return nil
	}
	return x[i*cols:][:cols]
}

// differences computes out[k] = f(u[k] − v[k]).
func differences[T Float](s *Differences, out, u, v []T) {
	u, v = u[:len(out)], v[:len(out)]
	switch {
	case s.isAbs():
		for k := range out {
			out[k] = T(math.Abs(float64(u[k] - v[k])))
		}
	case s.isSign():
		for k := range out {
			out[k] = T(bit(u[k] > v[k]) - bit(u[k] < v[k]))
		}
	default:
		for k := range out {
			out[k] = T(s.at(float64(u[k] - v[k])))
		}
	}
}

// bit is 1 for true, without a branch.
func bit(b bool) int32 {
	var i int32
	if b {
		i = 1
	}
	return i
}

// sum adds up x in four independent partial sums, which the processor computes at the same time.
func sum[T Float](x []T) T {
	var a, b, c, d T
	for ; len(x) >= 4; x = x[4:] {
		a, b, c, d = a+x[0], b+x[1], c+x[2], d+x[3]
	}
	for _, v := range x {
		a += v
	}
	return (a + b) + (c + d)
}
