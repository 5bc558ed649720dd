package models

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
)

// Stream returns the random numbers of a named purpose within a run: streams of
// different names are independent, and one does not depend on how much was
// drawn from another.
func Stream(seed uint64, name string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(name))
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

// Scheme draws the initial values of one parameter, into dst. fanIn is the
// number of inputs of an output (of the layer's weight, for a bias), fanOut the
// number of outputs that an input goes to.
type Scheme func(rng *rand.Rand, dst []float32, fanIn, fanOut int)

// Init is how a network's weights start: batch norms always at the identity.
// A nil scheme is [Default].
type Init struct{ Conv, Linear, ConvBias, LinearBias Scheme }

// Default is PyTorch's own: uniform within ±1/√fanIn, weights and biases alike.
func Default(rng *rand.Rand, dst []float32, fanIn, _ int) {
	bound := 1 / math.Sqrt(float64(fanIn))
	for i := range dst {
		dst[i] = float32((2*rng.Float64() - 1) * bound)
	}
}

// KaimingFanIn is normal with variance 2/fanIn.
func KaimingFanIn(rng *rand.Rand, dst []float32, fanIn, _ int) {
	Normal(math.Sqrt(2/float64(fanIn)))(rng, dst, 0, 0)
}

// KaimingFanOut is normal with variance 2/fanOut.
func KaimingFanOut(rng *rand.Rand, dst []float32, _, fanOut int) {
	Normal(math.Sqrt(2/float64(fanOut)))(rng, dst, 0, 0)
}

// Normal is normal with mean 0 and the given standard deviation.
func Normal(std float64) Scheme {
	return func(rng *rand.Rand, dst []float32, _, _ int) {
		for i := range dst {
			dst[i] = float32(std * rng.NormFloat64())
		}
	}
}

// Zero is zero.
func Zero(_ *rand.Rand, dst []float32, _, _ int) { clear(dst) }

// scheme returns how a parameter of role r starts.
func (in Init) scheme(r role) Scheme {
	constant := func(v float32) Scheme {
		return func(_ *rand.Rand, dst []float32, _, _ int) {
			for i := range dst {
				dst[i] = v
			}
		}
	}
	var s Scheme
	switch r {
	case convWeight:
		s = in.Conv
	case linearWeight:
		s = in.Linear
	case convBias:
		s = in.ConvBias
	case linearBias:
		s = in.LinearBias
	case normScale, normVar:
		s = constant(1)
	case normShift, normMean:
		s = constant(0)
	}
	if s == nil {
		return Default
	}
	return s
}
