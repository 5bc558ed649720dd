package tangent

import (
	"math"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/train"
)

// flowsAlike reports whether two flows have the same numbers, up to a relative error.
func flowsAlike(a, b *FlowRecord, tolerance float64) bool {
	lists := func(r *FlowRecord) [][]float64 {
		return [][]float64{r.Times, r.TrainLoss, r.TrainAccuracy, r.ValidationLoss, r.ValidationAccuracy, r.TestLoss,
			r.TestAccuracy}
	}
	for k, list := range lists(a) {
		other := lists(b)[k]
		if len(list) != len(other) {
			return false
		}
		for i, x := range list {
			if math.Abs(x-other[i]) > tolerance*math.Abs(x) {
				return false
			}
		}
	}
	return true
}

// The kernel of held-out images with training images tells their outputs as u does.
func TestCrossAndPasses(t *testing.T) {
	s := smallSystem()
	s.Method, s.Times, s.Precision, s.Validation, s.Ridges = exactMethod, "1,30", 64, 8, []float64{0, .1}
	var found [2]*LinearizeRecord
	for i, cross := range []bool{false, true} {
		l := newSystem(t, s)
		l.route = &cross
		var err error
		if found[i], err = l.Run(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	for i, a := range found[0].Solutions {
		if b := found[1].Solutions[i]; !flowsAlike(a.Flow, b.Flow, 1e-9) {
			t.Errorf("ridge %v: by passes %+v, by the kernel %+v", a.Ridge, a.Flow, b.Flow)
		}
	}
}

// The outputs of a network of one layer have equal and independent kernels: what the trace kernel gives is exact.
func TestTraceIsExact(t *testing.T) {
	for _, eta := range []float64{0, .01} {
		s := smallSystem()
		s.Arch, s.Width, s.Method, s.Precision, s.Times, s.Validation = "linear", 1, exactMethod, 64, "0,1,100", 8
		s.Ridges, s.GradientDescent = []float64{0, 10}, eta
		full := solved(t, s)
		s.Kernel = TraceKernel
		trace := solved(t, s)
		if full.Rows != 320 || trace.Rows != 32 || trace.Kernel != TraceKernel || full.Kernel != FullKernel {
			t.Errorf("%d and %d rows, kernels %s and %s", full.Rows, trace.Rows, full.Kernel, trace.Kernel)
		}
		for i, a := range full.Solutions {
			b := trace.Solutions[i]
			if !flowsAlike(a.Flow, b.Flow, 1e-8) {
				t.Errorf("ridge %v: full %+v, trace %+v", a.Ridge, a.Flow, b.Flow)
			}
			if a.Rank != 10*b.Rank || math.Abs(a.Norm-b.Norm) > 1e-8*a.Norm || math.Abs(a.Test.Loss-b.Test.Loss) > 1e-8 ||
				a.Test.Accuracy != b.Test.Accuracy || math.Abs(a.Train.Loss-b.Train.Loss) > 1e-8 ||
				math.Abs(a.Validation.Loss-b.Validation.Loss) > 1e-8 {
				t.Errorf("ridge %v: full %+v, trace %+v", a.Ridge, a, b)
			}
		}
		if full.Selected != trace.Selected {
			t.Errorf("ridge %d, with the trace kernel %d", full.Selected, trace.Selected)
		}
		if text := trace.Summary() + trace.Tables()[0].Caption + trace.Conventions.Model; strings.Count(text, "approximat") < 3 {
			t.Errorf("does not say that it is an approximation: %s", text)
		}
	}
}

// The limit of the flow is the solution of the dual system.
func TestLimitIsSolution(t *testing.T) {
	s := smallSystem()
	s.Precision, s.Validation, s.Ridges = 64, 8, []float64{0, .1}
	dual := solved(t, s)
	s.Method, s.Times = exactMethod, "1"
	exact := solved(t, s)
	for i, a := range dual.Solutions {
		b := exact.Solutions[i]
		if math.Abs(a.Norm-b.Norm) > 1e-8*a.Norm || math.Abs(a.Test.Loss-b.Test.Loss) > 1e-8*a.Test.Loss {
			t.Errorf("ridge %v: norms %v and %v, test losses %v and %v", a.Ridge, a.Norm, b.Norm, a.Test.Loss, b.Test.Loss)
		}
	}
}

// What does not go together with the trace kernel, or not into memory, is refused, with a way out.
func TestExactBadInput(t *testing.T) {
	for _, c := range []struct {
		want   string
		change func(*LinearizeSpec)
	}{
		{`--kernel "diag": want full or trace`, func(s *LinearizeSpec) { s.Kernel = "diag" }},
		{"--kernel trace is for --method exact", func(s *LinearizeSpec) { s.Kernel, s.Method = TraceKernel, SolveMethod }},
		{"--kernel trace, an approximation, takes 100 times less", func(s *LinearizeSpec) { s.Train = 50000 }},
	} {
		s := smallSystem()
		s.Method = exactMethod
		c.change(&s)
		if _, err := NewLinearization(t.Context(), s); !input.IsError(err) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	s := LinearizeSpec{Spec: train.Spec{Arch: "lenet", Width: .3, Data: "glyphs", Train: 40, Test: 30}, Method: exactMethod}
	if text := newSystem(t, s).Estimate(); !strings.Contains(text, "400 rows") || !strings.Contains(text, "GB of memory") {
		t.Errorf("%s", text)
	}
}
