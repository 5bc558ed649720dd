package backend

// Grouped convolutions in Go. Each group is a separate convolution on a copy of its channels, and the results are copied
// back. Depthwise convolutions, with one channel per group, work in place, on all channels of a pixel at a time.

// group returns the shape of the convolution of one group.
func (s ConvShape) group() ConvShape {
	s.C, s.Filters, s.Groups = s.C/s.Groups, s.Filters/s.Groups, 1
	return s
}

// depthwise reports whether every group has one channel.
func (s ConvShape) depthwise() bool { return s.Groups > 1 && s.Groups == s.C }

// takeColumns copies n columns, from column first on, of a matrix x with all columns.
func takeColumns[T Float](x []T, all, first int, dst []T, n int) {
	for i := 0; i*n < len(dst); i++ {
		copy(dst[i*n:(i+1)*n], x[i*all+first:])
	}
}

// putColumns is the inverse of takeColumns: it writes the n columns of x to dst.
func putColumns[T Float](x []T, n int, dst []T, all, first int) {
	for i := 0; i*n < len(x); i++ {
		copy(dst[i*all+first:], x[i*n:(i+1)*n])
	}
}

// convolver computes convolutions of one group and their adjoints.
type convolver[T Float] interface {
	Convolve(s ConvShape, x, w, bias []T, relu bool, y []T) error
	ConvolveData(s ConvShape, w, dy, dx []T) error
	ConvolveWeights(s ConvShape, x, dy, dw []T) error
}

// byGroup calls f for every group k, with the shape of its convolution and memory for its channels of x and of y.
func (e *pure[T]) byGroup(s ConvShape, f func(k int, own ConvShape, x, y []T) error) error {
	own := s.group()
	x, y := e.scratch.take(s.N*s.H*s.W*own.C), e.scratch.take(s.Rows()*own.Filters)
	defer e.scratch.give(x, y)
	for k := range s.Groups {
		if err := f(k, own, x, y); err != nil {
			return err
		}
	}
	return nil
}

// ofGroup returns group k's part of v, which is divided evenly among the groups; nil for nil.
func ofGroup[T Float](v []T, k, groups int) []T {
	n := len(v) / groups
	return v[k*n : (k+1)*n]
}

func (e *pure[T]) convolveGroups(one convolver[T], s ConvShape, x, w, bias []T, relu bool, y []T) error {
	if s.depthwise() {
		e.depthwise(s, x, w, y)
		e.finish(y, bias, relu, s.Filters)
		return nil
	}
	return e.byGroup(s, func(k int, own ConvShape, xg, yg []T) error {
		takeColumns(x, s.C, k*own.C, xg, own.C)
		if err := one.Convolve(own, xg, ofGroup(w, k, s.Groups), ofGroup(bias, k, s.Groups), relu, yg); err != nil {
			return err
		}
		putColumns(yg, own.Filters, y, s.Filters, k*own.Filters)
		return nil
	})
}

func (e *pure[T]) convolveDataGroups(one convolver[T], s ConvShape, w, dy, dx []T) error {
	if s.depthwise() {
		e.depthwiseData(s, w, dy, dx)
		return nil
	}
	return e.byGroup(s, func(k int, own ConvShape, xg, yg []T) error {
		takeColumns(dy, s.Filters, k*own.Filters, yg, own.Filters)
		if err := one.ConvolveData(own, ofGroup(w, k, s.Groups), yg, xg); err != nil {
			return err
		}
		putColumns(xg, own.C, dx, s.C, k*own.C)
		return nil
	})
}

func (e *pure[T]) convolveWeightsGroups(one convolver[T], s ConvShape, x, dy, dw []T) error {
	if s.depthwise() {
		e.depthwiseWeights(s, x, dy, dw)
		return nil
	}
	return e.byGroup(s, func(k int, own ConvShape, xg, yg []T) error {
		takeColumns(x, s.C, k*own.C, xg, own.C)
		takeColumns(dy, s.Filters, k*own.Filters, yg, own.Filters)
		return one.ConvolveWeights(own, xg, yg, ofGroup(dw, k, s.Groups))
	})
}

