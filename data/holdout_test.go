package data

import (
	"errors"
	"slices"
	"testing"
)

func mustHoldOut(t *testing.T, ds Dataset, n int, seed uint64) (train, validation []int) {
	t.Helper()
	a, b, err := Holdout(ds, n, seed)
	if err != nil {
		t.Fatal(err)
	}
	if a.Len() != ds.Len()-n || b.Len() != n {
		t.Fatalf("%d and %d images, want %d and %d", a.Len(), b.Len(), ds.Len()-n, n)
	}
	return a.(*subset).indices, b.(*subset).indices
}

func TestHoldout(t *testing.T) {
	ds := mustOpen(t, "glyphs", Options{Count: 1000})
	labels := mustLabels(t, ds)
	for _, n := range []int{1, 7, 100, 333, 999} {
		train, validation := mustHoldOut(t, ds, n, 1)
		if !slices.IsSorted(train) || !slices.IsSorted(validation) {
			t.Errorf("%d held out: not in the order of the set", n)
		}
		all := slices.Sorted(slices.Values(slices.Concat(train, validation)))
		for i, at := range all {
			if i != at {
				t.Fatalf("%d held out: image %d is not in one of the splits, once", n, i)
			}
		}
		perClass := make([]int, 10)
		for _, i := range validation {
			perClass[labels[i]]++
		}
		for class, count := range perClass {
			if count < n/10 || count > n/10+1 {
				t.Errorf("%d held out: %d of class %d", n, count, class)
			}
		}
	}
}

// TestHoldoutIsRandom counts how often each image is held out, over many seeds.
func TestHoldoutIsRandom(t *testing.T) {
	const seeds = 2000
	ds := mustOpen(t, "glyphs", Options{Count: 20})
	counts := make([]int, 20)
	for seed := range seeds {
		_, validation := mustHoldOut(t, ds, 10, uint64(seed))
		for _, i := range validation {
			counts[i]++
		}
	}
	for _, count := range counts {
		wantShare(t, "an image held out", count, seeds, .5)
	}
	_, a := mustHoldOut(t, ds, 10, 4)
	_, b := mustHoldOut(t, ds, 10, 4)
	if !slices.Equal(a, b) {
		t.Error("the splits differ from call to call")
	}
}

func TestHoldoutOfUnlabelled(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"1.png", "2.png", "3.png"} {
		write(t, nil, dir, name)
	}
	mustHoldOut(t, mustOpen(t, dir, Options{}), 2, 0)
}

func TestHoldoutErrors(t *testing.T) {
	ds := mustOpen(t, "glyphs", Options{Count: 10})
	for _, n := range []int{-1, 0, 10, 11} {
		if _, _, err := Holdout(ds, n, 0); err == nil {
			t.Errorf("%d of 10 held out: no error", n)
		}
	}
	bad := numbered(3)
	bad.images[2] = nil
	if _, _, err := Holdout(bad, 1, 0); !errors.Is(err, errTable) {
		t.Errorf("an image that cannot be read: %v", err)
	}
}
