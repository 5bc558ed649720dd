package kernelmachine

import (
	"cmp"
	"math"

	"github.com/ansatz-lab/ansatz/experiments/examples"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/rfm"
)

// ConvRFMSpec is what a convolutional recursive feature machine is asked for
// (paper cnfa, Algorithms 1 and 2). Other fields than Data may be zero; those of
// ExamplesSpec that are not for images must be.
type ConvRFMSpec struct {
	examples.Spec
	Kernel    string    // as [rfm.ParseConvKernel] reads it; "" is cntk
	Depth     int       // its convolutions; 0 is [DefaultDepth] of cntk, 1 of others
	Patch     int       // 0 is [rfm.DefaultPatch]
	Pad       bool      // zeros around images
	Bandwidth float64   // of laplace; 0 is [rfm.DefaultBandwidth]
	Ridges    []float64 // of which the best is kept; none is 0 alone

	Iterations  int
	Layers      int     // that learn features; 0 is 1
	Filters     int     // between layers; 0 is [rfm.DefaultFilters]
	Linear      bool    // no ReLU after them
	Whole       bool    // patches multiplied by M in place of M^½
	Scale       string  // of M: frobenius, trace or none; "" is trace for laplace, else frobenius
	Keep        float64 // share of the eigenvalues of M that are kept; 0 is all
	KernelScale string  // max or none; "" is max
	Sample      int     // training images in the AGOP; 0 is all

	Select string // validation or last; "" is validation
	// Validation is how many images choose; 0 is a quarter of the training images.
	Validation int
	// PaperMode chooses on the test images, as the published code does.
	PaperMode bool

	Precision int // 32 or 64 bits; 0 is 32
	Backend   string
	Threads   int
}

// DefaultDepth is the number of convolutions of a CNTK.
const DefaultDepth = 3

// machine turns flags into a machine.
func (s ConvRFMSpec) machine() (m rfm.ConvMachine, err error) {
	m = rfm.ConvMachine{
		Patch: cmp.Or(s.Patch, rfm.DefaultPatch), Pad: s.Pad, Ridges: s.Ridges, Iterations: s.Iterations,
		Layers: max(s.Layers, 1), Filters: cmp.Or(s.Filters, rfm.DefaultFilters), Linear: s.Linear,
		Whole: s.Whole, Keep: s.Keep, Sample: s.Sample, Seed: s.Seed, Backend: s.Backend, Threads: s.Threads,
	}
	if err := s.checkNumbers(); err != nil {
		return m, err
	}
	if m.Kernel, err = s.kernel(); err != nil {
		return m, err
	}
	if m.Layers > m.Kernel.Depth() {
		return m, input.Errorf("--layers %d with --depth %d: every layer's kernel has a convolution less than the one before: want --depth %d or more, of cntk or cnngp", m.Layers, m.Kernel.Depth(), m.Layers)
	}
	scales := []rfm.Scale{rfm.ScaleFrobenius, rfm.ScaleTrace, rfm.Unscaled}
	if _, laplace := m.Kernel.(rfm.PatchLaplace); laplace && s.Scale == "" {
		scales = []rfm.Scale{rfm.ScaleTrace} // else its bandwidth would mean something else in every iteration
	}
	if m.Scale, err = input.Choice("--scale", s.Scale, scales...); err != nil {
		return m, err
	}
	kernelScale, err := input.Choice("--kernel-scale", s.KernelScale, rfm.ScaleMax, rfm.Unscaled)
	if err != nil {
		return m, err
	}
	m.KernelScale = kernelScale == rfm.ScaleMax
	if m.Precision, err = input.ParsePrecision(s.Precision); err != nil {
		return m, err
	}
	return m, input.CheckBackend(s.Backend)
}

// largestNumber is more than any number of a machine could be.
const largestNumber = 1 << 20

// checkNumbers refuses what no machine could be asked for.
func (s ConvRFMSpec) checkNumbers() error {
	for _, f := range []struct {
		flag  string
		value int
	}{
		{"--depth", s.Depth}, {"--patch", s.Patch}, {"--layers", s.Layers}, {"--filters", s.Filters},
		{"--iters", s.Iterations}, {"--agop-sample", s.Sample}, {"--validation", s.Validation},
	} {
		if f.value < 0 || f.value > largestNumber {
			return input.Errorf("%s %d: want a number from 0 to %d", f.flag, f.value, largestNumber)
		}
	}
	if s.Pad && s.Patch%2 == 0 && s.Patch > 0 {
		return input.Errorf("--pad with --patch %d: zeros around the images make a patch around every pixel: want an odd --patch", s.Patch)
	}
	for _, r := range s.Ridges {
		if r < 0 || r-r != 0 {
			return input.Errorf("--ridge %v: want numbers that are not negative", r)
		}
	}
	if s.Keep < 0 || s.Keep > 1 || math.IsNaN(s.Keep) {
		return input.Errorf("--keep %v: want a share of the eigenvalues, above 0 and at most 1", s.Keep)
	}
	return nil
}

// kernel is the kernel of the first layer.
func (s ConvRFMSpec) kernel() (rfm.ConvKernel, error) {
	name := cmp.Or(s.Kernel, "cntk")
	depth := s.Depth
	if depth == 0 && name == "cntk" {
		depth = DefaultDepth
	}
	k, err := rfm.ParseConvKernel(name, depth, s.Bandwidth)
	if err != nil {
		return nil, &input.Error{Err: err}
	}
	return k, nil
}

// divides says whether images are set apart to choose on.
func (s ConvRFMSpec) divides() (bool, error) {
	how, err := input.Choice("--select", s.Select, rfm.Best, rfm.Last)
	switch {
	case err != nil:
		return false, err
	case s.PaperMode && (s.Validation > 0 || how == rfm.Last):
		return false, input.Errorf("--paper-mode chooses on the test images: it goes with neither --validation nor --select last")
	case s.PaperMode:
		return false, nil
	case how == rfm.Last && s.Validation > 0:
		return false, input.Errorf("--select last chooses nothing: it takes no --validation images")
	case how == rfm.Last && len(s.Ridges) > 1:
		return false, input.Errorf("--ridge with %d values and --select last: a ridge is chosen on validation images: give one ridge, or --select validation", len(s.Ridges))
	case how == rfm.Last:
		return false, nil
	}
	return s.Validation > 0 || s.Iterations > 0 || len(s.Ridges) > 1, nil
}
