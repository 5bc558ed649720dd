package tangent

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/models/kernels"
)

// flowsAlike reports whether the numbers of two flows are equal up to a relative error.
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

// The flow on held-out images is the same whether their outputs are computed from their kernel with the training images
// or from u, by passes through the network.
func TestCrossAndPasses(t *testing.T) {
	s := smallSystem()
	s.Method, s.Times, s.Precision, s.Validation, s.Ridges = exactMethod, "1,30", 64, 8, []float64{0, .1}
	var found [2]*LinearizeRecord
	for i, cross := range []bool{false, true} {
		l := newSystem(t, s)
		l.cross = &cross
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

// apartTOML returns the path of an architecture in which each output has its own weights.
func apartTOML(t *testing.T) string {
	t.Helper()
	var text strings.Builder
	text.WriteString("name = \"apart\"\ninput = [1, 28, 28]\n[[layer]]\ntype = \"branches\"\njoin = \"concat\"\n")
	for c := range 10 {
		fmt.Fprintf(&text, "[[layer.branch]]\nname = \"part%d\"\n", c)
	}
	text.WriteString(`
[[layer]]
type = "conv"
name = "conv"
filters = 20
kernel = 8
stride = 5
groups = 10
[[layer]]
type = "tanh"
[[layer]]
type = "conv"
name = "head"
classes = true
kernel = 5
groups = 10
[[layer]]
type = "flatten"
`)
	path := filepath.Join(t.TempDir(), "apart.toml")
	if err := os.WriteFile(path, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// The outputs of a network of one layer have equal and independent kernels, so that the trace and the diagonal kernel
// are exact. If outputs share no weights, their kernels are independent but different, so that the diagonal kernel is
// exact and the trace kernel is not.
func TestFormsAreExact(t *testing.T) {
	apart := apartTOML(t)
	for _, c := range []struct {
		arch   string
		form   kernels.Form
		rows   int
		exact  bool
		eta, m float64
	}{
		{"linear", kernels.Trace, 32, true, 0, 0}, {"linear", kernels.Trace, 32, true, .01, 0},
		{"linear", kernels.Diagonal, 320, true, 0, 0}, {"linear", kernels.Diagonal, 320, true, .01, .5},
		{apart, kernels.Diagonal, 320, true, 0, 0}, {apart, kernels.Diagonal, 320, true, 1e-3, .9},
		{apart, kernels.Trace, 32, false, 0, 0},
	} {
		s := smallSystem()
		s.Arch, s.Width, s.Method, s.Precision, s.Times, s.Validation = c.arch, 1, exactMethod, 64, "0,1,100", 8
		s.Ridges, s.GradientDescent, s.GradientDescentMomentum = []float64{0, 10}, c.eta, c.m
		full := solved(t, s)
		s.Kernel = c.form.String()
		other := solved(t, s)
		if full.Rows != 320 || other.Rows != c.rows || other.Kernel != c.form.String() || full.Kernel != kernels.Full.String() {
			t.Errorf("%+v: %d and %d rows, kernels %s and %s", c, full.Rows, other.Rows, full.Kernel, other.Kernel)
		}
		for i, a := range full.Solutions {
			b := other.Solutions[i]
			alike := flowsAlike(a.Flow, b.Flow, 1e-8) && a.Rank*c.rows == 320*b.Rank && math.Abs(a.Norm-b.Norm) < 1e-8*a.Norm &&
				math.Abs(a.Test.Loss-b.Test.Loss) < 1e-8 && a.Test.Accuracy == b.Test.Accuracy &&
				math.Abs(a.Train.Loss-b.Train.Loss) < 1e-8 && math.Abs(a.Validation.Loss-b.Validation.Loss) < 1e-8
			if alike != c.exact {
				t.Errorf("%+v, ridge %v: full %+v %+v, other %+v %+v", c, a.Ridge, a, *a.Flow, b, *b.Flow)
			}
		}
		if c.exact && full.Selected != other.Selected {
			t.Errorf("%+v: ridge %d, want %d", c, other.Selected, full.Selected)
		}
		text := other.Summary() + other.Tables()[0].Caption + other.Conventions.Model
		if strings.Count(text, "approximat") < 3 {
			t.Errorf("does not say that it is an approximation: %s", text)
		}
		if page, err := other.Page(); err != nil || !strings.Contains(page.Sections[0].Figures[0].Caption, "approximation") {
			t.Errorf("%+v: a page that does not say that it is an approximation (%v)", c, err)
		}
	}
}

// For a network with one output, the diagonal kernel equals the full one, and so does its flow.
func TestDiagonalOfOneOutput(t *testing.T) {
	s := smallSystem()
	s.Labels, s.Method, s.Precision, s.Times = "one:3", exactMethod, 64, "1,30"
	full := solved(t, s)
	s.Kernel = kernels.Diagonal.String()
	diagonal := solved(t, s)
	if a, b := full.Solutions[0], diagonal.Solutions[0]; !flowsAlike(&full.FlowRecord, &diagonal.FlowRecord, 1e-9) ||
		math.Abs(a.Norm-b.Norm) > 1e-9*a.Norm || math.Abs(a.Test.Loss-b.Test.Loss) > 1e-9 {
		t.Errorf("full %+v, diagonal %+v", full.FlowRecord, diagonal.FlowRecord)
	}
}

// With a diagonal kernel, a learning rate that is too large for the kernel of one output is refused. The error gives
// the largest one that is stable for all outputs, the same as for the full kernel.
func TestDiagonalUnstable(t *testing.T) {
	s := smallSystem()
	s.Arch, s.Width, s.Method, s.Times, s.GradientDescent = apartTOML(t), 1, exactMethod, "1", 1e4
	var bounds []string
	for _, form := range []kernels.Form{kernels.Full, kernels.Diagonal} {
		s.Kernel = form.String()
		_, err := newSystem(t, s).Run(t.Context(), nil)
		if err == nil {
			t.Fatalf("%v: a learning rate of 1e4 is accepted", form)
		}
		bounds = append(bounds, err.Error())
	}
	if bounds[0] != bounds[1] {
		t.Errorf("%s, of the full kernel %s", bounds[1], bounds[0])
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

// An unknown kernel form, a form that the method does not support and a kernel that does not fit in memory are refused.
// The error names what can be used instead.
func TestExactBadInput(t *testing.T) {
	for _, c := range []struct {
		want   string
		change func(*LinearizeSpec)
	}{
		{`--kernel "diag": want full, trace or diagonal`, func(s *LinearizeSpec) { s.Kernel = "diag" }},
		{"--kernel trace is for --method exact", func(s *LinearizeSpec) { s.Kernel, s.Method = kernels.Trace.String(), SolveMethod }},
		{"--kernel diagonal and --kernel trace, approximations, take 10 and 100 times less", func(s *LinearizeSpec) { s.Train = 50000 }},
	} {
		s := smallSystem()
		s.Method = exactMethod
		c.change(&s)
		if _, err := NewLinearization(t.Context(), s); !input.IsError(err) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	s := LinearizeSpec{Spec: train.Spec{Arch: "lenet", Width: .3, Data: "glyphs", Train: 40, Test: 30}, Method: exactMethod}
	if text := newSystem(t, s).Estimate(); !strings.Contains(text, "400 rows") || !strings.Contains(text, "MiB of memory") {
		t.Errorf("%s", text)
	}
}

// Losses that become tiny in closed form are not drawn, since the axis would show little else.
func TestFlowFigureIgnoresRounding(t *testing.T) {
	r := &LinearizeRecord{FlowRecord: FlowRecord{Times: []float64{1, 10, 1e3, 1e6}, TrainLoss: []float64{.1, .01, 1e-9, 1e-300},
		TestLoss: []float64{.1, .08, .06, .05}}}
	f, err := r.lossFigure()
	if err != nil {
		t.Fatal(err)
	}
	if drawn := f.Description.Lines; len(drawn[0].X) != 2 || len(drawn[1].X) != 4 || !strings.Contains(f.Caption, "not drawn") {
		t.Errorf("%d and %d losses are drawn: %s", len(drawn[0].X), len(drawn[1].X), f.Caption)
	}
	r.TrainLoss = []float64{.1, .01, .001, .0001}
	if f, err = r.lossFigure(); err != nil || len(f.Description.Lines[0].X) != 4 || strings.Contains(f.Caption, "not drawn") {
		t.Errorf("all are near enough, but %d are drawn: %s, %v", len(f.Description.Lines[0].X), f.Caption, err)
	}
}
