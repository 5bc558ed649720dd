package models

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// Scheme draws the initial values of parameters.
type Scheme interface {
	// Draw draws one parameter into dst.
	Draw(rng *rand.Rand, dst []float32, at Place)
	// String describes the scheme, for records.
	String() string
}

// Place is what a scheme may know of a parameter: of the layer's weight, for a
// bias.
type Place struct {
	Layer  int // place among the convolutions and linear layers, from 0, in the order of the forward pass
	FanIn  int // number of inputs of an output
	FanOut int // number of outputs that an input goes to
}

// Default is PyTorch's own: uniform within ±1/√fan-in, weights and biases alike.
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

// Normal is normal with mean 0 and a standard deviation for each layer, the last
// for all further ones.
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

// Constant is one value throughout.
type Constant float32

// Draw implements [Scheme].
func (c Constant) Draw(_ *rand.Rand, dst []float32, _ Place) {
	for i := range dst {
		dst[i] = float32(c)
	}
}

// String implements [Scheme].
func (c Constant) String() string { return fmt.Sprint(float32(c)) }
