package fromonnx

import (
	"cmp"
	"slices"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models/onnx"
)

// asImages returns a tensor of images with the channels last. Sequences, (image, channel, position), become images of one
// row.
func (b *builder) asImages(v value) (x *graph.Node, sequence bool) {
	if b.Err() != nil {
		return nil, false
	}
	switch s := v.shape(); len(s) {
	case 4:
		return b.in(imageOrder, v), false
	case 3:
		return b.in(imageOrder, b.reshape(v, []int{s[0], s[1], 1, s[2]})), true
	default:
		b.Fail("it reads a tensor of shape %v: want images (image, channel, row, column), or sequences", s)
		return nil, false
	}
}

// ofImages is the inverse of asImages.
func (b *builder) ofImages(x *graph.Node, sequence bool) value {
	if b.Err() != nil {
		return value{}
	}
	v := value{x, imageOrder}
	if !sequence {
		return v
	}
	s := v.shape()
	return b.reshape(v, []int{s[0], s[1], s[3]})
}

// windows are the windows of a convolution or pooling along rows and columns.
type windows struct {
	kernel, stride, dilation [2]int
	before, after            [2]int // padding
}

// pair returns an attribute's two numbers for rows and columns, −1 for both if it has another number of them.
func pair(n *onnx.Node, attribute string, sequence bool, otherwise int) [2]int {
	v := n.Ints(attribute)
	switch {
	case len(v) == 0:
		return [2]int{otherwise, otherwise}
	case sequence && len(v) == 1:
		return [2]int{1, v[0]}
	case len(v) == 3 && v[1] == 1 && v[2] == 1: // windows along the first axis of a volume
		return [2]int{v[0], 1}
	case len(v) != 2:
		return [2]int{-1, -1}
	}
	return [2]int{v[0], v[1]}
}

// windows returns the windows of a node that reads images, from the node's attributes.
func (b *builder) windows(n *onnx.Node, x *graph.Node, kernel [2]int, sequence bool) windows {
	w := windows{kernel: kernel, stride: pair(n, "strides", sequence, 1), dilation: pair(n, "dilations", sequence, 1)}
	pads := n.Ints("pads")
	switch {
	case sequence && len(pads) == 2:
		w.before[1], w.after[1] = pads[0], pads[1]
	case len(pads) == 6 && pads[1] == 0 && pads[2] == 0 && pads[4] == 0 && pads[5] == 0:
		w.before[0], w.after[0] = pads[0], pads[3]
	case len(pads) == 4:
		w.before, w.after = [2]int{pads[0], pads[1]}, [2]int{pads[2], pads[3]}
	case len(pads) != 0:
		b.Fail("its pads are %v: want one before and one after for rows and columns", pads)
	}
	for _, p := range [][2]int{w.stride, w.dilation, w.kernel} {
		if min(p[0], p[1]) < 1 {
			b.Fail("its kernel_shape, strides and dilations must be whole numbers of at least 1 for rows and columns")
		}
	}
	if b.Err() != nil {
		return w
	}
	switch auto := n.String("auto_pad", "NOTSET"); auto {
	case "NOTSET", "VALID", "":
	case "SAME_UPPER", "SAME_LOWER":
		for k := range 2 {
			size := x.Shape()[1+k]
			out := (size + w.stride[k] - 1) / w.stride[k]
			total := max(0, (out-1)*w.stride[k]+(w.kernel[k]-1)*w.dilation[k]+1-size)
			w.before[k], w.after[k] = total/2, total-total/2
			if auto == "SAME_LOWER" {
				w.before[k], w.after[k] = w.after[k], w.before[k]
			}
		}
	default:
		b.Fail("its auto_pad is %q: want NOTSET, VALID, SAME_UPPER or SAME_LOWER", auto)
	}
	for k := range 2 {
		if max(w.before[k], w.after[k], w.stride[k], w.dilation[k], w.kernel[k]) > mostElements {
			b.Fail("its kernel_shape, pads, strides and dilations must be at most %d", mostElements)
		}
	}
	return w
}

