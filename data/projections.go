package data

import (
	"context"
	"fmt"
)

// Projections returns, for each image of ds, the mean over its patches h of
// ⟨h - Mean, v⟩, with v the vector of component k; k counts from 1. It stops
// when ctx is done. A component that is not there and images that do not fit
// are errors.
func (c *Components) Projections(ctx context.Context, ds Dataset, k int) ([]float64, error) {
	if err := c.check(ds, k); err != nil {
		return nil, err
	}
	weights, mean := c.weights(ds.Shape(), k), dot(c.Mean, c.Vectors[k-1])
	var projections []float64
	err := forBlocks(ctx, ds, func(b *block) {
		for i := range b.images {
			projections = append(projections, dot(weights, b.image(i))-mean)
		}
	})
	return projections, err
}

func (c *Components) check(ds Dataset, k int) error {
	if k < 1 || k > len(c.Vectors) {
		return fmt.Errorf("data: component %d of patches of %d×%d pixels: expected 1 to %d",
			k, c.Patch, c.Patch, len(c.Vectors))
	}
	if s := ds.Shape(); s.Channels != c.Channels || min(s.Height, s.Width) < c.Patch {
		return fmt.Errorf(
			"data: the images of %s are %v, expected %d channels of at least %d×%d pixels, like those that the "+
				"components are of",
			ds.Name(), s, c.Channels, c.Patch, c.Patch)
	}
	return nil
}

// weights returns by how much each pixel of an image, in channel, row, column
// order, adds to the mean of ⟨h, v⟩ over its patches.
func (c *Components) weights(s Shape, k int) []float64 {
	rows, columns := s.Height-c.Patch+1, s.Width-c.Patch+1
	w := make([]float64, s.Pixels())
	for place, v := range c.Vectors[k-1] {
		channel, top, left := place/(c.Patch*c.Patch), place/c.Patch%c.Patch, place%c.Patch
		for y := top; y < top+rows; y++ {
			row := w[(channel*s.Height+y)*s.Width:]
			for x := left; x < left+columns; x++ {
				row[x] += v / float64(rows*columns)
			}
		}
	}
	return w
}

// dot returns the inner product. The conversion forbids fused operations, so
// that every machine finds the same.
func dot(a, b []float64) float64 {
	var s float64
	for k := range a {
		s += float64(a[k] * b[k])
	}
	return s
}
