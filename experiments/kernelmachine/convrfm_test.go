package kernelmachine

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/rfm"
)

// newConvRFM prepares a machine for a few small digits.
func newConvRFM(t *testing.T, s ConvRFMSpec) *ConvRFM {
	t.Helper()
	s.Data, s.Size, s.Train, s.Test = "glyphs", 9, 30, 10
	c, err := NewConvRFM(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// The zero values of a spec stand for the defaults that its comments give.
func TestConvRFMDefaults(t *testing.T) {
	c := newConvRFM(t, ConvRFMSpec{Iterations: 1})
	m := c.machine
	if m.Kernel != (rfm.CNTK{Layers: 3}) || m.Patch != 3 || m.Layers != 1 || m.Filters != rfm.DefaultFilters ||
		m.Scale != rfm.ScaleFrobenius || !m.KernelScale || m.Whole || m.Linear || m.Pad || len(m.Ridges) != 0 ||
		m.Task != rfm.Classification {
		t.Errorf("%+v", m)
	}
	if m.Validation != &c.examples.Validation || m.Validation.X.Len() != 7 {
		t.Errorf("%d validation images", m.Validation.X.Len())
	}
	if m := newConvRFM(t, ConvRFMSpec{Kernel: "laplace"}).machine; m.Scale != rfm.ScaleTrace || m.Validation != nil {
		t.Errorf("laplace: scale %v", m.Scale)
	}
	if m := newConvRFM(t, ConvRFMSpec{PaperMode: true}).machine; m.Validation == nil || m.Validation.X.Len() != 10 {
		t.Error("paper mode does not choose on the test images")
	}
}

// A machine that does not fit in memory is refused, and the error names flags that make it fit.
func TestConvRFMWithoutRoom(t *testing.T) {
	c := newConvRFM(t, ConvRFMSpec{Depth: 2, Layers: 2})
	twenty := c.machine.Bytes(c.examples.Train.X.Slice(0, 20), 10)
	for want, bytes := range map[string]int64{"fewer training images (--train), fewer --filters": 1,
		"at most --train 20,": twenty, "at most --train 19,": twenty - 1} {
		c.machine.Memory = bytes
		_, err := c.Run(t.Context(), nil)
		var memory *rfm.MemoryError
		if !input.IsError(err) || !errors.As(err, &memory) || !strings.Contains(err.Error(), want) {
			t.Errorf("%d bytes: %v", bytes, err)
		}
	}
}

// Progress reports every stage, including the test. A machine stops when its context is cancelled.
func TestConvRFMProgress(t *testing.T) {
	c := newConvRFM(t, ConvRFMSpec{Depth: 2, Layers: 2, Filters: 3, Iterations: 1})
	var stages []string
	last := rfm.ConvProgress{}
	if _, err := c.Run(t.Context(), func(p rfm.ConvProgress) {
		if !slices.Contains(stages, p.Stage) {
			stages = append(stages, p.Stage)
		}
		if p.Done < 0 || p.Done > p.Total || p.Layer < last.Layer {
			t.Errorf("%+v after %+v", p, last)
		}
		last = p
	}); err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(stages, "test") || len(stages) < 4 || last.Layer != 1 || last.Iteration != 1 {
		t.Errorf("stages %v, the last %+v", stages, last)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := c.Run(ctx, func(p rfm.ConvProgress) {
		if p.Layer == 1 {
			cancel()
		}
	}); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

// In paper mode the iteration and the ridge are selected on the test images. The recorded accuracy is the one of the
// fitted model.
func TestConvRFMPaperMode(t *testing.T) {
	s := ConvRFMSpec{Depth: 1, Iterations: 2, Ridges: []float64{1e-6, 1e-2, 1}, PaperMode: true}
	r, err := newConvRFM(t, s).Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	best := 0.
	for _, it := range r.Iterations {
		best = max(best, *it.TestAccuracy)
	}
	if *r.Iterations[r.Selected].TestAccuracy != best || !strings.Contains(r.Summary(), "Beware") {
		t.Errorf("selected %d of %v: %s", r.Selected, r.Iterations, r.Summary())
	}
	plain, err := newConvRFM(t, ConvRFMSpec{Depth: 1, Ridges: []float64{1}, PaperMode: true}).Run(t.Context(), nil)
	if err != nil || strings.Contains(plain.Summary(), "Beware") {
		t.Errorf("nothing to choose: %v, %s", err, plain.Summary())
	}
	p, err := r.model.Score(t.Context(), r.examples.Test.X, r.examples.Test.Y)
	if err != nil || p.Accuracy != best {
		t.Errorf("%v: the model scores %v, recorded was %v", err, p.Accuracy, best)
	}
}

// A page can also be made if M is 0.
func TestConvRFMPageOfNothing(t *testing.T) {
	c := newConvRFM(t, ConvRFMSpec{Depth: 1, Iterations: 1, Select: "last", Kernel: "laplace"})
	clear(c.examples.Train.X.Pixels)
	r, err := c.Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Save(t.Context(), t.TempDir()); err != nil {
		t.Error(err)
	}
}
