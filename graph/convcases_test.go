package graph

import "math"

// convolutions are geometries of every kind: with padding, strides, dilation and groups, with filters of one element
// and filters as large as the image.
var convolutions = []struct {
	name string
	x, w []int
	geo  Conv2D
}{
	{"plain", []int{2, 5, 5, 3}, []int{4, 3, 3, 3}, Conv2D{}},
	{"padded", []int{2, 5, 4, 3}, []int{4, 3, 3, 3}, Square(1, 1)},
	{"strided", []int{2, 7, 8, 2}, []int{3, 2, 3, 3}, Square(2, 1)},
	{"pointwise", []int{2, 3, 4, 5}, []int{4, 5, 1, 1}, Conv2D{}},
	{"strided pointwise", []int{2, 5, 4, 3}, []int{4, 3, 1, 1}, Square(2, 0)},
	{"dilated", []int{1, 9, 8, 2}, []int{3, 2, 3, 3}, Conv2D{DilateH: 2, DilateW: 3, PadH: 1, PadW: 2}},
	{"one channel, one image", []int{1, 6, 6, 1}, []int{1, 1, 5, 5}, Square(1, 2)},
	{"oblong", []int{2, 4, 9, 2}, []int{3, 2, 2, 5}, Conv2D{StrideH: 1, StrideW: 3, PadH: 0, PadW: 2}},
	{"as large as the image", []int{2, 3, 3, 2}, []int{4, 2, 3, 3}, Conv2D{}},
	{"many channels", []int{1, 3, 3, 17}, []int{19, 17, 3, 3}, Square(1, 1)},
	{"rows of three", []int{2, 3, 7, 37}, []int{2, 37, 1, 3}, Conv2D{StrideW: 2, PadW: 2, DilateW: 2}},
	{"two groups", []int{2, 5, 6, 4}, []int{6, 2, 3, 3}, Conv2D{StrideH: 2, StrideW: 1, PadH: 1, PadW: 1, Groups: 2}},
	{"pointwise groups", []int{2, 3, 4, 6}, []int{9, 2, 1, 1}, Conv2D{Groups: 3}},
	{"depthwise", []int{2, 7, 6, 5}, []int{5, 1, 3, 3}, Conv2D{StrideH: 2, StrideW: 2, PadH: 1, PadW: 1, Groups: 5}},
	{"depthwise, dilated", []int{1, 8, 9, 17}, []int{17, 1, 3, 2},
		Conv2D{PadH: 2, PadW: 1, DilateH: 2, DilateW: 3, Groups: 17}},
	{"depthwise, two filters a channel", []int{2, 5, 5, 3}, []int{6, 1, 3, 3}, Conv2D{PadH: 1, PadW: 1, Groups: 3}},
	{"stride beyond the filter", []int{1, 8, 8, 2}, []int{2, 2, 2, 2}, Square(3, 0)},
}

func naiveConv(x, w array, g Conv2D) array {
	s, err := convShape(x.shape, w.shape, g)
	if err != nil {
		panic(err)
	}
	y := newArray(outShape(s)...)
	for n := range s.N {
		for oh := range s.OutH() {
			for ow := range s.OutW() {
				for f := range s.Filters {
					first := f / (s.Filters / s.Groups) * (s.C / s.Groups)
					for c := range s.C / s.Groups {
						for kh := range s.KH {
							for kw := range s.KW {
								h, v := oh*s.StrideH-s.PadH+kh*s.DilateH, ow*s.StrideW-s.PadW+kw*s.DilateW
								if h >= 0 && h < s.H && v >= 0 && v < s.W {
									*y.at(n, oh, ow, f) += *x.at(n, h, v, first+c) * *w.at(f, c, kh, kw)
								}
							}
						}
					}
				}
			}
		}
	}
	return y
}

func convCases() []opCase {
	var cases []opCase
	for _, c := range convolutions {
		cases = append(cases,
			opCase{name: "conv " + c.name, shapes: [][]int{c.x, c.w},
				build: func(g *Graph, x []*Node) *Node { return g.Conv(x[0], x[1], c.geo) },
				want:  func(x []array) array { return naiveConv(x[0], x[1], c.geo) }},
			opCase{name: "conv, bias, relu " + c.name, shapes: [][]int{c.x, c.w, {c.w[0]}},
				build: func(g *Graph, x []*Node) *Node { return g.ReLU(g.RowAdd(g.Conv(x[0], x[1], c.geo), x[2])) },
				want: func(x []array) array {
					y := naiveConv(x[0], x[1], c.geo)
					for i := range y.data {
						y.data[i] = math.Max(0, y.data[i]+x[2].data[i%c.w[0]])
					}
					return y
				}},
		)
		if c.geo.Groups > 1 {
			continue
		}
		// The product of the patches and the flattened filters is the convolution.
		cases = append(cases,
			opCase{name: "patches " + c.name, shapes: [][]int{c.x, c.w},
				build: func(g *Graph, x []*Node) *Node {
					p := g.Patches(x[0], c.w[2], c.w[3], c.geo)
					return g.Linear(p, g.Reshape(x[1], c.w[0], c.w[1]*c.w[2]*c.w[3]))
				},
				want: func(x []array) array {
					y := naiveConv(x[0], x[1], c.geo)
					y.shape = []int{len(y.data) / c.w[0], c.w[0]}
					return y
				}},
		)
	}
	return append(cases, transposedCases()...)
}

