package setups

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/rfm"
	"github.com/ansatz-lab/ansatz/rfm/responses"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

func TestResponsesAlike(t *testing.T) {
	of := func(v ...float64) responses.Map { return responses.Map{Height: 1, Width: len(v), Values: v} }
	for _, c := range []struct {
		name string
		a, b []responses.Map
		want float64
	}{
		{"scale and offset", []responses.Map{of(1, 2, 4)}, []responses.Map{of(12, 14, 18)}, 1},
		{"mean over images", []responses.Map{of(1, 2, 3), of(1, 2, 3)}, []responses.Map{of(1, 2, 3), of(1, 0, 1)}, .5},
		{"constant images do not count", []responses.Map{of(1, 2, 3), of(1, 1, 1)},
			[]responses.Map{of(3, 2, 1), of(1, 0, 1)}, -1},
		{"undefined positions do not count", []responses.Map{of(1, math.NaN(), 3, 4)}, []responses.Map{of(2, 5, 6, 8)},
			1},
		{"only constant ones", []responses.Map{of(1, 1, 1)}, []responses.Map{of(3, 2, 1)}, math.NaN()},
	} {
		got, err := CorrelateResponses(c.a, c.b)
		if err != nil || !(math.Abs(got-c.want) < 1e-12) && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%s: %v, %v, want %v", c.name, got, err, c.want)
		}
	}
	if _, err := CorrelateResponses([]responses.Map{of(1, 2)}, []responses.Map{of(1, 2, 3)}); err == nil {
		t.Error("responses of different sizes were compared")
	}
}

func TestGains(t *testing.T) {
	r := []responses.Map{{Height: 1, Width: 3, Values: []float64{3, 0, 1}}}
	got := RelativeResponses(r, []responses.Map{{Height: 1, Width: 3, Values: []float64{2, 0, 4}}})[0].Values
	if got[0] != 1.5 || !math.IsNaN(got[1]) || got[2] != .25 {
		t.Errorf("%v", got)
	}
}

// A rotated metric has the same eigenvalues but other eigenvectors.
func TestRotatedMetric(t *testing.T) {
	m := rfm.DiagonalMetric([]float64{4, 2, 1, 0})
	r := RotateMetric(m, models.Stream(1, "test"))
	var e mat.EigenSym
	if !e.Factorize(r.Dense(), false) || !floats.EqualApprox(e.Values(nil), []float64{0, 1, 2, 4}, 1e-12) {
		t.Errorf("eigenvalues %v", e.Values(nil))
	}
	if math.Abs(r.Dense().At(0, 0)-4) < 1e-3 {
		t.Error("it was not rotated")
	}
}

