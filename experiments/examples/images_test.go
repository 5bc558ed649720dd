package examples

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/input"
)

// writeClasses writes, for each class, a folder of two grey images into dir.
func writeClasses(t *testing.T, dir string, classes ...string) string {
	t.Helper()
	for _, c := range classes {
		if err := os.MkdirAll(filepath.Join(dir, c), 0o777); err != nil {
			t.Fatal(err)
		}
		for i := range 2 {
			px := image.NewGray(image.Rect(0, 0, 4, 4))
			px.SetGray(i, i, color.Gray{Y: 200})
			f, err := os.Create(filepath.Join(dir, c, fmt.Sprintf("%d.png", i)))
			if err != nil {
				t.Fatal(err)
			}
			if err := png.Encode(f, px); err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

// A test image has the label that its class has among the training images, whichever order the classes have.
func TestTestClassesByName(t *testing.T) {
	dir := t.TempDir()
	s := Spec{Data: writeClasses(t, dir+"/train", "cat", "dog", "emu"), TestData: writeClasses(t, dir+"/test", "dog", "emu"),
		Size: 4}
	third, err := os.ReadFile(dir + "/test/emu/0.png")
	if err == nil { // an emu more, so that the labels cannot be exchanged
		err = os.WriteFile(dir+"/test/emu/2.png", third, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	for classes, want := range map[string][]int{"": {1, 1, 2, 2, 2}, "emu,dog": {1, 1, 0, 0, 0}, "2,1": {1, 1, 0, 0, 0}} {
		s.Classes = classes
		e, err := Open(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		got := ClassIndices(e.Test.Y)
		if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values(want))) || len(e.Classes) < 2 {
			t.Errorf("--classes %q: %v, want %v", classes, got, want)
		}
		conv, err := OpenImages(t.Context(), s, false, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := ClassIndices(conv.Test.Y); !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))) {
			t.Errorf("--classes %q, of a convolutional machine: %v, want %v", classes, got, want)
		}
	}
	s.Classes, s.TestData = "", writeClasses(t, dir+"/other", "cat", "fox")
	if _, err := Open(t.Context(), s); !input.IsError(err) || !strings.Contains(err.Error(), `the class "fox"`) {
		t.Errorf("a class that is not trained on: %v", err)
	}
}

// Kernel machines take the images of a folder as they are if all have the same size. Images of two sizes are refused.
func TestImagesOfOneSize(t *testing.T) {
	s := Spec{Data: writeClasses(t, t.TempDir(), "cat", "dog")}
	e, err := Open(t.Context(), s)
	if err != nil || e.Shape.String() != "3×4×4" {
		t.Fatalf("%v, %v", e, err)
	}
	f, err := os.Create(filepath.Join(s.Data, "dog", "9.png"))
	if err == nil {
		err = errors.Join(png.Encode(f, image.NewGray(image.Rect(0, 0, 5, 4))), f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), s); !input.IsError(err) || !strings.Contains(err.Error(), "dog/9.png has 4×5; give --size") {
		t.Errorf("images of two sizes: %v", err)
	}
	s.Data = "mnits"
	if _, err := Open(t.Context(), s); !input.IsError(err) || !strings.Contains(err.Error(), "did you mean mnist?") {
		t.Errorf("a name that is none: %v", err)
	}
}

// TestGreyIsRecorded checks that records say of images in colour, and of no others, that they were turned to grey.
func TestGreyIsRecorded(t *testing.T) {
	for set, grey := range map[string]bool{"streetdigits": true, "glyphs": false} {
		e, err := Open(t.Context(), Spec{Data: set, Train: 20, Test: 10, Grey: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{e.Conventions.Train, e.Conventions.Test} {
			if strings.Contains(text, "; in grey, .299 red") != grey {
				t.Error(text)
			}
		}
	}
}

// TestSelectedClassesAreRecorded checks that a record names the classes that were selected, of which the first images are.
func TestSelectedClassesAreRecorded(t *testing.T) {
	for classes, want := range map[string]string{"3,5": "one-hot 0/1 of 2 classes: 3, 5, whose images alone are counted",
		"": "one-hot 0/1 of 10 classes"} {
		e, err := Open(t.Context(), Spec{Data: "glyphs", Train: 20, Test: 10, Classes: classes})
		if err != nil {
			t.Fatal(err)
		}
		if got := e.Conventions.Targets; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
