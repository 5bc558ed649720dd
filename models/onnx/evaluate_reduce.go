package onnx

import (
	"fmt"
	"slices"
)

func broadcast(a, b *constant, f func(a, b float64) float64) (*constant, error) {
	shape, err := broadcastShape(a.shape, b.shape)
	if err != nil {
		return nil, err
	}
	out := &constant{shape, a.expanded(shape), a.whole && b.whole}
	for i, v := range b.expanded(shape) {
		out.v[i] = f(out.v[i], v)
	}
	return out, nil
}

func reduction(start float64, f func(a, b float64) float64) func(*Node, []*constant) ([]*constant, error) {
	return func(n *Node, in []*constant) ([]*constant, error) {
		c, err := required(in, 0)
		if err != nil {
			return nil, err
		}
		axes := axesOf(n, "axes", in, 1)
		if len(axes) == 0 && n.Int("noop_with_empty_axes", 0) != 0 {
			return []*constant{c}, nil
		}
		kept := slices.Clone(c.shape)
		gone := make([]bool, len(kept))
		for k := range gone {
			gone[k] = len(axes) == 0
		}
		for _, a := range axes {
			if a, err = axisOf(a, len(kept)); err != nil {
				return nil, err
			}
			gone[a] = true
		}
		shape := []int{}
		for k := range kept {
			if gone[k] {
				kept[k] = 1
			}
			if !gone[k] || n.Int("keepdims", 1) != 0 {
				shape = append(shape, kept[k])
			}
		}
		out, err := filled(kept, start, c.whole)
		if err != nil {
			return nil, err
		}
		places(kept, c.shape, func(i, at int) { out.v[at] = f(out.v[at], c.v[i]) })
		out.shape = shape
		return []*constant{out}, nil
	}
}

func cumSum(n *Node, in []*constant) ([]*constant, error) {
	c, err := required(in, 0)
	if err != nil {
		return nil, err
	}
	along := ints(in, 1)
	if len(along) != 1 || n.Int("exclusive", 0) != 0 || n.Int("reverse", 0) != 0 {
		return nil, fmt.Errorf("want one axis, and neither exclusive nor reverse")
	}
	axis, err := axisOf(along[0], len(c.shape))
	if err != nil {
		return nil, err
	}
	inner := 1
	for _, d := range c.shape[axis+1:] {
		inner *= d
	}
	out := &constant{c.shape, slices.Clone(c.v), c.whole}
	for i := range out.v {
		if i/inner%c.shape[axis] > 0 {
			out.v[i] += out.v[i-inner]
		}
	}
	return []*constant{out}, nil
}
