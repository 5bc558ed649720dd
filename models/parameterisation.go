package models

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/values"
	"gorgonia.org/tensor"
)

// Parameterisation says how the weights of convolutions and linear layers follow from the trained parameters. The zero value
// is the standard parameterisation, PyTorch's, in which they are the same.
//
// In the NTK parameterisation (Jacot et al. 2018) a layer is h ↦ (σ_w/√fan-in)·Wh + σ_b·b, and W and b begin as N(0, 1).
// It gives the tangent kernel an infinite-width limit. The layer's input, in [graph.Layer], is (σ_w/√fan-in)·h.
// Files of weights hold (σ_w/√fan-in)·W and σ_b·b, so that the network of a file is the same function in either
// parameterisation, and in PyTorch.
type Parameterisation struct {
	NTK         bool
	WeightScale float64 // σ_w
	BiasScale   float64 // σ_b
}

// The default scales of the NTK parameterisation. √2 preserves the size of activations through ReLUs.
const (
	DefaultWeightScale = math.Sqrt2
	DefaultBiasScale   = .1
)

// ParseParameterisation reads standard, ntk or ntk:W:B with the scales of weights and biases; "" is standard.
func ParseParameterisation(text string) (Parameterisation, error) {
	kind, scales, given := strings.Cut(text, ":")
	p := Parameterisation{NTK: true, WeightScale: DefaultWeightScale, BiasScale: DefaultBiasScale}
	switch {
	case text == "" || text == "standard":
		return Parameterisation{}, nil
	case kind != "ntk":
		return p, fmt.Errorf("parameterisation %q: want standard, ntk or ntk:W:B", text)
	case !given:
		return p, nil
	}
	w, b, _ := strings.Cut(scales, ":")
	var err, err2 error
	p.WeightScale, err = strconv.ParseFloat(w, 64)
	p.BiasScale, err2 = strconv.ParseFloat(b, 64)
	if err != nil || err2 != nil || !(p.WeightScale > 0 && p.BiasScale >= 0) || math.IsInf(p.WeightScale+p.BiasScale, 0) {
		return p, fmt.Errorf("parameterisation %q: want ntk:W:B, with a scale of the weights above 0 and one of the biases "+
			"of at least 0, as in ntk:1.5:0.1", text)
	}
	return p, nil
}

// String returns the text that [ParseParameterisation] reads, with the scales.
func (p Parameterisation) String() string {
	if !p.NTK {
		return "standard"
	}
	exact := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	return "ntk:" + exact(p.WeightScale) + ":" + exact(p.BiasScale)
}

// SetParameterisation sets the parameterisation that text names; see [ParseParameterisation]. The NTK parameterisation has
// its own initialisation, which replaces Init.
func (a *Architecture) SetParameterisation(text string) error {
	p, err := ParseParameterisation(text)
	if err != nil {
		return err
	}
	a.Parameterisation = p
	return nil
}

// Initialisation returns the initialisation of the NTK parameterisation or, in the standard one, Init.
func (a *Architecture) Initialisation() Init {
	p := a.Parameterisation
	if !p.NTK {
		return a.Init
	}
	w := scaledNormal{fmt.Sprintf("%.4g/√fan-in", p.WeightScale)}
	b := scaledNormal{fmt.Sprintf("%.4g", p.BiasScale)}
	return Init{Conv: w, Linear: w, ConvBias: b, LinearBias: b}
}

// scaledNormal is the scheme of weights that the network multiplies by a factor.
type scaledNormal struct{ factor string }

// Draw implements [Scheme].
func (scaledNormal) Draw(rng *rand.Rand, dst []float32, _ Place) { Normal{1}.Draw(rng, dst, Place{}) }

// String implements [Scheme].
func (s scaledNormal) String() string { return "N(0, 1), multiplied by " + s.factor }

// ConvLayer is [graph.Graph.ConvLayer] in the network's parameterisation.
func (b *Builder) ConvLayer(name string, x, w, bias *graph.Node, geometry graph.Conv2D) *graph.Node {
	x, bias = b.parameterise(name, x, w, bias)
	return b.Graph.ConvLayer(name, x, w, bias, geometry)
}

// LinearLayer is [graph.Graph.LinearLayer] in the network's parameterisation.
func (b *Builder) LinearLayer(name string, x, w, bias *graph.Node) *graph.Node {
	x, bias = b.parameterise(name, x, w, bias)
	return b.Graph.LinearLayer(name, x, w, bias)
}

// parameterise returns the input of a layer and its bias, both multiplied by their factors.
func (b *Builder) parameterise(name string, x, w, bias *graph.Node) (*graph.Node, *graph.Node) {
	if !b.parameterisation.NTK || b.Err() != nil {
		return x, bias
	}
	shape := w.Shape()
	factor := b.parameterisation.WeightScale / math.Sqrt(float64(shape.TotalSize()/shape[0]))
	ok := b.setFactor(w, factor, ConvWeight, LinearWeight)
	if bias != nil && ok {
		ok = b.setFactor(bias, b.parameterisation.BiasScale, ConvBias, LinearBias)
		bias = b.Scale(b.parameterisation.BiasScale, bias)
	}
	if !ok {
		b.Fail("%s: %w", name, errNoParameterisation)
	}
	return b.Scale(factor, x), bias
}

var errNoParameterisation = errors.New("the NTK parameterisation is for convolutions and linear layers whose weights " +
	"the network's initialisation draws")

// setFactor records the factor of a parameter. It returns false if the node is not a parameter with one of the roles.
func (b *Builder) setFactor(n *graph.Node, factor float64, roles ...Role) bool {
	for i := range b.params {
		if p := &b.params[i]; p.node == n && p.start == nil && slices.Contains(roles, p.role) {
			p.Factor, p.ntk = factor, true
			return true
		}
	}
	return false
}

// checkParameterised returns an error for a layer whose weights are not in the parameterisation.
func (b *Builder) checkParameterised(f *graph.Function) error {
	for _, l := range f.Layers {
		known := func(p Parameter) bool { return p.node == l.Weight && p.ntk }
		if b.parameterisation.NTK && !slices.ContainsFunc(b.params, known) {
			return fmt.Errorf("%s: %w", l.Name, errNoParameterisation)
		}
	}
	return nil
}

// toFile returns a copy of a parameter's value as it is stored in files of weights.
func (p Parameter) toFile(v *tensor.Dense) *tensor.Dense {
	v = v.Clone().(*tensor.Dense)
	if p.Factor != 1 {
		values.Scale(v, p.Factor)
	}
	return v
}

// fromFile converts the value of a parameter in a file: to v itself in the standard parameterisation. It returns an error for
// biases that are not 0 if the network multiplies them by 0.
func (p Parameter) fromFile(v *tensor.Dense) (*tensor.Dense, error) {
	if p.Factor == 1 {
		return v, nil
	}
	v = v.Clone().(*tensor.Dense)
	if p.Factor != 0 {
		values.Scale(v, 1/p.Factor)
		return v, nil
	}
	at := values.Reader(v)
	for i := range v.Shape().TotalSize() {
		if at(i) != 0 {
			return nil, fmt.Errorf("%s is not 0, which the parameterisation multiplies by 0: use a scale of the biases above 0",
				p.Name)
		}
	}
	return v, nil
}
