package data

import (
	"crypto/sha256"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
)

// glyphBytes returns the label and the pixels of image i.
func glyphBytes(ds Dataset, i int) string {
	pix, label := ds.(eightBit).image(i, nil)
	return string(append(pix, uint8(label)))
}

func TestGlyphsDefaults(t *testing.T) {
	for split, want := range map[string]int{"train": 10000, "test": 2000, "": 2000} {
		ds := mustOpen(t, "glyphs", Options{Split: split})
		if ds.Len() != want || ds.Shape() != (Shape{1, 28, 28}) || len(ds.Classes()) != 10 || ds.Name() != "glyphs" {
			t.Errorf("split %q: %d images of %v, classes %q", split, ds.Len(), ds.Shape(), ds.Classes())
		}
	}
}

// TestGlyphsGolden fails if an image changes, between versions of this package or between machines. An intended change
// needs a new glyphsVersion.
func TestGlyphsGolden(t *testing.T) {
	h := sha256.New()
	for _, split := range []string{"train", "test"} {
		ds := mustOpen(t, "glyphs", Options{Split: split, Seed: 7})
		for i := range 500 {
			fmt.Fprint(h, glyphBytes(ds, i))
		}
	}
	const want = "bae3f4d1c9b40b94b662504d9dc4a7ba1fd78b9527a5aa7a1225a4379648b4be"
	if got := fmt.Sprintf("%x", h.Sum(nil)); got != want {
		t.Errorf("digest of the images on %s is %s, want %s", runtime.GOARCH, got, want)
	}
}

func TestGlyphsIndependentOfOrderAndCount(t *testing.T) {
	const n = 200
	few := mustOpen(t, "glyphs", Options{Count: n})
	many := mustOpen(t, "glyphs", Options{Count: 100 * n})
	want := make([]string, n)
	for i := range n {
		want[i] = glyphBytes(few, i)
	}
	for i := n - 1; i >= 0; i -= 3 {
		if glyphBytes(many, i) != want[i] {
			t.Fatalf("image %d depends on the order or on Count", i)
		}
	}
}

func TestGlyphsConcurrently(t *testing.T) {
	const n = 400
	ds := mustOpen(t, "glyphs", Options{Count: n})
	want := make([]string, n)
	for i := range n {
		want[i] = glyphBytes(ds, i)
	}
	got := make([]string, n)
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := w; i < n; i += 8 {
				got[i] = glyphBytes(ds, i)
			}
		})
	}
	wg.Wait()
	if !slices.Equal(got, want) {
		t.Error("images depend on concurrency")
	}
}

func TestGlyphsBalanced(t *testing.T) {
	ds := mustOpen(t, "glyphs", Options{Split: "train", Count: 1000})
	first := map[int]int{} // how often a block of ten begins with the digit
	for block := range 100 {
		seen := map[int]bool{}
		for k := range 10 {
			_, label := mustRead(t, ds, 10*block+k)
			seen[label] = true
			if k == 0 {
				first[label]++
			}
		}
		if len(seen) != 10 {
			t.Fatalf("images %d to %d have %d digits", 10*block, 10*block+9, len(seen))
		}
	}
	if len(first) < 8 {
		t.Errorf("blocks begin with the digits %v only: the order is not random", first)
	}
}

// TestGlyphsNeverRepeat checks that no two images are equal within and across splits and seeds.
func TestGlyphsNeverRepeat(t *testing.T) {
	seen := map[string]string{}
	for _, o := range []Options{{Split: "train"}, {Split: "test"}, {Split: "train", Seed: 1},
		{Split: "test", Seed: 1}} {
		ds := mustOpen(t, "glyphs", o)
		for i := range 1000 {
			here := fmt.Sprintf("image %d of %+v", i, o)
			image := glyphBytes(ds, i)
			if there, ok := seen[image]; ok {
				t.Fatalf("%s is %s", here, there)
			}
			seen[image] = here
		}
	}
}

// TestGlyphsNotClipped draws many poses of every digit of every face, and checks that each stays within the margin.
func TestGlyphsNotClipped(t *testing.T) {
	faces, err := loadFaces()
	if err != nil {
		t.Fatal(err)
	}
	p := newPainter()
	for f, face := range faces {
		for d, digit := range face {
			for range 30 {
				s := randomPose(p.rng)
				o := s.place(p.rng, nil, digit, glyphSide, glyphMargin)
				lo, hi := o.bounds()
				const eps = 1e-9
				if min(lo.x, lo.y) < glyphMargin-eps || max(hi.x, hi.y) > glyphSide-glyphMargin+eps {
					t.Fatalf("digit %d of face %d reaches from %v to %v", d, f, lo, hi)
				}
			}
		}
	}
}

// TestGlyphsLegible checks that digits stand out from the paper: the mean of
// the pixels that the digit covers is well above that of the rest.
func TestGlyphsLegible(t *testing.T) {
	faces, err := loadFaces()
	if err != nil {
		t.Fatal(err)
	}
	p := newPainter()
	dst := make([]uint8, glyphSide*glyphSide)
	for i := range 2000 {
		p.paint(dst, faces[i%len(faces)][i/len(faces)%10])
		var ink, paper, inks, papers float64
		for k, v := range dst {
			switch c := p.ink.Pix[k]; {
			case c > 200:
				ink, inks = ink+float64(v), inks+1
			case c == 0:
				paper, papers = paper+float64(v), papers+1
			}
		}
		if inks < 5 || ink/inks-paper/papers < 40 {
			t.Fatalf("image %d: %v pixels of ink at %.0f, paper at %.0f", i, inks, ink/inks, paper/papers)
		}
	}
}

// TestFacesDiffer checks that no face repeats the digits of another.
func TestFacesDiffer(t *testing.T) {
	faces, err := loadFaces()
	if err != nil {
		t.Fatal(err)
	}
	for d := range 10 {
		seen := map[string]int{}
		for f, face := range faces {
			key := fmt.Sprint(face[d])
			if other, ok := seen[key]; ok {
				t.Errorf("faces %d and %d have the same %d", other, f, d)
			}
			seen[key] = f
		}
	}
}

func TestGlyphsScaled(t *testing.T) {
	native := mustOpen(t, "glyphs", Options{})
	large := mustOpen(t, "glyphs", Options{Size: 56})
	a, labelA := mustRead(t, native, 3)
	b, labelB := mustRead(t, large, 3)
	if len(b) != 4*len(a) || labelA != labelB {
		t.Fatalf("%d pixels of %d, %d of %d", len(a), labelA, len(b), labelB)
	}
	var meanA, meanB float64
	for _, v := range a {
		meanA += float64(v) / float64(len(a))
	}
	for _, v := range b {
		meanB += float64(v) / float64(len(b))
	}
	if d := meanA - meanB; d > .01 || d < -.01 {
		t.Errorf("the mean went from %.3f to %.3f", meanA, meanB)
	}
}
