package kernelmachine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"sort"
	"strings"
	"time"

	"github.com/ansatz-lab/ansatz/experiments/examples"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/workload"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// ConvRFMSpec holds the settings of a convolutional recursive feature machine (paper cnfa, Algorithms 1
// and 2). All fields but Data may be zero; fields of [examples.Spec] that are not for images must be zero.
type ConvRFMSpec struct {
	examples.Spec
	Kernel    string    // as [rfm.ParseConvKernel] reads it; "" is cntk
	Depth     int       // convolutions of the kernel; 0 is [DefaultDepth] for cntk, 1 for others
	Patch     int       // 0 is [rfm.DefaultPatch]
	Pad       bool      // zeros around images
	Bandwidth float64   // of laplace; 0 is [rfm.DefaultBandwidth]
	Ridges    []float64 // the best is selected; nil is 0 alone

	Iterations  int
	Layers      int     // that learn features; 0 is 1
	Filters     int     // between layers; 0 is [rfm.DefaultFilters]
	Linear      bool    // no ReLU after the filters
	Whole       bool    // patches are multiplied by M, not M^½
	Scale       string  // the norm that divides M: frobenius, trace or none; "" is trace for laplace, else frobenius
	Keep        float64 // share of the eigenvalues of M to keep; 0 is all
	KernelScale string  // max or none; "" is max
	Sample      int     // training images in the AGOP; 0 is all

	Select string // validation or last; "" is validation
	// Validation is the number of validation images; 0 is a quarter of the training images.
	Validation int
	// PaperMode selects on the test images, as the published code does.
	PaperMode bool

	Precision int // 32 or 64 bits; 0 is 32
	Backend   string
	Threads   int
}

// DefaultDepth is the default number of convolutions of a CNTK.
const DefaultDepth = 3

