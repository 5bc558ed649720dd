package backend

// axis is one direction of a correlation, along the rows or the columns of its
// images: positions that each read some elements of the source, the taps, and
// write one of the destination. Zeros go on at both ends of the source.
type axis struct {
	size   int   // of the source
	origin int   // what position 0 reads first, negative in the zeros before the source
	step   int   // in the source, from one position to the next
	count  int   // of positions
	taps   []int // what a position reads, from the first of that on, ascending
	filter []int // the row or column of the filter for every tap

	target, stride int // position i writes element target + i·stride
}

// reach is the number of elements from the first that count positions read to
// the last.
func (a *axis) reach(count int) int { return (count-1)*a.step + a.taps[len(a.taps)-1] + 1 }

// inside says that no position reads zeros around the source.
func (a *axis) inside() bool { return a.origin >= 0 && a.origin+a.reach(a.count) <= a.size }

// adjacent says that the taps follow one another.
func (a *axis) adjacent() bool { return a.taps[len(a.taps)-1] == len(a.taps)-1 }

// forwardAxis is the axis of a convolution of in elements to out: position i
// reads elements i·stride − pad + t·dilate for every t < kernel.
func forwardAxis(in, out, kernel, stride, pad, dilate int) axis {
	a := axis{size: in, origin: -pad, step: stride, count: out, stride: 1}
	for t := range kernel {
		a.taps = append(a.taps, t*dilate)
		a.filter = append(a.filter, t)
	}
	return a
}

// adjointAxes are the axes of its adjoint. Element e of the input was read by
// the positions (e + pad − t·dilate)/stride that are whole, which are so for
// the same t for every stride-th e: those are the positions of one axis.
// Elements that were not read are on none.
func adjointAxes(in, out, kernel, stride, pad, dilate int) []axis {
	var axes []axis
	for first := range min(stride, in) {
		a := axis{size: out, step: 1, count: (in - first + stride - 1) / stride, target: first, stride: stride}
		for t := kernel - 1; t >= 0; t-- {
			at := first + pad - t*dilate
			if at%stride != 0 {
				continue
			}
			if len(a.taps) == 0 {
				a.origin = at / stride
			}
			a.taps = append(a.taps, at/stride-a.origin)
			a.filter = append(a.filter, t)
		}
		if len(a.taps) > 0 {
			axes = append(axes, a)
		}
	}
	return axes
}
