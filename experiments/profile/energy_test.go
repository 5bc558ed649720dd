package profile

import (
	"math"
	"testing"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
)

// TestProfilesOfOtherPixels compares a network that reads normalised pixels with the network that computes the same
// from plain pixels. On the components of plain pixels both have the same profile.
func TestProfilesOfOtherPixels(t *testing.T) {
	set, err := data.Open("deadleaves", data.Options{Split: "train", Count: 40})
	if err != nil {
		t.Fatal(err)
	}
	n := data.Normalisation{Mean: []float32{.4, .5, .6}, Std: []float32{.1, .2, .4}}
	w := mat.NewDense(5, 27, nil)
	rng := models.Stream(1, "filters")
	w.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, w)
	plain := mat.DenseCopyOf(w) // acts on plain pixels as W does on normalised ones, up to a constant
	plain.Apply(func(_, j int, v float64) float64 { return v / float64(n.Std[j/9]) }, plain)
	b, err := OpenBasis(t.Context(), set, 3, 0, data.Normalisation{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := b.Profile(w, n)
	if err != nil {
		t.Fatal(err)
	}
	want, err := b.Profile(plain, data.Normalisation{})
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range got.Energies {
		if math.Abs(e-want.Energies[i]) > 1e-9*want.Energies[i] {
			t.Fatalf("component %d: %v, want %v", i+1, e, want.Energies[i])
		}
	}
	// On the components of the pixels that the network reads, the filters stay as they are.
	own, err := OpenBasis(t.Context(), set, 3, 0, n)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := own.RescaleFilters(w, n), w; !mat.EqualApprox(got, want, 1e-12) {
		t.Error("filters were rescaled to the pixels that they read")
	}
}

// A correlation is marked as good only if it lies above its null.
func TestAboveNullCell(t *testing.T) {
	for null, want := range map[float64]report.Mark{.1: report.Good, 1: report.Muted} {
		if got := AboveNullCell(.5, null).Mark; got != want {
			t.Errorf("0.5 above a null of deviation %v is marked %v, want %v", null, got, want)
		}
	}
}
