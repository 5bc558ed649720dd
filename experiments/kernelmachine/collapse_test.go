package kernelmachine

import (
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/examples"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// With the Gaussian kernel and a large ridge an AGOP that is not scaled shrinks to zero, and the summary says so. An
// AGOP that is scaled to its trace does not shrink.
func TestCollapse(t *testing.T) {
	for scale, want := range map[string]bool{"none": true, "trace": false} {
		h, err := NewHyperBF(t.Context(), study.Setting{}, HyperBFSpec{
			Spec: examples.Spec{Data: "glyphs", Train: 200, Test: 100, Seed: 1}, Update: "agop", Kernel: "gaussian",
			Ridges: []float64{1}, Iterations: 5, Scale: scale, Select: "last",
		})
		if err != nil {
			t.Fatal(err)
		}
		r, err := h.Run(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		summary := r.Single().Summary()
		if strings.Contains(summary, "M has collapsed") != want {
			t.Errorf("--scale %s: %s", scale, summary)
		}
	}
}

// A small trace is no collapse of a machine that fits its examples.
func TestSmallTraceThatFits(t *testing.T) {
	for r2, warned := range map[float64]bool{.99: false, 0: true} {
		note := collapseNote([]IterationRecord{{Trace: 5000}, {Iteration: 1, Trace: 1e-9, TrainR2: &r2}})
		if (note != "") != warned {
			t.Errorf("with R² %v on the training examples: %q", r2, note)
		}
	}
	one := 1.
	if note := collapseNote([]IterationRecord{{Trace: 5000}, {Iteration: 1, Trace: 1e-9, TrainAccuracy: &one}}); note != "" {
		t.Errorf("a classification that fits: %q", note)
	}
	// An adaptive bandwidth shrinks with M.
	r2, l := 0., .7
	if note := collapseNote([]IterationRecord{{Trace: 3}, {Iteration: 1, Trace: 1e-9, TrainR2: &r2, Bandwidth: &l}}); note != "" {
		t.Errorf("an adaptive bandwidth: %q", note)
	}
}
