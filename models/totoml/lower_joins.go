package totoml

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/layers"
	"github.com/ansatz-lab/ansatz/models/onnx"
)

// operands is what a node of two inputs reads: two tensors, or one and a number, or one and a weight.
type operands struct {
	x, y    tensor
	both    bool
	number  float64
	isConst bool
	weight  stored
	second  bool // the tensor is the second input
}

func (l *lowering) operands(n *onnx.Node) (o operands, err error) {
	if len(n.Inputs) != 2 {
		return o, fmt.Errorf("it has %d inputs", len(n.Inputs))
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
	return errors.New("it subtracts weights, or from a number")
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
	return errors.New("it divides by weights, or a number")
}

func pow(l *lowering, n *onnx.Node) error {
	o, err := l.operands(n)
	switch {
	case err != nil:
		return err
	case o.isConst && !o.second:
		return l.scalar(n, o.x, isPower, o.number, 1)
	}
	return errors.New("its exponent is no constant number")
}

// scalar makes an op with a number, unless the number is the one that changes nothing.
func (l *lowering) scalar(n *onnx.Node, x tensor, what string, k, nothing float64) error {
	x.form = x.form.extended(len(l.trace.Shape(n.Outputs[0])))
	if k == nothing {
		l.set(n, x)
		return nil
	}
	l.after(n, x, op{what: what, a: k})
	return nil
}

// vector multiplies a tensor by a weight, or adds one: a number for every channel, or a vector for every token.
func (l *lowering) vector(n *onnx.Node, o operands, what string) error {
	x := o.x
	if t, ok := l.asTokens(n, x); ok {
		x = t
	}
	v := l.ops[x.op].out
	rank := max(len(o.weight.shape), len(x.form))
	x.form = x.form.extended(rank)
	var along []atom // the places that the weight has numbers for, in its order
	for i, s := range o.weight.shape {
		axis := x.form[rank-len(o.weight.shape)+i]
		if s > 1 && size(axisSizes(axis)) != s {
			return fmt.Errorf("a weight of shape %v does not fit what it reads", o.weight.shape)
		}
		if s > 1 {
			along = concat(along, axis)
		}
	}
	if err := l.own(n, o.weight.name); err != nil {
		return err
	}
	switch {
	case slices.Equal(along, whole(axisF, v.f)):
		made := op{what: what, weights: [2]string{o.weight.name}}
		if what == isFactor {
			made.name = l.call(n, o.weight.name)
		}
		l.after(n, x, made)
	case what == isAddend && slices.Equal(along, concat(whole(axisT, v.t), whole(axisF, v.f))):
		l.after(n, x, op{what: isLayer, layer: layers.PositionEmbedding{}, name: o.weight.name,
			params: []param{same("", o.weight.name, 1, v.t, v.f)}})
	default:
		return fmt.Errorf("a weight of shape %v is neither one number a channel nor, in a sum, a vector a token",
			o.weight.shape)
	}
	return nil
}

func sameForm(a, b form) bool {
	return slices.EqualFunc(a, b, func(x, y []atom) bool { return slices.Equal(x, y) })
}

// alike returns tensors as values of one kind, with as many axes each.
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
		return nil, errors.New("it joins values of which some are images, and others tokens or features")
	}
	return all, nil
}

// oneKind reports whether tensors are all images, all tokens or all features.
func (l *lowering) oneKind(all []tensor) bool {
	return !slices.ContainsFunc(all, func(x tensor) bool { return l.ops[x.op].out.kind != l.ops[all[0].op].out.kind })
}

// join makes an op of two tensors, element by element. An axis along which one of them has one element is repeated.
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

