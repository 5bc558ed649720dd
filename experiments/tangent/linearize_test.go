package tangent

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/checkpoint"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/models/weights"
)

// smallSystem returns a linear system that is solved quickly.
func smallSystem() LinearizeSpec {
	return LinearizeSpec{Spec: train.Spec{Arch: "lenet", Width: .3, Data: "glyphs", Train: 40, Test: 30, Seed: 2}}
}

func newSystem(t *testing.T, s LinearizeSpec) *Linearization {
	t.Helper()
	l, err := NewLinearization(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func solved(t *testing.T, s LinearizeSpec) *LinearizeRecord {
	t.Helper()
	r, err := newSystem(t, s).Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// With more weights than equations and no ridge the fit is exact. The larger the ridge, the smaller is ‖u‖ and the
// larger the training loss.
func TestSolveRidges(t *testing.T) {
	s := smallSystem()
	s.Ridges, s.Precision = []float64{0, 1e-4, 1e-2, 1, 100}, 64
	r := solved(t, s)
	if r.Train != 32 || r.Validation != 8 || r.Test != 30 || r.Rows != 320 || len(r.Solutions) != 5 {
		t.Fatalf("%d training, %d validation, %d test images, %d rows, %d solutions", r.Train, r.Validation, r.Test,
			r.Rows, len(r.Solutions))
	}
	if first := r.Solutions[0]; first.Train.Accuracy != 1 || first.Train.Loss > 1e-9 {
		t.Errorf("without a ridge: %+v", first.Train)
	}
	best := 0
	for i, x := range r.Solutions {
		if i > 0 && (x.Norm >= r.Solutions[i-1].Norm || x.Train.Loss <= r.Solutions[i-1].Train.Loss) {
			t.Errorf("ridge %v: ‖u‖ %v, training loss %v, before that %+v", x.Ridge, x.Norm, x.Train.Loss,
				r.Solutions[i-1])
		}
		if x.Validation.Loss < r.Solutions[best].Validation.Loss {
			best = i
		}
	}
	if r.Selected != best {
		t.Errorf("selected %d, the smallest validation loss is that of %d", r.Selected, best)
	}
	if last := r.Solutions[4].Train.Loss; last > r.Initial.Train.Loss {
		t.Errorf("a large ridge has loss %v, no u at all %v", last, r.Initial.Train.Loss)
	}
}

// The gradient flow starts at u = 0, its training loss falls, and it converges to the solution.
func TestExactFlow(t *testing.T) {
	s := smallSystem()
	s.Method, s.Times, s.Precision, s.Validation = exactMethod, "log:1e-6:1e9", 64, 8
	s.Ridges = []float64{.01} // so that small eigenvalues have converged by then
	r := solved(t, s)
	n := len(r.Times)
	if n != 15*perDecade+1 || r.Times[0] != 1e-6 || math.Abs(r.Times[n-1]-1e9) > 1 {
		t.Fatalf("%d times, from %v to %v", n, r.Times[0], r.Times[n-1])
	}
	for _, list := range [][]float64{r.TrainLoss, r.TrainAccuracy, r.ValidationLoss, r.ValidationAccuracy, r.TestLoss,
		r.TestAccuracy} {
		if len(list) != n {
			t.Fatalf("%d numbers for %d times", len(list), n)
		}
	}
	for i := 1; i < n; i++ {
		if r.TrainLoss[i] > r.TrainLoss[i-1]*(1+1e-9)+1e-20 {
			t.Errorf("the training loss rises from %v to %v at %v", r.TrainLoss[i-1], r.TrainLoss[i], r.Times[i])
		}
	}
	near := func(what string, got, want float64) {
		if math.Abs(got-want) > 1e-6*math.Abs(want)+1e-12 {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	near("the training loss at first", r.TrainLoss[0], r.Initial.Train.Loss)
	near("the test loss at first", r.TestLoss[0], r.Initial.Test.Loss)
	near("the test loss in the limit", r.TestLoss[n-1], r.Solutions[0].Test.Loss)
	near("the validation loss in the limit", r.ValidationLoss[n-1], r.Solutions[0].Validation.Loss)
	if r.TestAccuracy[n-1] != r.Solutions[0].Test.Accuracy {
		t.Errorf("the test accuracy in the limit is %v, the solution's %v", r.TestAccuracy[n-1],
			r.Solutions[0].Test.Accuracy)
	}
	if p, err := r.Page(); err != nil || len(p.Sections[0].Figures) != 2 || len(p.Sections[0].Tables) != 2 {
		t.Errorf("%v, %v", p, err)
	}
}

// A run with several ridges gives the same flows as runs with each of them alone. The record shows the flow of the
// selected ridge.
func TestExactRidges(t *testing.T) {
	s := smallSystem()
	s.Method, s.Times, s.Validation, s.Ridges = exactMethod, "log:1:1e4", 8, []float64{10, 1e-2, 1}
	all := solved(t, s)
	if want := all.Solutions[all.Selected].Flow; !reflect.DeepEqual(all.FlowRecord, *want) {
		t.Errorf("the flow of the record is %+v, that of the selected ridge %+v", all.FlowRecord, *want)
	}
	for i, ridge := range s.Ridges {
		one := s
		one.Ridges = []float64{ridge}
		r := solved(t, one)
		if !flowsAlike(&r.FlowRecord, all.Solutions[i].Flow, 1e-12) || r.Solutions[0].Flow != nil {
			t.Errorf("ridge %v: alone %+v, among others %+v", ridge, r.FlowRecord, *all.Solutions[i].Flow)
		}
	}
	if p, err := all.Page(); err != nil || len(p.Sections[0].Figures) != 4 {
		t.Errorf("%v, %v", p, err)
	}
}

// A learning rate at which gradient descent diverges is refused, and the error gives the largest stable one.
func TestExactUnstable(t *testing.T) {
	s := smallSystem()
	s.Method, s.GradientDescent = exactMethod, 1e4
	_, err := newSystem(t, s).Run(t.Context(), nil)
	var most float64
	if err == nil {
		t.Fatal("a learning rate of 1e4 is accepted")
	}
	_, text, _ := strings.Cut(err.Error(), "the learning rate must be below ")
	if _, err := fmt.Sscan(text, &most); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	s.Times = "1e4"
	for _, c := range []struct {
		rate  float64
		falls bool
	}{{most, true}, {1.002 * most, false}} {
		s.GradientDescent = c.rate
		r, err := newSystem(t, s).Run(t.Context(), nil)
		if falls := err == nil && r.TrainLoss[0] < r.Initial.Train.Loss; falls != c.falls {
			t.Errorf("learning rate %v of at most %v: %v", c.rate, most, err)
		}
	}
	// Of several ridges the largest decides, whatever their order.
	s.Ridges, s.GradientDescent = []float64{0, 1e5, 1}, 1e4
	_, err = newSystem(t, s).Run(t.Context(), nil)
	if !input.IsError(err) || !strings.Contains(err.Error(), "with --ridge 100000:") {
		t.Errorf("several ridges: %v", err)
	}
}

// Gradient descent in closed form agrees with the trainer's, step by step, for full batches in double precision.
func TestExactDescent(t *testing.T) {
	s := smallSystem()
	s.Method, s.Precision, s.Times = exactMethod, 64, "2,4,6"
	s.GradientDescent, s.GradientDescentMomentum = 2, .5
	r := solved(t, s)
	sgd := s.Spec
	sgd.Linearized, sgd.Loss, sgd.Epochs, sgd.Batch, sgd.LR, sgd.Momentum = true, "mse", 3, s.Train, 2, .5
	tr, err := train.NewTraining(t.Context(), sgd)
	if err != nil {
		t.Fatal(err)
	}
	trained, err := tr.Run(t.Context(), train.Run{})
	if err != nil {
		t.Fatal(err)
	}
	if len(trained.Epochs) != 3 || len(r.Times) != 3 {
		t.Fatalf("%d epochs, %d times", len(trained.Epochs), len(r.Times))
	}
	for i, e := range trained.Epochs {
		if e.TestLoss == nil || math.Abs(*e.TestLoss-r.TestLoss[i]) > 1e-8*r.TestLoss[i] {
			t.Errorf("after %d steps the trainer's test loss is %v, the closed form's %v", i+1, e.TestLoss, r.TestLoss[i])
		}
	}
}

func TestParseTimes(t *testing.T) {
	for text, want := range map[string][]float64{"0,1, 10": {0, 1, 10}, "5": {5}, "log:1:10": {1, 1.778, 3.162, 5.623, 10}} {
		got, err := parseTimes(text)
		if err != nil || !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-3 }) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for text, found := range map[string]string{
		"": `""`, "1,1": "1 after 1",
		"2,1": "1 after 2", "0,-1": `"-1"`, "1,x": `"x"`, "log:1": `FROM "1" and TO ""`, "log:0:1": "FROM",
		"log:2:1": "FROM", "log:1:Inf": "FROM", "nan": `"nan"`, "inf": `"inf"`, "log:1e-300:1e300": "more than 10000 times",
	} {
		_, err := parseTimes(text)
		if err == nil || !strings.Contains(err.Error(), "want rising times") || !strings.Contains(err.Error(), "found "+found) {
			t.Errorf("%q: %v, want found %s", text, err, found)
		}
	}
}

// The times of a list that are no multiples of the learning rate are said, and where they are shown.
func TestMovedTimes(t *testing.T) {
	for _, c := range []struct {
		rate        float64
		times, want string
	}{
		{.1, "0.05,0.15,0.3,0.31", "3 of 4 times are not multiples of --lr 0.1: shown at the nearest, 0.05 at 0.1, 0.15 at 0.1, " +
			"0.31 at 0.3; times that coincide are shown once."},
		{.5, "0.6,1", "1 of 2 times is not a multiple of --lr 0.5: shown at the nearest, 0.6 at 0.5."},
		{.1, "0,0.1,0.3,10", ""}, {0, "0.05", ""}, {.3, "log:1:10", ""},
	} {
		if got := (LinearizeSpec{GradientDescent: c.rate, Times: c.times}).movedTimes(); got != c.want {
			t.Errorf("%v, %s: %s, want %s", c.rate, c.times, got, c.want)
		}
	}
}

// If the kernel is nearly singular, float32 loses the solution to rounding, which the record measures. Float64 does
// not.
func TestSolveRounding(t *testing.T) {
	s := smallSystem()
	s.Labels, s.Width, s.Train = "one:3", .12, 300 // as many equations as weights, or nearly
	single := solved(t, s)
	s.Precision = 64
	double := solved(t, s)
	if a, b := single.Solutions[0].Rounding, double.Solutions[0].Rounding; a < 1e3*b || b > 1e-2 {
		t.Errorf("%d weights: rounding %v in float32, %v in float64", single.Parameters, a, b)
	}
	single.Solutions[0].Rounding = .5
	if text := single.Summary(); !strings.Contains(text, "--precision 64") {
		t.Error(text)
	}
}

// The test images do not affect any choice: if their labels change, the solutions and the selected ridge stay the same.
func TestTestImagesChooseNothing(t *testing.T) {
	s := smallSystem()
	s.Ridges = []float64{1e-3, 1e-1, 10}
	want := solved(t, s)
	l := newSystem(t, s)
	var err error
	if l.Training.Images().Test, err = data.RandomLabels(l.Training.Images().Test, 9); err != nil {
		t.Fatal(err)
	}
	got, err := l.Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range got.Solutions {
		if w := want.Solutions[i]; x.Norm != w.Norm || *x.Validation != *w.Validation || *x.Test == *w.Test {
			t.Errorf("ridge %v: %+v, was %+v", x.Ridge, x.ScoresRecord, w.ScoresRecord)
		}
	}
	if got.Selected != want.Selected {
		t.Errorf("selected %d, was %d", got.Selected, want.Selected)
	}
}

// Conjugate gradients converge to the solution from the kernel, and the summary says if they did not converge.
func TestConjugateGradientsSolve(t *testing.T) {
	s := smallSystem()
	s.Labels, s.Ridges, s.Precision = "one:3", []float64{.1}, 64
	direct := solved(t, s)
	s.Method, s.Tolerance = cgMethod, 1e-10
	r := solved(t, s)
	a, b := direct.Solutions[0], r.Solutions[0]
	if math.Abs(a.Norm-b.Norm) > 1e-6*a.Norm || math.Abs(a.Test.Loss-b.Test.Loss) > 1e-6*a.Test.Loss ||
		!*b.Converged || len(b.Residuals) != b.Iterations {
		t.Errorf("direct %+v, by conjugate gradients %+v", a, b)
	}
	if r.Outputs != 1 || r.KernelSeconds != nil || direct.KernelSeconds == nil {
		t.Errorf("%d outputs, %v", r.Outputs, r.KernelSeconds)
	}
	s.Iterations = 2
	if r := solved(t, s); *r.Solutions[0].Converged ||
		!strings.Contains(r.Summary(), "not converged after 2 iterations") {
		t.Errorf("%s", r.Summary())
	}
	// The saved file has u under the names of the weights.
	dir := t.TempDir()
	l := newSystem(t, s)
	r, err := l.Run(t.Context(), nil)
	if err == nil {
		_, err = l.Save(r, dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	u, err := weights.Open(filepath.Join(dir, train.TangentsFile))
	if err != nil || u.Len() != 10 || u.Metadata()["linearized"] == "" {
		t.Errorf("%v, %v", u, err)
	}
}

// The training images of a system are shifted once: they are shifted in the same way whenever they are read.
func TestSystemShift(t *testing.T) {
	s := smallSystem()
	s.Shift = 4
	l := newSystem(t, s)
	a, err := l.readSet(t.Context(), l.Training.Images().Train)
	if err != nil {
		t.Fatal(err)
	}
	again, err := newSystem(t, s).readSet(t.Context(), l.Training.Images().Train)
	if err != nil {
		t.Fatal(err)
	}
	s.Shift = 0
	still := newSystem(t, s)
	plain, err := still.readSet(t.Context(), still.Training.Images().Train)
	if err != nil {
		t.Fatal(err)
	}
	same, moved := true, false
	for i := range a.px {
		same = same && a.px[i] == again.px[i]
		moved = moved || a.px[i] != plain.px[i]
	}
	if !same || !moved || !strings.Contains(l.conventions().Train, "shifted by up to 4") {
		t.Errorf("the same twice: %v, other than without: %v", same, moved)
	}
}

// A network and its linearization start as the same function and train on the same batches. They differ only after
// steps have been taken.
func TestLinearizationHasTheNetworksBatches(t *testing.T) {
	s := train.Spec{Arch: "lenet", Width: .3, Data: "glyphs", Train: 120, Test: 30, Shift: 2, Epochs: 1, Batch: 20,
		LR: 1e-4, Momentum: .9, Loss: "mse", Seed: 7}
	run := func(s train.Spec) *LinearTrainingRecord {
		c, err := NewLinearTraining(t.Context(), s, true)
		if err != nil {
			t.Fatal(err)
		}
		r, err := c.Run(t.Context(), train.Run{}, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	first := s
	first.Steps = 1
	if r := run(first); math.Abs(r.Epochs[0].TrainLoss-r.Network.Epochs[0].TrainLoss) > 1e-7 {
		t.Errorf("losses of the first step: %v and %v", r.Epochs[0].TrainLoss, r.Network.Epochs[0].TrainLoss)
	}
	// f = f_lin + O(‖u‖²): small steps change both in nearly the same way.
	small := run(s)
	change := small.Network.Epochs[0].TrainLoss - .1
	if off := math.Abs(small.Epochs[0].TrainLoss - small.Network.Epochs[0].TrainLoss); off > 1e-2*math.Abs(change) {
		t.Errorf("after small steps the losses %v and %v part", small.Epochs[0].TrainLoss,
			small.Network.Epochs[0].TrainLoss)
	}
	s.LR = .1
	if r := run(s); r.Epochs[0].TrainLoss == r.Network.Epochs[0].TrainLoss {
		t.Error("large steps, and the same loss")
	}
}

// A linearization that is stopped at any point and resumed ends with the same u, to the bit. The files that it saves
// are u and w₀.
func TestLinearizedResume(t *testing.T) {
	s := train.Spec{Arch: "lenet", Width: .3, Data: "glyphs", Train: 90, Test: 20, Epochs: 2, Batch: 20, LR: .02,
		Momentum: .9, WeightDecay: 1e-3, Loss: "mse", Seed: 4, Linearized: true}
	whole, dir := t.TempDir(), t.TempDir()
	want, err := beginTraining(t, s).Run(t.Context(), train.Run{Out: whole})
	if err != nil {
		t.Fatal(err)
	}
	for stop := 0; ; stop++ {
		ctx, cancel := context.WithCancel(t.Context())
		reports := 0
		got, err := beginTraining(t, s).Run(ctx,
			train.Run{Out: dir, Resume: stop > 0, Every: time.Nanosecond, Progress: func(train.Progress) {
				if reports++; reports == 4 {
					cancel()
				}
			}})
		cancel()
		var interrupted *checkpoint.InterruptedError
		if err != nil && !errors.As(err, &interrupted) || stop > 50 {
			t.Fatalf("stop %d: %v", stop, err)
		}
		if err != nil {
			continue
		}
		for _, f := range []string{"initial.safetensors", "best-tangents.safetensors", "last-tangents.safetensors"} {
			if digestOf(t, filepath.Join(dir, f)) != digestOf(t, filepath.Join(whole, f)) {
				t.Errorf("%s is not what the whole run has, after %d stops", f, stop)
			}
		}
		if stop < 2 || got.LastWeights != filepath.Join(dir, "last-tangents.safetensors") ||
			*got.Final().TestLoss != *want.Final().TestLoss {
			t.Errorf("%d stops: %+v", stop, got)
		}
		break
	}
	// The saved w₀ is the network's at the start, and the saved u is marked as that of f_lin.
	l := newSystem(t, LinearizeSpec{
		Spec: train.Spec{Arch: "lenet", Width: .3, Data: "glyphs", Train: 90, Test: 20, Seed: 4},
	})
	if got, want := l.Training.Network().StateDict().SHA256(), openState(t, want.InitialWeights).SHA256(); got != want {
		t.Errorf("w₀ %s, saved is %s", got, want)
	}
	if u := openState(t, want.LastWeights); u.Len() != 10 || !strings.Contains(u.Metadata()["linearized"], "f_lin") {
		t.Errorf("%d tensors, %v", u.Len(), u.Metadata())
	}
}

func openState(t *testing.T, path string) *weights.StateDict {
	t.Helper()
	d, err := weights.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestLinearizeBadInput(t *testing.T) {
	for _, c := range []struct {
		want   string
		change func(*LinearizeSpec)
	}{
		{`--method "lsqr": want sgd, solve, exact or cg`, func(s *LinearizeSpec) { s.Method = "lsqr" }},
		{"are for --method cg", func(s *LinearizeSpec) { s.Iterations = 3 }},
		{"--times \"soon\": want rising times", func(s *LinearizeSpec) { s.Method, s.Times = exactMethod, "soon" }},
		{"--tolerance 2: want", func(s *LinearizeSpec) { s.Method, s.Tolerance = cgMethod, 2 }},
		{"--lr 1e-300 reaches", func(s *LinearizeSpec) { s.Method, s.Times, s.GradientDescent = exactMethod, "1", 1e-300 }},
		{"--ridge -1", func(s *LinearizeSpec) { s.Ridges = []float64{-1} }},
		{"--ridge NaN", func(s *LinearizeSpec) { s.Ridges = []float64{math.NaN()} }},
		{"give --validation", func(s *LinearizeSpec) { s.Ridges, s.Train = []float64{0, 1}, 0 }},
		{"are for --method sgd", func(s *LinearizeSpec) { s.Flip = true }},
		{"--method cg needs no kernel", func(s *LinearizeSpec) { s.Train = 2e4 }},
		{"--train ", func(s *LinearizeSpec) { s.Train = 2e4 }},
		{"--width ", func(s *LinearizeSpec) { s.Width = 3000 }},
		{"training needs at least 2 classes", func(s *LinearizeSpec) { s.Classes = "3" }},
		{"want a class of glyphs", func(s *LinearizeSpec) { s.Labels = "one:ten" }},
		{"training images are of that class", func(s *LinearizeSpec) { s.Labels, s.Train = "one:9", 1 }},
		{"want true, random, one:C", func(s *LinearizeSpec) { s.Labels = "one" }},
	} {
		s := smallSystem()
		c.change(&s)
		if _, err := NewLinearization(t.Context(), s); !input.IsError(err) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	for _, c := range []struct {
		want   string
		change func(*train.Spec)
	}{
		{"give --loss mse", func(s *train.Spec) { s.Labels = "one:3" }},
		{"--track-ansatz is for networks", func(s *train.Spec) { s.Track, s.Linearized = 5, true }},
		{"is trained in 32 or 64 bits", func(s *train.Spec) { s.Precision, s.Linearized = train.BF16, true }},
		{"--momentum 2: want", func(s *train.Spec) { s.Momentum = 2 }},
		{"take one of them", func(s *train.Spec) { s.Dropout, s.NoDropout = .5, true }},
		{"--width ", func(s *train.Spec) { s.Width = 3000 }},
	} {
		s := train.Spec{Arch: "lenet", Data: "glyphs", Train: 40, Epochs: 1}
		c.change(&s)
		if _, err := train.NewTraining(t.Context(), s); !input.IsError(err) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// beginTraining opens a training.
func beginTraining(t *testing.T, s train.Spec) *train.Training {
	t.Helper()
	tr, err := train.NewTraining(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// digestOf returns the SHA-256 of a file.
func digestOf(t *testing.T, path string) [sha256.Size]byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return sha256.Sum256(text)
}