// pad pads images with the value v if the windows have another padding before than after, and sets that padding to 0.
func (b *builder) pad(x *graph.Node, w *windows, v float64) *graph.Node {
	if w.before == w.after || b.Err() != nil {
		return x
	}
	x = b.Pad(x, []int{0, w.before[0], w.before[1], 0}, []int{0, w.after[0], w.after[1], 0}, graph.PadConstant, v)
	w.before, w.after = [2]int{}, [2]int{}
	return x
}

// conv2D returns the geometry of windows with equal padding on both sides.
func (w windows) conv2D(groups int) graph.Conv2D {
	return graph.Conv2D{StrideH: w.stride[0], StrideW: w.stride[1], PadH: w.before[0], PadW: w.before[1],
		DilateH: w.dilation[0], DilateW: w.dilation[1], Groups: groups}
}

// filters returns the filters of a convolution, (filter, channel, row, column).
func (b *builder) filters(n *onnx.Node, sequence bool) *graph.Node {
	v := b.read(n, 1)
	if b.Err() != nil {
		return nil
	}
	if b.weights[n.Inputs[1]].sequence {
		v = b.named(n.Inputs[1])
	}
	if s := v.shape(); sequence && len(s) == 3 {
		v = b.reshape(v, []int{s[0], s[1], 1, s[2]})
	}
	if len(v.order) != 4 {
		return b.Fail("its filters have shape %v: want (filter, channel, row, column)", v.shape())
	}
	return b.logical(v)
}

func conv(b *builder, n *onnx.Node) []value {
	x, sequence := b.asImages(b.read(n, 0))
	f := b.filters(n, sequence)
	if b.Err() != nil {
		return nil
	}
	w := b.windows(n, x, [2]int{f.Shape()[2], f.Shape()[3]}, sequence)
	x = b.pad(x, &w, 0)
	bias := b.read(n, 2).node
	geometry := w.conv2D(n.Int("group", 1))
	if !b.readsImages(n) || !isParameter(f) && !b.reach.computed(n, 1) {
		y := b.Conv(x, f, geometry)
		if bias != nil && b.Err() == nil {
			y = b.RowAdd(y, bias)
		}
		return []value{b.ofImages(y, sequence)}
	}
	name := b.layerName(n, n.Inputs[1])
	if isParameter(f) {
		name = b.layerName(n, f.Name())
	}
	y := b.ConvLayer(name, x, f, bias, geometry)
	b.recorded(n, name, f)
	return []value{b.ofImages(y, sequence)}
}

// recorded remembers that a node made a layer with the weights w.
func (b *builder) recorded(n *onnx.Node, layer string, w *graph.Node) {
	if b.Err() == nil {
		b.layers[n] = layer
		b.order = append(b.order, layer)
		b.shapes[layer] = w.Shape()
	}
}

// isParameter reports whether a node of the expression is a parameter, and is not computed.
func isParameter(n *graph.Node) bool { return n != nil && n.Op() == nil }

// convTranspose is not recorded as a layer: it reads no patches.
func convTranspose(b *builder, n *onnx.Node) []value {
	x, sequence := b.asImages(b.read(n, 0))
	f := b.filters(n, sequence)
	if b.Err() != nil {
		return nil
	}
	w := b.windows(n, x, [2]int{f.Shape()[2], f.Shape()[3]}, sequence)
	if len(n.Ints("output_shape")) > 0 || w.before != w.after || n.String("auto_pad", "NOTSET") != "NOTSET" {
		b.Fail("its output_shape, auto_pad, or pads that differ before and after, are not supported")
		return nil
	}
	more := pair(n, "output_padding", sequence, 0)
	if sequence {
		more[0] = 0
	}
	y := b.ConvTranspose(x, f, w.conv2D(n.Int("group", 1)), more[0], more[1])
	if bias := b.read(n, 2).node; bias != nil && b.Err() == nil {
		y = b.RowAdd(y, bias)
	}
	return []value{b.ofImages(y, sequence)}
}

