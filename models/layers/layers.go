// Package layers has the layers of today's networks, besides those of package models: activations, norms of each
// image, and attention.
package layers

import (
	"cmp"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models"
)

// Activation is a function of each element. [LeakyReLU] and [ELU] return one with a parameter; the variables are those
// without.
type Activation struct {
	kind      kind
	parameter float64
}

type kind int

const (
	silu kind = iota
	gelu
	geluTanh
	relu6
	sigmoid
	hardSigmoid
	hardSwish
	softplus
	mish
	erf
	leakyReLU
	elu
)

// The activations without a parameter.
var (
	SiLU        = Activation{kind: silu}
	GELU        = Activation{kind: gelu}
	GELUTanh    = Activation{kind: geluTanh}
	ReLU6       = Activation{kind: relu6}
	Sigmoid     = Activation{kind: sigmoid}
	HardSigmoid = Activation{kind: hardSigmoid}
	HardSwish   = Activation{kind: hardSwish}
	Softplus    = Activation{kind: softplus}
	Mish        = Activation{kind: mish}
	Erf         = Activation{kind: erf}
)

// LeakyReLU is x where x > 0, and slope·x elsewhere.
func LeakyReLU(slope float64) Activation { return Activation{leakyReLU, slope} }

// ELU is x where x > 0, and alpha·(eˣ − 1) elsewhere.
func ELU(alpha float64) Activation { return Activation{elu, alpha} }

// Slope returns the slope of a [LeakyReLU]; ok is false for other activations.
func (a Activation) Slope() (slope float64, ok bool) { return a.parameter, a.kind == leakyReLU }

// Alpha returns the parameter of an [ELU]; ok is false for other activations.
func (a Activation) Alpha() (alpha float64, ok bool) { return a.parameter, a.kind == elu }

// apply maps every activation to its op.
var apply = map[kind]func(g *graph.Graph, x *graph.Node, parameter float64) *graph.Node{
	silu:        ignoringParameter((*graph.Graph).SiLU),
	gelu:        ignoringParameter((*graph.Graph).GELU),
	geluTanh:    ignoringParameter((*graph.Graph).GELUTanh),
	relu6:       ignoringParameter((*graph.Graph).ReLU6),
	sigmoid:     ignoringParameter((*graph.Graph).Sigmoid),
	hardSigmoid: func(g *graph.Graph, x *graph.Node, _ float64) *graph.Node { return g.HardSigmoid(x, 1./6, .5) },
	hardSwish:   ignoringParameter((*graph.Graph).HardSwish),
	softplus:    ignoringParameter((*graph.Graph).Softplus),
	mish:        ignoringParameter((*graph.Graph).Mish),
	erf:         ignoringParameter((*graph.Graph).Erf),
	leakyReLU:   (*graph.Graph).LeakyReLU,
	elu:         (*graph.Graph).ELU,
}

// ignoringParameter turns an op without a parameter into one that ignores its parameter.
func ignoringParameter(op func(*graph.Graph, *graph.Node) *graph.Node) func(*graph.Graph, *graph.Node, float64) *graph.Node {
	return func(g *graph.Graph, x *graph.Node, _ float64) *graph.Node { return op(g, x) }
}

// Build implements [models.Layer].
func (a Activation) Build(b *models.Builder, _ string, x *graph.Node) *graph.Node {
	return apply[a.kind](b.Graph, x, a.parameter)
}

// Softmax applies a softmax to the channels of every position, to the features of every token, or to those of an image. If
// Log is set, it computes the logarithm of the softmax.
type Softmax struct{ Log bool }

// Build implements [models.Layer].
func (l Softmax) Build(b *models.Builder, _ string, x *graph.Node) *graph.Node {
	switch {
	case b.Err() != nil:
		return nil
	case l.Log:
		return b.LogSoftmaxAxis(x, x.Dims()-1)
	}
	return b.SoftmaxAxis(x, x.Dims()-1)
}

// affine declares the scale and the shift of a norm, with one element per channel each.
func affine(b *models.Builder, name string, x *graph.Node) (gamma, beta *graph.Node) {
	channels := x.Shape()[x.Dims()-1]
	gamma = b.Declare(name+".weight", models.NormScale, nil, channels)
	return gamma, b.Declare(name+".bias", models.NormShift, nil, channels)
}

// LayerNorm normalises the features of every token, or the channels of every position of images. Eps 0 is 1e-5.
type LayerNorm struct{ Eps float64 }

// Build implements [models.Layer].
func (l LayerNorm) Build(b *models.Builder, name string, x *graph.Node) *graph.Node {
	if b.Err() != nil {
		return nil
	}
	gamma, beta := affine(b, name, x)
	return b.LayerNorm(x, gamma, beta, cmp.Or(l.Eps, 1e-5))
}

// GroupNorm normalises groups of the channels of every image over all positions. With 0 groups every channel is a group of
// its own, as in an instance norm. Eps 0 is 1e-5.
type GroupNorm struct {
	Groups int
	Eps    float64
}

// Build implements [models.Layer].
func (l GroupNorm) Build(b *models.Builder, name string, x *graph.Node) *graph.Node {
	if b.Err() != nil {
		return nil
	}
	groups := l.Groups
	if groups == 0 {
		groups = x.Shape()[x.Dims()-1]
	}
	gamma, beta := affine(b, name, x)
	return b.GroupNorm(x, groups, gamma, beta, cmp.Or(l.Eps, 1e-5))
}

// Scale multiplies every channel by a learned number with the initial value Start. The parameter has the name of the layer
// and the shape (channels, 1, 1), as torchvision's layer scale.
type Scale struct{ Start float64 }

// Build implements [models.Layer].
func (l Scale) Build(b *models.Builder, name string, x *graph.Node) *graph.Node {
	if b.Err() != nil {
		return nil
	}
	channels := x.Shape()[x.Dims()-1]
	v := b.Declare(name, models.OwnParam, models.Constant(l.Start), channels, 1, 1)
	return b.RowMul(x, b.Reshape(v, channels))
}

// SqueezeExcite multiplies the channels of every image by factors that two layers compute from the channels' means: fc1 with
// the given number of units, an activation, fc2 and a gate.
func SqueezeExcite(units, channels int, activation, gate models.Layer) models.Layer {
	point := func(filters int) models.Conv { return models.Conv{Filters: filters, Kernel: [2]int{1, 1}} }
	return models.Branches{Join: models.Multiply, Branches: []models.Named{
		{Layer: models.Sequential{}},
		{Layer: models.Sequential{
			{Layer: models.AdaptiveAvgPool{H: 1, W: 1}}, {Name: "fc1", Layer: point(units)}, {Layer: activation},
			{Name: "fc2", Layer: point(channels)}, {Layer: gate},
		}},
	}}
}
