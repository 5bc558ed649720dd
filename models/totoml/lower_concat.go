package totoml

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/models/layers"
	"github.com/ansatz-lab/ansatz/models/onnx"
)

// concatenation concatenates channels or features, or puts a learned token before the others.
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
			return errors.New("it concatenates weights or constants")
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

// mostJoined is the largest number of inputs of a concatenation.
const mostJoined = 256

// known returns the inputs of a concatenation. If other nodes concatenated the first ones before, the result for the
// longest such list replaces them: every layer of a DenseNet concatenates all earlier outputs anew.
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

// classToken makes the layer that puts a learned token before the others.
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
	_, stored, _ := l.trace.Weight(w.name)
	if !ok || !slices.Equal(x.form[axis], whole(axisT, v.t)) || w.shape[axis] != 1 || stored.Size() != v.f {
		return errors.New("it puts weights that are not one token before its input")
	}
	if err := l.claimWeights(n, w.name); err != nil {
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
