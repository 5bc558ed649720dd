package totoml

import (
	"fmt"
	"slices"

	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/archfile"
	"github.com/ansatz-lab/ansatz/models/fromonnx"
	"github.com/ansatz-lab/ansatz/models/onnx"
)

// lowering turns the nodes of an ONNX graph into a list of ops. Nodes that change only the order or the shape of axes
// change the forms of tensors, and become ops only if a layer of an architecture file does the same.
type lowering struct {
	trace   *fromonnx.Trace
	ops     []*op // the first stands for the images
	tensors map[string]tensor
	makers  map[string]*onnx.Node // the nodes that make tensors from weights alone
	as      map[[2]int]int        // the op that makes tokens or features (a kind) of an op's images
	concats map[string]string     // results of concatenations, by concatKey
	readBy  map[string]*onnx.Node // the nodes whose layers have a parameter
}

// lower makes ops of all nodes. The last op makes the output.
func lower(t *fromonnx.Trace, in models.Shape, images int) ([]*op, error) {
	v := value{image, in.Channels, in.Height, in.Width, 1}
	l := &lowering{trace: t, ops: []*op{{out: v}}, makers: map[string]*onnx.Node{}, as: map[[2]int]int{},
		concats: map[string]string{}, readBy: map[string]*onnx.Node{},
		tensors: map[string]tensor{t.Input: {0, form{whole(axisN, images), whole(axisF, v.f), whole(axisR, v.r),
			whole(axisC, v.c)}}}}
	for _, n := range t.Nodes {
		if err := l.lowerNode(n); err != nil {
			return nil, fmt.Errorf("%s: %w", n.Describe(), err)
		}
		if len(l.ops) > archfile.MaxCount {
			return nil, fmt.Errorf("%s: it has more than %d layers", n.Describe(), archfile.MaxCount)
		}
	}
	out, ok := l.tensors[t.Output]
	if !ok {
		return nil, fmt.Errorf("the output %q does not depend on the images", t.Output)
	}
	return l.ops[:out.op+1], l.checkOutput(out)
}

// checkOutput returns an error unless the output has a row of features for each image, in the order of flattened images.
func (l *lowering) checkOutput(out tensor) error {
	v := l.ops[out.op].out
	var want []atom
	switch v.kind {
	case image:
		want = concat(whole(axisF, v.f), whole(axisR, v.r), whole(axisC, v.c))
	case tokens:
		return fmt.Errorf("the output has tokens: want a row of features for each image")
	default:
		want = whole(axisF, v.f)
	}
	if !slices.Equal(concat(out.form[1:]...), want) {
		return fmt.Errorf("the output does not have the order of axes (image, channel, row, column)")
	}
	return nil
}

// lowerNode makes ops of a node. The lowering takes for granted that the node has the inputs and outputs that ONNX demands
// of its op, and panics if it has not; lowerNode makes an error of the panic.
func (l *lowering) lowerNode(n *onnx.Node) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = n.Misfit(p)
		}
	}()
	depends := slices.ContainsFunc(n.Inputs, func(name string) bool { _, ok := l.tensors[name]; return ok })
	if !depends {
		for _, out := range n.Outputs {
			l.makers[out] = n
		}
		return nil
	}
	f := lowerings[n.Op]
	if f == nil {
		return fmt.Errorf("an architecture file has no layer that does it")
	}
	return f(l, n)
}

// add appends an op of a node, and returns its index.
func (l *lowering) add(n *onnx.Node, o op) int {
	o.node = n
	l.ops = append(l.ops, &o)
	return len(l.ops) - 1
}

// after appends an op that reads one tensor and makes one of the same sizes and form, the first result of the node.
func (l *lowering) after(n *onnx.Node, x tensor, o op) {
	o.in, o.out = []int{x.op}, l.ops[x.op].out
	l.set(n, tensor{l.add(n, o), x.form})
}

// set records a tensor as the first result of a node.
func (l *lowering) set(n *onnx.Node, t tensor) { l.tensors[n.Outputs[0]] = t }