// window returns the range lo ≤ k < hi of the taps k whose pixels, at·stride − pad + k·dilate, are inside an axis of n
// pixels.
func window(at, stride, pad, dilate, taps, n int) (lo, hi int) {
	first := at*stride - pad
	for lo < taps && first+lo*dilate < 0 {
		lo++
	}
	for hi = taps; hi > lo && first+(hi-1)*dilate >= n; {
		hi--
	}
	return lo, hi
}

// visitDepthwise calls f for every position in the output rows from lo to hi and every tap that reads a pixel there: y
// is the index of the position, x that of the pixel.
func visitDepthwise(s ConvShape, lo, hi int, f func(y, x, tap int)) {
	for row := lo; row < hi; row++ {
		image, oh := row/s.OutH(), row%s.OutH()
		h0, h1 := window(oh, s.StrideH, s.PadH, s.DilateH, s.KH, s.H)
		for ow := range s.OutW() {
			w0, w1 := window(ow, s.StrideW, s.PadW, s.DilateW, s.KW, s.W)
			for kh := h0; kh < h1; kh++ {
				h := oh*s.StrideH - s.PadH + kh*s.DilateH
				for kw := w0; kw < w1; kw++ {
					w := ow*s.StrideW - s.PadW + kw*s.DilateW
					f(row*s.OutW()+ow, (image*s.H+h)*s.W+w, kh*s.KW+kw)
				}
			}
		}
	}
}

// byTap returns the filters of a depthwise convolution as (tap, filter).
func (e *pure[T]) byTap(s ConvShape, w []T) []T {
	out := e.scratch.take(len(w))
	e.Transpose(1, s.Filters, s.KH*s.KW, w, out)
	return out
}

func (e *pure[T]) depthwise(s ConvShape, x, w, y []T) {
	taps := e.byTap(s, w)
	defer e.scratch.give(taps)
	f, times := s.Filters, s.Filters/s.C
	e.parallel(s.N*s.OutH(), 1, func(_, lo, hi int) {
		clear(y[lo*s.OutW()*f : hi*s.OutW()*f])
		visitDepthwise(s, lo, hi, func(at, from, tap int) {
			addProducts(y[at*f:][:f], taps[tap*f:][:f], x[from*s.C:][:s.C], times)
		})
	})
}

// addProducts adds w[i]·x[i/times] to y[i].
func addProducts[T Float](y, w, x []T, times int) {
	if times == 1 {
		w, x = w[:len(y)], x[:len(y)]
		for i := range y {
			y[i] += w[i] * x[i]
		}
		return
	}
	for i := range y {
		y[i] += w[i] * x[i/times]
	}
}

func (e *pure[T]) depthwiseData(s ConvShape, w, dy, dx []T) {
	taps := e.byTap(s, w)
	defer e.scratch.give(taps)
	f, times := s.Filters, s.Filters/s.C
	e.parallel(s.N, 1, func(_, lo, hi int) { // rows of one image overlap in dx
		clear(dx[lo*s.H*s.W*s.C : hi*s.H*s.W*s.C])
		visitDepthwise(s, lo*s.OutH(), hi*s.OutH(), func(at, from, tap int) {
			gatherProducts(dx[from*s.C:][:s.C], taps[tap*f:][:f], dy[at*f:][:f], times)
		})
	})
}

// gatherProducts adds w[i]·y[i] to x[i/times].
func gatherProducts[T Float](x, w, y []T, times int) {
	if times == 1 {
		addProducts(x, w, y, 1)
		return
	}
	for i := range y {
		x[i/times] += w[i] * y[i]
	}
}

func (e *pure[T]) depthwiseWeights(s ConvShape, x, dy, dw []T) {
	f, times := s.Filters, s.Filters/s.C
	sums := make([][]T, e.threads)
	for i := range sums {
		sums[i] = e.scratch.take(len(dw))
		clear(sums[i])
	}
	defer e.scratch.give(sums...)
	e.parallel(s.N*s.OutH(), 1, func(part, lo, hi int) {
		visitDepthwise(s, lo, hi, func(at, from, tap int) {
			addProducts(sums[part][tap*f:][:f], dy[at*f:][:f], x[from*s.C:][:s.C], times)
		})
	})
	for _, more := range sums[1:] {
		for i, v := range more {
			sums[0][i] += v
		}
	}
	e.Transpose(1, s.KH*s.KW, s.Filters, sums[0], dw)
}
