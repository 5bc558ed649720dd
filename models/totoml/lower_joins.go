package totoml

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ansatz-lab/ansatz/models/layers"
	"github.com/ansatz-lab/ansatz/models/onnx"
)

// operands are the inputs of a node: two tensors that depend on the images, or x and a number, or x and a weight.
type operands struct {
	x, y    tensor
	both    bool // whether x and y are both set
	number  float64
	isConst bool // whether number is set
	weight  stored
	second  bool // whether x is the second input
}

func (l *lowering) operands(n *onnx.Node) (o operands, err error) {
	if len(n.Inputs) != 2 {
		return o, fmt.Errorf("it has %d inputs: want 2", len(n.Inputs))
	}
	x, first := l.tensors[n.Inputs[0]]
	y, second := l.tensors[n.Inputs[1]]
	if first && second {
		return operands{x: x, y: y, both: true}, nil
	}
	other := 1
	if o.x = x; !first {
		o.x, o.second, other = y, true, 0
	}
	if o.number, o.isConst = l.number(n.Inputs[other]); o.isConst {
		return o, nil
	}
	o.weight, err = l.weight(n, other)
	return o, err
}

func add(l *lowering, n *onnx.Node) error {
	o, err := l.operands(n)
	switch {
	case err != nil:
		return err
	case o.both:
		return l.join(n, isAdd, o)
	case o.isConst:
		return l.scalar(n, o.x, isShift, o.number, 0)
	}
	return l.vector(n, o, isAddend)
}

func sub(l *lowering, n *onnx.Node) error {
	o, err := l.operands(n)
	switch {
	case err != nil:
		return err
	case o.both:
		return l.join(n, isSub, o)
	case o.isConst && !o.second:
		return l.scalar(n, o.x, isShift, -o.number, 0)
	}
	return errors.New("it subtracts weights, or subtracts from a number")
}

func mul(l *lowering, n *onnx.Node) error {
	o, err := l.operands(n)
	switch {
	case err != nil:
		return err
	case o.both && o.x.op == o.y.op && sameForm(o.x.form, o.y.form):
		return l.scalar(n, o.x, isPower, 2, 1)
	case o.both:
		return l.join(n, isMul, o)
	case o.isConst:
		return l.scalar(n, o.x, isScale, o.number, 1)
	}
	return l.vector(n, o, isFactor)
}

func div(l *lowering, n *onnx.Node) error {
	o, err := l.operands(n)
	switch {
	case err != nil:
		return err
	case o.both:
		return l.join(n, isDiv, o)
	case o.isConst && !o.second:
		return l.scalar(n, o.x, isScale, 1/o.number, 1)
	}
	return errors.New("it divides by weights, or divides weights or a number")
}

func pow(l *lowering, n *onnx.Node) error {
	o, err := l.operands(n)
	switch {
	case err != nil:
		return err
	case o.isConst && !o.second:
		return l.scalar(n, o.x, isPower, o.number, 1)
	}
	return errors.New("its exponent is not a constant number")
}

// scalar makes an op with the number k, unless k is nothing, the number with which the op changes nothing.
func (l *lowering) scalar(n *onnx.Node, x tensor, what string, k, nothing float64) error {
	x.form = x.form.extended(len(l.trace.Shape(n.Outputs[0])))
	if k == nothing {
		l.set(n, x)
		return nil
	}
	l.after(n, x, op{what: what, a: k})
	return nil
}

// vector makes an op that multiplies by a weight or adds one: a number for each channel or, in a sum, a vector for each token.
func (l *lowering) vector(n *onnx.Node, o operands, what string) error {
	x := o.x
	if t, ok := l.asTokens(n, x); ok {
		x = t
	}
	v := l.ops[x.op].out
	rank := max(len(o.weight.shape), len(x.form))
	x.form = x.form.extended(rank)
	var along []atom // the places for which the weight has numbers, in the weight's order
	for i, s := range o.weight.shape {
		axis := x.form[rank-len(o.weight.shape)+i]
		if s > 1 && size(axisSizes(axis)) != s {
			return fmt.Errorf("a weight of shape %v does not fit its other input", o.weight.shape)
		}
		if s > 1 {
			along = concat(along, axis)
		}
	}
	if err := l.claimWeights(n, o.weight.name); err != nil {
		return err
	}
	switch {
	case slices.Equal(along, whole(axisF, v.f)):
		made := op{what: what, vector: o.weight.name}
		if what == isFactor {
			made.name = l.layerName(n, o.weight.name)
		}
		l.after(n, x, made)
	case what == isAddend && slices.Equal(along, concat(whole(axisT, v.t), whole(axisF, v.f))):
		l.after(n, x, op{what: isLayer, layer: layers.PositionEmbedding{}, name: o.weight.name,
			params: []param{same("", o.weight.name, 1, v.t, v.f)}})
	default:
		return fmt.Errorf("a weight of shape %v has neither a number for each channel nor, in a sum, a vector for each token",
			o.weight.shape)
	}
	return nil
}

func sameForm(a, b form) bool {
	return slices.EqualFunc(a, b, func(x, y []atom) bool { return slices.Equal(x, y) })
}

// alike returns tensors as values of one kind, with the same number of axes.
func (l *lowering) alike(n *onnx.Node, all []tensor) ([]tensor, error) {
	rank := 0
	for _, x := range all {
		rank = max(rank, len(x.form))
	}
	all = slices.Clone(all)
	for i := range all {
		all[i].form = all[i].form.extended(rank)
	}
	for _, as := range []func(*onnx.Node, tensor) (tensor, bool){l.asTokens, l.flat} {
		made, ok := slices.Clone(all), !l.oneKind(all)
		for i := 0; i < len(all) && ok; i++ {
			made[i], ok = as(n, all[i])
		}
		if ok {
			all = made
		}
	}
	if !l.oneKind(all) {
		return nil, errors.New("it joins images with tokens or features")
	}
	return all, nil
}

// oneKind reports whether tensors are all images, all tokens or all features.
func (l *lowering) oneKind(all []tensor) bool {
	return !slices.ContainsFunc(all, func(x tensor) bool { return l.ops[x.op].out.kind != l.ops[all[0].op].out.kind })
}

// join makes an op that joins two tensors element by element. It repeats a tensor along axes on which it has one element.
func (l *lowering) join(n *onnx.Node, what string, o operands) error {
	all, err := l.alike(n, []tensor{o.x, o.y})
	if err != nil {
		return err
	}
	x, y := all[0], all[1]
	f := make(form, len(x.form))
	for i := range f {
		switch {
		case slices.Equal(x.form[i], y.form[i]) || len(y.form[i]) == 0:
			f[i] = x.form[i]
		case len(x.form[i]) == 0:
			f[i] = y.form[i]
		default:
			return fmt.Errorf("what it joins does not run along the same axes of images or tokens (axis %d)", i)
		}
	}
	a, b := l.ops[x.op].out, l.ops[y.op].out
	out := value{a.kind, max(a.f, b.f), max(a.r, b.r), max(a.c, b.c), max(a.t, b.t)}
	l.set(n, tensor{l.add(n, op{what: what, in: []int{x.op, y.op}, out: out}), f})
	return nil
}