// concatenation joins channels or features, or puts a learned token before the others.
func concatenation(l *lowering, n *onnx.Node) error {
	axis := n.Int("axis", 0)
	if axis < 0 {
		axis += len(l.trace.Shape(n.Outputs[0]))
	}
	if _, ok := l.tensors[n.Inputs[0]]; !ok && len(n.Inputs) == 2 {
		return l.classToken(n, axis)
	}
	if len(n.Inputs) > mostJoined {
		return fmt.Errorf("it concatenates %d tensors: want at most %d", len(n.Inputs), mostJoined)
	}
	var all []tensor
	for _, name := range l.known(n, axis) {
		x, ok := l.tensors[name]
		if !ok {
			return errors.New("it joins weights or constants")
		}
		if v := l.ops[x.op].out; v.kind == image && !slices.Equal(x.form[axis], whole(axisF, v.f)) {
			x, _ = l.flat(n, x)
		}
		all = append(all, x)
	}
	all, err := l.alike(n, all)
	if err != nil {
		return err
	}
	o := op{what: isConcat, out: l.ops[all[0].op].out}
	o.out.f = 0
	for _, x := range all {
		f := l.ops[x.op].out.f
		if !slices.Equal(x.form[axis], whole(axisF, f)) {
			return errors.New("it concatenates along another axis than the channels or the features")
		}
		o.in, o.out.f = append(o.in, x.op), o.out.f+f
		x.form[axis] = nil
	}
	first := all[0].form
	for _, x := range all {
		if !sameForm(x.form, first) {
			return errors.New("what it concatenates does not run along the same axes of images or tokens")
		}
	}
	first[axis] = whole(axisF, o.out.f)
	if len(all) == 1 {
		l.set(n, all[0])
		return nil
	}
	l.set(n, tensor{l.add(n, o), first})
	return nil
}

// mostJoined is the most inputs of a concatenation.
const mostJoined = 256

// known returns the inputs of a concatenation, with the longest list that is concatenated elsewhere replaced by its
// result: networks such as DenseNet concatenate anew in every layer all that they have.
func (l *lowering) known(n *onnx.Node, axis int) []string {
	all := n.Inputs
	for k := len(n.Inputs) - 1; k > 1; k-- {
		if made := l.concats[concatKey(axis, n.Inputs[:k])]; made != "" {
			all = append([]string{made}, n.Inputs[k:]...)
			break
		}
	}
	l.concats[concatKey(axis, n.Inputs)] = n.Outputs[0]
	return all
}

func concatKey(axis int, names []string) string {
	return fmt.Sprint(axis, "\x00", strings.Join(names, "\x00"))
}

// classToken puts a weight before the tokens.
func (l *lowering) classToken(n *onnx.Node, axis int) error {
	w, err := l.weight(n, 0)
	if err != nil {
		return err
	}
	x, err := l.input(n, 1)
	if err != nil {
		return err
	}
	x, ok := l.asTokens(n, x)
	v := l.ops[x.op].out
	stored, _ := l.trace.Weight(w.name)
	if !ok || !slices.Equal(x.form[axis], whole(axisT, v.t)) || w.shape[axis] != 1 || stored.Size() != v.f {
		return errors.New("it puts weights, which are no token, before what it reads")
	}
	if err := l.own(n, w.name); err != nil {
		return err
	}
	o := op{what: isLayer, in: []int{x.op}, layer: layers.ClassToken{}, name: w.name,
		params: []param{same("", w.name, 1, 1, v.f)}, out: v}
	o.out.t++
	f := slices.Clone(x.form)
	f[axis] = whole(axisT, o.out.t)
	l.set(n, tensor{l.add(n, o), f})
	return nil
}

