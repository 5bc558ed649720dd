package rfmpaper

import (
	"maps"
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

// openGlyphs returns a few images of the generated digits.
func openGlyphs(t *testing.T, s examples.Spec) *examples.Set {
	t.Helper()
	s.Data = "glyphs"
	e, err := kernelmachine.OpenOwnExamples(t.Context(), study.Setting{Seed: 3}, s)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// The same seed gives the same images, with equally many of each class. Data that are no images of the project's own
// are refused.
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

// planted finds the coordinates that give the class away where they were planted.
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
		// The two stars differ in red and green only: blue is 0 in both.
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
	got := withCoordinates(study.Setting{}, e.Train, at, 2).X
	for i := range linalg.RowCount(got) {
		for j := range 784 {
			want := before.At(i, j)
			if slices.Contains(at, j) {
				want = before.At(2, j)
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

// Generated images are named as the stand-in for the paper's dataset. The dataset itself is not.
func TestStandIns(t *testing.T) {
	for e, want := range map[*study.Experiment]map[study.Scale]map[string]string{
		fig3():  {study.Small: {"SVHN": "streetdigits"}, study.PaperScale: nil},
		fig6():  {study.Small: {"CelebA": "heads"}, study.PaperScale: nil},
		fig7():  {study.Smoke: {"STL-10": "glyphs"}, study.Small: {"STL-10": "cifar10"}, study.PaperScale: nil},
		fig9():  {study.Small: {"CelebA": "heads"}},
		fig11(): {study.Small: {"SVHN": "streetdigits"}, study.PaperScale: nil},
		fig15(): {study.Small: {"CelebA": "mnist, cifar10, heads"}, study.PaperScale: nil},
	} {
		for scale, names := range want {
			if got := e.Specs[scale].(study.Substituter).StandIns(); !maps.Equal(got, names) {
				t.Errorf("%s at scale %s: %v, want %v", e.ID, scale, got, names)
			}
		}
	}
}

// An accuracy is the mean over the donors of the replaced pixels. If no pixels are replaced, the images are tested
// once.
func TestDonors(t *testing.T) {
	e := rfm.Examples{X: mat.NewDense(4, 2, []float64{1, 0, 2, 0, 3, 0, 4, 0}), Y: mat.NewDense(4, 1, nil)}
	calls := 0
	k := &classifier{score: func(x rfm.Examples) (float64, error) {
		calls++
		return x.X.At(3, 0), nil
	}}
	for _, v := range []testImages{{"as they are", nil}, {"replaced", []int{0}}} {
		if err := k.addAccuracy(study.Setting{}, e, v, 3); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(k.accuracies, []float64{4, 2}) || calls != 4 {
		t.Errorf("accuracies %v after %d calls, want 4 and 2 after 4", k.accuracies, calls)
	}
}

// bestThird compares the third eigenvector of the machine with the second of the network, in the task in which they are
// most alike, and with the principal components of that task's images.
func TestBestThird(t *testing.T) {
	vectors := func(rows ...[]float64) spectrum { return spectrum{Vectors: rows} }
	x, y, z := []float64{1, -1, 0, 0}, []float64{0, 0, 1, -1}, []float64{1, 1, -1, -1}
	alike := &taskFeatures{RFM: vectors(x, y, z), Net: vectors(x, []float64{-1, -1, 1, 1}, y), Centred: vectors(x, y)}
	other := &taskFeatures{RFM: vectors(x, y, z), Net: vectors(z, x, y), Centred: vectors(z)}
	if most, excess := bestThird([]*taskFeatures{other, alike}); math.Abs(most-1) > 1e-12 ||
		math.Abs(excess-1) > 1e-12 {
		t.Errorf("%v, above the images %v, want 1 and 1", most, excess)
	}
	if most, _ := bestThird([]*taskFeatures{{}}); !math.IsNaN(most) {
		t.Errorf("without eigenvectors: %v", most)
	}
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

// A spectrum has the eigenvectors of the matrix, the largest first, and its eigenvalues as shares of the trace.
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

// A covariance is the second moment after the mean is subtracted.
func TestRowMoment(t *testing.T) {
	x := mat.NewDense(2, 2, []float64{1, 2, 3, 2})
	if got := rowMoment(x, false).Dense(); !mat.EqualApprox(got, mat.NewSymDense(2, []float64{5, 4, 4, 4}), 1e-12) {
		t.Errorf("%v", mat.Formatted(got))
	}
	if got := rowMoment(x, true).Dense(); !mat.EqualApprox(got, mat.NewSymDense(2, []float64{1, 0, 0, 0}), 1e-12) {
		t.Errorf("%v", mat.Formatted(got))
	}
}

// Hats are above glasses, and all channels of a pixel have the same share.
func TestAttributeShares(t *testing.T) {
	s, shape := spuriousHeads(16, SpuriousSpec{Test: 50}), data.Shape{Channels: 3, Height: 16, Width: 16}
	height := map[string]float64{}
	for _, attribute := range []string{s.Spurious, s.Object} {
		share, err := s.attributeShares(study.Setting{Seed: 1}, shape, attribute)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.
		for k, v := range share {
			if v < 0 || v > 1+1e-9 || v != share[k/3*3] {
				t.Fatalf("%s touches coordinate %d in a share of %v", attribute, k, v)
			}
			height[attribute] += v * float64(k/shape.Channels/shape.Width)
			sum += v
		}
		height[attribute] /= sum
	}
	if height["hat"] > height["glasses"]-2 {
		t.Errorf("mean rows %v", height)
	}
	if _, err := s.attributeShares(study.Setting{}, shape, "moustache"); !input.IsError(err) {
		t.Errorf("an attribute that there is not: %v", err)
	}
}
