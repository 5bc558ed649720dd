package totoml

import (
	"math"

	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/layers"
)

// simplified puts layers together that exporters write as several nodes. It appends step after step, and applies rules to
// the last steps until no rule applies.
func simplified(all steps) steps {
	var done steps
	for _, s := range all {
		for i := range s.branches {
			s.branches[i] = simplified(s.branches[i])
		}
		done = done.followed(s)
	}
	for i, s := range done {
		if s.is(isFactor) { // no norm took it as its scale
			done[i] = scaled(s)
		}
	}
	return done
}

// scaled turns a product with a vector into a layer.
func scaled(s step) step {
	return s.with(func(o *op) {
		o.what, o.layer, o.name = isLayer, layers.Scale{Start: 1}, o.vector
		o.params = []param{same("", o.name, o.out.f, 1, 1)}
	})
}

// followed appends a step, and applies rules to the end of the steps.
func (done steps) followed(s step) steps {
	done = append(done, s)
	for _, r := range rules {
		at := len(done) - r.length
		if at < 0 {
			continue
		}
		by, ok := r.apply(done[at:])
		if !ok {
			continue
		}
		done = done[:at:at]
		for _, s := range by {
			done = done.followed(s)
		}
		return done
	}
	return done
}

// rule replaces a number of consecutive steps. It makes fewer steps, or branches with fewer steps, or moves a factor from
// a branch to behind its join, so that applying rules comes to an end.
type rule struct {
	length int
	apply  func(s steps) (by steps, ok bool)
}

var rules = []rule{
	{1, factorOfBranch}, {1, gate}, {2, numbersOf}, {2, reLU6Of}, {3, hardSigmoidOf}, {2, blockOf}, {2, biasOf},
	{2, centred}, {2, scaleOfNorm}, {2, subsampleOf}, {2, attentionOf}, {3, attentionOf}, {1, noNumber},
}

// with returns a copy of a step as another op.
func (s step) with(change func(o *op)) step {
	o := *s.op
	change(&o)
	return step{&o, s.branches}
}

// as returns a copy of a step as a layer without parameters.
func (s step) as(l models.Layer) step {
	return step{op: s.with(func(o *op) { o.what, o.layer = isLayer, l }).op}
}

// ofNumber returns a copy of a step as an op with the number a.
func (s step) ofNumber(what string, a float64) step {
	return step{op: s.with(func(o *op) { o.what, o.a, o.layer = what, a, nil }).op}
}

// has reports whether steps are the given ops, in this order.
func has(s steps, whats ...string) bool {
	if len(s) != len(whats) {
		return false
	}
	for i, what := range whats {
		if !s[i].is(what) {
			return false
		}
	}
	return true
}

// noNumber leaves out factors of 1 and addends of 0.
func noNumber(s steps) (steps, bool) {
	return nil, s[0].is(isScale) && near(s[0].a, 1) || s[0].is(isShift) && s[0].a == 0
}

// numbersOf makes one factor of two, or one addend of two.
func numbersOf(s steps) (steps, bool) {
	switch {
	case has(s, isScale, isScale):
		return steps{s[1].ofNumber(isScale, s[0].a*s[1].a)}, true
	case has(s, isShift, isShift):
		return steps{s[1].ofNumber(isShift, s[0].a+s[1].a)}, true
	}
	return nil, false
}

// factorOfBranch moves a factor from the end of a branch of a product to behind the product.
func factorOfBranch(s steps) (steps, bool) {
	if !s[0].is(isMul) {
		return nil, false
	}
	for i, b := range s[0].branches {
		if n := len(b) - 1; n >= 0 && b[n].is(isScale) {
			by := s[0].with(func(*op) {})
			by.branches = append([]steps(nil), s[0].branches...)
			by.branches[i] = b[:n]
			return steps{by, s[0].ofNumber(isScale, b[n].a)}, true
		}
	}
	return nil, false
}

// gate makes activations of products x·f(x).
func gate(s steps) (steps, bool) {
	if !s[0].is(isMul) || len(s[0].branches) != 2 {
		return nil, false
	}
	b := s[0].branches[1]
	if len(b) == 0 {
		b = s[0].branches[0]
	} else if len(s[0].branches[0]) != 0 {
		return nil, false
	}
	switch at := s[0]; {
	case len(b) == 0:
		return steps{at.ofNumber(isPower, 2)}, true
	case has(b, isPower):
		return steps{at.ofNumber(isPower, b[0].a+1)}, true
	case len(b) == 1 && b[0].layerOf(layers.Sigmoid):
		return steps{at.as(layers.SiLU)}, true
	case len(b) == 1 && b[0].layerOf(layers.HardSigmoid):
		return steps{at.as(layers.HardSwish)}, true
	case len(b) == 2 && b[0].layerOf(layers.Softplus) && b[1].layerOf(models.Tanh{}):
		return steps{at.as(layers.Mish)}, true
	case len(b) == 2 && b[0].is(isShift) && b[0].a == 3 && b[1].layerOf(layers.ReLU6):
		return steps{at.as(layers.HardSwish), at.ofNumber(isScale, 6)}, true
	case has(b, isScale, isErf, isShift) && near(b[0].a, math.Sqrt(.5)) && b[2].a == 1:
		return steps{at.as(layers.GELU), at.ofNumber(isScale, 2)}, true
	case len(b) == 4 && cubic(b[0]) && b[1].is(isScale) && near(b[1].a, math.Sqrt(2/math.Pi)) &&
		b[2].layerOf(models.Tanh{}) && b[3].is(isShift) && b[3].a == 1:
		return steps{at.as(layers.GELUTanh), at.ofNumber(isScale, 2)}, true
	}
	return nil, false
}

