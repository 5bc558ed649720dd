package cnfa

import (
	"context"

	"github.com/ansatz-lab/ansatz/models"
)

// Images is a set of images to verify a network on, normalised as the network needs them.
type Images interface {
	// Load writes the images lo ≤ i < hi into px, (image, row, column, channel),
	// and their labels, -1 where there is none. It may be called by several
	// goroutines at once.
	Load(ctx context.Context, lo, hi int, px []float32, labels []int) error
}

// HeldImages are images in memory.
type HeldImages struct {
	Size   int       // the number of values per image: rows·columns·channels
	Pixels []float32 // (image, row, column, channel)
	Labels []int     // one for every image, -1 where it has none
}

// holdImages reads the first n images of a set.
func holdImages(ctx context.Context, set Images, n int, s models.Shape) (HeldImages, error) {
	h := HeldImages{Size: s.Size(), Pixels: make([]float32, n*s.Size()), Labels: make([]int, n)}
	return h, set.Load(ctx, 0, n, h.Pixels, h.Labels)
}

// Load satisfies [Images].
func (h HeldImages) Load(_ context.Context, lo, hi int, px []float32, labels []int) error {
	copy(px, h.Pixels[lo*h.Size:hi*h.Size])
	copy(labels, h.Labels[lo:hi])
	return nil
}
