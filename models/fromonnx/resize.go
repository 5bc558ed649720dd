package fromonnx

import (
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/models/onnx"
	"gonum.org/v1/gonum/mat"
)

// resize multiplies the rows and the columns of images by constant interpolation matrices.
func resize(b *builder, n *onnx.Node) []value {
	x, sequence := b.asImages(b.read(n, 0))
	if b.Err() != nil {
		return nil
	}
	in := [2]int{x.Shape()[1], x.Shape()[2]}
	out, scale, ok := b.resized(n, in, sequence)
	if !ok {
		return nil
	}
	if n.String("keep_aspect_ratio_policy", "stretch") != "stretch" || n.Int("antialias", 0) != 0 ||
		n.Int("exclude_outside", 0) != 0 {
		b.Fail("its keep_aspect_ratio_policy, antialias or exclude_outside is not supported")
		return nil
	}
	var axes [2]*mat.Dense
	for k := range 2 {
		i := interpolation{mode: n.String("mode", "nearest"), in: in[k], out: out[k], scale: scale[k],
			coordinates: n.String("coordinate_transformation_mode", "half_pixel"),
			nearest:     n.String("nearest_mode", "round_prefer_floor"), a: n.Float("cubic_coeff_a", -.75)}
		m, err := i.matrix()
		if err != "" {
			b.Fail("%s", err)
			return nil
		}
		axes[k] = m
	}
	return []value{b.ofImages(b.Resize(x, axes[0], axes[1]), sequence)}
}

// resized returns the rows and columns of a Resize node's result, and their scales, from the node's scales or sizes.
func (b *builder) resized(n *onnx.Node, in [2]int, sequence bool) (out [2]int, scale [2]float64, ok bool) {
	read := func(i int) []float64 {
		if i >= len(n.Inputs) || n.Inputs[i] == "" {
			return nil
		}
		t := b.constant(n.Inputs[i])
		if t == nil {
			b.Fail("its scales or sizes depend on the images or on weights: only constants are supported here")
			return nil
		}
		v, _ := t.Doubles()
		if axes := n.Ints("axes"); len(axes) > 0 && len(axes) == len(v) { // the axes that it scales, the others stay
			all := slices.Repeat([]float64{1}, 4-btoi(sequence))
			for k := 2; i == 3 && k < len(all); k++ {
				all[k] = float64(in[k-2+btoi(sequence)])
			}
			for k, a := range b.axes(axes, len(all)) {
				all[a] = v[k]
			}
			v = all
		}
		if sequence && len(v) == 3 {
			v = slices.Insert(slices.Clone(v), 2, 1) // the rows
		}
		return v
	}
	scales, sizes := read(2), read(3)
	for k := range 2 {
		switch {
		case len(sizes) == 4 && sizes[0] >= 1 && sizes[2+k] >= 1 && sizes[2+k] <= maxSide:
			out[k] = int(sizes[2+k])
			scale[k] = float64(out[k]) / float64(in[k])
		case len(scales) == 4 && scales[0] == 1 && scales[1] == 1 && scales[2+k] > 0 &&
			scales[2+k]*float64(in[k]) <= maxSide:
			exact := written(float32(scales[2+k]))
			out[k] = int(math.Floor(exact * float64(in[k])))
			if scale[k] = scales[2+k]; n.String("mode", "nearest") == "nearest" {
				scale[k] = exact
			}
		}
		if out[k] < 1 {
			b.Fail("it scales images of %d×%d by %v to %v: want images of 1 to %d rows and columns", in[0], in[1],
				scales, sizes, int(maxSide))
			return out, scale, false
		}
	}
	return out, scale, b.Err() == nil
}