// transposedCases are transposed convolutions. For every element of the input the reference adds the filter times the
// element to the output.
func transposedCases() []opCase {
	var cases []opCase
	for _, c := range []struct {
		name string
		x, w []int
		geo  Conv2D
		more [2]int
	}{
		{"plain", []int{2, 3, 4, 3}, []int{3, 2, 3, 3}, Conv2D{}, [2]int{}},
		{"strided", []int{1, 3, 3, 2}, []int{2, 3, 3, 2}, Square(2, 1), [2]int{1, 0}},
		{"groups", []int{2, 3, 2, 4}, []int{4, 3, 2, 3}, Conv2D{StrideH: 2, StrideW: 3, Groups: 2}, [2]int{0, 2}},
		{"dilated", []int{1, 3, 3, 2}, []int{2, 1, 3, 3}, Conv2D{DilateH: 2, DilateW: 1, PadH: 1}, [2]int{}},
	} {
		cases = append(cases, opCase{name: "transposed conv " + c.name, shapes: [][]int{c.x, c.w},
			build: func(g *Graph, x []*Node) *Node { return g.ConvTranspose(x[0], x[1], c.geo, c.more[0], c.more[1]) },
			want:  func(x []array) array { return naiveConvTranspose(x[0], x[1], c.geo, c.more) }})
	}
	return cases
}

func naiveConvTranspose(x, w array, g Conv2D, more [2]int) array {
	one := func(v int) int { return max(v, 1) }
	groups := one(g.Groups)
	size := func(k int, stride, pad, dilate int) int {
		return (x.shape[1+k]-1)*one(stride) - 2*pad + one(dilate)*(w.shape[2+k]-1) + 1 + more[k]
	}
	y := newArray(x.shape[0], size(0, g.StrideH, g.PadH, g.DilateH), size(1, g.StrideW, g.PadW, g.DilateW),
		w.shape[1]*groups)
	for n := range x.shape[0] {
		for i := range x.shape[1] {
			for j := range x.shape[2] {
				for c := range x.shape[3] {
					group := c / (x.shape[3] / groups)
					for f := range w.shape[1] {
						for kh := range w.shape[2] {
							for kw := range w.shape[3] {
								h, v := i*one(g.StrideH)-g.PadH+kh*one(g.DilateH), j*one(g.StrideW)-g.PadW+kw*one(g.DilateW)
								if h >= 0 && h < y.shape[1] && v >= 0 && v < y.shape[2] {
									*y.at(n, h, v, group*w.shape[1]+f) += *x.at(n, i, j, c) * *w.at(c, f, kh, kw)
								}
							}
						}
					}
				}
			}
		}
	}
	return y
}

// window returns the bounds of PyTorch's i-th pooling window, clipped to the image, and the number of its elements
// including padding.
func window(i, n, size, stride, pad int) (lo, hi, padded int) {
	lo = i*stride - pad
	hi = min(lo+size, n+pad)
	padded = hi - lo
	return max(lo, 0), min(hi, n), padded
}

// outputs returns PyTorch's number of windows.
func outputs(n, size, stride, pad int, ceil bool) int {
	f := float64(n+2*pad-size) / float64(stride)
	if !ceil {
		return int(math.Floor(f)) + 1
	}
	o := int(math.Ceil(f)) + 1
	if (o-1)*stride >= n+pad {
		o--
	}
	return o
}

func naivePool(x array, p Pool2D, f func(in []float64, padded int) float64) array {
	sh, sw := p.StrideH, p.StrideW
	if sh == 0 {
		sh = p.SizeH
	}
	if sw == 0 {
		sw = p.SizeW
	}
	n, h, w, c := x.shape[0], x.shape[1], x.shape[2], x.shape[3]
	y := newArray(n, outputs(h, p.SizeH, sh, p.PadH, p.Ceil), outputs(w, p.SizeW, sw, p.PadW, p.Ceil), c)
	for b := range n {
		for i := range y.shape[1] {
			for j := range y.shape[2] {
				for ch := range c {
					h0, h1, hp := window(i, h, p.SizeH, sh, p.PadH)
					w0, w1, wp := window(j, w, p.SizeW, sw, p.PadW)
					var in []float64
					for u := h0; u < h1; u++ {
						for v := w0; v < w1; v++ {
							in = append(in, *x.at(b, u, v, ch))
						}
					}
					*y.at(b, i, j, ch) = f(in, hp*wp)
				}
			}
		}
	}
	return y
}

func largest(in []float64, _ int) float64 {
	m := math.Inf(-1)
	for _, v := range in {
		m = math.Max(m, v)
	}
	return m
}

func mean(in []float64, _ int) float64 {
	s := 0.
	for _, v := range in {
		s += v
	}
	return s / float64(len(in))
}

