package data

import (
	"math"
	"testing"

	"github.com/ansatz-lab/ansatz/data/array"
)

func TestNoisyDigits(t *testing.T) {
	for spec, variance := range map[string]float64{"noisydigits": .25, "noisydigits:noise=2": .5} {
		ds := mustOpen(t, spec, Options{Count: 600, Seed: 3})
		base := mustOpen(t, "glyphs", Options{Count: 600, Seed: 3})
		if ds.Shape() != (Shape{1, 42, 42}) || len(ds.Classes()) != 10 {
			t.Fatalf("%s: %v, %q", spec, ds.Shape(), ds.Classes())
		}
		var noise, squares []float64
		places := map[int]int{}
		for i := range ds.Len() {
			px, label := mustRead(t, ds, i)
			digit, want := mustRead(t, base, i)
			if label != want {
				t.Fatalf("%s: image %d is a %d, want %d", spec, i, label, want)
			}
			top, left := ds.(*noisyDigits).place(i)
			places[top]++
			places[100+left]++
			for k, v := range px {
				y, x := k/42-top, k%42-left
				switch {
				case y < 0 || y >= 28 || x < 0 || x >= 28:
					noise, squares = append(noise, float64(v)), append(squares, float64(v)*float64(v))
				case v != digit[y*28+x]:
					t.Fatalf("%s: image %d: pixel (%d,%d) of the digit is %g, want %g", spec, i, x, y, v, digit[y*28+x])
				}
			}
		}
		withinFour(t, spec+" noise", noise, 0, math.Sqrt(variance))
		withinFour(t, spec+" noise²", squares, variance, math.Sqrt2*variance)
		for k := range 15 {
			// 600/15 = 40 ± 6.1 digits per row and per column
			if min(places[k], places[100+k]) < 15 || max(places[k], places[100+k]) > 65 {
				t.Errorf("%s: %d digits are %d down, %d that far to the right", spec, places[k], k, places[100+k])
			}
		}
	}
}

// TestNoisyDigitsOfOthers puts frames around colour images of a generated set and of files.
func TestNoisyDigitsOfOthers(t *testing.T) {
	ds := mustOpen(t, "noisydigits:deadleaves,noise=.1", Options{Count: 4})
	if ds.Shape() != (Shape{3, 48, 48}) || ds.Len() != 4 || len(ds.Classes()) != 2 {
		t.Errorf("%d images of %v, %q", ds.Len(), ds.Shape(), ds.Classes())
	}
	dir := t.TempDir()
	writeCIFAR(t, dir)
	all := mustOpen(t, "cifar10", Options{Dir: dir}).Len()
	if ds := mustOpen(t, "noisydigits:cifar10", Options{Dir: dir}); ds.Len() != all ||
		ds.Shape() != (Shape{3, 48, 48}) {
		t.Errorf("%d images of %v, want %d", ds.Len(), ds.Shape(), all)
	}
	if ds := mustOpen(t, "noisydigits:cifar10", Options{Dir: dir, Count: 1}); ds.Len() != 1 {
		t.Errorf("%d images, want 1", ds.Len())
	}
	_, err := Open("noisydigits:cifar10", Options{Dir: dir, Count: all + 1})
	wantFormatError(t, err, array.NoOffset)
}
