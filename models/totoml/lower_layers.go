package totoml

import (
	"errors"
	"fmt"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/layers"
	"github.com/ansatz-lab/ansatz/models/onnx"
)

// pair returns the two numbers of an attribute for rows and columns, or otherwise for both if the node has none.
func pair(n *onnx.Node, attribute string, otherwise int) ([2]int, error) {
	switch v := n.Ints(attribute); len(v) {
	case 0:
		return [2]int{otherwise, otherwise}, nil
	case 2:
		return [2]int(v), nil
	default:
		return [2]int{}, fmt.Errorf("its %s are %v: want two numbers, for rows and columns", attribute, v)
	}
}

// windows returns the attributes that convolutions and pools have in common.
func windows(n *onnx.Node) (stride, dilation, padding [2]int, err error) {
	stride, err = pair(n, "strides", 1)
	dilation, more := pair(n, "dilations", 1)
	err = errors.Join(err, more)
	switch v := n.Ints("pads"); {
	case len(v) == 0:
	case len(v) != 4 || v[0] != v[2] || v[1] != v[3]:
		err = errors.Join(err, fmt.Errorf("its pads are %v: want the same before and after, as a layer has them", v))
	default:
		padding = [2]int(v)
	}
	if auto := n.String("auto_pad", "NOTSET"); auto != "NOTSET" && auto != "VALID" && auto != "" {
		err = errors.Join(err, fmt.Errorf("its auto_pad is %s: want fixed pads, as a layer has them", auto))
	}
	return stride, dilation, padding, err
}

// spatial returns the sizes of the images that a node makes, and an error if it makes no images.
func (l *lowering) spatial(n *onnx.Node) (value, error) {
	s := l.trace.Shape(n.Outputs[0])
	if len(s) != 4 {
		return value{}, fmt.Errorf("it makes a tensor of shape %v, not images", s)
	}
	return value{image, s[1], s[2], s[3], 1}, nil
}

// filters returns the input of a convolution, an op without its layer, and the geometry.
func (l *lowering) filters(n *onnx.Node) (x tensor, o op, g graph.Conv2D, err error) {
	x, _, err = l.images(n)
	if err != nil {
		return x, o, g, err
	}
	w, err := l.weight(n, 1)
	if err != nil {
		return x, o, g, err
	}
	stride, dilation, padding, err := windows(n)
	if err != nil {
		return x, o, g, err
	}
	out, err := l.spatial(n)
	if err != nil {
		return x, o, g, err
	}
	if len(w.shape) != 4 || w.turned {
		return x, o, g, fmt.Errorf("its filters have the shape %v: want (filter, channel, row, column)", w.shape)
	}
	g = graph.Conv2D{StrideH: stride[0], StrideW: stride[1], PadH: padding[0], PadW: padding[1],
		DilateH: dilation[0], DilateW: dilation[1], Groups: n.Int("group", 1)}
	o = op{what: isLayer, in: []int{x.op}, out: out, name: l.layerName(n, w.name),
		params: []param{same("weight", w.name, w.shape...)}}
	if len(n.Inputs) > 2 && n.Inputs[2] != "" {
		b, err := l.weight(n, 2)
		if err != nil {
			return x, o, g, err
		}
		o.params = append(o.params, same("bias", b.name, out.f))
	}
	for _, p := range o.params {
		if err := l.claimWeights(n, p.from...); err != nil {
			return x, o, g, err
		}
	}
	x.form = x.imageForm(out)
	return x, o, g, nil
}

func conv(l *lowering, n *onnx.Node) error {
	x, o, g, err := l.filters(n)
	if err != nil {
		return err
	}
	channels := l.ops[x.op].out.f
	c := models.Conv{Filters: o.out.f, Kernel: [2]int(o.params[0].shape[2:]), Geometry: g, NoBias: len(o.params) < 2}
	if g.Groups == channels && channels > 1 {
		c.Depthwise, c.Geometry.Groups = true, 0
	}
	o.layer = c
	l.set(n, tensor{l.add(n, o), x.form})
	return nil
}

func convTranspose(l *lowering, n *onnx.Node) error {
	x, o, g, err := l.filters(n)
	if err != nil {
		return err
	}
	more, err := pair(n, "output_padding", 0)
	if err != nil {
		return err
	}
	o.layer = layers.ConvTranspose{Filters: o.out.f, Kernel: [2]int(o.params[0].shape[2:]), Geometry: g, More: more,
		NoBias: len(o.params) < 2}
	l.set(n, tensor{l.add(n, o), x.form})
	return nil
}

// pool makes a layer that takes the maximum or the mean of windows.
func pool(l *lowering, n *onnx.Node) error {
	x, _, err := l.images(n)
	if err != nil {
		return err
	}
	kernel, err := pair(n, "kernel_shape", 1)
	if err != nil {
		return err
	}
	stride, dilation, padding, err := windows(n)
	if err != nil {
		return err
	}
	out, err := l.spatial(n)
	if err != nil {
		return err
	}
	if dilation != [2]int{1, 1} {
		return fmt.Errorf("its windows have the dilations %v: want 1, as a layer has them", dilation)
	}
	p := graph.Pool2D{SizeH: kernel[0], SizeW: kernel[1], StrideH: stride[0], StrideW: stride[1], PadH: padding[0],
		PadW: padding[1], Ceil: n.Int("ceil_mode", 0) != 0}
	o := op{what: isLayer, in: []int{x.op}, out: out, layer: models.MaxPool(p)}
	if n.Op == "AveragePool" {
		p.CountPad = n.Int("count_include_pad", 0) != 0 || padding == [2]int{}
		o.layer = models.AvgPool(p)
	}
	l.set(n, tensor{l.add(n, o), x.imageForm(out)})
	return nil
}
