package search

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/rfm"
)

// Settings are the settings that a trial tries. The trial itself chooses the number of iterations.
type Settings struct {
	Kernel    string  `json:"kernel"`              // as [rfm.ParseKernel] reads it
	Bandwidth float64 `json:"bandwidth,omitempty"` // 0 for kernels that have none
	Adaptive  bool    `json:"adaptive,omitempty"`  // Bandwidth is a multiple of the median distance
	Ridge     float64 `json:"ridge"`
	Power     float64 `json:"agop_power"` // M = AGOP^power
	Diagonal  bool    `json:"diagonal,omitempty"`
	Transform string  `json:"transform,omitempty"` // of a table's features
}

// Machine returns the machine of the settings; base gives everything else.
func (s Settings) Machine(base rfm.Machine) (rfm.Machine, error) {
	var err error
	base.Ridge, base.Power, base.Diagonal, base.Adaptive = s.Ridge, s.Power, s.Diagonal, s.Adaptive
	base.Kernel, err = rfm.ParseKernel(s.Kernel, s.Bandwidth)
	return base, err
}

// String returns the settings as the flags of ansatz rfm.
func (s Settings) String() string {
	f := []string{"--kernel " + s.Kernel}
	if s.Bandwidth > 0 {
		f = append(f, fmt.Sprintf("--bandwidth %v", s.Bandwidth))
	}
	if s.Adaptive {
		f = append(f, "--adaptive")
	}
	f = append(f, fmt.Sprintf("--ridge %v", s.Ridge), fmt.Sprintf("--agop-power %v", s.Power))
	if s.Diagonal {
		f = append(f, "--diag")
	}
	if s.Transform != "" {
		f = append(f, "--transform "+s.Transform)
	}
	return strings.Join(f, " ")
}

// Dimensions names the settings that a [Space] varies, as the flags of ansatz rfm do.
var Dimensions = []string{"kernel", "bandwidth", "adaptive", "ridge", "agop-power", "diag", "transform"}

// Space is the settings from which a search draws:
//
//   - the kernel: Laplace, Gaussian, product:q or lpq:p:q with equal probabilities, with q from .7 to 1.4 and p from q to
//     q + .8·(2 − q), in steps of .1
//   - the bandwidth: the logarithm uniform, from 1 to 200 or from .1 to 10 median distances with equal probabilities
//   - the ridge: the logarithm uniform, from 1e-5 to 10
//   - the power of the AGOP: 1 or ½; M full or diagonal; one of the transforms
//
// Bandwidths and ridges have three digits, so that records print them exactly. Fixed settings have the values of Base.
type Space struct {
	Base       Settings
	Fixed      []string // of [Dimensions]
	Transforms []string // of a table's features; nil keeps the transform of Base
}

// The bounds of the space.
const (
	leastQ, mostQ           = .7, 1.4
	leastL, mostL           = 1., 200.
	leastMedian, mostMedian = .1, 10.
	leastRidge, mostRidge   = 1e-5, 10.
)

// Draw returns up to n different settings. The first are Base, and Base with a diagonal M; the others are drawn by the
// seed, each by a stream of its own, so that a longer search begins like a shorter one. Draw returns fewer settings if
// the space has no more.
func (s Space) Draw(n int, seed uint64) []Settings {
	var all []Settings
	seen := map[Settings]bool{}
	add := func(one Settings) {
		if one = s.complete(one); !seen[one] {
			seen[one], all = true, append(all, one)
		}
	}
	add(s.Base)
	diagonal := s.Base
	diagonal.Diagonal = true
	add(diagonal)
	const attempts = 200
	for k := 0; len(all) < n; k++ {
		rng, before := models.Stream(seed, fmt.Sprintf("trial %d of a search", k)), len(all)
		for a := 0; a < attempts && len(all) == before; a++ {
			add(s.draw(rng))
		}
		if len(all) == before {
			break
		}
	}
	return all[:min(n, len(all))]
}

