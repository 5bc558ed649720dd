package data

import (
	"fmt"
	"image"
	"math"
	"slices"
	"testing"

	"github.com/ansatz-lab/ansatz/data/array"
)

// patchOf returns the pixels of a rectangle of an image of shape s.
func patchOf(px []float32, s Shape, r image.Rectangle) []float32 {
	var out []float32
	for y := r.Min.Y; y < r.Max.Y; y++ {
		out = append(out, px[(y*s.Width+r.Min.X)*s.Channels:(y*s.Width+r.Max.X)*s.Channels]...)
	}
	return out
}

// TestSpurious finds the patch in every image, and counts how many patches agree with the label. The other pixels must
// not change.
func TestSpurious(t *testing.T) {
	const n = 2000
	upper, lower := image.Rect(0, 0, 5, 5), image.Rect(20, 20, 28, 28)
	for _, c := range []struct {
		spec, split string
		at          image.Rectangle
		agree       float64
	}{
		{"spurious", "train", upper, .95},
		{"spurious", "test", upper, .1},
		{"spurious:agree=.5", "train", upper, .5},
		{"spurious:agree=0", "train", upper, 0},
		{"spurious:agree=1,test=random", "train", upper, 1},
		{"spurious:test=aligned,corner=lower-right,side=8", "test", lower, .95},
		{"spurious:test=none", "train", upper, .95},
	} {
		ds := mustOpen(t, c.spec, Options{Split: c.split, Count: n, Seed: 1})
		base := mustOpen(t, "glyphs", Options{Split: c.split, Count: n, Seed: 1})
		stamps := patches10(t, ds.(*stamped), c.at)
		var agree, shown []float64
		of := map[int]int{}
		for i := range n {
			px, label := mustRead(t, ds, i)
			was, want := mustRead(t, base, i)
			patch := patchOf(px, ds.Shape(), c.at)
			k := slices.IndexFunc(stamps, func(s []float32) bool { return slices.Equal(s, patch) })
			if label != want || k < 0 {
				t.Fatalf("%s: image %d has label %d, want %d, and patch %v", c.spec, i, label, want, patch)
			}
			of[k]++
			agree = append(agree, map[bool]float64{true: 1}[k == label])
			shown = append(shown, float64(k))
			checkOutside(t, px, was, ds.Shape(), c.at)
		}
		withinFour(t, c.spec+" "+c.split+" agrees", agree, c.agree, math.Sqrt(c.agree*(1-c.agree))+1e-9)
		withinFour(t, c.spec+" "+c.split+" pattern", shown, 4.5, 2.9)
		if len(of) != 10 {
			t.Errorf("%s: only the patches of %d classes occur", c.spec, len(of))
		}
	}
}

// patches10 returns the ten patches of a set. It fails the test unless they differ and fill the rectangle.
func patches10(t *testing.T, s *stamped, at image.Rectangle) [][]float32 {
	t.Helper()
	var all [][]float32
	for _, marks := range s.stamps {
		var p []float32
		for k, m := range marks {
			if want := at.Min.Add(image.Pt(k%at.Dx(), k/at.Dx())); image.Pt(m.x, m.y) != want {
				t.Fatalf("pixel %d of a patch is at (%d,%d), want %v", k, m.x, m.y, want)
			}
			p = append(p, float32(m.colour[0]))
		}
		if len(p) != at.Dx()*at.Dy() || slices.ContainsFunc(all, func(q []float32) bool { return slices.Equal(p, q) }) {
			t.Fatalf("patch %v: cut short, or of two classes", p)
		}
		all = append(all, p)
	}
	if len(all) != 10 {
		t.Fatalf("%d patches", len(all))
	}
	return all
}

// checkOutside fails the test unless two images are the same outside a
// rectangle.
func checkOutside(t *testing.T, a, b []float32, s Shape, r image.Rectangle) {
	t.Helper()
	for k := range a {
		if at := image.Pt(k/s.Channels%s.Width, k/s.Channels/s.Width); !at.In(r) && a[k] != b[k] {
			t.Fatalf("the pixel at %v, outside %v, is %g, was %g", at, r, a[k], b[k])
		}
	}
}

func TestSpuriousNone(t *testing.T) {
	ds := mustOpen(t, "spurious:test=none", Options{})
	base := mustOpen(t, "glyphs", Options{})
	for i := range 50 {
		if imageBits(t, ds, i) != imageBits(t, base, i) {
			t.Fatalf("image %d has a patch", i)
		}
	}
}

// TestSpuriousPatterns checks that both splits have the same patterns, and two seeds have different ones.
func TestSpuriousPatterns(t *testing.T) {
	stamps := func(o Options) string {
		return fmt.Sprint(mustOpen(t, "spurious", o).(*stamped).stamps)
	}
	train := stamps(Options{Split: "train", Count: 1})
	if train != stamps(Options{Split: "test", Count: 1}) {
		t.Error("the splits have different patterns")
	}
	if train == stamps(Options{Split: "train", Count: 1, Seed: 1}) {
		t.Error("two seeds have the same patterns")
	}
}

// TestSpuriousWithManyClasses checks that there are patches of nine pixels for 256 classes, the most allowed, and an
// error for 257.
func TestSpuriousWithManyClasses(t *testing.T) {
	square := image.Rect(0, 0, 3, 3)
	stamps, err := classPatches(Options{}, square, 256)
	if err != nil || len(stamps) != 256 {
		t.Fatalf("%d patches, %v", len(stamps), err)
	}
	_, err = classPatches(Options{}, square, 257)
	wantFormatError(t, err, array.NoOffset)
}
