package experiments

import (
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// openGlyphImages are small generated digits, divided.
func openGlyphImages(t *testing.T, s ExamplesSpec, divide bool, n int) *imageExamples {
	t.Helper()
	s.Data, s.Size = "glyphs", 8
	e, err := openImageExamples(t.Context(), s, divide, n)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// What is trained on does not change because other images choose, and those are
// the next ones.
func TestValidationImagesAreTheNext(t *testing.T) {
	alone := openGlyphImages(t, ExamplesSpec{Train: 50, Test: 5}, false, 0)
	more := openGlyphImages(t, ExamplesSpec{Train: 62, Test: 5}, false, 0)
	for n, want := range map[int]int{0: 12, 7: 7} {
		e := openGlyphImages(t, ExamplesSpec{Train: 50, Test: 5}, true, n)
		if !slices.Equal(e.train.X.Pixels, alone.train.X.Pixels) || !mat.Equal(e.train.Y, alone.train.Y) || e.conv.TrainSHA != alone.conv.TrainSHA {
			t.Errorf("--validation %d: other training images", n)
		}
		next := more.train.X.Slice(50, 50+want)
		if e.validation.X.Len() != want || !slices.Equal(e.validation.X.Pixels, next.Pixels) {
			t.Errorf("--validation %d: %d images, which are not the next", n, e.validation.X.Len())
		}
		if !strings.HasPrefix(e.conv.Validation, "the next ") || e.conv.ValidationSHA == "" {
			t.Errorf("recorded as %q", e.conv.Validation)
		}
	}
}

// Where the split has no more images, they are held out, and the record says so.
func TestValidationImagesAreHeldOut(t *testing.T) {
	all := openGlyphImages(t, ExamplesSpec{Test: 5}, false, 0)
	e := openGlyphImages(t, ExamplesSpec{Test: 5}, true, 0)
	n, v := all.train.X.Len(), e.validation.X.Len()
	if v != n/4 || e.train.X.Len() != n-v {
		t.Errorf("%d images divided into %d and %d", n, e.train.X.Len(), v)
	}
	if !strings.Contains(e.conv.Validation, "held out") || strings.Contains(e.conv.Train, "first") {
		t.Errorf("recorded as %q and %q", e.conv.Train, e.conv.Validation)
	}
	left := map[string]int{}
	for i := range n {
		left[pixelKey(all.train.X, i)]++
	}
	for _, part := range []rfm.Images{e.train.X, e.validation.X} {
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
	e := openGlyphImages(t, ExamplesSpec{Train: 43, Test: 20, Balanced: true}, true, 15)
	for what, c := range map[string]struct {
		y    *mat.Dense
		each float64
	}{"training": {e.train.Y, 4}, "validation": {e.validation.Y, 2}} {
		for class := range 10 {
			if got := mat.Sum(c.y.ColView(class)); got != c.each {
				t.Errorf("%v %s images of class %d, want %v", got, what, class, c.each)
			}
		}
	}
}

func TestDivisionsThatAreNot(t *testing.T) {
	for _, c := range []struct {
		spec ExamplesSpec
		n    int
		want string
	}{
		{ExamplesSpec{Data: "glyphs", Classes: "1,2", Train: 100000}, 0, "--train 100000"},
		{ExamplesSpec{Data: "glyphs", Classes: "1,2", Train: 100}, 100000, "--validation"},
		{ExamplesSpec{Data: "glyphs", Train: 7, Balanced: true}, 0, "each of 10 classes"},
		{ExamplesSpec{Data: "glyphs"}, 100000, "--validation"},
		{ExamplesSpec{Data: "polynomial:hermite"}, 0, "ansatz rfm"},
		{ExamplesSpec{Data: "glyphs", Sphere: true}, 0, "--unit-sphere"},
		{ExamplesSpec{Data: "glyphs", Target: "y"}, 0, "--target"},
		{ExamplesSpec{Data: "glyphs", Train: -1}, 0, "--train -1"},
	} {
		if _, err := openImageExamples(t.Context(), c.spec, true, c.n); !IsInput(err) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.spec, err)
		}
	}
}
