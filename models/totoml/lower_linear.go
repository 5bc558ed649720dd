package totoml

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/onnx"
)

// linear makes a linear layer of the features along the last axis of x. The node reads its weights as (feature, unit).
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
	o := op{what: isLayer, in: []int{x.op}, out: v, name: l.layerName(n, w.name),
		params: []param{same("weight", w.name, units, v.f)},
		layer:  models.Linear{Out: units, NoBias: bias == "", PerPosition: v.kind == image}}
	o.out.f = units
	names := []string{w.name}
	if bias != "" {
		o.params, names = append(o.params, same("bias", bias, units)), append(names, bias)
	}
	if err := l.claimWeights(n, names...); err != nil {
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
		return errors.New("its alpha, beta and transA are not 1, 1 and 0, as in a linear layer")
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
			return fmt.Errorf("its bias has the shape %v: want one number for each unit", bias.shape)
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

// attention makes an op for products of queries and keys, or for mixtures of values. The axes of the two tensors decide
// which.
func (l *lowering) attention(n *onnx.Node, x, y tensor) error {
	refused := errors.New("it multiplies two tensors that depend on the images, but not as an attention does")
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