// written returns the number that an exporter stored as the float32 s: .7 for .69999999, 4/3 for 1.3333334. It is the fraction
// of the smallest denominator up to 1000 that rounds to s, or s itself if there is none. PyTorch computes sizes and places with
// this number: images of 30 rows times .7 have 21 rows, and times .69999999 they would have 20.
func written(s float32) float64 {
	for q := 1.; q <= 1000; q++ {
		if f := math.Round(float64(s)*q) / q; float32(f) == s {
			return f
		}
	}
	return float64(s)
}

// maxSide is the largest number of rows or columns of an image.
const maxSide = 1 << 14

// interpolation says how an axis of out elements follows from one of in elements.
type interpolation struct {
	mode                 string // nearest, linear or cubic
	coordinates, nearest string // ONNX's coordinate_transformation_mode and nearest_mode
	in, out              int
	scale                float64
	a                    float64 // the parameter of cubic interpolation
}

// matrix returns the matrix of the interpolation, out×in, or a text that says what is wrong with it.
func (p interpolation) matrix() (*mat.Dense, string) {
	m := mat.NewDense(p.out, p.in, nil)
	add := func(i, j int, w float64) {
		j = max(0, min(j, p.in-1))
		m.Set(i, j, m.At(i, j)+w)
	}
	for i := range p.out {
		if p.mode == "nearest" && p.coordinates == "asymmetric" && p.nearest == "floor" {
			add(i, p.below(i), 1)
			continue
		}
		at, ok := p.place(float64(i))
		if !ok {
			return nil, "its coordinate_transformation_mode " + p.coordinates + " is not supported"
		}
		switch p.mode {
		case "nearest":
			j, ok := p.round(at)
			if !ok {
				return nil, "its nearest_mode " + p.nearest + " is not supported"
			}
			add(i, j, 1)
		case "linear":
			at = max(0, min(at, float64(p.in-1)))
			low := math.Floor(at)
			add(i, int(low), 1-(at-low))
			if at > low {
				add(i, int(low)+1, at-low)
			}
		case "cubic":
			low := math.Floor(at)
			for k := -1.; k <= 2; k++ {
				add(i, int(low+k), cubic(math.Abs(at-low-k), p.a))
			}
		default:
			return nil, "its mode " + p.mode + " is not supported: want nearest, linear or cubic"
		}
	}
	return m, ""
}

// cubic is the weight of an element at a distance below 2, by Keys' convolution with the parameter a.
func cubic(d, a float64) float64 {
	if d <= 1 {
		return ((a+2)*d-(a+3))*d*d + 1
	}
	return ((a*d-5*a)*d+8*a)*d - 4*a
}

// below returns the element at or before the place of the i-th element of the output, as PyTorch's nearest computes it in
// float32. Where the scale lies a little above 1 or 2, PyTorch takes it as 1 or 2.
func (p interpolation) below(i int) int {
	switch p.out {
	case p.in:
		return i
	case 2 * p.in:
		return i / 2
	}
	return int(float32(i) * float32(1/p.scale))
}

// place returns the coordinate on the input axis of the i-th element of the output. It reports false for unknown modes.
func (p interpolation) place(i float64) (float64, bool) {
	switch p.coordinates {
	case "half_pixel":
		return (i+.5)/p.scale - .5, true
	case "pytorch_half_pixel":
		if p.out == 1 {
			return 0, true
		}
		return (i+.5)/p.scale - .5, true
	case "align_corners":
		if p.out == 1 {
			return 0, true
		}
		return i * float64(p.in-1) / float64(p.out-1), true
	case "asymmetric":
		return i / p.scale, true
	}
	return 0, false
}

// round returns the index of the element nearest to a place. It reports false for unknown modes.
func (p interpolation) round(at float64) (int, bool) {
	switch p.nearest {
	case "round_prefer_floor":
		return int(math.Ceil(at - .5)), true
	case "round_prefer_ceil":
		return int(math.Floor(at + .5)), true
	case "floor":
		return int(math.Floor(at)), true
	case "ceil":
		return int(math.Ceil(at)), true
	}
	return 0, false
}