func poolCases() []opCase {
	pools := []struct {
		name string
		x    []int
		p    Pool2D
	}{
		{"2×2", []int{2, 4, 6, 3}, Pool2D{SizeH: 2, SizeW: 2}},
		{"2×2 of odd size", []int{2, 5, 7, 2}, Pool2D{SizeH: 2, SizeW: 2}},
		{"2×2 of odd size, ceil", []int{2, 5, 7, 2}, Pool2D{SizeH: 2, SizeW: 2, Ceil: true}},
		{"3×3 stride 2 padded", []int{1, 8, 7, 3}, Pool2D{SizeH: 3, SizeW: 3, StrideH: 2, StrideW: 2,
			PadH: 1, PadW: 1}},
		{"3×3 stride 2, ceil, padding counted", []int{1, 6, 6, 2},
			Pool2D{SizeH: 3, SizeW: 3, StrideH: 2, StrideW: 2, PadH: 1, PadW: 1, Ceil: true, CountPad: true}},
		{"overlapping oblong", []int{2, 5, 6, 1}, Pool2D{SizeH: 3, SizeW: 2, StrideH: 1, StrideW: 2}},
		{"whole image", []int{2, 3, 5, 4}, Pool2D{SizeH: 3, SizeW: 5}},
		{"ceil drops a window in the padding", []int{1, 2, 5, 1},
			Pool2D{SizeH: 2, SizeW: 2, StrideH: 3, StrideW: 3, PadH: 1, PadW: 1, Ceil: true}},
	}
	var cases []opCase
	for _, q := range pools {
		cases = append(cases,
			opCase{name: "max pool " + q.name, shapes: [][]int{q.x},
				build: func(g *Graph, x []*Node) *Node { return g.MaxPool(x[0], q.p) },
				want:  func(x []array) array { return naivePool(x[0], q.p, largest) }},
			opCase{name: "average pool " + q.name, shapes: [][]int{q.x},
				build: func(g *Graph, x []*Node) *Node { return g.AvgPool(x[0], q.p) },
				want: func(x []array) array {
					return naivePool(x[0], q.p, func(in []float64, padded int) float64 {
						if q.p.CountPad {
							return mean(in, 0) * float64(len(in)) / float64(padded)
						}
						return mean(in, 0)
					})
				}})
	}
	return append(cases,
		opCase{name: "global max pool", shapes: [][]int{{2, 4, 3, 5}},
			build: func(g *Graph, x []*Node) *Node { return g.AdaptiveMaxPool(x[0], 1, 1) },
			want:  func(x []array) array { return naivePool(x[0], Pool2D{SizeH: 4, SizeW: 3}, largest) }},
		opCase{name: "global average pool", shapes: [][]int{{2, 4, 3, 5}},
			build: func(g *Graph, x []*Node) *Node { return g.AdaptiveAvgPool(x[0], 1, 1) },
			want:  func(x []array) array { return naivePool(x[0], Pool2D{SizeH: 4, SizeW: 3}, mean) }},
		opCase{name: "adaptive average pool 5×7 to 3×4", shapes: [][]int{{2, 5, 7, 2}},
			build: func(g *Graph, x []*Node) *Node { return g.AdaptiveAvgPool(x[0], 3, 4) },
			want:  func(x []array) array { return naiveAdaptive(x[0], 3, 4, mean) }},
		opCase{name: "adaptive average pool 2×2 to 3×3", shapes: [][]int{{1, 2, 2, 3}},
			build: func(g *Graph, x []*Node) *Node { return g.AdaptiveAvgPool(x[0], 3, 3) },
			want:  func(x []array) array { return naiveAdaptive(x[0], 3, 3, mean) }},
		opCase{name: "adaptive max pool 5×7 to 3×4", shapes: [][]int{{2, 5, 7, 2}},
			build: func(g *Graph, x []*Node) *Node { return g.AdaptiveMaxPool(x[0], 3, 4) },
			want:  func(x []array) array { return naiveAdaptive(x[0], 3, 4, largest) }},
		opCase{name: "adaptive max pool 2×2 to 3×3", shapes: [][]int{{1, 2, 2, 3}},
			build: func(g *Graph, x []*Node) *Node { return g.AdaptiveMaxPool(x[0], 3, 3) },
			want:  func(x []array) array { return naiveAdaptive(x[0], 3, 3, largest) }},
	)
}

func naiveAdaptive(x array, oh, ow int, of func(in []float64, padded int) float64) array {
	n, h, w, c := x.shape[0], x.shape[1], x.shape[2], x.shape[3]
	y := newArray(n, oh, ow, c)
	bounds := func(i, in, out int) (int, int) {
		return int(math.Floor(float64(i*in) / float64(out))), int(math.Ceil(float64((i+1)*in) / float64(out)))
	}
	for b := range n {
		for i := range oh {
			for j := range ow {
				h0, h1 := bounds(i, h, oh)
				w0, w1 := bounds(j, w, ow)
				for ch := range c {
					var in []float64
					for u := h0; u < h1; u++ {
						for v := w0; v < w1; v++ {
							in = append(in, *x.at(b, u, v, ch))
						}
					}
					*y.at(b, i, j, ch) = of(in, 0)
				}
			}
		}
	}
	return y
}
