package scaling

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/rfm"
)

// ConvCostSpec says on which sizes the parts of a convolutional kernel machine are timed. The number
// of images, the depth of the kernel and the size of the images grow in turn, while the other two are
// in the middle of their lists. Its zero value takes about two minutes on two cores.
type ConvCostSpec struct {
	Kernel   string `json:"kernel"`   // of [rfm.ConvKernels]; "" is cntk
	Examples []int  `json:"examples"` // n; nil is 100 to 800
	Depths   []int  `json:"depths"`   // convolutions; nil is 1 to 5, of laplace 1
	Sizes    []int  `json:"sizes"`    // pixels along a side; nil is 16 to 48
	// Pooled are the sizes at which the CNTK is compared with the CNTK averaged over positions, on
	// PooledExamples images; nil is 8, 10, 12, and empty is none.
	Pooled         []int  `json:"pooled_sizes"`
	PooledExamples int    `json:"pooled_examples"` // 0 is 50
	Channels       int    `json:"channels"`        // 0 is 3
	Patch          int    `json:"patch"`           // 0 is 3
	Outputs        int    `json:"outputs"`         // 0 is 10
	Repeats        int    `json:"repeats"`         // times that each part is timed, of which the least counts; 0 is 1
	Backend        string `json:"backend"`         // native, go, or "" for native where it is built in
	Threads        int    `json:"threads"`         // 0 is all cores
	Seed           uint64 `json:"seed"`
}

// ConvCost times the parts of an iteration of ConvRFM on Gaussian images and targets: kernel matrix,
// regression, patch-AGOP over all images, and as many predictions as images.
type ConvCost struct {
	spec   ConvCostSpec
	middle convSize
}

// convSize holds the sizes that the cost depends on.
type convSize struct {
	kernel         string
	n, depth, size int
}

// String returns the sizes in words, for errors.
func (s convSize) String() string {
	return fmt.Sprintf("%s of depth %d, %d images of %d×%d", s.kernel, s.depth, s.n, s.size, s.size)
}

// NewConvCost checks the sizes and fills in the fields that are zero.
func NewConvCost(s ConvCostSpec) (*ConvCost, error) {
	s.setDefaults()
	if err := input.CheckBackend(s.Backend); err != nil {
		return nil, err
	}
	if err := checkSizes(s.Examples, s.Depths, s.Sizes); err != nil {
		return nil, err
	}
	if s.Channels < 1 || s.Patch < 1 || s.Outputs < 1 || s.Repeats < 1 || s.PooledExamples < 1 {
		return nil, input.Errorf("%d channels, patches of %d, %d outputs, %d repeats, %d images to pool: "+
			"want at least 1 of each", s.Channels, s.Patch, s.Outputs, s.Repeats, s.PooledExamples)
	}
	c := &ConvCost{spec: s, middle: s.middle()}
	for _, p := range append(c.sizes(), c.pooledSizes()...) {
		if _, err := rfm.ParseConvKernel(p.kernel, p.depth, 0); err != nil {
			return nil, &input.Error{Err: err}
		}
		if least := p.depth*(s.Patch-1) + 1; p.size < least {
			return nil, input.Errorf("%v: %d convolutions %d×%d need at least %d×%d pixels", p, p.depth, s.Patch,
				s.Patch, least, least)
		}
	}
	return c, nil
}

// setDefaults fills in the fields that are zero.
func (s *ConvCostSpec) setDefaults() {
	if s.Kernel == "laplace" {
		s.Depths = sizesOr(s.Depths, 1) // the only depth of this kernel
	}
	s.Kernel, s.Backend = cmp.Or(s.Kernel, "cntk"), input.BackendName(s.Backend)
	s.Examples, s.Depths = sizesOr(s.Examples, 100, 200, 400, 800), sizesOr(s.Depths, 1, 2, 3, 4, 5)
	s.Sizes, s.Pooled = sizesOr(s.Sizes, 16, 24, 32, 48), sizesOr(s.Pooled, 8, 10, 12)
	s.PooledExamples, s.Channels = cmp.Or(s.PooledExamples, 50), cmp.Or(s.Channels, 3)
	s.Patch, s.Outputs, s.Repeats = cmp.Or(s.Patch, rfm.DefaultPatch), cmp.Or(s.Outputs, 10), cmp.Or(s.Repeats, 1)
}