// gemm computes α·op(a)·op(b) + β·c. With weights as op(b) it is a linear layer.
func gemm(b *builder, n *onnx.Node) []value {
	x, w := b.read(n, 0), b.read(n, 1)
	if b.Err() != nil {
		return nil
	}
	if n.Int("transA", 0) != 0 {
		x = x.transpose([]int{1, 0})
	}
	if n.Int("transB", 0) != 0 {
		w = w.transpose([]int{1, 0})
	}
	alpha, beta := n.Float("alpha", 1), n.Float("beta", 1)
	plainBias := len(n.Inputs) > 2 && n.Inputs[2] != "" && alpha == 1 && beta == 1 &&
		slices.Equal(b.shape(n.Inputs[2]), w.shape()[1:])
	bias := value{}
	if len(n.Inputs) > 2 {
		bias = b.read(n, 2)
	}
	if plainBias {
		return []value{b.linear(n, x, w, bias.node)}
	}
	y := b.linear(n, x, w, nil)
	if b.Err() == nil && alpha != 1 {
		y = y.with(b.Scale(alpha, y.node))
	}
	if bias.node != nil && b.Err() == nil {
		y = b.broadcast(y, bias.with(b.Scale(beta, bias.node)), b.AddBroadcast)
	}
	return []value{y}
}

// matMul multiplies by numpy's rules. With a matrix of weights on the right it is a linear layer, whose bias the next
// node adds.
func matMul(b *builder, n *onnx.Node) []value {
	x, w := b.read(n, 0), b.read(n, 1)
	if b.Err() != nil {
		return nil
	}
	if len(w.order) == 2 && len(x.order) >= 2 {
		next, bias := b.biasAfter(n, w.shape()[1])
		y := b.linear(n, x, w, bias)
		if next != nil && b.Err() == nil {
			b.values[next.Outputs[0]] = y
			b.done[next] = true
		}
		return []value{y}
	}
	return []value{b.product(x, w)}
}

// biasAfter returns the node that adds a vector of weights, one for each unit, to a node's result, and the vector. It returns
// nil if there is no such node, or if another node reads the result.
func (b *builder) biasAfter(n *onnx.Node, units int) (*onnx.Node, *graph.Node) {
	out := n.Outputs[0]
	if b.uses[out] != 1 {
		return nil, nil
	}
	for _, next := range b.readers[out] {
		if next.Op != "Add" {
			continue
		}
		for i, name := range next.Inputs {
			if w := b.weights[name]; w.tensor != nil && slices.Equal(w.tensor.Shape, []int{units}) && next.Inputs[1-i] == out {
				return next, b.read(next, i).node
			}
		}
	}
	return nil, nil
}

// readsImages reports whether an input of a node depends on the images or on their number, such as a learned token that is
// repeated for each image. A product of weights with weights is not a layer.
func (b *builder) readsImages(n *onnx.Node) bool {
	return slices.ContainsFunc(n.Inputs, func(name string) bool { return b.reach.batch[name] })
}

// rowBlock says that a node of the expression holds the rows from ≤ i < to of a parameter.
type rowBlock struct {
	of       *graph.Node
	from, to int
}

// cutRows remembers that y holds rows of x, if x is a parameter that is a matrix (unit, feature).
func (b *builder) cutRows(x, y value, from int) {
	if b.Err() == nil && isParameter(x.node) && slices.Equal(x.order, []int{0, 1}) && x.node != y.node {
		b.rowBlocks[y.node] = rowBlock{x.node, from, from + y.shape()[0]}
	}
}

// inBlocks reports whether a node holds rows of a parameter, and all nodes that hold rows of it divide it among them. It first
// builds the other ones.
func (b *builder) inBlocks(n *graph.Node) bool {
	of := b.rowBlocks[n].of
	if of == nil {
		return false
	}
	for _, r := range b.readers[of.Name()] {
		if r.Op != "Slice" || b.done[r] || b.values[r.Outputs[0]].node != nil {
			continue
		}
		if slices.ContainsFunc(r.Inputs[1:], func(in string) bool { return !b.early(in) }) {
			return false
		}
		if err := b.buildNode(r); err != nil {
			b.Fail("%w", err)
			return false
		}
		b.done[r] = true
	}
	var all []rowBlock
	for _, p := range b.rowBlocks {
		if p.of == of && !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(p, q rowBlock) int { return cmp.Compare(p.from, q.from) })
	end := 0
	for _, p := range all {
		if p.from != end {
			return false
		}
		end = p.to
	}
	return end == of.Shape()[0]
}

