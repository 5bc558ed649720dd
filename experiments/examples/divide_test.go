package examples

import (
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// openGlyphImages opens small generated digits. If divide is true, n validation images are set apart.
func openGlyphImages(t *testing.T, s Spec, divide bool, n int) *ImageSet {
	t.Helper()
	s.Data, s.Size = "glyphs", 8
	e, err := OpenImages(t.Context(), s, divide, n)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// The validation images are those that follow the training images. The training images do not depend on how many
// validation images there are.
func TestValidationImagesAreTheNext(t *testing.T) {
	alone := openGlyphImages(t, Spec{Train: 50, Test: 5}, false, 0)
	more := openGlyphImages(t, Spec{Train: 62, Test: 5}, false, 0)
	for n, want := range map[int]int{0: 12, 7: 7} {
		e := openGlyphImages(t, Spec{Train: 50, Test: 5}, true, n)
		if !slices.Equal(e.Train.X.Pixels, alone.Train.X.Pixels) || !mat.Equal(e.Train.Y, alone.Train.Y) ||
			e.Conventions.TrainSHA != alone.Conventions.TrainSHA {
			t.Errorf("--validation %d: other training images", n)
		}
		next := more.Train.X.Slice(50, 50+want)
		if e.Validation.X.Len() != want || !slices.Equal(e.Validation.X.Pixels, next.Pixels) {
			t.Errorf("--validation %d: %d images, which are not the next", n, e.Validation.X.Len())
		}
		if !strings.HasPrefix(e.Conventions.Validation, "the next ") || e.Conventions.ValidationSHA == "" {
			t.Errorf("recorded as %q", e.Conventions.Validation)
		}
	}
}

// If no images follow the training images, the validation images are held out of these, and the record says so.
func TestValidationImagesAreHeldOut(t *testing.T) {
	all := openGlyphImages(t, Spec{Test: 5}, false, 0)
	e := openGlyphImages(t, Spec{Test: 5}, true, 0)
	n, v := all.Train.X.Len(), e.Validation.X.Len()
	if v != n/4 || e.Train.X.Len() != n-v {
		t.Errorf("%d images divided into %d and %d", n, e.Train.X.Len(), v)
	}
	if !strings.Contains(e.Conventions.Validation, "held out") || strings.Contains(e.Conventions.Train, "first") {
		t.Errorf("recorded as %q and %q", e.Conventions.Train, e.Conventions.Validation)
	}
	left := map[string]int{}
	for i := range n {
		left[pixelKey(all.Train.X, i)]++
	}
	for _, part := range []rfm.Images{e.Train.X, e.Validation.X} {
		for i := range part.Len() {
			left[pixelKey(part, i)]--
		}
	}
	for _, count := range left {
		if count != 0 {
			t.Fatal("the parts are not the whole")
		}
	}
}

func pixelKey(x rfm.Images, i int) string {
	var b strings.Builder
	for _, v := range x.Image(i) {
		b.WriteRune(rune(v * 1000))
	}
	return b.String()
}

func TestBalancedParts(t *testing.T) {
	e := openGlyphImages(t, Spec{Train: 43, Test: 20, Balanced: true}, true, 15)
	for what, c := range map[string]struct {
		y    *mat.Dense
		each float64
	}{"training": {e.Train.Y, 4}, "validation": {e.Validation.Y, 2}} {
		for class := range 10 {
			if got := mat.Sum(c.y.ColView(class)); got != c.each {
				t.Errorf("%v %s images of class %d, want %v", got, what, class, c.each)
			}
		}
	}
}

func TestDivisionsThatAreNot(t *testing.T) {
	for _, c := range []struct {
		spec Spec
		n    int
		want string
	}{
		{Spec{Data: "glyphs", Classes: "1,2", Train: 100000}, 0, "--train 100000"},
		{Spec{Data: "glyphs", Classes: "1,2", Train: 100}, 100000, "--validation"},
		{Spec{Data: "glyphs", Train: 7, Balanced: true}, 0, "each of 10 classes"},
		{Spec{Data: "glyphs"}, 100000, "--validation"},
		{Spec{Data: "polynomial:hermite"}, 0, "ansatz rfm"},
		{Spec{Data: "glyphs", Sphere: true}, 0, "--unit-sphere"},
		{Spec{Data: "glyphs", Target: "y"}, 0, "--target"},
		{Spec{Data: "glyphs", Train: -1}, 0, "--train -1"},
	} {
		if _, err := OpenImages(t.Context(), c.spec, true, c.n); !input.IsError(err) ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.spec, err)
		}
	}
}

// The record of a subset that the seed draws says so, and does not call it the first images.
func TestBalancedImagesAreDrawn(t *testing.T) {
	e, err := Open(t.Context(), Spec{Data: "glyphs", Balanced: true, Train: 20, Test: 10, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{e.Conventions.Train, e.Conventions.Test} {
		if !strings.Contains(text, "0, equally many of every class, drawn by seed 3, of the t") {
			t.Errorf("%q", text)
		}
	}
}
