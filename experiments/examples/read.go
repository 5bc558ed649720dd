package examples

import (
	"context"
	"slices"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/graph/values"
	"github.com/ansatz-lab/ansatz/internal/words"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// Read reads the images of a set into a matrix, a row for each, and their labels into one-hot targets, nil if no image has
// a label.
func Read(ctx context.Context, set data.Dataset, n data.Normalisation, classes int) (rfm.Examples, error) {
	const float64Size = 8
	if err := checkRoom(set, float64Size); err != nil {
		return rfm.Examples{}, err
	}
	count, d := set.Len(), set.Shape().Pixels()
	loader := &data.Loader{Dataset: set, Normalisation: n}
	x, labels := mat.NewDense(count, d, nil), make([]int, count)
	const batch = 1024
	px := make([]float32, batch*d)
	for lo := 0; lo < count; lo += batch {
		hi := min(lo+batch, count)
		if err := loader.Load(ctx, lo, hi, px[:(hi-lo)*d], labels[lo:hi]); err != nil {
			return rfm.Examples{}, err
		}
		values.Convert(x.RawMatrix().Data[lo*d:], px[:(hi-lo)*d])
	}
	y, err := targetsOf(set, labels, classes)
	return rfm.Examples{X: x, Y: y}, err
}

// checkRoom returns an error if a set has no images, or more than fit into memory at the given
// bytes for each pixel.
func checkRoom(set data.Dataset, bytes int64) error {
	count := set.Len()
	if count == 0 {
		return input.Errorf("%s has no images", set.Name())
	}
	if need, free := bytes*int64(count)*int64(set.Shape().Pixels()), record.AvailableMemory(); free > 0 && need > free {
		return input.Errorf("%d images of %v need %s, but %s are free: take fewer (--train, --test), "+
			"or smaller ones (--size)", count, set.Shape(), words.Bytes(need), words.Bytes(free))
	}
	return nil
}

// targetsOf returns the labels of a set's images, one-hot; nil if no image has one.
func targetsOf(set data.Dataset, labels []int, classes int) (*mat.Dense, error) {
	if slices.Max(labels) < 0 {
		return nil, nil
	}
	for i, l := range labels {
		if l < 0 || l >= classes {
			return nil, input.Errorf("image %d of %s has the label %d, which is none of its %d classes", i,
				set.Name(), l, classes)
		}
	}
	return rfm.OneHot(labels, classes), nil
}

// errUnlabelled says that images that are fitted or scored have no labels.
func errUnlabelled(set data.Dataset, classes int) error {
	return input.Errorf("the images of %s have no labels: want a folder of images for each of the %s", set.Name(),
		words.Count(classes, "class"))
}

// ReadImages reads the images of a set, and their labels into one-hot targets, nil if no image has a label.
func ReadImages(ctx context.Context, set data.Dataset, n data.Normalisation, classes int) (rfm.ImageExamples, error) {
	const float32Size = 4
	if err := checkRoom(set, float32Size); err != nil {
		return rfm.ImageExamples{}, err
	}
	count, shape := set.Len(), set.Shape()
	x := rfm.Images{Height: shape.Height, Width: shape.Width, Channels: shape.Channels,
		Pixels: make([]float32, count*shape.Pixels())}
	labels := make([]int, count)
	loader := &data.Loader{Dataset: set, Normalisation: n}
	if err := loader.Load(ctx, 0, count, x.Pixels, labels); err != nil {
		return rfm.ImageExamples{}, err
	}
	y, err := targetsOf(set, labels, classes)
	return rfm.ImageExamples{X: x, Y: y}, err
}
