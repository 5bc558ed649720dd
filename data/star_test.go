package data

import (
	"slices"
	"testing"

	"github.com/ansatz-lab/ansatz/data/array"
)

func TestStarForm(t *testing.T) {
	if len(starForm) != 8 {
		t.Errorf("the star is %d pixels tall", len(starForm))
	}
	columns := map[int]bool{}
	for _, m := range star(starForm, [3]uint8{}) {
		columns[m.x] = true
	}
	for _, row := range starForm {
		if len(row) != 7 || len(columns) != 7 {
			t.Errorf("row %q of a star of %d columns", row, len(columns))
		}
	}
}

// TestStar compares every image with the image of the base set and a star drawn on it.
func TestStar(t *testing.T) {
	for _, c := range []struct {
		spec, base, split string
		classes           [2]int
		form              []string
	}{
		{"star", "glyphs", "train", [2]int{0, 1}, starForm}, {"star", "glyphs", "test", [2]int{0, 1}, starForm},
		{"star:a=7,b=3", "glyphs", "train", [2]int{7, 3}, starForm},
		{"star:deadleaves,a=standing,b=0", "deadleaves", "test", [2]int{1, 0}, starForm},
		{"star:deadleaves,size=2,a=standing,b=0", "deadleaves", "test", [2]int{1, 0}, []string{"**", "**"}},
		{"star:size=3", "glyphs", "train", [2]int{0, 1}, []string{"***", "***", "***"}},
	} {
		ds := mustOpen(t, c.spec, Options{Split: c.split, Seed: 2, Count: 111})
		base := mustOpen(t, c.base, Options{Split: c.split, Seed: 2})
		var next int
		from := [2][]int{}
		for ; len(from[0]) < 111 || len(from[1]) < 60; next++ {
			if label, _ := labelOf(base, next); slices.Contains(c.classes[:], label) {
				k := slices.Index(c.classes[:], label)
				from[k] = append(from[k], next)
			}
		}
		var seen [2]int
		for i := range ds.Len() {
			px, label := mustRead(t, ds, i)
			want, _ := mustRead(t, base, from[label][seen[label]])
			seen[label]++
			n := base.Shape().Channels
			for _, m := range star(c.form, [3]uint8{1, 1, 0}) {
				for ch := range n {
					want[(m.y*base.Shape().Width+m.x)*n+ch] = float32(label) * float32(m.colour[ch])
				}
			}
			if !slices.Equal(px, want) {
				t.Fatalf("%s: image %d, label %d, is not image %d of its class with a star",
					c.spec, i, label, seen[label])
			}
		}
		if names := []string{base.Classes()[c.classes[0]], base.Classes()[c.classes[1]]}; !slices.Equal(ds.Classes(),
			names) {
			t.Errorf("%s: classes %q, want %q", c.spec, ds.Classes(), names)
		}
		if want := map[string]int{"train": 111 * 53 / 553, "test": 55}[c.split]; seen[1] != want {
			t.Errorf("%s: %d of %s, want %d", c.spec, seen[1], c.split, want)
		}
	}
}

func TestStarNumbers(t *testing.T) {
	for split, want := range map[string][2]int{"train": {500, 53}, "test": {800, 800}} {
		labels, err := Labels(mustOpen(t, "star", Options{Split: split}))
		if err != nil {
			t.Fatal(err)
		}
		var got [2]int
		for _, l := range labels {
			got[l]++
		}
		if got != want {
			t.Errorf("%s: %v of the classes, want %v", split, got, want)
		}
	}
}

// TestStarOfCIFAR makes a star set from a CIFAR-10 whose training split has one image per class. It also checks that
// impossible counts and sizes are refused.
func TestStarOfCIFAR(t *testing.T) {
	dir := t.TempDir()
	writeCIFAR(t, dir)
	ds := mustOpen(t, "star:cifar10", Options{Dir: dir, Split: "train"})
	if ds.Len() != 1 || !slices.Equal(ds.Classes(), []string{"airplane", "truck"}) {
		t.Errorf("%d images of %q", ds.Len(), ds.Classes())
	}
	_, err := Open("star:cifar10", Options{Dir: dir, Split: "train", Count: 2})
	wantFormatError(t, err, array.NoOffset)
	_, err = Open("star:cifar10", Options{Dir: dir}) // no airplane among the test images
	wantFormatError(t, err, array.NoOffset)
	_, err = Open("star", Options{Count: maxCount})
	wantFormatError(t, err, array.NoOffset)
	for _, spec := range []string{"star:size=0", "star:size=27", "star:size=65", "star:size=big"} {
		_, err = Open(spec, Options{})
		wantFormatError(t, err, array.NoOffset)
	}
	if s := mustOpen(t, "star", Options{Size: 14, Count: 2}).Shape(); s != (Shape{1, 14, 14}) {
		t.Errorf("scaled to %v", s)
	}
}