// A network learns its training images, and its weights before training, its weights after training and their
// difference are told apart.
func TestPatchNet(t *testing.T) {
	task := PatchTask{Name: "digits", Data: "glyphs", Size: 10, Train: 60, Validation: 10, Test: 20}
	e, err := task.Open(t.Context(), study.Setting{Seed: 2}, &study.Outcome{})
	if err != nil {
		t.Fatal(err)
	}
	if linalg.RowCount(e.Train.X) != 60 || linalg.RowCount(e.validation.X) != 10 || linalg.RowCount(e.test.X) != 20 {
		t.Fatalf("%d, %d and %d images", linalg.RowCount(e.Train.X), linalg.RowCount(e.validation.X),
			linalg.RowCount(e.test.X))
	}
	n, err := PatchNetworkSpec{Arch: "cnn2", Rate: 2e-3, Batch: 20, Epochs: 20}.Train(t.Context(),
		study.Setting{Seed: 2},
		e)
	if err != nil {
		t.Fatal(err)
	}
	if n.TrainScores.Accuracy < .9 || len(n.Layers) != 2 {
		t.Errorf("%+v, layers %q", n.TrainScores, n.Layers)
	}
	x := e.FirstTest(3)
	first, err := responses.Of(t.Context(), n.CNFM(n.Layers[0], TrainedWeights), x, responses.Options{})
	if err != nil {
		t.Fatal(err)
	}
	// The responses of the filters themselves must be the same.
	want, err := responses.OfFilters(t.Context(), n.Net.Filters(n.Layers[0]), x, responses.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range want[2].Values {
		if math.Abs(first[2].Values[k]-v) > 1e-4*(1+v) {
			t.Fatalf("position %d: %v, want %v", k, first[2].Values[k], v)
		}
	}
	second, err := n.inputs(t.Context(), n.Layers[1], x, false)
	if err != nil || second.Channels != 64 || second.Height != 8 {
		t.Errorf("%d channels of height %d, %v", second.Channels, second.Height, err)
	}
	w, change, before := n.CNFM(n.Layers[0], TrainedWeights), n.CNFM(n.Layers[0], ChangedWeights),
		n.CNFM(n.Layers[0], InitialWeights)
	if w.Trace() == before.Trace() || !(change.Trace() > 0) || change.Trace() > 2*(w.Trace()+before.Trace()) {
		t.Errorf("traces %v, %v and %v", w.Trace(), change.Trace(), before.Trace())
	}
	a, err := n.FirstLayerAnsatz(t.Context(), study.Setting{Seed: 2}, e, false)
	if err != nil || !(a.Pearson > -1 && a.Pearson < 1) || a.Name != n.Layers[0] {
		t.Errorf("%+v, %v", a, err)
	}
}

// A network without a convolution has nothing to compare, and is refused before it is trained.
func TestPatchNetWithoutConvolutions(t *testing.T) {
	e, err := PatchTask{Name: "digits", Data: "glyphs", Size: 10, Train: 20, Validation: 10, Test: 10}.Open(t.Context(),
		study.Setting{Seed: 2}, &study.Outcome{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = PatchNetworkSpec{Arch: "mlp:8", Rate: 1e-3, Batch: 10, Epochs: 1}.Train(t.Context(), study.Setting{}, e)
	if !input.IsError(err) || !strings.Contains(err.Error(), "no convolution") {
		t.Errorf("%v", err)
	}
}

func TestPatchTaskRefused(t *testing.T) {
	for _, task := range []PatchTask{
		{Data: "glyphs", Train: 10, Validation: 0, Test: 5}, {Data: "glyphs", Train: 0, Validation: 5, Test: 5},
		{Data: "nothere", Train: 10, Validation: 5, Test: 5},
	} {
		if _, err := task.Open(t.Context(), study.Setting{}, &study.Outcome{}); !input.IsError(err) {
			t.Errorf("%+v: %v", task, err)
		}
	}
}

// Standardised training images have mean 0 and standard deviation 1 in each channel. Standardise scales other images in
// the same way.
func TestStandardised(t *testing.T) {
	task := PatchTask{Name: "leaves", Data: "deadleaves", Size: 8, Train: 30, Validation: 6, Test: 6, Standard: true}
	e, err := task.Open(t.Context(), study.Setting{Seed: 2}, &study.Outcome{})
	if err != nil {
		t.Fatal(err)
	}
	task.Standard = false
	plain, err := task.Open(t.Context(), study.Setting{Seed: 2}, &study.Outcome{})
	if err != nil {
		t.Fatal(err)
	}
	for c := range 3 {
		var of []float64
		for i, v := range e.Train.X.RawMatrix().Data {
			if i%3 == c {
				of = append(of, v)
			}
		}
		if mean, std := stat.PopMeanStdDev(of, nil); math.Abs(mean) > 1e-9 || math.Abs(std-1) > 1e-9 {
			t.Errorf("channel %d: %v ± %v", c, mean, std)
		}
	}
	same, got := e.FirstTest(2), e.Standardise(plain.FirstTest(2))
	for i, v := range same.Pixels {
		if math.Abs(float64(got.Pixels[i]-v)) > 1e-5 {
			t.Fatalf("pixel %d: %v, want %v", i, got.Pixels[i], v)
		}
	}
}

// HoldImages holds the first examples, also if they are rows of a larger matrix, with the classes of their targets.
func TestHoldImages(t *testing.T) {
	e := rfm.Examples{X: mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6}), Y: mat.NewDense(3, 2, []float64{0, 1, 1, 0, 0, 1})}
	h := HoldImages(e, 2)
	px, labels := make([]float32, 2), make([]int, 1)
	if err := h.Load(t.Context(), 1, 2, px, labels); err != nil || !slices.Equal(px, []float32{3, 4}) || labels[0] != 0 {
		t.Errorf("%v: image 1 is %v of class %v", err, px, labels)
	}
	if !slices.Equal(h.Labels, []int{1, 0}) || len(h.Pixels) != 4 {
		t.Errorf("held %+v", h)
	}
}
