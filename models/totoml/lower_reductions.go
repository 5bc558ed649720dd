package totoml

import (
	"errors"
	"slices"

	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/layers"
	"github.com/ansatz-lab/ansatz/models/onnx"
)

// reduced returns the atoms of the axes over which a node reduces, and the form of its result.
func (l *lowering) reduced(n *onnx.Node, x tensor) (over []atom, rest form, err error) {
	axes, given := []int{2, 3}, true
	keep := true
	if n.Op[0] == 'R' { // a reduction, not a global pool
		axes, given = l.ints(n, "axes", 1)
		keep = n.Int("keepdims", 1) != 0
	}
	if !given || len(axes) == 0 {
		return nil, nil, errors.New("it reduces over all axes")
	}
	gone := map[int]bool{}
	for _, a := range axes {
		if a < 0 {
			a += len(x.form)
		}
		gone[a] = true
	}
	for i, axis := range x.form {
		switch {
		case !gone[i]:
			rest = append(rest, axis)
		case keep:
			rest = append(rest, nil)
		}
		if gone[i] {
			over = append(over, axis...)
		}
	}
	return merged(over), rest, nil
}

func reduceMean(l *lowering, n *onnx.Node) error {
	x, err := l.input(n, 0)
	if err != nil {
		return err
	}
	over, rest, err := l.reduced(n, x)
	if err != nil {
		return err
	}
	v := l.ops[x.op].out
	o := op{what: isLayer, in: []int{x.op}}
	switch {
	case len(over) == 0:
		l.set(n, tensor{x.op, rest})
		return nil
	case slices.Equal(over, concat(whole(axisR, v.r), whole(axisC, v.c))):
		o.layer, o.out = models.AdaptiveAvgPool{H: 1, W: 1}, value{image, v.f, 1, 1, 1}
	case slices.Equal(over, whole(axisT, v.t)):
		o.layer, o.out = layers.MeanToken{}, value{features, v.f, 1, 1, 1}
	case slices.Equal(over, whole(axisF, v.f)):
		o.layer, o.out = models.ChannelMean{}, v
		o.out.f = 1
	default:
		return errors.New("it takes the mean over other axes than all rows and columns, all tokens or all channels")
	}
	l.set(n, tensor{l.add(n, o), rest})
	return nil
}

func reduceMax(l *lowering, n *onnx.Node) error {
	x, err := l.input(n, 0)
	if err != nil {
		return err
	}
	over, rest, err := l.reduced(n, x)
	if err != nil {
		return err
	}
	v := l.ops[x.op].out
	if v.kind != image || !slices.Equal(over, concat(whole(axisR, v.r), whole(axisC, v.c))) {
		return errors.New("it takes the maximum over other axes than all rows and columns")
	}
	l.set(n, tensor{l.add(n, op{what: isLayer, in: []int{x.op}, layer: models.GlobalMaxPool{},
		out: value{image, v.f, 1, 1, 1}}), rest})
	return nil
}

// softmax makes a layer, or the softmax within an attention.
func softmax(l *lowering, n *onnx.Node) error {
	x, err := l.input(n, 0)
	if err != nil {
		return err
	}
	axis, last := n.Int("axis", -1), len(x.form)-1
	if n.Opset < 13 {
		axis = n.Int("axis", 1) // the softmax is over this axis and all after it
	}
	if axis < 0 {
		axis += len(x.form)
	}
	v := l.ops[x.op].out
	switch run := x.form[axis]; {
	case n.Opset < 13 && axis != last:
		return errors.New("it is a softmax over several axes")
	case slices.Equal(run, whole(axisF, v.f)):
		l.after(n, x, op{what: isLayer, layer: layers.Softmax{Log: n.Op == "LogSoftmax"}})
	case axis == last && len(run) == 1 && run[0].axis == axisS && n.Op == "Softmax":
		l.after(n, x, op{what: isSoftmax})
	default:
		return errors.New("it is a softmax over other axes than the channels or features, or the keys of an attention")
	}
	return nil
}
