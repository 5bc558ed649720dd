package experiments

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/rfm"
)

// ConvRFMConventions is what the numbers depend on besides the images.
type ConvRFMConventions struct {
	ExamplesConventions
	Kernel      string    `json:"kernel"`
	Bandwidth   float64   `json:"bandwidth,omitempty"`
	Padding     string    `json:"padding"`
	KernelScale string    `json:"kernel_scale"`
	Ridges      []float64 `json:"ridges"`
	Metric      string    `json:"metric"`
	AGOP        string    `json:"agop"`
	Scale       string    `json:"scale"`
	Eigenvalues string    `json:"eigenvalues"`
	Features    string    `json:"features"` // between layers
	Select      string    `json:"select"`
	Solver      string    `json:"solver"`
	RunConventions
}

// describe writes down the conventions.
func (c *ConvRFM) describe() {
	m := c.machine
	v := ConvRFMConventions{
		ExamplesConventions: c.examples.conv,
		Kernel:              m.Kernel.String() + ": " + m.Kernel.Formula(),
		Padding:             "none: patches lie within the image (VALID), in all convolutions",
		KernelScale:         "none",
		Ridges:              m.Ridges,
		AGOP:                "(1/n) Σ over images, positions and outputs of ∇f∇fᵀ in the patches, all training images",
		Scale:               m.Scale.String(),
		Eigenvalues:         "all",
		Features:            "one layer",
		Select:              c.selection(),
		Solver:              fmt.Sprintf("(K + λI)α = Y by %v", rfm.Cholesky{}),
		RunConventions:      runConventions(m.Precision, m.Backend, m.Threads, m.Seed),
	}
	seen := "M^½h"
	if m.Whole {
		seen = "Mh, as the published code does unless told"
	}
	v.Metric = fmt.Sprintf("M starts at I; patches h in the order (channel, row, column) are seen as %s; trace is that of the M with which an iteration was solved", seen)
	if k, ok := m.Kernel.(rfm.PatchLaplace); ok {
		v.Bandwidth = cmp.Or(k.Bandwidth, rfm.DefaultBandwidth)
	}
	if m.Pad {
		v.Padding = "zeros around the image, in all convolutions"
	}
	if m.KernelScale {
		v.KernelScale = "max: divided by the largest entry of the training images'"
	}
	if m.Sample > 0 && m.Sample < c.examples.train.X.Len() {
		v.AGOP = fmt.Sprintf("(1/n) Σ over images, positions and outputs of ∇f∇fᵀ in the patches, %d training images drawn anew for every iteration", m.Sample)
	}
	if m.Keep > 0 && m.Keep < 1 {
		v.Eigenvalues = fmt.Sprintf("the largest %.4g %% of M, rounded up, the others 0", 100*m.Keep)
	}
	if m.Layers > 1 {
		v.Features = fmt.Sprintf("%d layers; between them %d filters N(0, M) and ReLU", m.Layers, m.Filters)
	}
	if m.Layers > 1 && m.Linear {
		v.Features = fmt.Sprintf("%d layers; between them %d filters N(0, M) without ReLU, as the published code has it", m.Layers, m.Filters)
	}
	c.conv = v
}

// selection says what chose.
func (c *ConvRFM) selection() string {
	m := c.machine
	switch {
	case c.spec.PaperMode:
		return "the best ridge and iteration on the test images: as published, a leak"
	case m.Validation != nil:
		return "the best ridge and iteration on the validation images; test images choose nothing"
	}
	return "the last iteration; nothing is chosen"
}

// facts are the conventions as a page shows them.
func (c ConvRFMConventions) facts() []report.Fact {
	facts := []report.Fact{
		{Name: "kernel", Value: c.Kernel}, {Name: "padding", Value: c.Padding}, {Name: "kernel divided by", Value: c.KernelScale},
		{Name: "ridges λ", Value: strings.Trim(strings.ReplaceAll(fmt.Sprint(c.Ridges), " ", ", "), "[]")}, {Name: "metric", Value: c.Metric}, {Name: "AGOP", Value: c.AGOP},
		{Name: "AGOP divided by", Value: c.Scale}, {Name: "eigenvalues", Value: c.Eigenvalues}, {Name: "features", Value: c.Features},
		{Name: "selected", Value: c.Select}, {Name: "inputs", Value: c.Inputs}, {Name: "targets", Value: c.Targets},
		{Name: "training", Value: c.Train},
	}
	if c.Bandwidth > 0 {
		facts = append(facts, report.Fact{Name: "bandwidth L", Value: fmt.Sprint(c.Bandwidth)})
	}
	if c.Validation != "" {
		facts = append(facts, report.Fact{Name: "validation", Value: c.Validation})
	}
	return append(facts, report.Fact{Name: "test", Value: cmp.Or(c.Test, "none")})
}