// middle returns the middle of each list, the later of two: sizes stay there while another size grows.
func (s ConvCostSpec) middle() convSize {
	middle := func(list []int) int { return list[len(list)/2] }
	return convSize{s.Kernel, middle(s.Examples), middle(s.Depths), middle(s.Sizes)}
}

// sizes returns the sizes of the three sweeps, each once.
func (c *ConvCost) sizes() []convSize {
	var all []convSize
	for _, n := range c.spec.Examples {
		all = append(all, convSize{c.spec.Kernel, n, c.middle.depth, c.middle.size})
	}
	for _, depth := range c.spec.Depths {
		all = append(all, convSize{c.spec.Kernel, c.middle.n, depth, c.middle.size})
	}
	for _, size := range c.spec.Sizes {
		all = append(all, convSize{c.spec.Kernel, c.middle.n, c.middle.depth, size})
	}
	var once []convSize
	for _, s := range all {
		if !slices.Contains(once, s) {
			once = append(once, s)
		}
	}
	return once
}

// pooledSizes returns the sizes of the comparison with the kernel averaged over positions.
func (c *ConvCost) pooledSizes() []convSize {
	var all []convSize
	for _, size := range c.spec.Pooled {
		for _, kernel := range []string{"cntk", "cntk-gap"} {
			all = append(all, convSize{kernel, c.spec.PooledExamples, c.middle.depth, size})
		}
	}
	return all
}

// Run times the parts at every size. It calls progress, if that is not nil, after each.
func (c *ConvCost) Run(ctx context.Context, progress func(done, total int)) (*ConvCostRecord, error) {
	r := &ConvCostRecord{Spec: c.spec, Kernels: backend.Kernels(), Version: record.Version()}
	sweeps, pooled := c.sizes(), c.pooledSizes()
	if _, err := c.measure(ctx, sweeps[0]); err != nil { // the first time takes longer
		return nil, fmt.Errorf("%v: %w", sweeps[0], err)
	}
	for k, s := range append(sweeps, pooled...) {
		p, err := c.measure(ctx, s)
		if err != nil {
			return nil, fmt.Errorf("%v: %w", s, err)
		}
		if k < len(sweeps) {
			r.Points = append(r.Points, *p)
		} else {
			r.Pooled = append(r.Pooled, *p)
		}
		if progress != nil {
			progress(k+1, len(sweeps)+len(pooled))
		}
	}
	r.fitExponents()
	return r, nil
}

// drawExamples returns random images and targets.
func (c *ConvCost) drawExamples(s convSize) rfm.ImageExamples {
	rng := rand.New(rand.NewPCG(c.spec.Seed, uint64(s.n)<<32|uint64(s.size)))
	x := rfm.Images{Height: s.size, Width: s.size, Channels: c.spec.Channels,
		Pixels: make([]float32, s.n*s.size*s.size*c.spec.Channels)}
	for i := range x.Pixels {
		x.Pixels[i] = float32(rng.NormFloat64())
	}
	return rfm.ImageExamples{X: x, Y: drawNormal(rng, s.n, c.spec.Outputs)}
}

// ConvCostRecord is what a [ConvCost] measured.
type ConvCostRecord struct {
	Spec ConvCostSpec `json:"spec"`
	// Points has every size of the three sweeps once, in the order of the sweeps.
	Points []ConvCostPoint `json:"points"`
	// Pooled has the CNTK, and the CNTK averaged over positions, on small images.
	Pooled []ConvCostPoint `json:"pooled"`
	// Exponents are the exponents of n, depth and size in the seconds of the parts, from the two
	// largest values of each.
	Exponents []ConvCostExponent `json:"exponents,omitempty"`
	Kernels   string             `json:"kernels"` // instruction set
	Version   string             `json:"version"`

	page record.PageData
}

