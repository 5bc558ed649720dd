package fromonnx

import (
	"fmt"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models/onnx"
)

// batchNorm normalises with the stored statistics, or in training with the batch's, and then updates the stored ones.
func batchNorm(b *builder, n *onnx.Node) []value {
	x := b.read(n, 0)
	if b.Err() != nil {
		return nil
	}
	if len(x.order) < 2 {
		b.Fail("it reads a tensor of shape %v: want (image, channel, …)", x.shape())
		return nil
	}
	x = b.last(x, 1)
	p := graph.Norm{Gamma: b.read(n, 1).node, Beta: b.read(n, 2).node, Mean: b.read(n, 3).node, Var: b.read(n, 4).node,
		Eps: n.Float("epsilon", 1e-5)}
	return []value{x.with(b.NormaliseBatch(x.node, p, 1-n.Float("momentum", .9)))}
}

// overLast moves some axes of x to the end, applies f to the rows along them, and returns a value of x's shape.
func (b *builder) overLast(x value, axes []int, f func(rows *graph.Node) *graph.Node) value {
	if b.Err() != nil {
		return value{}
	}
	order := slices.DeleteFunc(slices.Clone(x.order), func(a int) bool { return slices.Contains(axes, a) })
	lead := len(order)
	for _, a := range x.order {
		if slices.Contains(axes, a) {
			order = append(order, a)
		}
	}
	node := b.in(order, x)
	if b.Err() != nil {
		return value{}
	}
	shape := node.Shape().Clone()
	y := f(b.Reshape(node, product(shape[:lead]), product(shape[lead:])))
	return value{b.Reshape(y, shape...), order}
}

func layerNorm(b *builder, n *onnx.Node) []value {
	x := b.read(n, 0)
	if b.Err() != nil {
		return nil
	}
	rank := len(x.order)
	first := b.axis(n.Int("axis", -1), rank)
	axes := identity(rank)[first:]
	y := b.overLast(x, axes, func(rows *graph.Node) *graph.Node {
		return b.NormaliseRows(rows, n.Float("epsilon", 1e-5))
	})
	y = b.broadcast(y, b.read(n, 1), b.MulBroadcast)
	if len(n.Inputs) > 2 && n.Inputs[2] != "" {
		y = b.broadcast(y, b.read(n, 2), b.AddBroadcast)
	}
	return []value{y}
}

// perChannel multiplies x by a vector with one element a channel, along axis 1, and adds a second such vector.
func (b *builder) perChannel(x value, scale, shift *graph.Node) value {
	x = b.last(x, 1)
	if b.Err() != nil {
		return value{}
	}
	return x.with(b.RowAffine(x.node, scale, shift))
}

func instanceNorm(b *builder, n *onnx.Node) []value {
	x := b.read(n, 0)
	if b.Err() != nil {
		return nil
	}
	y := b.overLast(x, identity(len(x.order))[2:], func(rows *graph.Node) *graph.Node {
		return b.NormaliseRows(rows, n.Float("epsilon", 1e-5))
	})
	return []value{b.perChannel(y, b.read(n, 1).node, b.read(n, 2).node)}
}

func groupNorm(b *builder, n *onnx.Node) []value {
	x := b.read(n, 0)
	if b.Err() != nil {
		return nil
	}
	shape := x.shape()
	groups := n.Int("num_groups", 1)
	if groups < 1 || shape[1]%groups != 0 {
		b.Fail("it divides %d channels into %d groups: want a divisor of the channels", shape[1], groups)
		return nil
	}
	divided := append([]int{shape[0], groups, shape[1] / groups}, shape[2:]...)
	y := b.reshape(x, divided)
	y = b.overLast(y, identity(len(divided))[2:], func(rows *graph.Node) *graph.Node {
		return b.NormaliseRows(rows, n.Float("epsilon", 1e-5))
	})
	scale, shift := b.read(n, 1).node, b.read(n, 2).node
	if n.Opset < 21 && b.Err() == nil { // one number a group
		if scale.Shape()[0] != groups || shift.Shape()[0] != groups {
			b.Fail("it has %d and %d scales and shifts: want one for each of %d groups", scale.Shape()[0], shift.Shape()[0], groups)
			return nil
		}
		each := make([]int, shape[1])
		for c := range each {
			each[c] = c / (shape[1] / groups)
		}
		scale, shift = b.TakeAlong(scale, 0, each), b.TakeAlong(shift, 0, each)
	}
	return []value{b.perChannel(b.reshape(y, shape), scale, shift)}
}

