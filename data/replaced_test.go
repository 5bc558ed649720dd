package data

import (
	"image"
	"testing"
)

// replaceRegion replaces the pixels of a rectangle.
func replaceRegion(ds Dataset, region image.Rectangle, from int) (Dataset, error) {
	s := ds.Shape()
	mask := make([]bool, s.Height*s.Width)
	for k := range mask {
		mask[k] = image.Pt(k%s.Width, k/s.Width).In(region)
	}
	return ReplacePixels(ds, mask, from)
}

// TestReplaceRegion replaces the patch of a spurious set, of bytes and of
// floats, by that of one image.
func TestReplaceRegion(t *testing.T) {
	region := image.Rect(3, 1, 9, 14)
	for _, spec := range []string{"spurious", "deadleaves", "noisydigits"} {
		ds := mustOpen(t, spec, Options{Count: 40})
		re, err := replaceRegion(ds, region, 7)
		if err != nil {
			t.Fatal(err)
		}
		if re.Len() != 40 || splitOf(re) != "test" || re.Name() != spec {
			t.Errorf("%d images of %s %s", re.Len(), re.Name(), splitOf(re))
		}
		s := ds.Shape()
		one, _ := mustRead(t, ds, 7)
		for i := range ds.Len() {
			px, label := mustRead(t, re, i)
			was, want := mustRead(t, ds, i)
			if told, err := labelOf(re, i); label != want || told != want || err != nil {
				t.Fatalf("image %d has label %d and %d, want %d: %v", i, label, told, want, err)
			}
			checkOutside(t, px, was, s, region)
			for k := range px {
				if at := image.Pt(k/s.Channels%s.Width, k/s.Channels/s.Width); at.In(region) && px[k] != one[k] {
					t.Fatalf("the pixel at %v of image %d is %g, want %g", at, i, px[k], one[k])
				}
			}
			checkBytes8(t, re, i, px, label)
		}
	}
}

func TestReplacePixels(t *testing.T) {
	ds := mustOpen(t, "deadleaves", Options{Count: 10})
	mask := make([]bool, 32*32)
	mask[5], mask[1000] = true, true
	re, err := ReplacePixels(ds, mask, 2)
	if err != nil {
		t.Fatal(err)
	}
	mask[6] = true // must not matter
	one, _ := mustRead(t, ds, 2)
	px, _ := mustRead(t, re, 3)
	was, _ := mustRead(t, ds, 3)
	for k := range px {
		want := was[k]
		if k/3 == 5 || k/3 == 1000 {
			want = one[k]
		}
		if px[k] != want {
			t.Fatalf("value %d is %g, want %g", k, px[k], want)
		}
	}
}

func TestReplaceDigests(t *testing.T) {
	ds := mustOpen(t, "glyphs", Options{Count: 5})
	seen := map[string]bool{}
	for _, from := range []int{1, 2} {
		for _, r := range []image.Rectangle{image.Rect(0, 0, 2, 2), image.Rect(0, 0, 2, 3)} {
			re, err := replaceRegion(ds, r, from)
			if err != nil {
				t.Fatal(err)
			}
			info, err := Describe(re)
			if err != nil || seen[info.SHA256] {
				t.Errorf("the digest of %v of image %d is another's, or %v", r, from, err)
			}
			seen[info.SHA256] = true
		}
	}
}

func TestReplaceRefuses(t *testing.T) {
	ds := mustOpen(t, "glyphs", Options{Count: 5})
	for _, from := range []int{-1, 5} {
		if _, err := replaceRegion(ds, image.Rect(0, 0, 3, 3), from); err == nil {
			t.Errorf("image %d: no error", from)
		}
	}
	if _, err := ReplacePixels(ds, make([]bool, 783), 0); err == nil {
		t.Error("a mask of 783 pixels: no error")
	}
}
