package rfmpaper

import (
	"math"
	"slices"
	"testing"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/examples"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/kernelmachine"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// openGlyphs are a few images of the generated digits.
func openGlyphs(t *testing.T, s examples.Spec) *examples.Set {
	t.Helper()
	s.Data = "glyphs"
	e, err := kernelmachine.OpenOwnExamples(t.Context(), study.Setting{Seed: 3}, s)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Images of the same seed are the same, those of another are not, and all
// classes have as many.
func TestOpenOwnExamples(t *testing.T) {
	a, b := openGlyphs(t, examples.Spec{Train: 40, Test: 20}), openGlyphs(t, examples.Spec{Train: 40, Test: 20})
	if !mat.Equal(a.Train.X, b.Train.X) || linalg.RowCount(a.Train.X) != 40 || linalg.RowCount(a.Test.X) != 20 {
		t.Error("not the same images")
	}
	counts := make([]int, 10)
	for _, c := range examples.ClassIndices(a.Train.Y) {
		counts[c]++
	}
	if slices.Min(counts) != 4 || slices.Max(counts) != 4 {
		t.Errorf("%v of the classes", counts)
	}
	for _, name := range []string{t.TempDir(), "polynomial:hermite", "nothere"} {
		if _, err := kernelmachine.OpenOwnExamples(t.Context(), (study.Setting{}),
			examples.Spec{Data: name, Train: 10}); !input.IsError(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The coordinates that give the class away are found where they were planted.
func TestPlanted(t *testing.T) {
	s := &GrokkingSpec{
		Data: "star:deadleaves,size=2", Train: 60, Validation: 6, Test: 20, Draws: 2, Iterations: 1, Every: 1,
	}
	var first *examples.Set
	for seed := range uint64(3) {
		e, err := s.openImages(t.Context(), study.Setting{Seed: seed}, &study.Outcome{})
		if err != nil {
			t.Fatal(err)
		}
		// Yellow is red and green: blue is black in both stars.
		want := coordinates(*e.Shape, func(row, column int) bool {
			return row >= 2 && row < 4 && column >= 2 &&
				column < 4
		})
		want = slices.DeleteFunc(want, func(k int) bool { return k%3 == 2 })
		if got := planted(e.Train); !slices.Equal(got, want) {
			t.Errorf("planted at %v, want %v", got, want)
		}
		if n := linalg.RowCount(e.Train.X); n != 54 || linalg.RowCount(e.Test.X) != 20 {
			t.Errorf("%d training images", n)
		}
		if first != nil && mat.Equal(first.Train.X, e.Train.X) {
			t.Errorf("seed %d has the images of another", seed)
		}
		first = e
	}
	if got := planted(openGlyphs(t, examples.Spec{Train: 40, Classes: "3,8"}).Train); len(got) != 0 {
		t.Errorf("planted in plain digits: %v", got)
	}
}

func TestWithCoordinates(t *testing.T) {
	e := openGlyphs(t, examples.Spec{Train: 20})
	before := mat.DenseCopyOf(e.Train.X)
	at := coordinates(*e.Shape, func(row, column int) bool { return row == 1 || column == 27 })
	if len(at) != 28+27 {
		t.Errorf("%d coordinates", len(at))
	}
	got := withCoordinates(study.Setting{}, e.Train, at).X
	for i := range linalg.RowCount(got) {
		for j := range 784 {
			want := before.At(i, j)
			if slices.Contains(at, j) {
				want = before.At(0, j)
			}
			if got.At(i, j) != want {
				t.Fatalf("image %d, coordinate %d: %v, want %v", i, j, got.At(i, j), want)
			}
		}
	}
	if !mat.Equal(before, e.Train.X) {
		t.Error("the examples themselves were changed")
	}
}

// The centre of an image with neighbours is the image itself.
func TestAddNeighbours(t *testing.T) {
	e := openGlyphs(t, examples.Spec{Train: 20, Test: 20})
	before := mat.DenseCopyOf(e.Test.X)
	addNeighbours(study.Setting{Seed: 1}, e)
	if *e.Shape != (data.Shape{Channels: 1, Height: 28, Width: 56}) {
		t.Fatalf("shape %v", *e.Shape)
	}
	for i := range 20 {
		for k := range 28 * 28 {
			if got, want := e.Test.X.At(i, k/28*56+14+k%28), before.At(i, k); got != want {
				t.Fatalf("image %d, pixel %d: %v, want %v", i, k, got, want)
			}
		}
		if !besideOf(e.Test.X.RawRowView(i), before) {
			t.Errorf("what is beside image %d is of no other", i)
		}
	}
}

// besideOf says whether the left 14 columns of a row of 56 are the right ones of
// an image.
func besideOf(row []float64, of *mat.Dense) bool {
	for i := range linalg.RowCount(of) {
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

func TestHoldOut(t *testing.T) {
	e := openGlyphs(t, examples.Spec{Train: 40}).Train
	fit, held, err := holdOut(study.Setting{Seed: 5}, e, .2)
	if err != nil {
		t.Fatal(err)
	}
	if linalg.RowCount(fit.X) != 32 || linalg.RowCount(held.X) != 8 || linalg.RowCount(held.Y) != 8 {
		t.Errorf("%d and %d examples", linalg.RowCount(fit.X), linalg.RowCount(held.X))
	}
	sum := func(x *mat.Dense) float64 { return mat.Sum(x) }
	if got, want := sum(fit.X)+sum(held.X), sum(e.X); math.Abs(got-want) > 1e-6 {
		t.Errorf("the sum of all is %v, was %v", got, want)
	}
	for _, part := range []float64{0, 1, -1, math.NaN()} {
		if _, _, err := holdOut(study.Setting{}, e, part); !input.IsError(err) {
			t.Errorf("a share of %v: %v", part, err)
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
func TestRowMoment(t *testing.T) {
	x := mat.NewDense(2, 2, []float64{1, 2, 3, 2})
	if got := rowMoment(x, false).Dense(); !mat.EqualApprox(got, mat.NewSymDense(2, []float64{5, 4, 4, 4}), 1e-12) {
		t.Errorf("%v", mat.Formatted(got))
	}
	if got := rowMoment(x, true).Dense(); !mat.EqualApprox(got, mat.NewSymDense(2, []float64{1, 0, 0, 0}), 1e-12) {
		t.Errorf("%v", mat.Formatted(got))
	}
}