// machine returns the machine of the settings.
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
		return m, input.Errorf("--layers %d with --depth %d: each layer's kernel has one convolution less than "+
			"the layer before it: want --depth %d or more, with cntk or cnngp", m.Layers, m.Kernel.Depth(), m.Layers)
	}
	scales := []rfm.Scale{rfm.ScaleFrobenius, rfm.ScaleTrace, rfm.Unscaled}
	if _, laplace := m.Kernel.(rfm.PatchLaplace); laplace && s.Scale == "" {
		scales = []rfm.Scale{rfm.ScaleTrace} // keeps the meaning of the bandwidth over the iterations
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

// largestNumber bounds the numbers of a spec. No machine comes near it.
const largestNumber = 1 << 20

// checkNumbers returns an input error if a number is out of its range.
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
		return input.Errorf("--pad with --patch %d: padding centres a patch on every pixel: want an odd --patch",
			s.Patch)
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

// kernel returns the kernel of the first layer.
func (s ConvRFMSpec) kernel() (rfm.ConvKernel, error) {
	name := strings.ToLower(cmp.Or(s.Kernel, "cntk"))
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

// needsValidation says whether some training images are set aside for validation.
func (s ConvRFMSpec) needsValidation() (bool, error) {
	how, err := input.Choice("--select", s.Select, rfm.Best, rfm.Last)
	switch {
	case err != nil:
		return false, err
	case s.PaperMode && (s.Validation > 0 || how == rfm.Last):
		return false, input.Errorf("--paper-mode chooses on the test images: leave out --validation and --select last")
	case s.PaperMode:
		return false, nil
	case how == rfm.Last && s.Validation > 0:
		return false, input.Errorf("--select last chooses nothing: leave out --validation")
	case how == rfm.Last && len(s.Ridges) > 1:
		return false, input.Errorf("--ridge with %d values and --select last: a ridge is chosen on validation "+
			"images: give one ridge, or --select validation", len(s.Ridges))
	case how == rfm.Last:
		return false, nil
	}
	return s.Validation > 0 || s.Iterations > 0 || len(s.Ridges) > 1, nil
}

// ConvRFM is a convolutional recursive feature machine with its examples, ready to be fitted.
type ConvRFM struct {
	spec       ConvRFMSpec
	machine    rfm.ConvMachine
	examples   *examples.ImageSet
	conv       ConvRFMConventions
	testKernel *mat.Dense // with M = I, test × training images; nil if Run is to compute it
}

// NewConvRFM opens the images that the spec names. Its errors are input errors.
func NewConvRFM(ctx context.Context, s ConvRFMSpec) (*ConvRFM, error) {
	m, err := s.machine()
	if err != nil {
		return nil, err
	}
	divide, err := s.needsValidation()
	if err != nil {
		return nil, err
	}
	e, err := examples.OpenImages(ctx, s.Spec, divide, s.Validation)
	if err != nil {
		return nil, err
	}
	switch {
	case divide:
		m.Validation = &e.Validation
	case s.PaperMode && e.Test.Y == nil:
		return nil, input.Errorf("--paper-mode chooses on the test images, and %s has none: give --test-data", s.Data)
	case s.PaperMode:
		m.Validation = &e.Test
	}
	m.Task, m.Memory = e.Task, record.AvailableMemory()
	c := &ConvRFM{spec: s, machine: m, examples: e}
	c.setConventions()
	return c, checkReach(m, e)
}

// checkReach returns an input error if the images are too small for the convolutions.
func checkReach(m rfm.ConvMachine, e *examples.ImageSet) error {
	if m.Pad {
		return nil
	}
	least := m.Kernel.Depth()*(m.Patch-1) + 1
	if got := *e.Shape; min(got.Height, got.Width) < least {
		return input.Errorf("images of %v are too small for %d convolutions of %d×%d pixels, which need %d×%d: "+
			"give a smaller --depth or --patch, larger images (--size), or --pad",
			got, m.Kernel.Depth(), m.Patch, m.Patch, least, least)
	}
	return nil
}

// Run fits the machine and tests every iteration. Progress may be nil.
func (c *ConvRFM) Run(ctx context.Context, progress func(rfm.ConvProgress)) (*ConvRFMFit, error) {
	m := c.machine
	m.Progress = progress
	out := c.newFit()
	m.Each = func(it *rfm.ConvIteration) error { return out.addIteration(ctx, it, progress) }
	start := time.Now()
	model, err := study.Setting{}.FitConv(ctx, "", m, c.examples.Train)
	var memory *rfm.MemoryError
	if errors.As(err, &memory) {
		return nil, input.Errorf("%w: take %s", err, c.suggestSize(memory.Limit))
	}
	if err != nil {
		return nil, err
	}
	out.Seconds = time.Since(start).Seconds()
	out.setSelected(model)
	return out, nil
}

// suggestSize names flags with which the machine would take at most limit bytes.
func (c *ConvRFM) suggestSize(limit int64) string {
	m, x := c.machine, c.examples.Train.X
	_, outputs := c.examples.Train.Y.Dims()
	flags := "fewer training images (--train)"
	n := sort.Search(x.Len(), func(k int) bool { return m.Bytes(x.Slice(0, k+1), outputs) > limit })
	if n > 0 {
		flags = fmt.Sprintf("at most --train %d", n)
	}
	if m.Layers > 1 {
		flags += ", fewer --filters"
	}
	return flags + ", smaller images (--size) or fewer --threads"
}

// ConvRFMConventions says what the numbers depend on, besides the images.
type ConvRFMConventions struct {
	examples.Conventions
	Kernel      string    `json:"kernel" fact:"kernel"`
	Bandwidth   float64   `json:"bandwidth,omitempty" fact:"bandwidth L"`
	Padding     string    `json:"padding" fact:"padding"`
	KernelScale string    `json:"kernel_scale" fact:"kernel divided by"`
	Ridges      []float64 `json:"ridges" fact:"ridges λ"`
	Metric      string    `json:"metric" fact:"metric"`
	AGOP        string    `json:"agop" fact:"AGOP"`
	Scale       string    `json:"scale" fact:"AGOP divided by"`
	Eigenvalues string    `json:"eigenvalues" fact:"eigenvalues"`
	Features    string    `json:"features" fact:"features"` // between layers
	Select      string    `json:"select" fact:"selected"`
	Solver      string    `json:"solver"`
	record.RunConventions
}

// setConventions sets the conventions of the machine and its images.
func (c *ConvRFM) setConventions() {
	m := c.machine
	c.conv = ConvRFMConventions{
		Conventions:    c.examples.Conventions,
		Kernel:         m.Kernel.String() + ": " + m.Kernel.Formula(),
		Padding:        "none: patches lie within the image (VALID), in all convolutions",
		KernelScale:    "none",
		Ridges:         m.Ridges,
		Scale:          m.Scale.String(),
		Select:         c.selection(),
		Solver:         fmt.Sprintf("(K + λI)α = Y by %v", rfm.Cholesky{}),
		RunConventions: record.NewRunConventions(record.RegressionPrecision(m.Precision), m.Backend, m.Threads, m.Seed),
	}
	if k, ok := m.Kernel.(rfm.PatchLaplace); ok {
		c.conv.Bandwidth = cmp.Or(k.Bandwidth, rfm.DefaultBandwidth)
	}
	if m.Pad {
		c.conv.Padding = "zeros around the image, in all convolutions"
	}
	if m.KernelScale {
		c.conv.KernelScale = "max: divided by the largest entry of the training images'"
	}
	c.conv.describeFeatures(m, c.examples.Train.X.Len())
}

// describeFeatures sets the conventions of feature learning on n images.
func (c *ConvRFMConventions) describeFeatures(m rfm.ConvMachine, n int) {
	seen, covariance := "M^½h", "M"
	if m.Whole {
		seen, covariance = "Mh, the default of the published code", "M²"
	}
	c.Metric = fmt.Sprintf("M starts at I; patches h in the order (channel, row, column) are seen as %s; trace is "+
		"that of the M with which an iteration was solved", seen)
	images := "all training images"
	if m.Sample > 0 && m.Sample < n {
		images = fmt.Sprintf("%d training images, drawn anew for every iteration", m.Sample)
	}
	c.AGOP = "(1/n) Σ over images, positions and outputs of ∇f∇fᵀ in the patches, " + images
	c.Eigenvalues = "all"
	if m.Keep > 0 && m.Keep < 1 {
		c.Eigenvalues = fmt.Sprintf("the largest %.4g %% of the eigenvalues of M, rounded up; the others are 0", 100*m.Keep)
	}
	c.Features = "one layer"
	if m.Layers > 1 {
		after := "and ReLU"
		if m.Linear {
			after = "without ReLU, as in the published code"
		}
		c.Features = fmt.Sprintf("%d layers; between them %d filters N(0, %s) %s", m.Layers, m.Filters, covariance, after)
	}
}

// choosesOnTest is how conventions describe selection under --paper-mode.
const choosesOnTest = "the best ridge and iteration on the test images: as published, a leak"

// selection says how the ridge and the iteration are selected.
func (c *ConvRFM) selection() string {
	switch m := c.machine; {
	case m.Validation == nil, c.spec.PaperMode && m.Iterations == 0 && len(m.Ridges) < 2:
		return "the last iteration; nothing is chosen"
	case c.spec.PaperMode:
		return choosesOnTest
	}
	return "the best ridge and iteration on the validation images; test images choose nothing"
}

// Size returns the sizes on which the cost of the machine depends.
func (c *ConvRFM) Size() workload.PatchMachineSize {
	m, x := c.machine, c.examples.Train.X
	p := workload.PatchMachineSize{
		Kernel: workload.KernelName(m.Kernel), Depth: m.Kernel.Depth(), Patch: cmp.Or(m.Patch, rfm.DefaultPatch),
		Pad:        m.Pad,
		Iterations: m.Iterations, Layers: m.Layers, Filters: cmp.Or(m.Filters, rfm.DefaultFilters), Sample: m.Sample,
		Train: x.Len(), Tested: c.examples.Test.X.Len(), Ridges: len(m.Ridges),
		Shape: models.Shape{Channels: x.Channels, Height: x.Height, Width: x.Width},
	}
	if m.Validation != nil {
		p.Judged = m.Validation.X.Len()
	}
	p.Backend, p.Precision = c.spec.Backend, c.spec.Precision
	p.Outputs = linalg.ColumnCount(c.examples.Train.Y)
	p.Reading = workload.ReadingOf(c.spec.Data, c.spec.Size, p.Train+p.Judged+p.Tested,
		c.spec.Normalise == workload.ByDataset)
	return p
}