// draw draws all settings, fixed ones too, so that fixing one setting changes no other.
func (s Space) draw(rng *rand.Rand) Settings {
	d := Settings{Kernel: drawKernel(rng), Adaptive: rng.IntN(2) == 1, Transform: s.Base.Transform}
	fixed, median := logUniform(rng, leastL, mostL), logUniform(rng, leastMedian, mostMedian)
	if s.isFixed("bandwidth") || s.isFixed("adaptive") {
		d.Adaptive = s.Base.Adaptive
	}
	if d.Bandwidth = fixed; d.Adaptive {
		d.Bandwidth = median
	}
	d.Ridge = logUniform(rng, leastRidge, mostRidge)
	d.Power = []float64{1, .5}[rng.IntN(2)]
	d.Diagonal = rng.IntN(2) == 1
	if k := rng.Float64(); len(s.Transforms) > 0 {
		d.Transform = s.Transforms[int(k*float64(len(s.Transforms)))]
	}
	return d
}

// drawKernel draws a kernel, in the form that [rfm.ParseKernel] reads.
func drawKernel(rng *rand.Rand) string {
	family := rng.IntN(4)
	q := tenths(leastQ + (mostQ-leastQ)*rng.Float64())
	p := tenths(q + .8*(2-q)*rng.Float64())
	switch family {
	case 0:
		return rfm.Laplace{}.String()
	case 1:
		return rfm.Gaussian{}.String()
	case 2:
		return rfm.Product{Exponent: q}.String()
	}
	return rfm.Lpq{P: p, Q: q}.String()
}

// tenths rounds to a multiple of .1.
func tenths(v float64) float64 { return math.Round(10*v) / 10 }

// logUniform draws a number of three digits whose logarithm is uniform.
func logUniform(rng *rand.Rand, least, most float64) float64 {
	v, _ := strconv.ParseFloat(fmt.Sprintf("%.3g", least*math.Pow(most/least, rng.Float64())), 64)
	return v
}

// complete sets fixed settings to the values of Base, and clears the bandwidth if the kernel has none.
func (s Space) complete(d Settings) Settings {
	for name, set := range map[string]func(){
		"kernel": func() { d.Kernel = s.Base.Kernel }, "bandwidth": func() { d.Bandwidth = s.Base.Bandwidth },
		"adaptive": func() { d.Adaptive = s.Base.Adaptive }, "ridge": func() { d.Ridge = s.Base.Ridge },
		"agop-power": func() { d.Power = s.Base.Power }, "diag": func() { d.Diagonal = s.Base.Diagonal },
		"transform": func() { d.Transform = s.Base.Transform },
	} {
		if s.isFixed(name) {
			set()
		}
	}
	if k, err := rfm.ParseKernel(d.Kernel, d.Bandwidth); err == nil && rfm.Bandwidth(k) == 0 {
		d.Bandwidth, d.Adaptive = 0, false
	}
	return d
}

func (s Space) isFixed(name string) bool { return slices.Contains(s.Fixed, name) }

// Text lists the settings that are varied, for a record.
func (s Space) Text() string {
	bandwidth := "its bandwidth (fixed, 1 to 200, or .1 to 10 median distances)"
	if s.isFixed("adaptive") {
		bandwidth = map[bool]string{true: "its bandwidth (.1 to 10 median distances)",
			false: "its bandwidth (1 to 200)"}[s.Base.Adaptive]
	}
	k, err := rfm.ParseKernel(s.Base.Kernel, s.Base.Bandwidth)
	none := s.isFixed("kernel") && err == nil && rfm.Bandwidth(k) == 0
	var parts []string
	for _, d := range []struct{ name, text string }{
		{"kernel", "the kernel (Laplace, Gaussian, product:q, lpq:p:q)"},
		{"bandwidth", bandwidth},
		{"ridge", "the ridge (1e-5 to 10)"}, {"agop-power", "the power of the AGOP (1 or ½)"},
		{"diag", "M full or diagonal"}, {"transform", "the transform (" + strings.Join(s.Transforms, ", ") + ")"},
	} {
		if !s.isFixed(d.name) && (d.name != "transform" || len(s.Transforms) > 0) && (d.name != "bandwidth" || !none) {
			parts = append(parts, d.text)
		}
	}
	return strings.Join(append(parts, "the iteration"), ", ")
}