// cubic reports whether a step is x + .044715·x³.
func cubic(s step) bool {
	if !s.is(isAdd) || len(s.branches) != 2 {
		return false
	}
	b := s.branches[0]
	if len(b) == 0 {
		b = s.branches[1]
	} else if len(s.branches[1]) != 0 {
		return false
	}
	return has(b, isPower, isScale) && b[0].a == 3 && near(b[1].a, .044715)
}

// reLU6Of makes one layer of a ReLU and a ReLU6.
func reLU6Of(s steps) (steps, bool) {
	return s[1:], s[0].layerOf(models.ReLU{}) && s[1].layerOf(layers.ReLU6)
}

// blockOf makes a ReLU after the sum of a residual block a part of the block.
func blockOf(s steps) (steps, bool) {
	if !s[0].isResidual() || s[0].relu || !s[1].layerOf(models.ReLU{}) {
		return nil, false
	}
	return steps{s[0].with(func(o *op) { o.relu = true })}, true
}

// hardSigmoidOf makes a hard sigmoid of min(max(x + 3, 0), 6)/6.
func hardSigmoidOf(s steps) (steps, bool) {
	if s[0].is(isShift) && s[0].a == 3 && s[1].layerOf(layers.ReLU6) && s[2].is(isScale) && near(s[2].a, 1./6) {
		return steps{s[2].as(layers.HardSigmoid)}, true
	}
	return nil, false
}

// biasOf makes a vector that is added to the result of a linear layer or a convolution the layer's bias.
func biasOf(s steps) (steps, bool) {
	if !s[1].is(isAddend) || !s[0].is(isLayer) {
		return nil, false
	}
	l := s[0].layer
	switch c := l.(type) {
	case models.Linear:
		if !c.NoBias {
			return nil, false
		}
		l = models.Linear{Out: c.Out, PerPosition: c.PerPosition}
	case models.Conv:
		if !c.NoBias {
			return nil, false
		}
		c.NoBias = false
		l = c
	default:
		return nil, false
	}
	return steps{s[0].with(func(o *op) {
		o.layer = l
		o.params = append(o.params[:1:1], same("bias", s[1].vector, o.out.f))
	})}, true
}

// centred makes a layer norm without weights of (x − mean)/√(mean of squares + eps).
func centred(s steps) (steps, bool) {
	if !s[0].is(isSub) || !s[1].is(isDiv) || len(s[0].branches) != 2 || len(s[1].branches) != 2 {
		return nil, false
	}
	mean, spread := s[0].branches[1], s[1].branches[1]
	if len(s[0].branches[0]) != 0 || len(s[1].branches[0]) != 0 || len(mean) != 1 ||
		!mean[0].layerOf(models.ChannelMean{}) || len(spread) != 4 || !spread[0].is(isPower) || spread[0].a != 2 ||
		!spread[1].layerOf(models.ChannelMean{}) || !spread[2].is(isShift) ||
		!spread[3].is(isSqrt) && !(spread[3].is(isPower) && spread[3].a == .5) {
		return nil, false
	}
	return steps{step{op: s[1].with(func(o *op) {
		o.what, o.a, o.groups = isNorm, short(spread[2].a), 0 // 0 groups: each position is normalised by itself
	}).op}}, true
}

// scaleOfNorm gives a norm its scale, and then its shift, which makes it a layer.
func scaleOfNorm(s steps) (steps, bool) {
	switch {
	case !s[0].is(isNorm):
	case s[1].is(isFactor) && s[0].vector == "":
		return steps{s[0].with(func(o *op) { o.vector, o.name = s[1].vector, s[1].name })}, true
	case s[1].is(isAddend) && s[0].vector != "":
		scale, shift := s[0].vector, s[1].vector
		return steps{s[0].with(func(o *op) {
			o.what, o.layer = isLayer, layers.LayerNorm{Eps: o.a}
			if o.groups > 0 {
				o.layer = layers.GroupNorm{Groups: o.groups, Eps: o.a}
			}
			o.params = []param{same("weight", scale, o.out.f), same("bias", shift, o.out.f)}
		})}, true
	}
	return nil, false
}

// subsampleOf makes the shortcut of the CIFAR ResNets, which has no parameters: strides, then zero channels on both sides.
func subsampleOf(s steps) (steps, bool) {
	switch {
	case has(s, isStride, isStride) && s[0].a == s[1].a && s[0].b+s[1].b == 3:
		return steps{s[1].with(func(o *op) { o.b = 3 })}, true // rows and columns
	case has(s, isStride, isWiden) && s[0].b == 3 && (s[1].b == s[1].a || s[1].b == s[1].a+1):
		return steps{s[1].as(models.Subsample{Stride: int(s[0].a), Filters: s[1].out.f})}, true
	}
	return nil, false
}