func meanVarianceNorm(b *builder, n *onnx.Node) []value {
	x := b.read(n, 0)
	axes := n.Ints("axes")
	if len(axes) == 0 {
		axes = []int{0, 2, 3}
	}
	return []value{b.overLast(x, b.axes(axes, len(x.order)), func(rows *graph.Node) *graph.Node {
		return b.NormaliseRows(rows, 1e-18) // ONNX divides by σ + 1e-9; √(σ² + 1e-18) differs from that by less than 1e-9
	})}
}

func lpNorm(b *builder, n *onnx.Node) []value {
	x := b.read(n, 0)
	if b.Err() != nil {
		return nil
	}
	if n.Int("p", 2) != 2 {
		b.Fail("it divides by the norm of order %d: only order 2 is supported", n.Int("p", 2))
		return nil
	}
	axis := b.axis(n.Int("axis", -1), len(x.order))
	square := b.SumAxes(b.Mul(x.node, x.node), x.axis(axis))
	// Zeros stay zeros, as in ONNX Runtime, where x/√square has no value.
	return []value{x.with(b.MulBroadcast(x.node, b.Power(-1, b.Power(.5, square))))}
}

// localResponseNorm divides by (bias + α/size·Σ x²)^β, with the sum over the size channels around each channel.
func localResponseNorm(b *builder, n *onnx.Node) []value {
	x := b.last(b.read(n, 0), 1)
	if b.Err() != nil {
		return nil
	}
	size := n.Int("size", 1)
	alpha, beta, bias := n.Float("alpha", 1e-4), n.Float("beta", .75), n.Float("bias", 1)
	axis := len(x.order) - 1
	channels := x.node.Shape()[axis]
	if size < 1 || size > channels {
		b.Fail("its size is %d: want 1 to the number of channels, %d", size, channels)
		return nil
	}
	before, after := make([]int, axis+1), make([]int, axis+1)
	before[axis], after[axis] = (size-1)/2, size-1-(size-1)/2
	padded := b.Pad(b.Mul(x.node, x.node), before, after, graph.PadConstant, 0)
	var total *graph.Node
	for i := range size {
		part := b.Slice(padded, axis, i, i+channels, 1)
		if total == nil {
			total = part
		} else {
			total = b.Add(total, part)
		}
	}
	scale := b.Shift(bias, b.Scale(alpha/float64(size), total))
	return []value{x.with(b.Mul(x.node, b.PowerOf(-beta, scale)))}
}

// axes returns axes of a tensor as numbers from 0 to rank−1. Negative ones count from the end.
func (b *builder) axes(axes []int, rank int) []int {
	out := make([]int, len(axes))
	for i, a := range axes {
		out[i] = b.axis(a, rank)
	}
	return out
}

// softmax returns the op that applies a function along an axis or, before opset 13, over all axes from that axis on.
func softmax(f func(g *graph.Graph, x *graph.Node, axis int) *graph.Node) opFunc {
	return func(b *builder, n *onnx.Node) []value {
		x := b.read(n, 0)
		if b.Err() != nil {
			return nil
		}
		rank := len(x.order)
		if n.Opset >= 13 {
			axis := b.axis(n.Int("axis", -1), rank)
			return []value{x.with(f(b.Graph, x.node, x.axis(axis)))}
		}
		first := b.axis(n.Int("axis", 1), rank)
		return []value{b.overLast(b.logicalValue(x), identity(rank)[first:], func(rows *graph.Node) *graph.Node {
			return f(b.Graph, rows, 1)
		})}
	}
}

// logicalValue returns v with its axes in ONNX's order.
func (b *builder) logicalValue(v value) value { return plain(b.logical(v)) }

