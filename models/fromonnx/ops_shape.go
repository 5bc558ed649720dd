package fromonnx

import (
	"fmt"
	"slices"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models/onnx"
)

// reshape builds a Reshape, Flatten, Squeeze or Unsqueeze.
func reshape(b *builder, n *onnx.Node) []value {
	x := b.read(n, 0)
	attribute := "axes"
	if n.Op == "Reshape" {
		attribute = "shape"
	}
	asked, _ := b.ints(n, attribute, 1)
	if b.Err() != nil {
		return nil
	}
	to, err := onnx.Reshaped(n, x.shape(), asked)
	if err != nil {
		b.Fail("%w", err)
		return nil
	}
	if len(to) == 0 {
		to = []int{1}
	}
	return []value{b.reshape(x, to)}
}

// permutation returns the order into which a Transpose brings the axes: the reverse if the file gives none.
func (b *builder) permutation(n *onnx.Node, rank int) []int {
	perm := b.axes(n.Ints("perm"), rank)
	if len(perm) == 0 {
		perm = identity(rank)
		slices.Reverse(perm)
	}
	return perm
}

func transpose(b *builder, n *onnx.Node) []value {
	x := b.read(n, 0)
	perm := b.permutation(n, len(x.order))
	if b.Err() != nil {
		return nil
	}
	if sorted := slices.Sorted(slices.Values(perm)); !slices.Equal(sorted, identity(len(x.order))) {
		b.Fail("its perm is %v: want each axis of the shape %v once", perm, x.shape())
		return nil
	}
	return []value{x.transpose(perm)}
}

func concat(b *builder, n *onnx.Node) []value {
	var all []value
	rank := 0
	for i := range n.Inputs {
		all = append(all, b.read(n, i))
		rank = max(rank, len(all[i].order))
	}
	if b.Err() != nil {
		return nil
	}
	axis := b.axis(n.Int("axis", 0), rank)
	like := all[0]
	for _, v := range all { // the largest keeps its order
		if v.node.Shape().TotalSize() > like.node.Shape().TotalSize() {
			like = v
		}
	}
	if b.Err() != nil {
		return nil
	}
	var nodes []*graph.Node
	for _, v := range all {
		if len(v.order) != rank {
			b.Fail("it joins tensors of %d and of %d axes: want the same number", rank, len(v.order))
			return nil
		}
		nodes = append(nodes, b.in(like.order, v))
	}
	return []value{like.with(b.Concat(like.axis(axis), nodes...))}
}

func slice(b *builder, n *onnx.Node) []value {
	x := b.read(n, 0)
	starts, _ := b.ints(n, "starts", 1)
	ends, _ := b.ints(n, "ends", 2)
	axes, _ := b.ints(n, "axes", 3)
	steps, _ := b.ints(n, "steps", 4)
	if b.Err() != nil {
		return nil
	}
	cuts, err := onnx.Cuts(x.shape(), starts, ends, axes, steps)
	if err != nil {
		b.Fail("%w", err)
		return nil
	}
	for i, cut := range cuts {
		if len(cut.Index) == 0 {
			b.Fail("its slice of axis %d is empty: from %d to %d in steps of %d, of %d", cut.Axis, starts[i], ends[i], cut.Step,
				x.shape()[cut.Axis])
			return nil
		}
		whole := x
		x = x.with(b.TakeAlong(x.node, x.axis(cut.Axis), cut.Index))
		if cut.Axis == 0 && cut.Step == 1 {
			b.cutRows(whole, x, cut.Index[0])
		}
	}
	return []value{x}
}

func split(b *builder, n *onnx.Node) []value {
	x := b.read(n, 0)
	sizes, given := b.ints(n, "split", 1)
	if b.Err() != nil {
		return nil
	}
	axis := b.axis(n.Int("axis", 0), len(x.order))
	size, parts := x.shape()[axis], len(n.Outputs)
	if !given {
		each := (size + parts - 1) / parts
		for left := size; left > 0; left -= each {
			sizes = append(sizes, min(each, left))
		}
	}
	total := 0
	for _, s := range sizes {
		total += s
	}
	if total != size || len(sizes) != parts || slices.Min(sizes) < 1 {
		b.Fail("it divides an axis of %d into %v: want %d sizes above 0 with that sum", size, sizes, parts)
		return nil
	}
	var out []value
	at := 0
	for i, part := range b.Split(x.node, x.axis(axis), sizes...) {
		out = append(out, x.with(part))
		if axis == 0 {
			b.cutRows(x, out[i], at)
		}
		at += sizes[i]
	}
	return out
}