// ConvCostPoint is the seconds of the parts for n images of Size×Size pixels.
type ConvCostPoint struct {
	Kernel   string `json:"kernel"`
	Examples int    `json:"n"`
	Depth    int    `json:"depth"`
	Size     int    `json:"size"`
	PartSeconds
	// The seconds of a pair of images: of n(n+1)/2 in the kernel matrix, of n² in the AGOP, for all
	// outputs together, and in predictions.
	MatrixPair  float64 `json:"kernel_seconds_per_pair"`
	AGOPPair    float64 `json:"agop_seconds_per_pair"`
	PredictPair float64 `json:"predict_seconds_per_pair"`
	// The peak memory of the process beyond what it held before, in bytes; 0 if the system does not
	// report it.
	FitBytes  int64 `json:"fit_peak_bytes"`
	AGOPBytes int64 `json:"agop_peak_bytes"`
}

// ConvCostExponent says that the seconds of a part grow as powers of n, depth and size; an exponent
// is 0 if its sweep has only one size.
type ConvCostExponent struct {
	Part     string  `json:"part"`
	Examples float64 `json:"n"`
	Depth    float64 `json:"depth"`
	Size     float64 `json:"size"`
}

// measure times images of one size.
func (c *ConvCost) measure(ctx context.Context, s convSize) (*ConvCostPoint, error) {
	e := c.drawExamples(s)
	p := &ConvCostPoint{Kernel: s.kernel, Examples: s.n, Depth: s.depth, Size: s.size}
	var err error
	p.PartSeconds, err = timeParts(c.spec.Repeats, func() (PartSeconds, error) { return c.timeOnce(ctx, s, e, p) })
	n := float64(s.n)
	p.MatrixPair, p.AGOPPair, p.PredictPair = p.Matrix/(n*(n+1)/2), p.AGOP/(n*n), p.Predict/(n*n)
	return p, err
}

// timeOnce times a fit, the AGOP over its images and predictions for them. It raises the peak memory
// in p if it measures more.
func (c *ConvCost) timeOnce(
	ctx context.Context, size convSize, e rfm.ImageExamples, p *ConvCostPoint,
) (s PartSeconds, err error) {
	kernel, err := rfm.ParseConvKernel(size.kernel, size.depth, 0)
	if err != nil {
		return s, err
	}
	m := rfm.ConvMachine{
		Kernel: kernel, Patch: c.spec.Patch, Ridges: []float64{1e-3}, KernelScale: true,
		Backend: c.spec.Backend, Threads: c.spec.Threads,
	}
	start := time.Now()
	solving := start
	// What follows the last report of the kernel is the regression.
	m.Progress = func(at rfm.ConvProgress) {
		if at.Stage == "kernel" {
			solving = time.Now()
		}
	}
	var model *rfm.ConvModel
	peak, err := record.PeakMemory(func() (err error) {
		start = time.Now()
		model, err = study.Setting{}.FitConv(ctx, "", m, e)
		return err
	})
	if err != nil {
		return s, err
	}
	p.FitBytes = max(p.FitBytes, peak)
	s.Matrix, s.Solve = solving.Sub(start).Seconds(), time.Since(solving).Seconds()
	if peak, err = record.PeakMemory(func() error {
		start = time.Now()
		_, err := model.AGOP(ctx, e.X)
		return err
	}); err != nil {
		return s, err
	}
	p.AGOPBytes = max(p.AGOPBytes, peak)
	s.AGOP = time.Since(start).Seconds()
	start = time.Now()
	_, err = model.Predict(ctx, e.X)
	s.Predict = time.Since(start).Seconds()
	return s, err
}

// fitExponents sets the exponents from the last two points of every sweep.
func (r *ConvCostRecord) fitExponents() {
	for _, part := range parts {
		e := ConvCostExponent{Part: part.name}
		setExponents(&e, r.sweeps(), func(p ConvCostPoint) float64 { return part.seconds(p.PartSeconds) })
		r.Exponents = append(r.Exponents, e)
	}
}
