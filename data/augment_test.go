package data

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestAugmentationCheck(t *testing.T) {
	for _, test := range []struct {
		a  Augmentation
		ok bool
	}{
		{Augmentation{}, true},
		{Augmentation{Crop: 4, Flip: true}, true},
		{Augmentation{Shift: 19}, true},
		{Augmentation{Shift: 20}, false},
		{Augmentation{Crop: 20}, false},
		{Augmentation{Crop: -1}, false},
		{Augmentation{Shift: -1}, false},
		{Augmentation{Crop: 1, Shift: 1}, false},
	} {
		if err := test.a.Check(Shape{3, 20, 30}); (err == nil) != test.ok {
			t.Errorf("%v of images of 20×30 pixels: %v", test.a, err)
		}
	}
}

func ExampleAugmentation_String() {
	fmt.Println(Augmentation{})
	fmt.Println(Augmentation{Crop: 4, Flip: true})
	fmt.Println(Augmentation{Shift: 7})
	// Output:
	// none
	// crop 4, flip
	// shift 7
}

// TestViewsAreUniform checks that every shift, mirrored or not, is drawn equally often. The bounds are six standard
// deviations of the counts.
func TestViewsAreUniform(t *testing.T) {
	const draws = 100_000
	rng := rand.New(rand.NewPCG(5, 6))
	for _, a := range []Augmentation{{Crop: 2, Flip: true}, {Shift: 2, Flip: true}} {
		counts := map[view]int{}
		for range draws {
			counts[a.view(rng)]++
		}
		for down := -2; down <= 2; down++ {
			for right := -2; right <= 2; right++ {
				for _, mirrored := range []bool{false, true} {
					v := view{down, right, mirrored}
					wantShare(t, fmt.Sprintf("%v: %v", a, v), counts[v], draws, 1./50)
					delete(counts, v)
				}
			}
		}
		if len(counts) > 0 {
			t.Errorf("%v: other views %v", a, counts)
		}
	}
}

// wantShare fails the test if count, out of n independent draws, is further than six standard deviations from share·n.
func wantShare(t *testing.T, what string, count, n int, share float64) {
	t.Helper()
	d := float64(count) - share*float64(n)
	if d*d > 36*share*(1-share)*float64(n) {
		t.Errorf("%s: %d of %d, expected a share of %.4f", what, count, n, share)
	}
}

func TestShifted(t *testing.T) {
	ds := mustOpen(t, "glyphs", Options{Count: 300, Split: "train"})
	moved, err := Shifted(ds, 7, 1)
	if err != nil {
		t.Fatal(err)
	}
	places := map[view]bool{}
	for i := range ds.Len() {
		px, want := mustRead(t, ds, i)
		got, label := mustRead(t, moved, i)
		v := moved.(*shifted).view(i)
		if again, _ := mustRead(t, moved, i); label != want || !slices.Equal(got, again) {
			t.Fatalf("image %d has label %d, want %d, or changes", i, label, want)
		}
		if max(v.down, v.right, -v.down, -v.right) > 7 || v.mirrored || !slices.Equal(got, seen(v, px, ds.Shape())) {
			t.Fatalf("image %d is not moved by %v", i, v)
		}
		places[v] = true
	}
	if len(places) < 100 {
		t.Errorf("300 images are moved to %d of 225 places", len(places))
	}
	other, err := Shifted(ds, 7, 2)
	if err != nil {
		t.Fatal(err)
	}
	if digest(t, moved) == digest(t, ds) || digest(t, moved) == digest(t, other) {
		t.Error("the digest does not tell how images are moved")
	}
	if splitOf(moved) != "train" {
		t.Errorf("split %q", splitOf(moved))
	}
}

func TestShiftedRefusesBadCalls(t *testing.T) {
	ds := mustOpen(t, "glyphs", Options{Count: 3})
	for _, pixels := range []int{-1, 28} {
		if _, err := Shifted(ds, pixels, 0); err == nil {
			t.Errorf("moved by %d pixels: no error", pixels)
		}
	}
	moved, err := Shifted(ds, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := moved.Read(3, make([]float32, 784)); err == nil {
		t.Error("image 3 of 3: no error")
	}
}
