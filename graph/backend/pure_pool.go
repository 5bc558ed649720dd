package backend

func (e *pure[T]) ArgMax(w *Windows, x []T, idx []int32) {
	e.prepare()
	in, out := w.InSize(), w.OutSize()
	e.parallel(w.N, 1, func(part, lo, hi int) {
		for n := lo; n < hi; n++ {
			e.argMaxImage(w, x[n*in:(n+1)*in], idx[n*out:(n+1)*out], &e.rooms[part])
		}
	})
}

func (e *pure[T]) argMaxImage(w *Windows, x []T, idx []int32, room *room[T]) {
	room.some = grown(room.some, w.C)
	for _, r := range w.Rows {
		for _, c := range w.Cols {
			first := (r.Lo*w.W + c.Lo) * w.C
			for ch := range w.C {
				idx[ch] = int32(first + ch)
			}
			copy(room.some, x[first:])
			for h := r.Lo; h < r.Hi; h++ {
				for col := c.Lo; col < c.Hi; col++ {
					from := (h*w.W + col) * w.C
					e.loops.Largest(room.some, idx[:w.C], x[from:from+w.C], int32(from))
				}
			}
			idx = idx[w.C:]
		}
	}
}

func (e *pure[T]) Gather(w *Windows, idx []int32, x, y []T) {
	inSize, outSize := w.InSize(), w.OutSize()
	e.parallel(w.N, 1, func(_, lo, hi int) {
		for n := lo; n < hi; n++ {
			image, out := x[n*inSize:(n+1)*inSize], y[n*outSize:(n+1)*outSize]
			for i, at := range idx[n*outSize : (n+1)*outSize] {
				out[i] = image[at]
			}
		}
	})
}

func (e *pure[T]) Scatter(w *Windows, idx []int32, dy, dx []T) {
	inSize, outSize := w.InSize(), w.OutSize()
	e.parallel(w.N, 1, func(_, lo, hi int) {
		for n := lo; n < hi; n++ {
			image, g := dx[n*inSize:(n+1)*inSize], dy[n*outSize:(n+1)*outSize]
			clear(image)
			for i, at := range idx[n*outSize : (n+1)*outSize] {
				image[at] += g[i]
			}
		}
	})
}

func (e *pure[T]) Average(w *Windows, x, y []T) {
	clear(y)
	e.windows(w, func(in, out int, weight T) {
		from, into := x[in:in+w.C], y[out:out+w.C]
		for c, v := range from {
			into[c] += weight * v
		}
	})
}

func (e *pure[T]) Spread(w *Windows, dy, dx []T) {
	clear(dx)
	e.windows(w, func(in, out int, weight T) {
		into, from := dx[in:in+w.C], dy[out:out+w.C]
		for c, v := range from {
			into[c] += weight * v
		}
	})
}

// windows calls f for every pixel of every window, with the offsets of the pixel
// and of the window's result, and the pixel's weight in the mean.
func (e *pure[T]) windows(w *Windows, f func(in, out int, weight T)) {
	e.parallel(w.N, 1, func(_, lo, hi int) {
		for n := lo; n < hi; n++ {
			out := n * w.OutSize()
			for _, r := range w.Rows {
				for _, c := range w.Cols {
					weight := 1 / T(r.Divisor*c.Divisor)
					for h := r.Lo; h < r.Hi; h++ {
						for col := c.Lo; col < c.Hi; col++ {
							f(n*w.InSize()+(h*w.W+col)*w.C, out, weight)
						}
					}
					out += w.C
				}
			}
		}
	})
}
