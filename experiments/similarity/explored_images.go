package similarity

import (
	"context"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/report/explorer"
)

// ExploredImages are the images that an [Explorer] searches for eigenvectors.
type ExploredImages struct {
	Shown  []explorer.Image // unprocessed
	Pixels []float32        // as the network reads them, (image, row, column, channel)
}

const (
	// exploredPixels is about how many pixels all images have together; there are at least two images, and at most
	// exploredImages.
	exploredPixels = 16 * 32 * 32
	exploredImages = 16
	// exploredSide is the largest side of an image that is shown.
	exploredSide = 112
)

// OpenExploredImages reads the first few images, at most most. There are none if they are neither grey nor RGB.
func OpenExploredImages(ctx context.Context, l *data.Loader, most int) (ExploredImages, error) {
	s := l.Dataset.Shape()
	if s.Channels != 1 && s.Channels != 3 {
		return ExploredImages{}, nil
	}
	n := min(most, exploredImages, max(2, exploredPixels/(s.Height*s.Width)))
	raw, px, err := FirstImages(ctx, l, n)
	if err != nil {
		return ExploredImages{}, err
	}
	images := ExploredImages{Pixels: px}
	for _, img := range raw {
		images.Shown = append(images.Shown, explorer.NewImage(img.Height, img.Width, img.Channels, img.Pixels, exploredSide))
	}
	return images, nil
}

// FirstImages returns the first n images, both unprocessed and as a network reads them.
func FirstImages(ctx context.Context, l *data.Loader, n int) (raw []report.Image, px []float32, err error) {
	s := l.Dataset.Shape()
	px = make([]float32, n*s.Pixels())
	for i := range n {
		one := px[i*s.Pixels() : (i+1)*s.Pixels()]
		if _, err := l.Dataset.Read(i, one); err != nil {
			return nil, nil, err
		}
		img := report.Image{Height: s.Height, Width: s.Width, Channels: s.Channels}
		for _, x := range one {
			img.Pixels = append(img.Pixels, float64(x))
		}
		raw = append(raw, img)
	}
	return raw, px, l.Load(ctx, 0, n, px, make([]int, n))
}
