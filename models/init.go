package models

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
)

// Stream returns the source of random numbers for a seed and a name. Streams with different names are independent, and
// do not depend on how many numbers were drawn from other streams.
func Stream(seed uint64, name string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(name))
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

// Init is an initialisation: the schemes of weights and biases. A nil scheme is [Default]. Batch norms always start at
// the identity.
type Init struct{ Conv, Linear, ConvBias, LinearBias Scheme }

// SetInit replaces the architecture's own initialisation by a named one; an empty text keeps it. The names are
//   - pytorch, PyTorch's default for convolutions and linear layers;
//   - kaiming, normal with variance 2/fan-in and biases of 0 (He et al. 2015);
//   - normal:S1,S2,…, normal with standard deviation S1 in the first convolution
//     or linear layer, S2 in the second, …, and the last in all further ones, and
//     biases of 0. cnfa uses normal:5e-3,1e-2 (Fig. 9) and normal:1e-4 (Fig. 8).
func (a *Architecture) SetInit(text string) error {
	if text == "" {
		return nil
	}
	in, err := parseInit(text)
	if err != nil {
		return err
	}
	a.Init = in
	if a.small != nil {
		a.small.Init = in
	}
	return nil
}

func parseInit(text string) (Init, error) {
	unbiased := func(s Scheme) Init {
		return Init{Conv: s, Linear: s, ConvBias: Constant(0), LinearBias: Constant(0)}
	}
	switch list, normal := strings.CutPrefix(text, "normal:"); {
	case text == "pytorch":
		return Init{}, nil
	case text == "kaiming":
		return unbiased(Kaiming{}), nil
	case normal:
		stds, err := parseStds(list)
		if err != nil {
			return Init{}, fmt.Errorf("initialisation %q: %w", text, err)
		}
		return unbiased(stds), nil
	}
	return Init{}, fmt.Errorf(
		"initialisation %q: want pytorch, kaiming, or normal:S1,S2,… with the standard deviations of the layers", text)
}

func parseStds(list string) (Normal, error) {
	var stds Normal
	for _, s := range strings.Split(list, ",") {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil || !(v >= 0) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("%q is not a standard deviation: want normal:S1,S2,… with numbers of at least 0", s)
		}
		stds = append(stds, v)
	}
	return stds, nil
}

// check returns an error if the initialisation has more standard deviations than there are layers.
func (in Init) check(layers int) error {
	for _, s := range []Scheme{in.Conv, in.Linear} {
		if n, ok := s.(Normal); ok && len(n) > layers {
			return fmt.Errorf("initialisation with %d standard deviations for %d layers: want at most one a layer",
				len(n), layers)
		}
	}
	return nil
}

// String describes the initialisation, for records.
func (in Init) String() string {
	alike := func(both, one, other string, a, b Scheme) string {
		if a.String() == b.String() {
			return both + " " + a.String()
		}
		return one + " " + a.String() + ", " + other + " " + b.String()
	}
	return alike("weights", "convolutions", "linear layers", in.scheme(ConvWeight), in.scheme(LinearWeight)) + "; " +
		alike("biases", "biases of convolutions", "of linear layers", in.scheme(ConvBias), in.scheme(LinearBias))
}

// scheme returns the scheme of a parameter with role r.
func (in Init) scheme(r Role) Scheme {
	var s Scheme
	switch r {
	case ConvWeight:
		s = in.Conv
	case LinearWeight:
		s = in.Linear
	case ConvBias:
		s = in.ConvBias
	case LinearBias:
		s = in.LinearBias
	case NormScale, NormVar:
		s = Constant(1)
	case NormShift, NormMean:
		s = Constant(0)
	}
	if s == nil {
		return Default{}
	}
	return s
}

// Scheme draws the initial values of parameters.
type Scheme interface {
	// Draw writes random initial values of one parameter into dst.
	Draw(rng *rand.Rand, dst []float32, at Place)
	// String describes the scheme, for records.
	String() string
}

// Place says where a parameter is in the network; for a bias, where the weight of its layer is.
type Place struct {
	Layer  int // index among the convolutions and linear layers, from 0, in the order of the forward pass
	FanIn  int // number of inputs to each output
	FanOut int // number of outputs that each input reaches
}

// Default is PyTorch's default: uniform within ±1/√fan-in, for weights and biases.
type Default struct{}

// Draw implements [Scheme].
func (Default) Draw(rng *rand.Rand, dst []float32, at Place) {
	bound := 1 / math.Sqrt(float64(at.FanIn))
	for i := range dst {
		dst[i] = float32((2*rng.Float64() - 1) * bound)
	}
}

// String implements [Scheme].
func (Default) String() string { return "uniform within ±1/√fan-in" }

// Kaiming is normal with variance 2/fan-in, or 2/fan-out (He et al. 2015).
type Kaiming struct{ FanOut bool }

// Draw implements [Scheme].
func (k Kaiming) Draw(rng *rand.Rand, dst []float32, at Place) {
	fan := at.FanIn
	if k.FanOut {
		fan = at.FanOut
	}
	Normal{math.Sqrt(2 / float64(fan))}.Draw(rng, dst, Place{})
}

// String implements [Scheme].
func (k Kaiming) String() string {
	if k.FanOut {
		return "normal with variance 2/fan-out"
	}
	return "normal with variance 2/fan-in"
}

// Normal is normal with mean 0 and a standard deviation for every layer; the last one also serves all further layers.
type Normal []float64

// Draw implements [Scheme].
func (n Normal) Draw(rng *rand.Rand, dst []float32, at Place) {
	std := n[min(at.Layer, len(n)-1)]
	for i := range dst {
		dst[i] = float32(rng.NormFloat64() * std)
	}
}

// String implements [Scheme].
func (n Normal) String() string {
	stds := strings.Trim(fmt.Sprint([]float64(n)), "[]")
	if len(n) == 1 {
		return "normal with standard deviation " + stds
	}
	return "normal with standard deviations " + strings.ReplaceAll(stds, " ", ", ") +
		" by layer, the last in all further ones"
}

// Constant sets all elements to one value.
type Constant float32

// Draw implements [Scheme].
func (c Constant) Draw(_ *rand.Rand, dst []float32, _ Place) {
	for i := range dst {
		dst[i] = float32(c)
	}
}

// String implements [Scheme].
func (c Constant) String() string { return fmt.Sprint(float32(c)) }
