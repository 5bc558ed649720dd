package totoml

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models/layers"
	"github.com/ansatz-lab/ansatz/models/onnx"
)

// reshape lowers every op that only gives a tensor another shape.
func reshape(l *lowering, n *onnx.Node) error {
	x, err := l.input(n, 0)
	if err != nil {
		return err
	}
	f, ok := x.form.reshape(l.trace.Shape(n.Outputs[0]))
	if !ok {
		return fmt.Errorf("the axes of its result, of shape %v, are neither axes of images or tokens nor parts of them",
			l.trace.Shape(n.Outputs[0]))
	}
	l.set(n, tensor{x.op, f})
	return nil
}

func transpose(l *lowering, n *onnx.Node) error {
	x, err := l.input(n, 0)
	if err != nil {
		return err
	}
	perm := n.Ints("perm")
	if len(perm) == 0 {
		for i := range x.form {
			perm = append(perm, len(x.form)-1-i)
		}
	}
	f, ok := x.form.transpose(perm)
	if !ok {
		return fmt.Errorf("its perm is %v: want each of %d axes once", perm, len(x.form))
	}
	l.set(n, tensor{x.op, f})
	return nil
}

func expand(l *lowering, n *onnx.Node) error {
	x, err := l.input(n, 0)
	if err != nil {
		return err
	}
	from, to := l.trace.Shape(n.Inputs[0]), l.trace.Shape(n.Outputs[0])
	if size(from) != size(to) {
		return fmt.Errorf("it repeats elements: from %v to %v", from, to)
	}
	l.set(n, tensor{x.op, x.form.extended(len(to))})
	return nil
}

// cut makes the op that takes count places along an axis of a tensor: from, from + step and so on.
func (l *lowering) cut(n *onnx.Node, x tensor, axis, from, step, count int) (tensor, error) {
	length := size(axisSizes(x.form[axis]))
	v, f := l.ops[x.op].out, slices.Clone(x.form)
	if from == 0 && step == 1 && count == length {
		return x, nil
	}
	switch run := x.form[axis]; {
	case len(run) != 1:
	case run[0] == atom{axisT, v.t, 1} && v.kind == tokens && from == 0 && count == 1:
		f[axis] = nil
		o := op{what: isLayer, in: []int{x.op}, layer: layers.FirstToken{}, out: value{features, v.f, 1, 1, 1}}
		return tensor{l.add(n, o), f}, nil
	case run[0].axis == axisF && step == 1 && run[0].size*run[0].stride == v.f:
		s := run[0].stride
		o := op{what: isSlice, in: []int{x.op}, a: float64(from * s), b: float64((from + count) * s), out: v}
		o.out.f = count * s
		f[axis] = merged([]atom{{axisF, count, s}})
		return tensor{l.add(n, o), f}, nil
	case (run[0] == atom{axisR, v.r, 1} || run[0] == atom{axisC, v.c, 1}) && from == 0 && step > 1 &&
		count == (length+step-1)/step:
		o := op{what: isStride, in: []int{x.op}, a: float64(step), b: 1, out: v}
		if run[0].axis == axisR {
			o.out.r = count
		} else {
			o.out.c, o.b = count, 2
		}
		f[axis] = whole(run[0].axis, count)
		return tensor{l.add(n, o), f}, nil
	}
	return x, fmt.Errorf("it takes %d of %d places along axis %d, from %d on by steps of %d: an architecture file has the "+
		"first token, the thirds of an attention's projection, and every n-th row and column", count, length, axis, from, step)
}

// axisSizes lists the sizes of an axis's atoms.
func axisSizes(axis []atom) (all []int) {
	for _, a := range axis {
		all = append(all, a.size)
	}
	return all
}

func slice(l *lowering, n *onnx.Node) error {
	x, err := l.input(n, 0)
	if err != nil {
		return err
	}
	starts, ok := l.ints(n, "starts", 1)
	ends, also := l.ints(n, "ends", 2)
	if !ok || !also {
		return errors.New("its starts or ends are not constants")
	}
	axes, _ := l.ints(n, "axes", 3)
	steps, _ := l.ints(n, "steps", 4)
	cuts, err := onnx.Cuts(l.trace.Shape(n.Inputs[0]), starts, ends, axes, steps)
	if err != nil {
		return err
	}
	for _, cut := range cuts {
		if len(cut.Index) == 0 {
			return errors.New("its result is empty")
		}
		if x, err = l.cut(n, x, cut.Axis, cut.Index[0], cut.Step, len(cut.Index)); err != nil {
			return err
		}
	}
	l.set(n, x)
	return nil
}

