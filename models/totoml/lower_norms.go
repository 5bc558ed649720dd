package totoml

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/layers"
	"github.com/ansatz-lab/ansatz/models/onnx"
)

// vectors returns the parameters of a norm, each with one number for each channel.
func (l *lowering) vectors(n *onnx.Node, channels int, names ...string) ([]param, error) {
	var all []param
	for i, name := range names {
		w, err := l.weight(n, 1+i)
		if err != nil {
			return nil, err
		}
		if size(w.shape) != channels {
			return nil, fmt.Errorf("its input %d has the shape %v: want one number for each channel", 2+i, w.shape)
		}
		if err := l.claimWeights(n, w.name); err != nil {
			return nil, err
		}
		all = append(all, same(name, w.name, channels))
	}
	return all, nil
}

func batchNorm(l *lowering, n *onnx.Node) error {
	x, err := l.input(n, 0)
	if err != nil {
		return err
	}
	if v := l.ops[x.op].out; len(x.form) > 1 && !slices.Equal(x.form[1], whole(axisF, v.f)) {
		x, _ = l.flat(n, x)
	}
	v := l.ops[x.op].out
	if len(x.form) < 2 || !slices.Equal(x.form[1], whole(axisF, v.f)) {
		return errors.New("it does not normalise channels")
	}
	params, err := l.vectors(n, v.f, "weight", "bias", "running_mean", "running_var")
	if err != nil {
		return err
	}
	l.after(n, x, op{what: isLayer, name: l.layerName(n, params[0].from[0]), params: params,
		layer: models.BatchNorm{Eps: short(n.Float("epsilon", 1e-5)), Momentum: momentum(n)}})
	return nil
}

// momentum returns the weight of a batch in running statistics; ONNX gives the weight of the earlier ones, 1 − momentum.
func momentum(n *onnx.Node) float64 {
	m := float64(int(1e6*(1-n.Float("momentum", .9))+.5)) / 1e6
	if m <= 0 {
		return 0 // the default
	}
	return m
}

func layerNorm(l *lowering, n *onnx.Node) error {
	x, err := l.input(n, 0)
	if err != nil {
		return err
	}
	if t, ok := l.asTokens(n, x); ok {
		x = t
	}
	v, axis, last := l.ops[x.op].out, n.Int("axis", -1), len(x.form)-1
	if axis != -1 && axis != last || !slices.Equal(x.form[last], whole(axisF, v.f)) {
		return errors.New("it does not normalise the channels of each position")
	}
	params, err := l.vectors(n, v.f, "weight", "bias")
	if err != nil {
		return err
	}
	l.after(n, x, op{what: isLayer, name: l.layerName(n, params[0].from[0]), params: params,
		layer: layers.LayerNorm{Eps: short(n.Float("epsilon", 1e-5))}})
	return nil
}

// instanceNorm makes an instance norm or, with scales of 1 and shifts of 0, the group norm that exporters write so.
func instanceNorm(l *lowering, n *onnx.Node) error {
	x, err := l.input(n, 0)
	if err != nil {
		return err
	}
	v, eps := l.ops[x.op].out, short(n.Float("epsilon", 1e-5))
	if v.kind != image || len(x.form) < 2 {
		return errors.New("it does not normalise images")
	}
	rest := concat(x.form[2:]...)
	if slices.Equal(x.form[1], whole(axisF, v.f)) && slices.Equal(rest, concat(whole(axisR, v.r), whole(axisC, v.c))) &&
		l.trace.Constant(n.Inputs[1]) == nil {
		params, err := l.vectors(n, v.f, "weight", "bias")
		if err != nil {
			return err
		}
		l.after(n, x, op{what: isLayer, name: l.layerName(n, params[0].from[0]), params: params,
			layer: layers.GroupNorm{Eps: eps}})
		return nil
	}
	groups := l.trace.Shape(n.Inputs[0])[1]
	if groups < 1 || v.f%groups != 0 || !l.all(n.Inputs[1], 1) || !l.all(n.Inputs[2], 0) ||
		!slices.Equal(x.form[1], merged([]atom{{axisF, groups, v.f / groups}})) ||
		!slices.Equal(rest, merged([]atom{{axisF, v.f / groups, 1}, {axisR, v.r, 1}, {axisC, v.c, 1}})) {
		return errors.New("it normalises neither channels nor groups of channels")
	}
	l.after(n, x, op{what: isNorm, groups: groups, a: eps})
	return nil
}

// all reports whether every element of a constant or of a stored tensor is equal to value.
func (l *lowering) all(name string, value float64) bool {
	t := l.trace.Constant(name)
	if t == nil {
		_, t, _ = l.trace.Weight(name)
	}
	if t == nil {
		return false
	}
	v, err := t.Doubles()
	return err == nil && !slices.ContainsFunc(v, func(x float64) bool { return x != value })
}