// linear makes a linear layer of the features along the last axis of x, with weights that are read as (feature, unit).
func (l *lowering) linear(n *onnx.Node, x tensor, w stored, bias string) error {
	last := len(x.form) - 1
	v := l.ops[x.op].out
	if t, ok := l.asTokens(n, x); ok && slices.Equal(t.form[last], whole(axisF, v.f)) {
		x = t
	} else if t, ok := l.flat(n, x); ok && v.kind == image && !slices.Equal(x.form[last], whole(axisF, v.f)) {
		x = t
	}
	v = l.ops[x.op].out
	if len(w.shape) != 2 || last < 1 || !slices.Equal(x.form[last], whole(axisF, v.f)) || w.shape[0] != v.f {
		return errors.New("it multiplies along another axis than the channels or the features")
	}
	units := w.shape[1]
	o := op{what: isLayer, in: []int{x.op}, out: v, name: l.call(n, w.name),
		params: []param{same("weight", w.name, units, v.f)},
		layer:  models.Linear{Out: units, NoBias: bias == "", PerPosition: v.kind == image}}
	o.out.f = units
	names := []string{w.name}
	if bias != "" {
		o.params, names = append(o.params, same("bias", bias, units)), append(names, bias)
	}
	if err := l.own(n, names...); err != nil {
		return err
	}
	f := slices.Clone(x.form)
	f[last] = whole(axisF, units)
	l.set(n, tensor{l.add(n, o), f})
	return nil
}

func gemm(l *lowering, n *onnx.Node) error {
	x, err := l.input(n, 0)
	if err != nil {
		return err
	}
	w, err := l.weight(n, 1)
	if err != nil {
		return err
	}
	if n.Float("alpha", 1) != 1 || n.Float("beta", 1) != 1 || n.Int("transA", 0) != 0 {
		return errors.New("its alpha, beta or transA are those of no linear layer")
	}
	if n.Int("transB", 0) != 0 && len(w.shape) == 2 {
		w.turned, w.shape = !w.turned, []int{w.shape[1], w.shape[0]}
	}
	if !w.turned {
		return errors.New("its weights are read in another way too")
	}
	bias := stored{}
	if len(n.Inputs) > 2 && n.Inputs[2] != "" {
		if bias, err = l.weight(n, 2); err != nil {
			return err
		}
		if size(bias.shape) != w.shape[1] {
			return fmt.Errorf("its bias has the shape %v", bias.shape)
		}
	}
	return l.linear(n, x, w, bias.name)
}

func matMul(l *lowering, n *onnx.Node) error {
	x, err := l.input(n, 0)
	if err != nil {
		return err
	}
	if y, both := l.tensors[n.Inputs[1]]; both {
		return l.attention(n, x, y)
	}
	w, err := l.weight(n, 1)
	if err != nil {
		return err
	}
	if !w.turned {
		return errors.New("its weights are read in another way too")
	}
	return l.linear(n, x, w, "")
}

// attention makes the products of queries and keys, or the mixtures of values, by the axes that the product is along.
func (l *lowering) attention(n *onnx.Node, x, y tensor) error {
	refused := errors.New("it multiplies two tensors that depend on the images, in another way than attentions do")
	rank := len(x.form)
	if rank != len(y.form) || rank < 3 {
		return refused
	}
	x, _ = l.asTokens(n, x)
	y, _ = l.asTokens(n, y)
	a, b := l.ops[x.op].out, l.ops[y.op].out
	heads := concat(x.form[:rank-2]...)
	rows, inner := x.form[rank-2], x.form[rank-1]
	if !slices.Equal(heads, concat(y.form[:rank-2]...)) || a.kind != tokens || b.kind != tokens || b.f != a.f {
		return refused
	}
	f := slices.Clone(x.form)
	switch {
	case len(inner) == 1 && inner[0].axis == axisF && inner[0].stride == 1 && slices.Equal(y.form[rank-2], inner) &&
		slices.Equal(rows, whole(axisT, a.t)) && slices.Equal(y.form[rank-1], whole(axisT, b.t)):
		f[rank-1] = whole(axisS, b.t)
		l.set(n, tensor{l.add(n, op{what: isProducts, in: []int{x.op, y.op}, out: a, a: float64(inner[0].size)}), f})
	case slices.Equal(inner, whole(axisS, b.t)) && slices.Equal(y.form[rank-2], whole(axisT, b.t)):
		f[rank-1] = y.form[rank-1]
		l.set(n, tensor{l.add(n, op{what: isMixture, in: []int{x.op, y.op}, out: b}), f})
	default:
		return refused
	}
	return nil
}
