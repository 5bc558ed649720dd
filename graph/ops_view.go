package graph

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"gorgonia.org/tensor"
)

// Permute returns x with its axes in another order: axis k of the result is axis axes[k] of x.
func (g *Graph) Permute(x *Node, axes ...int) *Node {
	if g.err != nil {
		return nil
	}
	from := x.Shape()
	if !slices.Equal(slices.Sorted(slices.Values(axes)), indices(len(from))) {
		return g.Fail("permutation %v of the axes of %v: want every axis once", axes, from)
	}
	shape := make(tensor.Shape, len(axes))
	wide := -1 // the last axis of more than one element
	ordered := true
	for k, a := range axes {
		shape[k] = from[a]
		if from[a] > 1 {
			ordered = ordered && a > wide
			wide = a
		}
	}
	if ordered {
		return g.Reshape(x, shape...)
	}
	own, offsets := backend.Offsets(from), make([][]int, len(axes))
	for k, a := range axes {
		offsets[k] = own[a]
	}
	return g.view("permute", x, shape, offsets)
}

// Slice returns the elements from, from + step, … of an axis of x, up to but without the element to. A negative step
// goes backwards; to = −1 then includes element 0.
func (g *Graph) Slice(x *Node, axis, from, to, step int) *Node {
	if g.err != nil {
		return nil
	}
	var index []int
	for i := from; step > 0 && i < to || step < 0 && i > to; i += step {
		index = append(index, i)
	}
	return g.TakeAlong(x, axis, index)
}

// TakeAlong returns the elements of an axis of x at the given indices, in their order. An index may occur more than
// once.
func (g *Graph) TakeAlong(x *Node, axis int, index []int) *Node {
	if g.err != nil {
		return nil
	}
	from := x.Shape()
	if axis < 0 || axis >= len(from) || len(index) == 0 || slices.Min(index) < 0 || slices.Max(index) >= from[axis] {
		return g.Fail("elements %v along axis %d of %v: want at least one index, within the axis", abridged(index), axis,
			from)
	}
	if slices.Equal(index, indices(from[axis])) {
		return x
	}
	shape := from.Clone()
	shape[axis] = len(index)
	offsets := backend.Offsets(from)
	every := offsets[axis]
	offsets[axis] = make([]int, len(index))
	for i, at := range index {
		offsets[axis][i] = every[at]
	}
	return g.view("take", x, shape, offsets)
}

// abridged returns the first eight of many indices, for messages.
func abridged(index []int) []int { return index[:min(len(index), 8)] }

// Split divides x along an axis into parts of the given sizes.
func (g *Graph) Split(x *Node, axis int, sizes ...int) []*Node {
	parts := make([]*Node, len(sizes))
	if g.err != nil {
		return parts
	}
	total := 0
	for _, s := range sizes {
		total += s
	}
	if axis < 0 || axis >= x.Dims() || total != x.Shape()[axis] {
		g.Fail("parts of %v along axis %d of %v: want sizes that add up to the axis", sizes, axis, x.Shape())
		return parts
	}
	at := 0
	for i, s := range sizes {
		parts[i] = g.Slice(x, axis, at, at+s, 1)
		at += s
	}
	return parts
}

// Concat joins nodes along an axis. They must agree in all other axes.
func (g *Graph) Concat(axis int, xs ...*Node) *Node {
	if g.err != nil {
		return nil
	}
	if len(xs) == 1 {
		return xs[0]
	}
	if len(xs) == 0 || axis < 0 || axis >= xs[0].Dims() {
		return g.Fail("concatenation of %d nodes along axis %d", len(xs), axis)
	}
	shape := xs[0].Shape().Clone()
	sizes := []int{shape[axis]}
	for _, x := range xs[1:] {
		s := x.Shape().Clone()
		if len(s) != len(shape) {
			return g.Fail("concatenation of %v and %v: want one number of axes", xs[0].Shape(), s)
		}
		sizes = append(sizes, s[axis])
		if s[axis] = xs[0].Shape()[axis]; !slices.Equal(s, xs[0].Shape()) {
			return g.Fail("concatenation of %v and %v along axis %d: the other axes differ", xs[0].Shape(), x.Shape(), axis)
		}
		shape[axis] += sizes[len(sizes)-1]
	}
	outer := shape[:axis].TotalSize()
	return g.apply(spec{
		name: "concat", attr: fmt.Sprint(axis, sizes), in: slices.Clone(xs), shape: shape,
		f32: joined[float32](outer), f64: joined[float64](outer),
		rule: func(p pull) []*Node {
			cots := make([]*Node, len(p.in))
			at := 0
			for i, size := range sizes {
				cots[i] = p.ifWanted(i, func() *Node { return g.Slice(p.cot, axis, at, at+size, 1) })
				at += size
			}
			return cots
		},
	})
}

