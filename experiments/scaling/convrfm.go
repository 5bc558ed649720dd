package scaling

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/rfm"
)

// ConvCostSpec says on which sizes the parts of a convolutional kernel machine
// are timed: images in growing number, kernels of growing depth and images of
// growing size, the other two being in the middle of their lists each time. Its
// zero value takes about two minutes on two cores.
type ConvCostSpec struct {
	Kernel   string `json:"kernel"`   // of [rfm.ConvKernels]; "" is cntk
	Examples []int  `json:"examples"` // n; nil is 100 to 800
	Depths   []int  `json:"depths"`   // convolutions; nil is 1 to 5, of laplace 1
	Sizes    []int  `json:"sizes"`    // pixels along a side; nil is 16 to 48
	// Pooled are the sizes at which the CNTK and the one that is averaged over
	// positions are compared, on PooledExamples images; nil is 8, 10, 12, and
	// empty is none.
	Pooled         []int  `json:"pooled_sizes"`
	PooledExamples int    `json:"pooled_examples"` // 0 is 50
	Channels       int    `json:"channels"`        // 0 is 3
	Patch          int    `json:"patch"`           // 0 is 3
	Outputs        int    `json:"outputs"`         // 0 is 10
	Repeats        int    `json:"repeats"`         // the least time of so many counts; 0 is 1
	Backend        string `json:"backend"`         // native, go, or "" for native where it is built in
	Threads        int    `json:"threads"`         // 0 is all cores
	Seed           uint64 `json:"seed"`
}

// ConvCost times the parts of an iteration of ConvRFM on Gaussian images and
// targets: kernel matrix, regression, patch-AGOP over all images, and as many
// predictions as images.
type ConvCost struct {
	spec   ConvCostSpec
	middle convSize
}

// convSize holds the sizes that the cost depends on.
type convSize struct {
	kernel         string
	n, depth, size int
}

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
	if s.Depths == nil && s.Kernel == "laplace" {
		s.Depths = []int{1} // there is no deeper one
	}
	for _, d := range []struct {
		into *[]int
		by   []int
	}{{&s.Examples, []int{100, 200, 400, 800}}, {&s.Depths, []int{1, 2, 3, 4, 5}}, {&s.Sizes, []int{16, 24, 32, 48}},
		{&s.Pooled, []int{8, 10, 12}}} {
		if *d.into == nil {
			*d.into = d.by
		}
	}
	for _, d := range []struct {
		into *int
		by   int
	}{{&s.PooledExamples, 50}, {&s.Channels, 3}, {&s.Patch, rfm.DefaultPatch}, {&s.Outputs, 10}, {&s.Repeats, 1}} {
		if *d.into == 0 {
			*d.into = d.by
		}
	}
	s.Kernel = cmp.Or(s.Kernel, "cntk")
	s.Backend = input.BackendName(s.Backend)
}

// middle is the size from which one of n, depth and size is varied at a time.
func (s ConvCostSpec) middle() convSize {
	return convSize{s.Kernel, middle(s.Examples), middle(s.Depths), middle(s.Sizes)}
}

// middle returns the middle element of a list, the later of two.
func middle(list []int) int { return list[len(list)/2] }

