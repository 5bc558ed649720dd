package patches

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/ansatz-lab/ansatz/data"
)

var errTable = errors.New("no such row")

// table is a dataset of the given images, whose labels are their indices. A nil image cannot be read.
type table struct {
	shape  data.Shape
	images [][]float32
	reads  atomic.Int64
}

func (d *table) Name() string      { return "table" }
func (d *table) Len() int          { return len(d.images) }
func (d *table) Shape() data.Shape { return d.shape }
func (d *table) Classes() []string { return nil }

func (d *table) Read(i int, dst []float32) (int, error) {
	d.reads.Add(1)
	if d.images[i] == nil {
		return 0, fmt.Errorf("row %d: %w", i, errTable)
	}
	copy(dst, d.images[i])
	return i, nil
}

// shape returns a data.Shape.
func shape(channels, height, width int) data.Shape {
	return data.Shape{Channels: channels, Height: height, Width: width}
}

// mustOpen opens a dataset, and fails the test if that returns an error.
func mustOpen(t testing.TB, name string, o data.Options) data.Dataset {
	t.Helper()
	ds, err := data.Open(name, o)
	if err != nil {
		t.Fatal(err)
	}
	return ds
}

func mustLabels(t *testing.T, ds data.Dataset) []int {
	t.Helper()
	labels, err := data.Labels(ds)
	if err != nil {
		t.Fatal(err)
	}
	return labels
}

// noise returns a set of n random images. Their pixels are correlated so that no two variances of components are close.
func noise(n int, s data.Shape) *table {
	rng := rand.New(rand.NewPCG(uint64(n), 9))
	ds := &table{shape: s}
	for range n {
		px := make([]float32, s.Pixels())
		for k := range px {
			px[k] = rng.Float32() + px[max(0, k-1)]/2 + px[max(0, k-s.Channels*s.Width)]/3
		}
		ds.images = append(ds.images, px)
	}
	return ds
}
