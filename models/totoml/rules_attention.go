package totoml

import (
	"math"

	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/layers"
)

// attentionOf makes PyTorch's attention of projections to queries, keys and values, softmax(q·kᵀ/√d)·v, and a projection
// of the result. The first three are three layers, or thirds of one layer, which is the first of three steps.
func attentionOf(s steps) (steps, bool) {
	var before step
	if len(s) == 3 {
		before = s[0]
		s = s[1:]
	}
	mix, out := s[0], s[1]
	if !mix.is(isMixture) || len(mix.branches) != 2 || !projection(out) {
		return nil, false
	}
	products, scale, ok := weightsOf(mix.branches[0])
	if !ok || len(products.branches) != 2 {
		return nil, false
	}
	parts := [3]steps{products.branches[0], products.branches[1], mix.branches[1]}
	for i := range 2 {
		if n := len(parts[i]) - 1; n > 0 && parts[i][n].is(isScale) {
			scale, parts[i] = scale*parts[i][n].a, parts[i][:n]
		}
	}
	d := mix.out.f
	if products.a < 1 || !near(scale, 1/math.Sqrt(products.a)) || d%int(products.a) != 0 || out.out.f != d {
		return nil, false
	}
	var in []step
	for i, p := range parts {
		if len(p) != 1 {
			return nil, false
		}
		if before.op != nil && p[0].is(isSlice) && p[0].a == float64(i*d) && p[0].b == float64((i+1)*d) {
			in = []step{before}
			continue
		}
		if before.op != nil || !projection(p[0]) {
			return nil, false
		}
		in = append(in, p[0])
	}
	if before.op != nil && (!projection(before) || before.out.f != 3*d) {
		return nil, false
	}
	for _, p := range in {
		if p.params[0].shape[1] != d { // PyTorch's attention reads as many features as it makes
			return nil, false
		}
	}
	return steps{attention(in, out, d, int(products.a))}, true
}

// projection reports whether a step is a linear layer with a bias that reads tokens.
func projection(s step) bool {
	l, ok := s.layer.(models.Linear)
	return ok && s.is(isLayer) && !l.NoBias && s.out.kind == tokens
}

// weightsOf returns, from the steps that make an attention's weights, the products of queries and keys and their factor.
func weightsOf(s steps) (products step, scale float64, ok bool) {
	switch {
	case has(s, isProducts, isSoftmax):
		return s[0], 1, true
	case has(s, isProducts, isScale, isSoftmax):
		return s[0], s[1].a, true
	}
	return step{}, 0, false
}

// attention returns an attention of d features with heads of size features, and with the weights of its projections.
func attention(in []step, out step, d, size int) step {
	weight := param{name: "in_proj_weight", shape: []int{3 * d, d}}
	bias := param{name: "in_proj_bias", shape: []int{3 * d}}
	var names []string
	for _, p := range in {
		weight.from = append(weight.from, p.params[0].from...)
		bias.from = append(bias.from, p.params[1].from...)
		names = append(names, p.name)
	}
	name := names[0]
	if len(names) > 1 {
		if name = commonPath(append(names, out.name)); name != "" {
			name += "."
		}
		name += "attention"
	}
	o := *out.op
	o.name, o.layer = name, layers.Attention{Heads: d / size}
	o.params = []param{weight, bias, same("out_proj.weight", out.params[0].from[0], d, d),
		same("out_proj.bias", out.params[1].from[0], d)}
	return step{op: &o}
}