// reduce returns the op of a reduction over axes.
func reduce(f func(g *graph.Graph, x *graph.Node, axes ...int) *graph.Node) opFunc {
	return func(b *builder, n *onnx.Node) []value {
		x := b.read(n, 0)
		return []value{b.reduced(n, x, func(axes []int) *graph.Node { return f(b.Graph, x.node, axes...) })}
	}
}

// reduced calls f with the axes of x.node that the ONNX node n reduces over, and removes them from the result if its
// keepdims is 0.
func (b *builder) reduced(n *onnx.Node, x value, f func(axes []int) *graph.Node) value {
	if b.Err() != nil {
		return value{}
	}
	rank := len(x.order)
	axes, given := b.ints(n, "axes", 1)
	if b.Err() != nil {
		return value{}
	}
	if !given || len(axes) == 0 {
		if n.Int("noop_with_empty_axes", 0) != 0 {
			return x
		}
		axes = identity(rank)
	}
	axes = b.axes(axes, rank)
	own := make([]int, len(axes))
	for i, a := range axes {
		own[i] = x.axis(a)
	}
	if slices.Sort(own); b.Err() != nil {
		return value{}
	}
	y := x.with(f(own))
	if b.Err() != nil || n.Int("keepdims", 1) != 0 {
		return y
	}
	return b.reshape(y, without(y.shape(), axes))
}

// without returns a shape without some axes, or (1) if none is left.
func without(shape, axes []int) []int {
	var out []int
	for i, s := range shape {
		if !slices.Contains(axes, i) {
			out = append(out, s)
		}
	}
	if len(out) == 0 {
		return []int{1}
	}
	return out
}

func reduceSumSquare(b *builder, n *onnx.Node) []value {
	x := b.read(n, 0)
	return []value{b.reduced(n, x, func(axes []int) *graph.Node { return b.SumAxes(b.Mul(x.node, x.node), axes...) })}
}

func reduceL2(b *builder, n *onnx.Node) []value {
	y := reduceSumSquare(b, n)[0]
	return []value{y.with(b.Power(.5, y.node))} // the derivative of a norm of 0 is 0, as PyTorch's
}

func reduceL1(b *builder, n *onnx.Node) []value {
	x := b.read(n, 0)
	return []value{b.reduced(n, x, func(axes []int) *graph.Node { return b.SumAxes(b.Abs(x.node), axes...) })}
}

// reduceLogSumExp subtracts the largest element before it takes exponentials, so that none overflows.
func reduceLogSumExp(b *builder, n *onnx.Node) []value {
	x := b.read(n, 0)
	return []value{b.reduced(n, x, func(axes []int) *graph.Node {
		top := b.MaxAxes(x.node, axes...)
		return b.Add(top, b.Log(b.SumAxes(b.Exp(b.SubBroadcast(x.node, top)), axes...)))
	})}
}

// reduceProd multiplies the two halves of each axis with each other until one element is left.
func reduceProd(b *builder, n *onnx.Node) []value {
	x := b.read(n, 0)
	return []value{b.reduced(n, x, func(axes []int) *graph.Node {
		y := x.node
		for _, axis := range axes {
			for b.Err() == nil && y.Shape()[axis] > 1 {
				size := y.Shape()[axis]
				half := size / 2
				z := b.Mul(b.Slice(y, axis, 0, half, 1), b.Slice(y, axis, half, 2*half, 1))
				if size%2 == 1 && b.Err() == nil {
					z = b.Concat(axis, z, b.Slice(y, axis, size-1, size, 1))
				}
				y = z
			}
		}
		return y
	})}
}

// lowest is the padding value of a maximum pool.
const lowest = -math.MaxFloat32

