package data

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func mustLabels(t *testing.T, ds Dataset) []int {
	t.Helper()
	labels, err := Labels(ds)
	if err != nil {
		t.Fatal(err)
	}
	return labels
}

// TestLabels checks that Labels returns the labels that Read returns.
func TestLabels(t *testing.T) {
	dir := t.TempDir()
	writeCIFAR(t, dir)
	glyphs := mustOpen(t, "glyphs", Options{Count: 40})
	random, err := RandomLabels(glyphs, 1)
	if err != nil {
		t.Fatal(err)
	}
	moved, err := Shifted(glyphs, 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	for name, ds := range map[string]Dataset{
		"cifar":  mustOpen(t, "cifar10", Options{Dir: dir, Split: "train"}),
		"glyphs": glyphs, "head": Head(glyphs, 5), "random": random, "moved": moved, "foreign": numbered(5),
	} {
		labels := mustLabels(t, ds)
		if len(labels) != ds.Len() {
			t.Errorf("%s: %d labels of %d images", name, len(labels), ds.Len())
		}
		for i, l := range labels {
			if _, want := mustRead(t, ds, i); l != want {
				t.Errorf("%s: image %d has label %d, want %d", name, i, l, want)
			}
		}
	}
}

// TestLabelsReadNoImages checks that Labels does not read the images: here their files are empty.
func TestLabelsReadNoImages(t *testing.T) {
	dir := t.TempDir()
	write(t, nil, dir, "a", "1.png")
	write(t, nil, dir, "b", "2.png")
	write(t, nil, dir, "b", "3.png")
	if got := mustLabels(t, mustOpen(t, dir, Options{})); !slices.Equal(got, []int{0, 1, 1}) {
		t.Errorf("labels %v", got)
	}
}

func TestCheckLabels(t *testing.T) {
	if err := CheckLabels(numbered(10), 10); err != nil {
		t.Error(err)
	}
	flat := t.TempDir()
	write(t, nil, flat, "1.png")
	for _, test := range []struct {
		ds   Dataset
		want string
	}{
		{numbered(10), "image 7 of table has label 7, with 7 classes"},
		{mustOpen(t, flat, Options{}), "image 0 of " + filepath.Base(flat) + " has no label"},
		{&table{shape: Shape{1, 1, 1}, images: [][]float32{{0}, nil}}, "image 1 of table: row 1"},
	} {
		if err := CheckLabels(test.ds, 7); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want %q", err, test.want)
		}
	}
}

func TestRelabel(t *testing.T) {
	ds := mustOpen(t, "glyphs", Options{Count: 4, Split: "train"})
	labels, classes := []int{1, 0, 1, 1}, []string{"no", "yes"}
	re, err := Relabel(ds, labels, classes)
	if err != nil {
		t.Fatal(err)
	}
	labels[0], classes[0] = 0, "?" // re has its own copies
	for i, want := range []int{1, 0, 1, 1} {
		px, label := mustRead(t, re, i)
		if plain, _ := mustRead(t, ds, i); label != want || !slices.Equal(px, plain) {
			t.Errorf("image %d has label %d or other pixels", i, label)
		}
	}
	if fmt.Sprint(re.Classes()) != "[no yes]" || re.Name() != "glyphs" || splitOf(re) != "train" {
		t.Errorf("%s %s has the classes %q", re.Name(), splitOf(re), re.Classes())
	}
	other, err := Relabel(ds, []int{1, 0, 1, 0}, re.Classes())
	if err != nil {
		t.Fatal(err)
	}
	a, b, c := digest(t, ds), digest(t, re), digest(t, other)
	if a == b || b == c || a == c {
		t.Errorf("digests %s, %s, %s do not tell the labels", a, b, c)
	}
}

func TestRelabelRefusesBadCalls(t *testing.T) {
	ds := numbered(3)
	for want, labels := range map[string][]int{
		"2 labels for the 3 images of table":               {0, 1},
		"image 2 of table has label 2, with 2 classes":     {0, 1, 2},
		"image 1 of table has label -1, with 2 classes":    {0, -1, 0},
		"4 labels for the 3 images of table: expected one": {0, 0, 0, 0},
	} {
		if _, err := Relabel(ds, labels, []string{"a", "b"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want %q", labels, err, want)
		}
	}
	re, err := Relabel(ds, []int{0, 0, 0}, []string{"a"})
	if err != nil {
		t.Fatal(err)
	}
	ds.images[1] = nil
	if _, err := re.Read(1, make([]float32, 1)); !errors.Is(err, errTable) {
		t.Errorf("an image that cannot be read: %v", err)
	}
}

// TestRandomLabels counts the labels, and the pairs of a label and a true label. The bounds are six standard
// deviations.
func TestRandomLabels(t *testing.T) {
	const images = 20_000
	ds := mustOpen(t, "glyphs", Options{Count: images})
	random, err := RandomLabels(ds, 1)
	if err != nil {
		t.Fatal(err)
	}
	labels, truth := mustLabels(t, random), mustLabels(t, ds)
	counts, pairs := map[int]int{}, map[[2]int]int{}
	for i, l := range labels {
		counts[l]++
		pairs[[2]int{l, truth[i]}]++
	}
	for l := range 10 {
		wantShare(t, fmt.Sprint("label ", l), counts[l], images, .1)
		for m := range 10 {
			wantShare(t, fmt.Sprintf("label %d for digit %d", l, m), pairs[[2]int{l, m}], images, .01)
		}
	}
	head, err := RandomLabels(Head(ds, 100), 1)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(mustLabels(t, head), labels[:100]) {
		t.Error("the labels depend on the number of images")
	}
	other, err := RandomLabels(ds, 2)
	if err != nil {
		t.Fatal(err)
	}
	if slices.Equal(mustLabels(t, other), labels) {
		t.Error("the labels do not depend on the seed")
	}
	if _, err := RandomLabels(numbered(3), 0); err == nil {
		t.Error("a set without classes: no error")
	}
}