// linear multiplies the rows of x by w, (feature, unit). It records a layer if w is a parameter with the axes (unit,
// feature), or is computed from parameters. If w is one of the blocks of rows into which the network divides a parameter, as
// the projection to the queries of other tokens than those of the keys is, the layer has the whole parameter, and the result
// is the part of its outputs.
func (b *builder) linear(n *onnx.Node, x, w value, bias *graph.Node) value {
	if b.Err() != nil {
		return value{}
	}
	rank := len(x.order)
	x = b.last(x, rank-1)
	var y *graph.Node
	switch {
	case b.readsImages(n) && isParameter(w.node) && slices.Equal(w.order, []int{1, 0}):
		name := b.layerName(n, w.node.Name())
		y = b.LinearLayer(name, x.node, w.node, bias)
		b.recorded(n, name, w.node)
	case b.readsImages(n) && slices.Equal(w.order, []int{1, 0}) && b.inBlocks(w.node):
		p := b.rowBlocks[w.node]
		name := b.layerName(n, p.of.Name())
		y = b.Slice(b.LinearLayer(name, x.node, p.of, nil), rank-1, p.from, p.to, 1)
		b.recorded(n, name, p.of)
		b.firsts[n] = p.from
		if bias != nil && b.Err() == nil {
			y = b.RowAdd(y, bias)
		}
	case b.readsImages(n) && b.reach.computed(n, 1):
		name, units := b.layerName(n, n.Inputs[1]), b.in([]int{1, 0}, w)
		y = b.LinearLayer(name, x.node, units, bias)
		b.recorded(n, name, units)
	default:
		y = b.rowsTimes(x.node, b.logical(w))
		if bias != nil && b.Err() == nil {
			y = b.RowAdd(y, bias)
		}
	}
	return value{y, x.order}
}

// rowsTimes multiplies the rows of x, along its last axis, by a matrix.
func (b *builder) rowsTimes(x, m *graph.Node) *graph.Node {
	if b.Err() != nil {
		return nil
	}
	s := slices.Clone(x.Shape())
	last := len(s) - 1
	y := b.MatMul(b.Reshape(x, product(s[:last]), s[last]), m, false, false)
	s[last] = m.Shape()[1]
	return b.Reshape(y, s...)
}

// product multiplies the matrices along the last two axes of x and y, and broadcasts the axes before these. A vector is a
// row on the left and a column on the right.
func (b *builder) product(x, y value) value {
	if b.Err() != nil {
		return value{}
	}
	if row, column := len(x.order) == 1, len(y.order) == 1; row || column {
		var left []int // axes of one element
		if column {
			y = b.reshape(y, []int{product(y.shape()), 1})
			left = append(left, max(2, len(x.order))-1)
		}
		if row {
			x = b.reshape(x, []int{1, product(x.shape())})
			left = append(left, max(2, len(y.order))-2)
		}
		z := b.product(x, y)
		if b.Err() != nil {
			return value{}
		}
		return b.reshape(z, without(z.shape(), left))
	}
	rank := max(len(x.order), len(y.order))
	nx, turnX := b.matrices(b.extend(x, rank))
	ny, turnY := b.matrices(b.extend(y, rank))
	if b.Err() != nil {
		return value{}
	}
	sx, sy := nx.Shape(), ny.Shape()
	lead, err := graph.BroadcastShape(sx[:rank-2], sy[:rank-2])
	if err != nil {
		b.Fail("%w", err)
		return value{}
	}
	nx = b.Expand(nx, append(slices.Clone(lead), sx[rank-2:]...)...)
	ny = b.Expand(ny, append(slices.Clone(lead), sy[rank-2:]...)...)
	return plain(b.BatchMatMul(nx, ny, turnX, turnY))
}

// matrices returns the node of v with its axes in ONNX's order, except that the last two are exchanged if turned.
func (b *builder) matrices(v value) (n *graph.Node, turned bool) {
	if b.Err() != nil {
		return nil, false
	}
	rank := len(v.order)
	order := identity(rank)
	if turned = v.axis(rank-1) < v.axis(rank-2); turned {
		order[rank-1], order[rank-2] = rank-2, rank-1
	}
	return b.in(order, v), turned
}
