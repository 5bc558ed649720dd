package data

import (
	"context"
)

// blockPixels is about how many pixels a block has: what fits into a core's
// cache in float64.
const blockPixels = 1 << 16

// A block is some consecutive images of a dataset in float64, with channels
// apart: image, channel, row, column.
type block struct {
	images int
	shape  Shape
	pixels []float64
}

// image returns the pixels of image i of the block.
func (b *block) image(i int) []float64 {
	n := b.shape.Pixels()
	return b.pixels[i*n:][:n]
}

// forBlocks calls do with all images of ds, in order, a block at a time. It
// stops when ctx is done.
func forBlocks(ctx context.Context, ds Dataset, do func(*block)) error {
	s := ds.Shape()
	p := Pipeline{Dataset: ds, Batch: 1 + blockPixels/s.Pixels(), Sequential: true}
	b := &block{shape: s, pixels: make([]float64, p.Batch*s.Pixels())}
	for batch, err := range p.Epoch(ctx, 0, 0) {
		if err != nil {
			return err
		}
		b.images = len(batch.Labels)
		for i := range b.images {
			splitChannels(b.image(i), batch.Pixels[i*s.Pixels():][:s.Pixels()], s.Channels)
		}
		do(b)
	}
	return nil
}

// splitChannels writes pixels whose channels lie side by side to dst with the
// channels apart.
func splitChannels(dst []float64, px []float32, channels int) {
	area := len(px) / channels
	for c := range channels {
		plane := dst[c*area:][:area]
		for k := range plane {
			plane[k] = float64(px[k*channels+c])
		}
	}
}
