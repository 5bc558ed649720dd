package fromonnx

import (
	"slices"

	"github.com/ansatz-lab/ansatz/graph"
	"gorgonia.org/tensor"
)

// value is a tensor of an ONNX graph as a node of the expression. ONNX has images as (image, channel, row, column), and
// package graph has the channels last, so a value says in which order its node holds the axes. A transposition thus costs
// nothing until an op needs the axes in another order.
type value struct {
	node *graph.Node
	// order[k] is the axis of the ONNX tensor that axis k of the node holds.
	order []int
}

// plain returns a node whose axes are in ONNX's order.
func plain(n *graph.Node) value {
	if n == nil {
		return value{}
	}
	return value{n, identity(n.Dims())}
}

func identity(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	return order
}

// imageOrder is the order of the axes of images with their channels last.
var imageOrder = []int{0, 2, 3, 1}

// shape returns the shape of the ONNX tensor.
func (v value) shape() []int {
	s := make([]int, len(v.order))
	for k, axis := range v.order {
		s[axis] = v.node.Shape()[k]
	}
	return s
}

// axis returns the axis of the node that holds an axis of the ONNX tensor.
func (v value) axis(onnx int) int { return slices.Index(v.order, onnx) }

// with returns a value that has the node n and the order of axes of v.
func (v value) with(n *graph.Node) value { return value{n, v.order} }

// transpose returns the ONNX tensor whose axis k is axis perm[k] of v.
func (v value) transpose(perm []int) value {
	order := make([]int, len(perm))
	for k, axis := range v.order {
		order[k] = slices.Index(perm, axis)
	}
	return value{v.node, order}
}

// in returns a node for v that holds the axes in the given order.
func (b *builder) in(order []int, v value) *graph.Node {
	if b.Err() != nil || slices.Equal(order, v.order) {
		return v.node
	}
	axes := make([]int, len(order))
	for k, axis := range order {
		axes[k] = v.axis(axis)
	}
	return b.Permute(v.node, axes...)
}

// logical returns the node of v with its axes in ONNX's order.
func (b *builder) logical(v value) *graph.Node { return b.in(identity(len(v.order)), v) }

// last returns v with an axis of the ONNX tensor as the last axis of its node.
func (b *builder) last(v value, axis int) value {
	n := len(v.order)
	if v.order[n-1] == axis {
		return v
	}
	order := slices.DeleteFunc(identity(n), func(i int) bool { return i == axis })
	order = append(order, axis)
	return value{b.in(order, v), order}
}

// reshape returns v with another shape. It moves no data where the axes that are merged or divided lie side by side in
// the node.
func (b *builder) reshape(v value, to []int) value {
	if b.Err() != nil {
		return value{}
	}
	if tensor.Shape(to).TotalSize() != tensor.Shape(v.shape()).TotalSize() {
		b.Fail("it reshapes %v to %v: want the same number of elements", v.shape(), to)
		return value{}
	}
	if shape, order, ok := reshapeInPlace(v, to); ok {
		return value{b.Reshape(v.node, shape...), order}
	}
	return plain(b.Reshape(b.logical(v), to...))
}

// section is a run of axes of one shape that becomes a run of axes of another one.
type section struct{ from, to [2]int }

// sections divides two shapes of one size into the shortest runs of axes with equal products.
func sections(from, to []int) []section {
	var all []section
	i, j := 0, 0
	next := func(shape []int, k *int) int {
		if *k++; *k > len(shape) {
			*k = len(shape)
			return 1
		}
		return shape[*k-1]
	}
	for i < len(from) || j < len(to) {
		s := section{[2]int{i}, [2]int{j}}
		a, c := next(from, &i), next(to, &j)
		for a != c {
			if a < c {
				a *= next(from, &i)
			} else {
				c *= next(to, &j)
			}
		}
		s.from[1], s.to[1] = i, j
		all = append(all, s)
	}
	return all
}

// reshapeInPlace returns the node's shape and order of axes after a reshape that moves no data. It reports false if the
// data must move.
func reshapeInPlace(v value, to []int) (shape, order []int, ok bool) {
	from := v.shape()
	var wide []int // the axes of more than one element, in the node's order
	for _, axis := range v.order {
		if from[axis] > 1 {
			wide = append(wide, axis)
		}
	}
	type placed struct {
		section
		at int
	}
	var runs []placed
	for _, s := range sections(from, to) {
		var own []int
		for axis := s.from[0]; axis < s.from[1]; axis++ {
			if from[axis] > 1 {
				own = append(own, axis)
			}
		}
		at := -1
		if len(own) > 0 {
			at = slices.Index(wide, own[0])
			if at+len(own) > len(wide) || !slices.Equal(wide[at:at+len(own)], own) {
				return nil, nil, false
			}
		}
		runs = append(runs, placed{s, at})
	}
	slices.SortStableFunc(runs, func(a, c placed) int { return a.at - c.at })
	for _, r := range runs {
		for axis := r.to[0]; axis < r.to[1]; axis++ {
			shape, order = append(shape, to[axis]), append(order, axis)
		}
	}
	return shape, order, true
}

// align returns two operands as nodes with the same number and order of axes, as broadcasting needs them, and a value
// with that order.
func (b *builder) align(x, y value) (nx, ny *graph.Node, like value) {
	rank := max(len(x.order), len(y.order))
	x, y = b.extend(x, rank), b.extend(y, rank)
	if b.Err() != nil {
		return nil, nil, value{}
	}
	if y.node.Shape().TotalSize() > x.node.Shape().TotalSize() {
		return b.in(y.order, x), y.node, y
	}
	return x.node, b.in(x.order, y), x
}

// extend returns v with axes of one element before its own, up to a number of axes.
func (b *builder) extend(v value, rank int) value {
	more := rank - len(v.order)
	if b.Err() != nil || more == 0 {
		return v
	}
	shape, order := slices.Repeat([]int{1}, more), identity(more)
	for _, axis := range v.order {
		order = append(order, axis+more)
	}
	return value{b.Reshape(v.node, append(shape, v.node.Shape()...)...), order}
}