// sizes returns the sizes of the three sweeps, without repetition.
func (c *ConvCost) sizes() []convSize {
	var all []convSize
	add := func(s convSize) {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	for _, n := range c.spec.Examples {
		add(convSize{c.spec.Kernel, n, c.middle.depth, c.middle.size})
	}
	for _, depth := range c.spec.Depths {
		add(convSize{c.spec.Kernel, c.middle.n, depth, c.middle.size})
	}
	for _, size := range c.spec.Sizes {
		add(convSize{c.spec.Kernel, c.middle.n, c.middle.depth, size})
	}
	return all
}

// pooledSizes are the sizes of the comparison with the kernel averaged over positions.
func (c *ConvCost) pooledSizes() []convSize {
	var all []convSize
	for _, size := range c.spec.Pooled {
		for _, kernel := range []string{"cntk", "cntk-gap"} {
			all = append(all, convSize{kernel, c.spec.PooledExamples, c.middle.depth, size})
		}
	}
	return all
}

// Run measures. Progress, if not nil, is told how many of the sizes are done.
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

// examples draws images and targets.
func (c *ConvCost) examples(s convSize) rfm.ImageExamples {
	rng := rand.New(rand.NewPCG(c.spec.Seed, uint64(s.n)<<32|uint64(s.size)))
	x := rfm.Images{Height: s.size, Width: s.size, Channels: c.spec.Channels,
		Pixels: make([]float32, s.n*s.size*s.size*c.spec.Channels)}
	for i := range x.Pixels {
		x.Pixels[i] = float32(rng.NormFloat64())
	}
	return rfm.ImageExamples{X: x, Y: normal(rng, s.n, c.spec.Outputs)}
}

// ConvCostRecord is what a [ConvCost] measured.
type ConvCostRecord struct {
	Spec ConvCostSpec `json:"spec"`
	// Points are the sizes of the three sweeps, in their order, each once.
	Points []ConvCostPoint `json:"points"`
	// Pooled are the CNTK and the one averaged over positions on small images.
	Pooled []ConvCostPoint `json:"pooled"`
	// Exponents are those of n, of the depth and of the size in the seconds of the
	// parts, from the two largest of each; absent where a sweep has but one size.
	Exponents []ConvCostExponent `json:"exponents,omitempty"`
	Kernels   string             `json:"kernels"` // instruction set
	Version   string             `json:"version"`
}

// ConvCostPoint is the seconds of the parts for n images of Size×Size pixels.
type ConvCostPoint struct {
	Kernel   string  `json:"kernel"`
	Examples int     `json:"n"`
	Depth    int     `json:"depth"`
	Size     int     `json:"size"`
	Matrix   float64 `json:"kernel_seconds"` // the kernel matrix, its symmetric half once
	Solve    float64 `json:"solve_seconds"`
	AGOP     float64 `json:"agop_seconds"`
	Predict  float64 `json:"predict_seconds"`
	// Seconds of a pair of images: of n(n+1)/2 in the kernel matrix, of n² in the
	// AGOP, for all outputs together, and in predictions.
	MatrixPair  float64 `json:"kernel_seconds_per_pair"`
	AGOPPair    float64 `json:"agop_seconds_per_pair"`
	PredictPair float64 `json:"predict_seconds_per_pair"`
	// Bytes that the process held at its peak beyond those before; 0 where the
	// system does not tell.
	FitBytes  int64 `json:"fit_peak_bytes"`
	AGOPBytes int64 `json:"agop_peak_bytes"`
}

// ConvCostExponent says that the seconds of a part grow as a power of n, of the
// depth and of the size; 0 where that was not measured.
type ConvCostExponent struct {
	Part     string  `json:"part"`
	Examples float64 `json:"n"`
	Depth    float64 `json:"depth"`
	Size     float64 `json:"size"`
}

// convParts are the parts that are timed.
var convParts = []struct {
	name string
	of   func(ConvCostPoint) float64
}{
	{"kernel", func(p ConvCostPoint) float64 { return p.Matrix }},
	{"solve", func(p ConvCostPoint) float64 { return p.Solve }},
	{"agop", func(p ConvCostPoint) float64 { return p.AGOP }},
	{"predict", func(p ConvCostPoint) float64 { return p.Predict }},
}

// measure takes the least times of several fits, and their largest peaks.
func (c *ConvCost) measure(ctx context.Context, s convSize) (*ConvCostPoint, error) {
	e := c.examples(s)
	least := &ConvCostPoint{
		Kernel: s.kernel, Examples: s.n, Depth: s.depth, Size: s.size,
		Matrix: math.Inf(1), Solve: math.Inf(1), AGOP: math.Inf(1), Predict: math.Inf(1),
	}
	for range c.spec.Repeats {
		p, err := c.once(ctx, s, e)
		if err != nil {
			return nil, err
		}
		least.Matrix, least.Solve = min(least.Matrix, p.Matrix), min(least.Solve, p.Solve)
		least.AGOP, least.Predict = min(least.AGOP, p.AGOP), min(least.Predict, p.Predict)
		least.FitBytes, least.AGOPBytes = max(least.FitBytes, p.FitBytes), max(least.AGOPBytes, p.AGOPBytes)
	}
	n := float64(s.n)
	least.MatrixPair, least.AGOPPair, least.PredictPair = least.Matrix/(n*(n+1)/2), least.AGOP/(n*n),
		least.Predict/(n*n)
	return least, nil
}

// once times a fit, the AGOP over its images and predictions for them.
func (c *ConvCost) once(ctx context.Context, s convSize, e rfm.ImageExamples) (*ConvCostPoint, error) {
	kernel, err := rfm.ParseConvKernel(s.kernel, s.depth, 0)
	if err != nil {
		return nil, err
	}
	p := &ConvCostPoint{}
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
	if p.FitBytes, err = record.PeakMemory(func() (err error) {
		start = time.Now()
		model, err = study.Setting{}.FitConv(ctx, "", m, e)
		return err
	}); err != nil {
		return nil, err
	}
	p.Matrix, p.Solve = solving.Sub(start).Seconds(), time.Since(solving).Seconds()
	if p.AGOPBytes, err = record.PeakMemory(func() error {
		start = time.Now()
		_, err := model.AGOP(ctx, e.X)
		return err
	}); err != nil {
		return nil, err
	}
	p.AGOP = time.Since(start).Seconds()
	start = time.Now()
	_, err = model.Predict(ctx, e.X)
	p.Predict = time.Since(start).Seconds()
	return p, err
}

// fitExponents takes the exponents from the last two of every sweep.
func (r *ConvCostRecord) fitExponents() {
	for _, part := range convParts {
		e := ConvCostExponent{Part: part.name}
		for _, sweep := range r.sweeps() {
			if k := len(sweep.points); k > 1 {
				last, before := sweep.points[k-1], sweep.points[k-2]
				*sweep.into(&e) = math.Log(part.of(last)/part.of(before)) / math.Log(sweep.x(last)/sweep.x(before))
			}
		}
		r.Exponents = append(r.Exponents, e)
	}
}