func gather(b *builder, n *onnx.Node) []value {
	x := b.read(n, 0)
	index := b.constant(n.Inputs[1])
	if b.Err() != nil {
		return nil
	}
	if index == nil {
		b.Fail("its indices depend on the images or on weights: only constants are supported here")
		return nil
	}
	which, err := index.Ints()
	if err != nil {
		b.Fail("its indices: %w", err)
		return nil
	}
	shape := x.shape()
	axis := b.axis(n.Int("axis", 0), len(shape))
	flat := make([]int, len(which))
	for i, v := range which {
		flat[i] = b.axis(int(v), shape[axis])
	}
	if b.Err() != nil {
		return nil
	}
	y := x.with(b.TakeAlong(x.node, x.axis(axis), flat))
	if b.Err() != nil || len(index.Shape) == 1 {
		return []value{y}
	}
	to := append(append(slices.Clone(shape[:axis]), index.Shape...), shape[axis+1:]...)
	if len(to) == 0 { // a number of a vector
		to = []int{1}
	}
	return []value{b.reshape(y, to)}
}

// scatterND replaces elements of a tensor at constant places by those of another one.
func scatterND(b *builder, n *onnx.Node) []value {
	x, y := b.filled(n, 0), b.filled(n, 2)
	index := b.constant(n.Inputs[1])
	switch reduction := n.String("reduction", "none"); {
	case b.Err() != nil:
		return nil
	case index == nil:
		b.Fail("its indices depend on the images or on weights: only constants are supported here")
		return nil
	case reduction != "none":
		b.Fail("its reduction is %q: want none", reduction)
		return nil
	}
	places, err := index.Ints()
	if err != nil {
		b.Fail("its indices: %w", err)
		return nil
	}
	shape, depth := x.shape(), 0
	if last := len(index.Shape) - 1; last >= 0 && index.Shape[last] <= len(shape) {
		depth = index.Shape[last]
	}
	size, each, all := product(shape), product(shape[depth:]), product(y.shape())
	if depth < 1 || len(places)/depth*each != all || size > mostElements || all > mostElements {
		b.Fail("it puts a tensor of shape %v at %v places of one of shape %v: want one of the same size, and at most %d elements",
			y.shape(), index.Shape, shape, mostElements)
		return nil
	}
	from := identity(size) // the elements of x, and those of y after them
	for i := range len(places) / depth {
		at := 0
		for k, p := range places[i*depth : (i+1)*depth] {
			at = at*shape[k] + b.axis(int(p), shape[k])
		}
		for j := range each {
			from[at*each+j] = size + i*each + j
		}
	}
	both := b.Concat(0, b.Reshape(b.logical(x), size), b.Reshape(b.logical(y), all))
	return []value{plain(b.Reshape(b.TakeAlong(both, 0, from), shape...))}
}

// filled returns the i-th input of a node. A constant of equal numbers, such as zeros for all images of a batch, is one number
// that is repeated, since constants of the network must have one shape for all batches.
func (b *builder) filled(n *onnx.Node, i int) value {
	t := b.constant(n.Inputs[i])
	if t == nil {
		return b.read(n, i)
	}
	v, err := t.Doubles()
	if err != nil || len(v) == 0 || slices.Min(v) != slices.Max(v) || b.Err() != nil {
		return b.read(n, i)
	}
	one := b.given(fmt.Sprint(v[0])+":", nil, v[:1])
	return plain(b.Builder.Expand(b.extend(one, max(1, len(t.Shape))).node, t.Shape...))
}

func expand(b *builder, n *onnx.Node) []value {
	x := b.read(n, 0)
	to, _ := b.ints(n, "shape", 1)
	if b.Err() != nil {
		return nil
	}
	x = b.extend(x, max(len(to), len(x.order)))
	shape, err := graph.BroadcastShape(x.shape(), to)
	if err != nil {
		b.Fail("%w", err)
		return nil
	}
	own := make([]int, len(shape))
	for k, a := range x.order {
		if own[k] = shape[a]; own[k] > mostElements {
			b.Fail("it makes an axis of %d elements: want at most %d", own[k], mostElements)
			return nil
		}
	}
	return []value{x.with(b.Builder.Expand(x.node, own...))}
}

