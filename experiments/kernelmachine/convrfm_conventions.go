package kernelmachine

import (
	"cmp"
	"fmt"

	"github.com/ansatz-lab/ansatz/experiments/examples"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/rfm"
)

// ConvRFMConventions is what the numbers depend on besides the images.
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

// describe writes down the conventions.
func (c *ConvRFM) describe() {
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

// describeFeatures says how a machine learns features from n images.
func (c *ConvRFMConventions) describeFeatures(m rfm.ConvMachine, n int) {
	seen := "M^½h"
	if m.Whole {
		seen = "Mh, as the published code does unless told"
	}
	c.Metric = fmt.Sprintf("M starts at I; patches h in the order (channel, row, column) are seen as %s; trace is that of the M with which an iteration was solved", seen)
	images := "all training images"
	if m.Sample > 0 && m.Sample < n {
		images = fmt.Sprintf("%d training images drawn anew for every iteration", m.Sample)
	}
	c.AGOP = "(1/n) Σ over images, positions and outputs of ∇f∇fᵀ in the patches, " + images
	c.Eigenvalues = "all"
	if m.Keep > 0 && m.Keep < 1 {
		c.Eigenvalues = fmt.Sprintf("the largest %.4g %% of M, rounded up, the others 0", 100*m.Keep)
	}
	c.Features = "one layer"
	if m.Layers > 1 {
		after := "and ReLU"
		if m.Linear {
			after = "without ReLU, as the published code has it"
		}
		c.Features = fmt.Sprintf("%d layers; between them %d filters N(0, M) %s", m.Layers, m.Filters, after)
	}
}

// choosesOnTest is the convention of --paper-mode.
const choosesOnTest = "the best ridge and iteration on the test images: as published, a leak"

// selection says what chose.
func (c *ConvRFM) selection() string {
	m := c.machine
	switch {
	case c.spec.PaperMode:
		return choosesOnTest
	case m.Validation != nil:
		return "the best ridge and iteration on the validation images; test images choose nothing"
	}
	return "the last iteration; nothing is chosen"
}

// facts are the conventions as a page shows them.
func (c ConvRFMConventions) facts() []report.Fact {
	c.Test = cmp.Or(c.Test, "none")
	return append(report.FactsOf(c), c.Conventions.Facts()...)
}
