package data

import (
	"slices"
	"testing"

	"github.com/ansatz-lab/ansatz/internal/realdata"
)

// halfOf returns the pixels of the left or the right half of an image of shape s.
func halfOf(px []float32, s Shape, right bool) []float32 {
	var out []float32
	for y := range s.Height {
		row := px[y*s.Width*s.Channels:][:s.Width*s.Channels]
		if right {
			row = row[len(row)/2:]
		}
		out = append(out, row[:s.Width*s.Channels/2]...)
	}
	return out
}

// TestSideBySide checks both halves of every image, and that every right image occurs once before any of its class
// occurs again.
func TestSideBySide(t *testing.T) {
	const n = 3000
	ds := mustOpen(t, "sidebyside", Options{Count: n, Seed: 4})
	left := mustOpen(t, "glyphs", Options{Count: n, Seed: 4})
	d := ds.(*sideBySide)
	if ds.Shape() != (Shape{1, 28, 56}) || d.right.Len() != glyphsTest {
		t.Fatalf("%v, of %d right images", ds.Shape(), d.right.Len())
	}
	uses := map[int]int{}
	for i := range n {
		px, label := mustRead(t, ds, i)
		a, labelA := mustRead(t, left, i)
		b, labelB := mustRead(t, d.right, d.partners[i])
		if label != labelA || label != labelB {
			t.Fatalf("image %d has label %d, its halves %d and %d", i, label, labelA, labelB)
		}
		if !slices.Equal(halfOf(px, ds.Shape(), false), a) || !slices.Equal(halfOf(px, ds.Shape(), true), b) {
			t.Fatalf("image %d is not its halves", i)
		}
		if slices.Equal(a, b) {
			t.Fatalf("image %d has two halves that are the same", i)
		}
		uses[d.partners[i]]++
	}
	for k := range d.right.Len() {
		if uses[k] < 1 || uses[k] > 2 {
			t.Fatalf("right image %d occurs %d times in %d", k, uses[k], n)
		}
	}
	if first := mustOpen(t, "sidebyside", Options{Seed: 5}).(*sideBySide); slices.Equal(first.partners[:100],
		d.partners[:100]) {
		t.Error("two seeds have the same pairs")
	}
}

// TestSideBySidePads pairs grey digits with larger images in colour, as in the paper, and checks the padding.
func TestSideBySidePads(t *testing.T) {
	dir := t.TempDir()
	writeCIFAR(t, dir)
	for _, order := range []string{"cifar10,glyphs", "glyphs,cifar10"} {
		ds := mustOpen(t, "sidebyside:"+order, Options{Dir: dir, Split: "train", Count: 10})
		if ds.Shape() != (Shape{3, 32, 64}) || ds.Len() != 10 {
			t.Fatalf("%d images of %v", ds.Len(), ds.Shape())
		}
		for i := range ds.Len() {
			checkHalves(t, ds.(*sideBySide), i)
		}
		options := Options{Dir: dir, Split: "train", Size: 32, Count: 1}
		if s := mustOpen(t, "sidebyside:"+order, options).Shape(); s != (Shape{3, 32, 64}) {
			t.Errorf("scaled to %v", s)
		}
		options.Size = 16
		if s := mustOpen(t, "sidebyside:"+order, options).Shape(); s != (Shape{3, 16, 32}) {
			t.Errorf("scaled to %v", s)
		}
	}
}

// checkHalves compares the halves of image i with the images that they come from: 32×32 in colour, or 28×28 in grey and
// padded with black.
func checkHalves(t *testing.T, d *sideBySide, i int) {
	t.Helper()
	px, label := mustRead(t, d, i)
	for right, from := range map[bool]int{false: i, true: d.partners[i]} {
		set := map[bool]Dataset{false: d.left, true: d.right}[right]
		of, want := mustRead(t, set, from)
		if label != want {
			t.Fatalf("image %d has label %d, the half of %s %d", i, label, set.Name(), want)
		}
		n := set.Shape().Channels
		margin := (32 - set.Shape().Width) / 2
		for k, v := range halfOf(px, d.Shape(), right) {
			y, x := k/3/32-margin, k/3%32-margin
			want := float32(0)
			if min(x, y) >= 0 && max(x, y) < set.Shape().Width {
				want = of[(y*set.Shape().Width+x)*n+min(k%3, n-1)]
			}
			if v != want {
				t.Fatalf("image %d: value %d of the half of %s is %g, want %g", i, k, set.Name(), v, want)
			}
		}
	}
}

// TestSideBySideReal has real MNIST digits in the right half, as in the paper.
func TestSideBySideReal(t *testing.T) {
	dir := realdata.Folder(t, "mnist/train-images-idx3-ubyte.gz")
	ds := mustOpen(t, "sidebyside:glyphs,mnist", Options{Dir: dir, Split: "test"})
	if ds.Len() != glyphsTest || ds.Shape() != (Shape{1, 28, 56}) {
		t.Errorf("%d images of %v", ds.Len(), ds.Shape())
	}
}
