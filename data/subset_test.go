package data

import (
	"slices"
	"testing"
)

func TestSubset(t *testing.T) {
	ds := mustOpen(t, "glyphs", Options{Count: 20})
	indices := []int{7, 3, 3, 19}
	sub, err := Subset(ds, indices)
	if err != nil {
		t.Fatal(err)
	}
	indices[0] = 0 // the subset has its own copy
	if sub.Len() != 4 || sub.Name() != "glyphs" || sub.Shape() != ds.Shape() {
		t.Errorf("%d images of %v, %s", sub.Len(), sub.Shape(), sub.Name())
	}
	for k, i := range []int{7, 3, 3, 19} {
		got, gotLabel := mustRead(t, sub, k)
		want, wantLabel := mustRead(t, ds, i)
		if !slices.Equal(got, want) || gotLabel != wantLabel {
			t.Errorf("image %d of the subset is not image %d", k, i)
		}
	}
	for _, bad := range [][]int{{-1}, {0, 20}} {
		if _, err := Subset(ds, bad); err == nil {
			t.Errorf("indices %v of 20 images: no error", bad)
		}
	}
}

func TestHead(t *testing.T) {
	ds := mustOpen(t, "glyphs", Options{Count: 20})
	for n, want := range map[int]int{-1: 0, 0: 0, 5: 5, 20: 20, 21: 20} {
		if got := Head(ds, n).Len(); got != want {
			t.Errorf("Head(%d) of 20 has %d images, want %d", n, got, want)
		}
	}
	got, _ := mustRead(t, Head(ds, 5), 4)
	if want, _ := mustRead(t, ds, 4); !slices.Equal(got, want) {
		t.Error("image 4 of the head is not image 4")
	}
}
