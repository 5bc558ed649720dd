package cost

import (
	"math"
	"testing"

	"github.com/ansatz-lab/ansatz/models/kernels"
)

// TestTangentForms compares the numbers of products, kept entries and operations of the decomposition with those
// counted by hand, for all forms of a kernel of 30 images and 10 outputs.
func TestTangentForms(t *testing.T) {
	const images, outputs, layers = 30., 10., 3.
	all := Tangents{Rows: images * outputs}
	for _, c := range []struct {
		form                  kernels.Form
		layers                int
		pairs, entries, cubes float64
	}{
		{kernels.Full, 0, 300 * 300, 300 * 300, 300 * 300 * 300},
		{kernels.Trace, 0, 10 * 30 * 30, 30 * 30, 30 * 30 * 30},
		{kernels.Diagonal, 0, 10 * 30 * 30, 10 * 30 * 30, 10 * 30 * 30 * 30},
		{kernels.Diagonal, layers, 2 * 10 * 30 * 30, (10 + layers) * 30 * 30, 10 * 30 * 30 * 30},
	} {
		j := all.In(c.form, outputs, c.layers)
		b := j.Block(100, 200) // 10 images with 20
		for _, v := range [][2]float64{
			{j.pairs(300 * 300), c.pairs}, {j.entries(300 * 300), c.entries}, {j.cubes(), c.cubes},
			{b.Pairs, c.pairs * 200 / 900}, {b.Entries, c.entries * 200 / 900},
		} {
			if math.Abs(v[0]-v[1]) > 1e-9*v[1] {
				t.Errorf("%v, %d layers: %v, want %v", c.form, c.layers, v[0], v[1])
			}
		}
	}
	if all.pairs(7) != 7 || all.entries(7) != 7 || all.cubes() != 300*300*300 {
		t.Error("without shares it is not the full kernel")
	}
}
