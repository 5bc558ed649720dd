package fromonnx

import (
	"cmp"
	"slices"

	"github.com/ansatz-lab/ansatz/models/onnx"
)

// factor is a part of an axis: size places, each step rows of W after the one before. Step is 0 along positions.
type factor struct{ size, step int }

// rowView says which row of a layer's W made each element of a tensor: row first, plus the steps along its axes. An axis
// is a list of factors, the outermost first. A nil view says that the rows are not known.
type rowView struct {
	first int
	axes  [][]factor
}

// newRowView returns the view of a tensor in which the row changes by steps[a] along each axis a.
func newRowView(shape []int, steps map[int]int) *rowView {
	v := &rowView{axes: make([][]factor, len(shape))}
	for i, n := range shape {
		v.axes[i] = []factor{{n, steps[i]}}
	}
	return v
}

// follow returns the view of a node's result out, if the node moves, scales or shifts the elements of an input with view v.
func (b *builder) follow(n *onnx.Node, input string, v *rowView, out string) *rowView {
	to := b.shape(out)
	if v == nil || to == nil || n.Op == "Split" && slices.Contains(n.Outputs, "") {
		return nil
	}
	switch n.Op {
	case "Reshape", "Flatten", "Squeeze", "Unsqueeze":
		return v.reshape(to)
	case "Transpose":
		w := &rowView{first: v.first}
		for _, a := range b.permutation(n, len(v.axes)) {
			w.axes = append(w.axes, v.axes[a])
		}
		return w
	case "Slice", "Split", "Gather":
		return v.taken(b.taken(n, b.shape(input), to, out))
	}
	return v.broadcast(to)
}

// taken returns the indices that a Slice, Split or Gather takes of each axis for its result out, nil for an axis that it
// takes whole, and the shape of that result.
func (b *builder) taken(n *onnx.Node, shape, to []int, out string) ([][]int, []int) {
	all := make([][]int, len(shape))
	numbers := func(attribute string, input int) []int { // those that the node has been built by
		v, _ := b.ints(n, attribute, input)
		return v
	}
	axis := n.Int("axis", 0)
	if axis < 0 {
		axis += len(shape)
	}
	switch n.Op {
	case "Slice":
		cuts, _ := onnx.Cuts(shape, numbers("starts", 1), numbers("ends", 2), numbers("axes", 3), numbers("steps", 4))
		for _, cut := range cuts {
			all[cut.Axis] = cut.Index
		}
	case "Split":
		at := 0
		for _, other := range n.Outputs[:slices.Index(n.Outputs, out)] {
			at += b.shape(other)[axis]
		}
		all[axis] = onnx.Sliced(at, at+to[axis], 1, shape[axis])
	case "Gather":
		all[axis] = []int{}
		for _, i := range numbers("indices", 1) {
			all[axis] = append(all[axis], (i+shape[axis])%shape[axis])
		}
	}
	return all, to
}

// taken returns the view of some of the elements of each axis, in another shape.
func (v *rowView) taken(all [][]int, to []int) *rowView {
	w := &rowView{first: v.first}
	for a, index := range all {
		if index == nil {
			w.axes = append(w.axes, v.axes[a])
			continue
		}
		offsets := make([]int, len(index))
		for i, at := range index {
			for _, f := range slices.Backward(v.axes[a]) {
				offsets[i] += at % f.size * f.step
				at /= f.size
			}
		}
		if len(offsets) == 0 {
			return nil
		}
		w.first += offsets[0]
		axis, ok := factorise(offsets)
		if !ok {
			return nil
		}
		w.axes = append(w.axes, axis)
	}
	return w.reshape(to) // a Gather may add axes and take one away
}

// factorise returns factors that make the given offsets from the first one. It reports false if no factors do.
func factorise(offsets []int) (axis []factor, ok bool) {
	for len(offsets) > 1 {
		step, run := offsets[1]-offsets[0], 2
		for run < len(offsets) && offsets[run]-offsets[run-1] == step {
			run++
		}
		if len(offsets)%run != 0 {
			return nil, false
		}
		var starts []int
		for i, o := range offsets {
			if i%run == 0 {
				starts = append(starts, o)
			} else if o-offsets[i-1] != step {
				return nil, false
			}
		}
		axis, offsets = append([]factor{{run, step}}, axis...), starts
	}
	return axis, true
}

// joined returns factors with neighbours that together make even steps merged into one.
func joined(axis []factor) []factor {
	var out []factor
	for _, f := range axis {
		if f.size == 1 {
			continue
		}
		if last := len(out) - 1; last >= 0 && out[last].step == f.size*f.step {
			out[last] = factor{out[last].size * f.size, f.step}
			continue
		}
		out = append(out, f)
	}
	return out
}

// reshape returns the view in another shape, or nil if the factors cannot be divided into its axes.
func (v *rowView) reshape(to []int) *rowView {
	left := joined(slices.Concat(v.axes...))
	w := &rowView{first: v.first}
	for _, size := range to {
		var axis []factor
		for size > 1 {
			switch {
			case len(left) == 0:
				return nil
			case size%left[0].size == 0:
				axis, size, left = append(axis, left[0]), size/left[0].size, left[1:]
			case left[0].size%size == 0:
				inner := left[0].size / size
				axis = append(axis, factor{size, left[0].step * inner})
				left[0].size, size = inner, 1
			default:
				return nil
			}
		}
		w.axes = append(w.axes, axis)
	}
	if len(left) > 0 {
		return nil
	}
	return w
}

// broadcast returns the view after numpy's broadcasting to a shape, or nil if the shapes do not fit.
func (v *rowView) broadcast(to []int) *rowView {
	more := len(to) - len(v.axes)
	if more < 0 {
		return nil
	}
	w := &rowView{first: v.first, axes: make([][]factor, len(to))}
	for i, size := range to {
		own := 1
		if i >= more {
			for _, f := range v.axes[i-more] {
				own *= f.size
			}
		}
		switch own {
		case size:
			w.axes[i] = []factor{{size, 0}}
			if i >= more {
				w.axes[i] = v.axes[i-more]
			}
		case 1:
			w.axes[i] = []factor{{size, 0}}
		default:
			return nil
		}
	}
	return w
}

// along returns the factors of an axis along which the row changes. An axis of −1 has none.
func (v *rowView) along(axis int) []factor {
	if axis < 0 {
		return nil
	}
	return joined(slices.DeleteFunc(slices.Clone(v.axes[axis]), func(f factor) bool { return f.step == 0 }))
}

// block returns the rows that made the tensor, from ≤ i < to; it reports false if they do not lie side by side. Its heads
// are as given if each place along the axis is a block of rows, in their order, and else 0.
func (v *rowView) block(axis, heads int) (b block, ok bool) {
	if v == nil {
		return block{}, false
	}
	var all []factor
	for a := range v.axes {
		all = append(all, v.along(a)...)
	}
	slices.SortFunc(all, func(f, g factor) int { return cmp.Compare(f.step, g.step) })
	rows := 1
	for _, f := range all {
		if f.step != rows {
			return block{}, false
		}
		rows *= f.size
	}
	b = block{from: v.first, to: v.first + rows}
	switch h := v.along(axis); {
	case len(h) == 0 && heads == 1, len(h) == 1 && h[0] == factor{heads, rows / heads}:
		b.heads = heads
	}
	return b, true
}

// block is a block of rows of W that an attention reads, divided among heads, or undivided for 0 heads.
type block struct{ from, to, heads int }