// joined writes blocks of every operand in turn.
func joined[T backend.Float](outer int) func(*call[T]) error {
	return func(c *call[T]) error { c.engine.Concat(outer, c.in, c.out); return nil }
}

// PadMode says with what Pad fills the padding.
type PadMode int

const (
	PadConstant PadMode = iota // one value
	PadReflect                 // the elements beside the edge, mirrored at it
	PadEdge                    // the element at the edge
)

// Pad returns x with before[k] more elements at the beginning of axis k and after[k] at its end. PadConstant fills them
// with value, a constant.
func (g *Graph) Pad(x *Node, before, after []int, mode PadMode, value float64) *Node {
	if g.err != nil {
		return nil
	}
	from := x.Shape()
	if len(before) != len(from) || len(after) != len(from) || slices.Min(before) < 0 || slices.Min(after) < 0 {
		return g.Fail("padding %v and %v of %v: want a number of at least 0 before and after every axis", before, after,
			from)
	}
	if mode != PadConstant {
		for k, n := range from {
			index, ok := padIndex(n, before[k], after[k], mode)
			if !ok {
				return g.Fail("padding %v and %v of %v by reflection: want less than the axis", before, after, from)
			}
			x = g.TakeAlong(x, k, index)
		}
		return x
	}
	if slices.Max(before) == 0 && slices.Max(after) == 0 {
		return x
	}
	shape := from.Clone()
	for k := range shape {
		shape[k] += before[k] + after[k]
	}
	offsets := backend.Offsets(shape)
	for k, n := range from {
		offsets[k] = offsets[k][before[k] : before[k]+n]
	}
	return g.unview("pad", x, shape, offsets, value)
}

// padIndex returns the indices of an axis of n elements with padding.
func padIndex(n, before, after int, mode PadMode) ([]int, bool) {
	if mode == PadReflect && max(before, after) >= n {
		return nil, false
	}
	var index []int
	for i := -before; i < n+after; i++ {
		switch {
		case mode == PadEdge:
			index = append(index, max(0, min(i, n-1)))
		case i < 0:
			index = append(index, -i)
		case i >= n:
			index = append(index, 2*(n-1)-i)
		default:
			index = append(index, i)
		}
	}
	return index, true
}

// view is an op that reads x at sums of offsets, see [backend.View].
func (g *Graph) view(name string, x *Node, shape tensor.Shape, offsets [][]int) *Node {
	v, err := backend.NewView(offsets, size(x))
	if err != nil {
		return g.Fail("%s of %v: %w", name, x.Shape(), err)
	}
	from := x.Shape()
	return g.apply(spec{
		name: name, attr: v.Key(), in: []*Node{x}, shape: shape,
		f32:  func(c *call[float32]) error { c.engine.TakeView(v, c.in[0], c.out); return nil },
		f64:  func(c *call[float64]) error { c.engine.TakeView(v, c.in[0], c.out); return nil },
		rule: func(p pull) []*Node { return []*Node{g.unview("un"+name, p.cot, from, offsets, 0)} },
	})
}

// unview is the adjoint of view: it adds each element of y to the element that the view with these offsets reads. Elements
// that the view does not read become fill, which must be 0 if the view reads an element twice.
func (g *Graph) unview(name string, y *Node, shape tensor.Shape, offsets [][]int, fill float64) *Node {
	if g.err != nil {
		return nil
	}
	v, err := backend.NewView(offsets, shape.TotalSize())
	if err != nil {
		return g.Fail("%s of %v: %w", name, y.Shape(), err)
	}
	from := y.Shape()
	return g.apply(spec{
		name: name, attr: fmt.Sprint(v.Key(), fill), in: []*Node{y}, shape: shape,
		f32:  func(c *call[float32]) error { c.engine.PutView(v, c.in[0], float32(fill), c.out); return nil },
		f64:  func(c *call[float64]) error { c.engine.PutView(v, c.in[0], fill, c.out); return nil },
		rule: func(p pull) []*Node { return []*Node{g.view(strings.TrimPrefix(name, "un"), p.cot, from, offsets)} },
	})
}

// indices returns 0 to n − 1.
func indices(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}
