package experiments

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// openGlyphs are a few images of the generated digits.
func openGlyphs(t *testing.T, s ExamplesSpec) *examples {
	t.Helper()
	s.Data = "glyphs"
	e, err := Setting{Seed: 3}.openOwn(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Images of the same seed are the same, those of another are not, and all
// classes have as many.
func TestOpenOwn(t *testing.T) {
	a, b := openGlyphs(t, ExamplesSpec{Train: 40, Test: 20}), openGlyphs(t, ExamplesSpec{Train: 40, Test: 20})
	if !mat.Equal(a.train.X, b.train.X) || rowCount(a.train.X) != 40 || rowCount(a.test.X) != 20 {
		t.Error("not the same images")
	}
	counts := make([]int, 10)
	for _, c := range classIndices(a.train.Y) {
		counts[c]++
	}
	if slices.Min(counts) != 4 || slices.Max(counts) != 4 {
		t.Errorf("%v of the classes", counts)
	}
	for _, name := range []string{t.TempDir(), "polynomial:hermite", "nothere"} {
		if _, err := (Setting{}).openOwn(t.Context(), ExamplesSpec{Data: name, Train: 10}); !IsInput(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The coordinates that give the class away are found where they were planted.
func TestPlanted(t *testing.T) {
	s := &GrokkingSpec{Data: "star:deadleaves,size=2", Train: 60, Validation: 6, Test: 20, Draws: 2, Iterations: 1, Every: 1}
	var first *examples
	for seed := range uint64(3) {
		e, err := s.open(t.Context(), Setting{Seed: seed}, &Outcome{})
		if err != nil {
			t.Fatal(err)
		}
		// Yellow is red and green: blue is black in both stars.
		want := coordinates(*e.shape, func(row, column int) bool { return row >= 2 && row < 4 && column >= 2 && column < 4 })
		want = slices.DeleteFunc(want, func(k int) bool { return k%3 == 2 })
		if got := planted(e.train); !slices.Equal(got, want) {
			t.Errorf("planted at %v, want %v", got, want)
		}
		if n := rowCount(e.train.X); n != 54 || rowCount(e.test.X) != 20 {
			t.Errorf("%d training images", n)
		}
		if first != nil && mat.Equal(first.train.X, e.train.X) {
			t.Errorf("seed %d has the images of another", seed)
		}
		first = e
	}
	if got := planted(openGlyphs(t, ExamplesSpec{Train: 40, Classes: "3,8"}).train); len(got) != 0 {
		t.Errorf("planted in plain digits: %v", got)
	}
}

func TestReplacedIn(t *testing.T) {
	e := openGlyphs(t, ExamplesSpec{Train: 20})
	before := mat.DenseCopyOf(e.train.X)
	at := coordinates(*e.shape, func(row, column int) bool { return row == 1 || column == 27 })
	if len(at) != 28+27 {
		t.Errorf("%d coordinates", len(at))
	}
	got := replacedIn(e.train, at, 4).X
	for i := range rowCount(got) {
		for j := range 784 {
			want := before.At(i, j)
			if slices.Contains(at, j) {
				want = before.At(4, j)
			}
			if got.At(i, j) != want {
				t.Fatalf("image %d, coordinate %d: %v, want %v", i, j, got.At(i, j), want)
			}
		}
	}
	if !mat.Equal(before, e.train.X) {
		t.Error("the examples themselves were changed")
	}
}

// The centre of a crowded image is the image, and what is beside it is of others.
func TestCrowd(t *testing.T) {
	e := openGlyphs(t, ExamplesSpec{Train: 20, Test: 20})
	before := mat.DenseCopyOf(e.test.X)
	crowd(e, 1)
	if *e.shape != (data.Shape{Channels: 1, Height: 28, Width: 56}) {
		t.Fatalf("shape %v", *e.shape)
	}
	for i := range 20 {
		for k := range 28 * 28 {
			if got, want := e.test.X.At(i, k/28*56+14+k%28), before.At(i, k); got != want {
				t.Fatalf("image %d, pixel %d: %v, want %v", i, k, got, want)
			}
		}
		if !besideOf(e.test.X.RawRowView(i), before) {
			t.Errorf("what is beside image %d is of no other", i)
		}
	}
}

// besideOf says whether the left 14 columns of a row of 56 are the right ones of
// an image.
func besideOf(row []float64, of *mat.Dense) bool {
	for i := range rowCount(of) {
		same := true
		for k := range 28 * 14 {
			same = same && row[k/14*56+k%14] == of.At(i, k/14*28+14+k%14)
		}
		if same {
			return true
		}
	}
	return false
}

func TestApart(t *testing.T) {
	e := openGlyphs(t, ExamplesSpec{Train: 40}).train
	fit, held, err := apart(e, .2, 5)
	if err != nil {
		t.Fatal(err)
	}
	if rowCount(fit.X) != 32 || rowCount(held.X) != 8 || rowCount(held.Y) != 8 {
		t.Errorf("%d and %d examples", rowCount(fit.X), rowCount(held.X))
	}
	sum := func(x *mat.Dense) float64 { return mat.Sum(x) }
	if got, want := sum(fit.X)+sum(held.X), sum(e.X); math.Abs(got-want) > 1e-6 {
		t.Errorf("the sum of all is %v, was %v", got, want)
	}
	for _, part := range []float64{0, 1, -1, math.NaN()} {
		if _, _, err := apart(e, part, 5); !IsInput(err) {
			t.Errorf("a share of %v: %v", part, err)
		}
	}
}

// What training changes is counted from the weights before it.
func TestMLPFeatures(t *testing.T) {
	e, err := Setting{}.openOwn(t.Context(), ExamplesSpec{Data: "deadleaves", Train: 20, Test: 10})
	if err != nil {
		t.Fatal(err)
	}
	n, err := newMLP(Setting{Seed: 1}, NetworkSpec{Bias: true, Width: 5, Rate: .1, Epochs: 3, Batch: 8}, e)
	if err != nil {
		t.Fatal(err)
	}
	defer n.close()
	if d := n.diagonal(true); slices.Max(d) != 0 {
		t.Error("W₁ − W₀ is not zero before training")
	}
	epochs := 0
	if err := n.trainFollowed(t.Context(), Setting{}, nil, func(context.Context, int) error { epochs++; return nil }); err != nil {
		t.Fatal(err)
	}
	if epochs != 4 || n.Trainer.Steps() != 9 {
		t.Errorf("looked at %d times, %d steps", epochs, n.Trainer.Steps())
	}
	for _, without := range []bool{false, true} {
		full, diagonal := n.features(without).Diagonal(), n.diagonal(without)
		for j := range diagonal {
			if math.Abs(full[j]-diagonal[j]) > 1e-9 {
				t.Fatalf("coordinate %d: %v and %v", j, full[j], diagonal[j])
			}
		}
	}
}

// The same seed trains the same network.
func TestMLPIsDeterministic(t *testing.T) {
	e := openGlyphs(t, ExamplesSpec{Train: 40, Test: 20})
	var first []float64
	for range 2 {
		n, err := newMLP(Setting{Seed: 1, Threads: 1}, NetworkSpec{Bias: true, Width: 8, Adam: true, Rate: .01, Epochs: 2, FirstStd: 1e-3}, e)
		if err != nil {
			t.Fatal(err)
		}
		if d := n.diagonal(false); slices.Max(d) > 8*25e-6 {
			t.Errorf("weights of standard deviation 1e-3 make a diagonal of %v", slices.Max(d))
		}
		err = n.train(t.Context(), Setting{})
		d := n.diagonal(false)
		n.close()
		if err != nil {
			t.Fatal(err)
		}
		if first != nil && !slices.Equal(d, first) {
			t.Error("not the same twice")
		}
		first = d
	}
}

func TestMLPBadInput(t *testing.T) {
	e := openGlyphs(t, ExamplesSpec{Train: 20})
	for _, s := range []NetworkSpec{{}, {Width: 4}, {Width: 4, Epochs: 1, Batch: -1}, {Width: 4, Epochs: 1, Rate: -1}} {
		if n, err := newMLP(Setting{}, s, e); !IsInput(err) {
			t.Errorf("%+v: %v, %v", s, n, err)
		}
	}
}

// A spectrum has the eigenvectors of the matrix, largest first, and shares of its
// trace.
func TestSpectrum(t *testing.T) {
	s, err := newSpectrum(rfm.FullMetric(mat.NewSymDense(3, []float64{2, 1, 0, 1, 2, 0, 0, 0, 4})))
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range []float64{.5, .375, .125} {
		if math.Abs(s.Values[k]-want) > 1e-12 {
			t.Errorf("eigenvalues %v", s.Values)
		}
	}
	if v := s.top(); math.Abs(math.Abs(v[2])-1) > 1e-12 || math.Abs(s.gap()-4./3) > 1e-12 {
		t.Errorf("%v, gap %v", v, s.gap())
	}
}

// A covariance is a second moment without the mean.
func TestMomentOf(t *testing.T) {
	x := mat.NewDense(2, 2, []float64{1, 2, 3, 2})
	if got := momentOf(x, false).Dense(); !mat.EqualApprox(got, mat.NewSymDense(2, []float64{5, 4, 4, 4}), 1e-12) {
		t.Errorf("%v", mat.Formatted(got))
	}
	if got := momentOf(x, true).Dense(); !mat.EqualApprox(got, mat.NewSymDense(2, []float64{1, 0, 0, 0}), 1e-12) {
		t.Errorf("%v", mat.Formatted(got))
	}
}

// A run that is stopped says how to go on, and keeps the seeds that are done.
func TestExperimentInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	e, err := All().Find("rfm/fig9")
	if err != nil {
		t.Fatal(err)
	}
	begun := 0
	r := ExperimentRun{Experiment: e, Scale: Smoke, Seeds: 2, Out: t.TempDir(), Begin: func(uint64, bool) {
		if begun++; begun == 2 {
			cancel()
		}
	}}
	_, err = r.Run(ctx)
	var stopped *InterruptedError
	if !errors.As(err, &stopped) {
		t.Fatalf("%v", err)
	}
	there := 0
	r.Resume, r.Begin = true, func(_ uint64, is bool) {
		if is {
			there++
		}
	}
	if _, err := r.Run(t.Context()); err != nil || there != 1 {
		t.Errorf("going on: %d seeds were there, %v", there, err)
	}
}

// Specs that make no sense are refused before anything is computed.
func TestExperimentSpecsAreChecked(t *testing.T) {
	for id, texts := range map[string][]string{
		"rfm/fig15": {"tasks = []", "overview = 2", "iterations = 0", "threshold = 2.0", "[net]\nwidth = 0"},
		"rfm/fig3":  {"validation = 0.0", "stand_in = 'nothere'", "ridge = -1.0"},
		"rfm/fig6":  {"tasks = []", "threshold = 1.5", "ridge = -1.0"},
		"rfm/fig7":  {"data = 'glyphs'", "draws = 0", "every = 0", "train = 1", "validation = 66", "ridge = -1.0"},
		"rfm/fig8":  {"iterations = 0", "data = 'sidebyside:nothere'", "train = -1"},
		"rfm/fig9":  {"side = 0", "side = 29", "threshold = 2.0", "iterations = -1"},
	} {
		for _, text := range texts {
			e, err := All().Find(id)
			if err != nil {
				t.Fatal(err)
			}
			s := e.Specs[Smoke]
			if err := Overlay(s, text); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Run(t.Context(), Setting{}); !IsInput(err) {
				t.Errorf("%s with %s: %v", id, text, err)
			}
		}
	}
}
