package rfm

import (
	"fmt"
	"math"
)

// Images holds images of one shape for a convolutional kernel machine. The zero value has none.
type Images struct {
	Height, Width, Channels int
	Pixels                  []float32 // in the order (image, row, column, channel)
}

// Len returns the number of images.
func (x Images) Len() int {
	if x.size() == 0 {
		return 0
	}
	return len(x.Pixels) / x.size()
}

// Slice returns the images lo ≤ i < hi, without copying them.
func (x Images) Slice(lo, hi int) Images {
	s := x.size()
	x.Pixels = x.Pixels[lo*s : hi*s : hi*s]
	return x
}

// Pick returns copies of some of the images, in the order of which.
func (x Images) Pick(which []int) Images {
	s := x.size()
	out := make([]float32, 0, len(which)*s)
	for _, i := range which {
		out = append(out, x.Pixels[i*s:(i+1)*s]...)
	}
	x.Pixels = out
	return x
}

// Image returns the pixels of an image, not copied.
func (x Images) Image(i int) []float32 { return x.Slice(i, i+1).Pixels }

// mean returns the mean of the images.
func (x Images) mean() []float64 {
	out := make([]float64, x.size())
	for i, v := range x.Pixels {
		out[i%len(out)] += float64(v) / float64(x.Len())
	}
	return out
}

func (x Images) size() int { return x.Height * x.Width * x.Channels }

// shape returns the shape of an image for messages.
func (x Images) shape() string { return fmt.Sprintf("%d×%d×%d", x.Channels, x.Height, x.Width) }

// Check returns an error for images without a shape, and for pixels that do not fill whole images or are not finite.
func (x Images) Check(what string) error {
	switch {
	case x.Height < 1 || x.Width < 1 || x.Channels < 1:
		return badInput("%s images of shape %s: every size must be at least 1", what, x.shape())
	case math.MaxInt/x.Height/x.Width/x.Channels < 1:
		return badInput("%s images of shape %s are too large to count their pixels", what, x.shape())
	case len(x.Pixels)%x.size() != 0:
		return badInput("%d pixels of %s images of shape %s: want a multiple of %d",
			len(x.Pixels), what, x.shape(), x.size())
	case len(x.Pixels) == 0:
		return badInput("there are no %s examples", what)
	}
	for k, v := range x.Pixels {
		if v-v != 0 {
			return badInput("%s image %d has a pixel that is %v: want numbers", what, k/x.size(), v)
		}
	}
	return nil
}
