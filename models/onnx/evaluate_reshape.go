package onnx

import (
	"fmt"
	"slices"
)

// broadcastShape returns the shape to which numpy's rules expand two shapes.
func broadcastShape(a, b []int) ([]int, error) {
	shape := make([]int, max(len(a), len(b)))
	for k := range shape {
		x, y := 1, 1
		if i := k - len(shape) + len(a); i >= 0 {
			x = a[i]
		}
		if i := k - len(shape) + len(b); i >= 0 {
			y = b[i]
		}
		if x != y && x != 1 && y != 1 {
			return nil, fmt.Errorf("shapes %v and %v do not broadcast", a, b)
		}
		shape[k] = x
		if x == 1 {
			shape[k] = y
		}
	}
	_, err := elements(shape)
	return shape, err
}

// places expands an array of the shape own to another shape. It calls see with the index i of each element of the result,
// and the index at of the element of the array that it repeats.
func places(own, shape []int, see func(i, at int)) {
	steps := make([]int, len(shape))
	step := 1
	for k := len(shape) - 1; k >= 0; k-- {
		if i := k - len(shape) + len(own); i >= 0 {
			if own[i] > 1 {
				steps[k] = step
			}
			step *= own[i]
		}
	}
	index := make([]int, len(shape))
	at, n := 0, 1
	for _, d := range shape {
		n *= d
	}
	for i := range n {
		see(i, at)
		for k := len(shape) - 1; k >= 0; k-- {
			at += steps[k]
			if index[k]++; index[k] < shape[k] {
				break
			}
			at -= steps[k] * shape[k]
			index[k] = 0
		}
	}
}

// expanded returns the elements of a constant, repeated to a shape.
func (c *constant) expanded(shape []int) []float64 {
	n := 1
	for _, d := range shape {
		n *= d
	}
	out := make([]float64, n)
	places(c.shape, shape, func(i, at int) { out[i] = c.v[at] })
	return out
}

func expandTo(_ *Node, in []*constant) ([]*constant, error) {
	c, err := required(in, 0)
	if err != nil {
		return nil, err
	}
	shape, err := broadcastShape(c.shape, ints(in, 1))
	if err != nil {
		return nil, err
	}
	return []*constant{{shape, c.expanded(shape), c.whole}}, nil
}

func reshapeTo(n *Node, in []*constant) ([]*constant, error) {
	c, err := required(in, 0)
	if err != nil {
		return nil, err
	}
	attribute := "axes"
	if n.Op == "Reshape" {
		attribute = "shape"
	}
	shape, err := Reshaped(n, c.shape, axesOf(n, attribute, in, 1))
	return []*constant{{shape, c.v, c.whole}}, err
}

func transposeOf(n *Node, in []*constant) ([]*constant, error) {
	c, err := required(in, 0)
	if err != nil {
		return nil, err
	}
	rank := len(c.shape)
	perm := n.Ints("perm")
	if perm == nil {
		for k := rank - 1; k >= 0; k-- {
			perm = append(perm, k)
		}
	}
	sorted := slices.Sorted(slices.Values(perm))
	shape, steps := make([]int, rank), make([]int, rank)
	for k := range sorted {
		if len(perm) != rank || sorted[k] != k {
			return nil, fmt.Errorf("a permutation %v of %d axes: want each from 0 to %d once", perm, rank, rank-1)
		}
	}
	for k := range shape {
		shape[k] = c.shape[perm[k]]
		steps[k] = 1
		for _, d := range c.shape[perm[k]+1:] {
			steps[k] *= d
		}
	}
	out := &constant{shape, make([]float64, len(c.v)), c.whole}
	for i := range out.v {
		rest, at := i, 0
		for k := rank - 1; k >= 0; k-- {
			at += rest % shape[k] * steps[k]
			rest /= shape[k]
		}
		out.v[i] = c.v[at]
	}
	return []*constant{out}, nil
}

func concatOf(n *Node, in []*constant) ([]*constant, error) {
	head, err := required(in, 0)
	if err != nil {
		return nil, err
	}
	axis, err := axisOf(n.Int("axis", 0), len(head.shape))
	if err != nil {
		return nil, err
	}
	out := &constant{slices.Clone(head.shape), nil, head.whole}
	outer := 1
	for _, d := range head.shape[:axis] {
		outer *= d
	}
	out.shape[axis] = 0
	for i := range in {
		c, err := required(in, i)
		if err != nil {
			return nil, err
		}
		if len(c.shape) != len(head.shape) || outer > 0 && len(c.v)%outer != 0 {
			return nil, fmt.Errorf("a concatenation of %v and %v: want the same number of axes", head.shape, c.shape)
		}
		for k := range c.shape {
			if k != axis && c.shape[k] != head.shape[k] {
				return nil, fmt.Errorf("a concatenation of %v and %v: want sizes that differ on axis %d only", head.shape,
					c.shape, axis)
			}
		}
		out.shape[axis] += c.shape[axis]
		out.whole = out.whole && c.whole
	}
	if _, err := elements(out.shape); err != nil {
		return nil, err
	}
	for o := range outer {
		for _, c := range in {
			n := len(c.v) / outer
			out.v = append(out.v, c.v[o*n:(o+1)*n]...)
		}
	}
	return []*constant{out}, nil
}

func tileOf(_ *Node, in []*constant) ([]*constant, error) {
	c, err := required(in, 0)
	if err != nil {
		return nil, err
	}
	repeats := ints(in, 1)
	if len(repeats) != len(c.shape) {
		return nil, fmt.Errorf("%d repeats of %d axes: want one for each axis", len(repeats), len(c.shape))
	}
	shape := slices.Clone(c.shape)
	for k, times := range repeats {
		if times < 0 || times > mostElements/max(shape[k], 1) {
			return nil, fmt.Errorf("an axis of %d elements repeated %d times: want from 0 to %d elements", shape[k], times,
				mostElements)
		}
		shape[k] *= times
	}
	if _, err := elements(shape); err != nil {
		return nil, err
	}
	index := c.all()
	for k, times := range repeats {
		index[k] = slices.Repeat(index[k], times)
	}
	out, err := c.taken(index)
	return []*constant{out}, err
}