func tile(b *builder, n *onnx.Node) []value {
	x := b.read(n, 0)
	repeats, _ := b.ints(n, "repeats", 1)
	if b.Err() != nil {
		return nil
	}
	if len(repeats) != len(x.order) {
		b.Fail("it has %d repeats for %d axes: want one for each axis", len(repeats), len(x.order))
		return nil
	}
	for a, times := range repeats {
		size := x.shape()[a]
		if times < 1 || times > mostElements/size {
			b.Fail("it repeats an axis of %d elements %d times: want from 1 to %d elements", size, times, mostElements)
			return nil
		}
		if times > 1 {
			x = x.with(b.TakeAlong(x.node, x.axis(a), slices.Repeat(identity(size), times)))
		}
	}
	return []value{x}
}

func pad(b *builder, n *onnx.Node) []value {
	x := b.read(n, 0)
	pads, _ := b.ints(n, "pads", 1)
	fill := b.scalar(n, "value", 2, 0)
	axes, given := b.ints(n, "axes", 3)
	if b.Err() != nil {
		return nil
	}
	rank := len(x.order)
	if !given {
		axes = identity(rank)
	}
	if len(pads) != 2*len(axes) {
		b.Fail("it has %d pads for %d axes: want one before and one after each", len(pads), len(axes))
		return nil
	}
	before, after := make([]int, rank), make([]int, rank)
	for i, a := range b.axes(axes, rank) {
		lo, hi := pads[i], pads[len(axes)+i]
		at := x.axis(a)
		if lo < 0 || hi < 0 { // negative pads cut the axis
			size := x.shape()[a]
			from, to := max(0, -lo), size-max(0, -hi)
			if from >= to {
				b.Fail("its pads cut all of axis %d", a)
				return nil
			}
			x = x.with(b.Slice(x.node, at, from, to, 1))
		}
		if max(lo, hi) > mostElements {
			b.Fail("its pads are %v: want at most %d", pads, mostElements)
			return nil
		}
		before[at], after[at] = max(0, lo), max(0, hi)
	}
	mode, ok := map[string]graph.PadMode{"constant": graph.PadConstant, "reflect": graph.PadReflect,
		"edge": graph.PadEdge}[n.String("mode", "constant")]
	if !ok {
		b.Fail("its mode is %q: want constant, reflect or edge", n.String("mode", "constant"))
		return nil
	}
	return []value{x.with(b.Pad(x.node, before, after, mode, fill))}
}

func depthToSpace(b *builder, n *onnx.Node) []value {
	x := b.read(n, 0)
	s, k := b.blocks(n, x)
	if b.Err() != nil {
		return nil
	}
	c := s[1] / (k * k)
	if c*k*k != s[1] {
		b.Fail("it divides %d channels into blocks of %d×%d: want a multiple of the block", s[1], k, k)
		return nil
	}
	if n.String("mode", "DCR") == "CRD" {
		y := b.reshape(x, []int{s[0], c, k, k, s[2], s[3]}).transpose([]int{0, 1, 4, 2, 5, 3})
		return []value{b.reshape(y, []int{s[0], c, s[2] * k, s[3] * k})}
	}
	y := b.reshape(x, []int{s[0], k, k, c, s[2], s[3]}).transpose([]int{0, 3, 4, 1, 5, 2})
	return []value{b.reshape(y, []int{s[0], c, s[2] * k, s[3] * k})}
}

func spaceToDepth(b *builder, n *onnx.Node) []value {
	x := b.read(n, 0)
	s, k := b.blocks(n, x)
	if b.Err() != nil {
		return nil
	}
	if s[2]%k != 0 || s[3]%k != 0 {
		b.Fail("it divides images of %d×%d into blocks of %d×%d: want multiples of the block", s[2], s[3], k, k)
		return nil
	}
	y := b.reshape(x, []int{s[0], s[1], s[2] / k, k, s[3] / k, k}).transpose([]int{0, 3, 5, 1, 2, 4})
	return []value{b.reshape(y, []int{s[0], s[1] * k * k, s[2] / k, s[3] / k})}
}

// blocks returns the shape of a node's images, and the side of the blocks that it moves between channels and positions.
func (b *builder) blocks(n *onnx.Node, x value) (shape []int, side int) {
	if b.Err() != nil {
		return nil, 0
	}
	shape, side = x.shape(), n.Int("blocksize", 0)
	if len(shape) != 4 || side < 1 {
		b.Fail("it reads a tensor of shape %v in blocks of %d: want images, and blocks of at least 1", shape, side)
	}
	return shape, side
}