// pooling returns v as images, the windows of the node n, and whether v holds sequences. It pads the images with outside
// where the windows themselves cannot, and reports whether it did.
func (b *builder) pooling(n *onnx.Node, v value, outside float64) (x *graph.Node, p graph.Pool2D, sequence, padded bool) {
	if b.Err() != nil {
		return nil, p, false, false
	}
	if s := v.shape(); len(s) == 5 { // windows along the first axis of a volume, as a local response norm has
		v = b.reshape(v, []int{s[0], s[1], s[2], s[3] * s[4]})
	}
	images, sequence := b.asImages(v)
	if b.Err() != nil {
		return nil, p, false, false
	}
	w := b.windows(n, images, pair(n, "kernel_shape", sequence, 0), sequence)
	ceil := n.Int("ceil_mode", 0) != 0
	if w.dilation != [2]int{1, 1} || ceil && w.before != w.after { // no window may begin in the padding after the image
		x = b.spread(images, &w, outside, ceil)
	} else {
		x = b.pad(images, &w, outside)
	}
	return x, graph.Pool2D{SizeH: w.kernel[0], SizeW: w.kernel[1], StrideH: w.stride[0], StrideW: w.stride[1],
		PadH: w.before[0], PadW: w.before[1], Ceil: ceil}, sequence, x != images
}

// spread pads images with the value v and places the elements of each dilated window side by side. The windows then are those
// of the result.
func (b *builder) spread(x *graph.Node, w *windows, v float64, ceil bool) *graph.Node {
	if b.Err() != nil {
		return nil
	}
	before, after := make([]int, 4), make([]int, 4)
	var index [2][]int
	for k := range 2 {
		size, reach := x.Shape()[1+k]+w.before[k], (w.kernel[k]-1)*w.dilation[k]+1
		room := size + w.after[k] - reach
		if room < 0 {
			return b.Fail("its windows reach over %d elements, and the padded images have %d", reach, size+w.after[k])
		}
		count := room/w.stride[k] + 1
		if ceil && room%w.stride[k] > 0 && count*w.stride[k] < size { // a window that overhangs begins in the image
			count++
		}
		if count > mostElements/w.kernel[k] {
			return b.Fail("it has %d windows of %d elements along an axis: want at most %d together", count, w.kernel[k], mostElements)
		}
		for i := range count {
			for j := range w.kernel[k] {
				index[k] = append(index[k], i*w.stride[k]+j*w.dilation[k])
			}
		}
		before[1+k], after[1+k] = w.before[k], max(w.after[k], (count-1)*w.stride[k]+reach-size)
	}
	x = b.Pad(x, before, after, graph.PadConstant, v)
	*w = windows{kernel: w.kernel, stride: w.kernel, dilation: [2]int{1, 1}}
	return b.TakeAlong(b.TakeAlong(x, 1, index[0]), 2, index[1])
}

// pooled returns the result y of a pooling with the axes of the node's input.
func (b *builder) pooled(n *onnx.Node, y *graph.Node, sequence bool) value {
	v := b.ofImages(y, sequence)
	if s := b.shape(n.Inputs[0]); len(s) == 5 && b.Err() == nil {
		return b.reshape(v, append(slices.Clone(v.shape()[:3]), s[3:]...))
	}
	return v
}

func maxPool(b *builder, n *onnx.Node) []value {
	x, p, sequence, _ := b.pooling(n, b.read(n, 0), lowest)
	return []value{b.pooled(n, b.MaxPool(x, p), sequence)}
}

func averagePool(b *builder, n *onnx.Node) []value {
	v := b.read(n, 0)
	x, p, sequence, padded := b.pooling(n, v, 0)
	p.CountPad = n.Int("count_include_pad", 0) != 0
	y := b.AvgPool(x, p)
	if b.Err() == nil && !p.CountPad && padded {
		// Dividing by the mean of images of ones leaves the padding out of the means.
		shape := append([]int{1, 1}, v.shape()[2:]...)
		ones := b.given(fmt.Sprint(shape), shape, slices.Repeat([]float64{1}, product(shape)))
		counted, _, _, _ := b.pooling(n, ones, 0)
		y = b.DivBroadcast(y, b.AvgPool(counted, p))
	}
	return []value{b.pooled(n, y, sequence)}
}

// global returns the op that reduces over all positions.
func global(f func(g *graph.Graph, x *graph.Node, axes ...int) *graph.Node) opFunc {
	return func(b *builder, n *onnx.Node) []value {
		x := b.read(n, 0)
		if b.Err() != nil {
			return nil
		}
		var axes []int
		for k, a := range x.order {
			if a >= 2 {
				axes = append(axes, k)
			}
		}
		return []value{x.with(f(b.Graph, x.node, axes...))}
	}
}
