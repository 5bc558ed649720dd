package backend

func (e *pure[T]) ArgMax(w *Windows, x []T, idx []int32) {
	in, out := w.InSize(), w.OutSize()
	parallel(e.threads, w.N, 1, func(_, lo, hi int) {
		for n := lo; n < hi; n++ {
			argMaxImage(w, x[n*in:(n+1)*in], idx[n*out:(n+1)*out])
		}
	})
}

func argMaxImage[T Float](w *Windows, x []T, idx []int32) {
	at := 0
	for _, r := range w.Rows {
		for _, c := range w.Cols {
			best := idx[at : at+w.C]
			first := (r.Lo*w.W + c.Lo) * w.C
			for ch := range best {
				best[ch] = int32(first + ch)
			}
			for h := r.Lo; h < r.Hi; h++ {
				for col := c.Lo; col < c.Hi; col++ {
					from := (h*w.W + col) * w.C
					for ch, b := range best {
						if v := x[from+ch]; v > x[b] || v != v {
							best[ch] = int32(from + ch)
						}
					}
				}
			}
			at += w.C
		}
	}
}

func (e *pure[T]) Gather(inSize, outSize int, idx []int32, x, y []T) {
	parallel(e.threads, len(y)/outSize, 1, func(_, lo, hi int) {
		for n := lo; n < hi; n++ {
			image, out := x[n*inSize:(n+1)*inSize], y[n*outSize:(n+1)*outSize]
			for i, at := range idx[n*outSize : (n+1)*outSize] {
				out[i] = image[at]
			}
		}
	})
}

func (e *pure[T]) Scatter(inSize, outSize int, idx []int32, dy, dx []T) {
	parallel(e.threads, len(dy)/outSize, 1, func(_, lo, hi int) {
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

// windows calls f with every pixel of every window, where the pixel and the
// window's result start, and the pixel's weight in the mean.
func (e *pure[T]) windows(w *Windows, f func(in, out int, weight T)) {
	parallel(e.threads, w.N, 1, func(_, lo, hi int) {
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
