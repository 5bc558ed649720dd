package data

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

var errTable = errors.New("no such row")

// table is a Dataset of the given images, whose labels are their indices. A nil image cannot be read.
type table struct {
	shape  Shape
	images [][]float32
	reads  atomic.Int64
}

func (d *table) Name() string      { return "table" }
func (d *table) Len() int          { return len(d.images) }
func (d *table) Shape() Shape      { return d.shape }
func (d *table) Classes() []string { return nil }

func (d *table) Read(i int, dst []float32) (int, error) {
	d.reads.Add(1)
	if d.images[i] == nil {
		return 0, fmt.Errorf("row %d: %w", i, errTable)
	}
	copy(dst, d.images[i])
	return i, nil
}

func TestLoad(t *testing.T) {
	ds := mustOpen(t, "glyphs", Options{Count: 100})
	n := Normalisation{Mean: []float32{.25}, Std: []float32{.5}}
	for _, workers := range []int{0, 1, 3, 200} {
		loader := Loader{Dataset: ds, Normalisation: n, Workers: workers}
		px, labels := make([]float32, 40*784), make([]int, 40)
		if err := loader.Load(t.Context(), 10, 50, px, labels); err != nil {
			t.Fatal(err)
		}
		for k := range 40 {
			want, label := mustRead(t, ds, 10+k)
			n.Apply(want)
			if !slices.Equal(px[k*784:(k+1)*784], want) || labels[k] != label {
				t.Fatalf("%d workers: image %d differs", workers, 10+k)
			}
		}
	}
}

func TestLoadNothing(t *testing.T) {
	loader := Loader{Dataset: mustOpen(t, "glyphs", Options{})}
	if err := loader.Load(t.Context(), 5, 5, nil, nil); err != nil {
		t.Error(err)
	}
}

func TestLoadBadCalls(t *testing.T) {
	ds := mustOpen(t, "glyphs", Options{Count: 10})
	px, labels := make([]float32, 2*784), make([]int, 2)
	for name, err := range map[string]error{
		"before":   (&Loader{Dataset: ds}).Load(t.Context(), -1, 1, px, labels),
		"beyond":   (&Loader{Dataset: ds}).Load(t.Context(), 9, 11, px, labels),
		"reversed": (&Loader{Dataset: ds}).Load(t.Context(), 5, 3, px, labels),
		"pixels":   (&Loader{Dataset: ds}).Load(t.Context(), 3, 5, px[1:], labels),
		"labels":   (&Loader{Dataset: ds}).Load(t.Context(), 3, 5, px, labels[1:]),
		"channels": (&Loader{Dataset: ds, Normalisation: ImageNet()}).Load(t.Context(), 3, 5, px, labels),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestLoadReportsTheFirstError checks that the error does not depend on which
// worker meets a bad image first.
func TestLoadReportsTheFirstError(t *testing.T) {
	ds := &table{shape: Shape{1, 1, 1}, images: make([][]float32, 1000)}
	for i := range 30 {
		ds.images[i] = []float32{1}
	}
	for range 200 {
		loader := Loader{Dataset: ds, Workers: 8}
		err := loader.Load(t.Context(), 0, 1000, make([]float32, 1000), make([]int, 1000))
		if !errors.Is(err, errTable) || !strings.Contains(err.Error(), "image 30 of table") {
			t.Fatalf("error %v, want that of image 30", err)
		}
	}
	if ds.reads.Load() > 200*(30+2*8) {
		t.Errorf("%d reads: loading went on after the error", ds.reads.Load())
	}
}

func TestLoadStopsWhenCancelled(t *testing.T) {
	ds := &table{shape: Shape{1, 1, 1}, images: [][]float32{{1}, {1}}}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	loader := Loader{Dataset: ds}
	if err := loader.Load(ctx, 0, 2, make([]float32, 2), make([]int, 2)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	if ds.reads.Load() != 0 {
		t.Errorf("%d images read", ds.reads.Load())
	}
}
