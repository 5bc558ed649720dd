package cnfa

import (
	"context"

	"github.com/ansatz-lab/ansatz/models"
)

// Images are what a network is verified on, normalised as it wants them.
type Images interface {
	// Load writes the images lo ≤ i < hi into px, (image, row, column, channel),
	// and their labels, -1 where there is none. It may be called by several
	// goroutines at once.
	Load(ctx context.Context, lo, hi int, px []float32, labels []int) error
}

// heldImages are images in memory.
type heldImages struct {
	size   int // of an image
	pixels []float32
	labels []int
}

// holdImages reads the first n images of a set.
func holdImages(ctx context.Context, set Images, n int, s models.Shape) (*heldImages, error) {
	size := s.Channels * s.Height * s.Width
	h := &heldImages{size: size, pixels: make([]float32, n*size), labels: make([]int, n)}
	return h, set.Load(ctx, 0, n, h.pixels, h.labels)
}

// Load satisfies [Images].
func (h *heldImages) Load(_ context.Context, lo, hi int, px []float32, labels []int) error {
	copy(px, h.pixels[lo*h.size:hi*h.size])
	copy(labels, h.labels[lo:hi])
	return nil
}