func split(l *lowering, n *onnx.Node) error {
	x, err := l.input(n, 0)
	if err != nil {
		return err
	}
	axis := n.Int("axis", 0)
	if axis < 0 {
		axis += len(x.form)
	}
	from := 0
	for _, name := range n.Outputs {
		count := l.trace.Shape(name)[axis]
		y, err := l.cut(n, x, axis, from, 1, count)
		if err != nil {
			return err
		}
		l.tensors[name] = y
		from += count
	}
	return nil
}

func gather(l *lowering, n *onnx.Node) error {
	x, err := l.input(n, 0)
	if err != nil {
		return err
	}
	index, ok := l.ints(n, "", 1)
	axis := n.Int("axis", 0)
	if axis < 0 {
		axis += len(x.form)
	}
	if !ok || len(index) != 1 {
		return errors.New("its indices are not one constant")
	}
	if index[0] < 0 {
		index[0] += l.trace.Shape(n.Inputs[0])[axis]
	}
	if x, err = l.cut(n, x, axis, index[0], 1, 1); err != nil {
		return err
	}
	// The axis, of one element now, stays or goes as the shape of the result demands.
	f, ok := x.form.reshape(l.trace.Shape(n.Outputs[0]))
	if !ok {
		return errors.New("its result has another shape")
	}
	l.set(n, tensor{x.op, f})
	return nil
}

func pad(l *lowering, n *onnx.Node) error {
	pads, ok := l.ints(n, "pads", 1)
	if ok && slices.Equal(pads, make([]int, len(pads))) {
		return keep(l, n)
	}
	x, v, err := l.images(n)
	if err != nil {
		return err
	}
	if !ok || len(pads) != 8 {
		return errors.New("its pads are not constants for four axes")
	}
	if fill, given := 0., len(n.Inputs) > 2 && n.Inputs[2] != ""; given {
		if fill, ok = l.number(n.Inputs[2]); !ok || fill != 0 {
			return errors.New("it pads with another number than 0")
		}
	}
	mode, known := map[string]graph.PadMode{"constant": graph.PadConstant, "reflect": graph.PadReflect,
		"edge": graph.PadEdge}[n.String("mode", "constant")]
	before, after := pads[:4], pads[4:]
	switch {
	case slices.Min(pads) < 0 || !known || before[0] != 0 || after[0] != 0:
		return fmt.Errorf("its pads are %v, with the mode %s", pads, n.String("mode", "constant"))
	case before[1]+after[1] > 0 && before[2]+after[2]+before[3]+after[3] == 0 && mode == graph.PadConstant:
		o := op{what: isWiden, in: []int{x.op}, a: float64(before[1]), b: float64(after[1]), out: v}
		o.out.f += before[1] + after[1]
		l.set(n, tensor{l.add(n, o), x.imageForm(o.out)})
		return nil
	case before[1] != 0 || after[1] != 0 || before[2] != after[2] || before[3] != after[3]:
		return fmt.Errorf("its pads are %v: want pads of rows and columns, the same before and after, as a layer has them", pads)
	}
	o := op{what: isLayer, in: []int{x.op}, out: v,
		layer: layers.Pad{Rows: before[2], Columns: before[3], Mode: mode}}
	o.out.r, o.out.c = v.r+2*before[2], v.c+2*before[3]
	l.set(n, tensor{l.add(n, o), x.imageForm(o.out)})
	return nil
}

// resize makes a layer that enlarges images by whole factors. It does not check all modes: if the layer, which is PyTorch's,
// places pixels otherwise, comparing the networks shows it.
func resize(l *lowering, n *onnx.Node) error {
	x, v, err := l.images(n)
	if err != nil {
		return err
	}
	out, err := l.spatial(n)
	if err != nil {
		return err
	}
	mode := n.String("mode", "nearest")
	if out.f != v.f || out.r%v.r != 0 || out.c%v.c != 0 || mode != "nearest" && mode != "linear" ||
		n.String("coordinate_transformation_mode", "half_pixel") == "align_corners" {
		return fmt.Errorf("it makes images of %d×%d of %d×%d by the mode %s: want whole factors, nearest or linear, and "+
			"corners that are not aligned", out.r, out.c, v.r, v.c, mode)
	}
	o := op{what: isLayer, in: []int{x.op}, out: out,
		layer: layers.Upsample{Rows: out.r / v.r, Columns: out.c / v.c, Bilinear: mode == "linear"}}
	l.set(n, tensor{l.add(n, o), x.imageForm(out)})
	return nil
}
