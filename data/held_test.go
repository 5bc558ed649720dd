package data

import (
	"errors"
	"slices"
	"sync"
	"testing"
)

// counted is a Dataset that counts how often each image is read, and fails to read the last image.
type counted struct {
	Dataset
	mu    sync.Mutex
	reads map[int]int
}

var errLast = errors.New("the last cannot be read")

func (c *counted) Read(i int, dst []float32) (int, error) {
	c.mu.Lock()
	c.reads[i]++
	c.mu.Unlock()
	if i == c.Len()-1 {
		return 0, errLast
	}
	return c.Dataset.Read(i, dst)
}

func TestHeld(t *testing.T) {
	ds := mustOpen(t, "glyphs", Options{Count: 6, Size: 20})
	c := &counted{Dataset: ds, reads: map[int]int{}}
	h := Held(c)
	want, got := make([]float32, ds.Shape().Pixels()), make([]float32, ds.Shape().Pixels())
	for range 3 {
		for i := range ds.Len() - 1 {
			label, err := ds.Read(i, want)
			if err != nil {
				t.Fatal(err)
			}
			l, err := h.Read(i, got)
			if err != nil || l != label || !slices.Equal(got, want) {
				t.Fatalf("image %d: label %d, %v, want %d and the same pixels", i, l, err, label)
			}
			clear(got) // the caller owns these pixels: the set must keep a copy
		}
		if _, err := h.Read(ds.Len()-1, got); !errors.Is(err, errLast) {
			t.Errorf("error %v, want that of the set", err)
		}
	}
	for i, n := range c.reads {
		if i < ds.Len()-1 && n != 1 {
			t.Errorf("image %d was read %d times, want once", i, n)
		}
	}
	if _, err := h.Read(0, got[1:]); err == nil {
		t.Error("read into too few pixels")
	}
	a, err := Describe(ds)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Describe(Held(ds))
	if err != nil || a.SHA256 != b.SHA256 || a.Split != b.Split {
		t.Errorf("described as %+v, want %+v, %v", b, a, err)
	}
}
