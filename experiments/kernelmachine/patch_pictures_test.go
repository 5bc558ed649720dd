package kernelmachine

import (
	"math"
	"slices"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// Figures show the eigenvectors of a metric and, if there are images, their responses. A metric of patches of another
// size is refused.
func TestPatchFigures(t *testing.T) {
	for _, c := range []struct{ channels, q, d int }{{3, 3, 27}, {1, 5, 25}, {4, 2, 16}, {3, 1, 3}} {
		m := mat.NewSymDense(c.d, nil)
		for i := range c.d {
			m.SetSym(i, i, float64(c.d-i))
		}
		x := rfm.Images{Height: 6, Width: 7, Channels: c.channels, Pixels: make([]float32, 2*42*c.channels)}
		for i := range x.Pixels {
			x.Pixels[i] = float32(i%5) - 1
		}
		all, err := patchFigures(t.Context(), "first", rfm.FullMetric(m), c.channels, c.q, x)
		if err != nil || len(all) != 2 || all[0].Name != "first-eigenvectors" || all[1].Name != "first-responses" {
			t.Fatalf("%+v: %v", all, err)
		}
		none, err := patchFigures(t.Context(), "first", rfm.FullMetric(m), c.channels, c.q, rfm.Images{})
		if err != nil || len(none) != 1 {
			t.Errorf("without images: %d figures, %v", len(none), err)
		}
	}
	if _, err := patchFigures(t.Context(), "first", rfm.Identity(10), 1,
		3, rfm.Images{Height: 4, Width: 4, Channels: 1, Pixels: make([]float32, 16)}); err == nil {
		t.Error("a metric of patches of another size was drawn")
	}
}

func TestEigenpatchImage(t *testing.T) {
	// In the patch one channel follows the other; in the picture the colours of a pixel are together.
	v := make([]float64, 12)
	v[1], v[4+2] = 1, -.5
	img := record.EigenpatchImage(v, 3, 2)
	want := []float64{.5, .5, .5, 1, .5, .5, .5, .25, .5, .5, .5, .5}
	if img.Channels != 3 || img.Height != 2 || !slices.Equal(img.Pixels, want) {
		t.Errorf("%+v, want %v", img, want)
	}
	// With two channels the picture shows the norm over the channels.
	img = record.EigenpatchImage([]float64{3, 0, 0, 0, -4, 0, 2.5, 0}, 2, 2)
	if img.Channels != 1 || !img.Map || !slices.Equal(img.Pixels, []float64{1, 0, .5, 0}) {
		t.Errorf("%+v", img)
	}
}

func TestEigenpatches(t *testing.T) {
	u := []float64{.5, -.5, .5, .5}
	m := mat.NewSymDense(4, nil)
	m.SymRankOne(m, 3, mat.NewVecDense(4, []float64{-.5, .5, -.5, -.5}))
	all, err := Eigenpatches(m, 2, 8)
	if err != nil || len(all) != 1 || math.Abs(all[0].Share-1) > 1e-12 {
		t.Fatalf("%+v, %v", all, err)
	}
	for i, x := range all[0].Vector {
		if math.Abs(x-u[i]) > 1e-12 {
			t.Errorf("element %d: %v, want %v", i, x, u[i])
		}
	}
}

func TestExampleImage(t *testing.T) {
	x := rfm.Images{Height: 1, Width: 2, Channels: 2, Pixels: []float32{3, 4, 0, 1, .3, .4, 0, 0}}
	if img := record.ExampleImage(x, 0); !slices.Equal(img.Pixels, []float64{1, 0}) || !img.Map {
		t.Errorf("%+v", img)
	}
	if img := record.ExampleImage(x, 1); math.Abs(img.Pixels[0]-.5) > 1e-6 || img.Pixels[1] != 0 {
		t.Errorf("%+v", img)
	}
}