// input returns the i-th input of a node, which must depend on the images.
func (l *lowering) input(n *onnx.Node, i int) (tensor, error) {
	t, ok := l.tensors[n.Inputs[i]]
	if !ok {
		return t, fmt.Errorf("its input %d does not depend on the images", i+1)
	}
	return t, nil
}

// images returns the first input of a node, and an error unless it is images with the axes (image, channel, row, column).
func (l *lowering) images(n *onnx.Node) (tensor, value, error) {
	x, err := l.input(n, 0)
	if err != nil {
		return x, value{}, err
	}
	v := l.ops[x.op].out
	if v.kind != image || len(x.form) != 4 || !slices.Equal(x.form[1], whole(axisF, v.f)) ||
		!slices.Equal(x.form[2], whole(axisR, v.r)) || !slices.Equal(x.form[3], whole(axisC, v.c)) {
		return x, v, fmt.Errorf("it does not read images (image, channel, row, column)")
	}
	return x, v, nil
}

// imageForm returns the form of images v with the axes (image, channel, row, column).
func (t tensor) imageForm(v value) form {
	return form{t.form[0], whole(axisF, v.f), whole(axisR, v.r), whole(axisC, v.c)}
}

// asTokens returns images whose rows and columns are one axis as tokens. It reports whether the result is tokens.
func (l *lowering) asTokens(n *onnx.Node, x tensor) (tensor, bool) {
	v := l.ops[x.op].out
	if v.kind != image || v.positions() == 1 || min(v.r, v.c) == 1 && len(x.form) > 3 {
		return x, v.kind == tokens
	}
	places := whole(axisT, v.positions())
	f, ok := x.form.replaced(concat(whole(axisR, v.r), whole(axisC, v.c)), places)
	if !ok {
		return x, false
	}
	return tensor{l.made(n, x.op, tokens, value{tokens, v.f, 1, 1, v.positions()}), f}, true
}

// flat returns images of which one axis lists all elements as features. It reports whether the result is features.
func (l *lowering) flat(n *onnx.Node, x tensor) (tensor, bool) {
	v := l.ops[x.op].out
	if v.kind != image {
		return x, v.kind == features
	}
	size := v.f * v.positions()
	f, ok := x.form.replaced(concat(whole(axisF, v.f), whole(axisR, v.r), whole(axisC, v.c)), whole(axisF, size))
	if !ok {
		return x, false
	}
	return tensor{l.made(n, x.op, features, value{features, size, 1, 1, 1}), f}, true
}

// made returns the op that makes tokens or features of an op's images. It appends that op if there is none yet.
func (l *lowering) made(n *onnx.Node, from int, k kind, v value) int {
	key := [2]int{from, int(k)}
	if i, ok := l.as[key]; ok {
		return i
	}
	o := op{what: isLayer, in: []int{from}, out: v, layer: models.Flatten{}}
	if k == tokens {
		o.layer = tokensLayer
	}
	l.as[key] = l.add(n, o)
	return l.as[key]
}

// number returns the value of a constant of one element. It reports false for other tensors.
func (l *lowering) number(name string) (float64, bool) {
	t := l.trace.Constant(name)
	if t == nil || t.Size() != 1 {
		return 0, false
	}
	v, err := t.Doubles()
	if err != nil || len(v) != 1 {
		return 0, false
	}
	return v[0], true
}

// ints returns whole numbers that a node has as an attribute or as a constant input. It reports false if it has neither.
func (l *lowering) ints(n *onnx.Node, attribute string, input int) ([]int, bool) {
	if v := n.Attributes[attribute]; v != nil {
		return v.Ints(), true
	}
	if input < 0 || input >= len(n.Inputs) || n.Inputs[input] == "" {
		return nil, false
	}
	t := l.trace.Constant(n.Inputs[input])
	if t == nil {
		return nil, false
	}
	v, err := t.Sizes()
	return v, err == nil
}
