package data

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
)

// Labels returns the label of every image, -1 for an image without one. It does not read the images of this package's
// sets.
func Labels(ds Dataset) ([]int, error) {
	labels := make([]int, ds.Len())
	for i := range labels {
		var err error
		if labels[i], err = labelOf(ds, i); err != nil {
			return nil, fmt.Errorf("data: image %d of %s: %w", i, ds.Name(), err)
		}
	}
	return labels, nil
}

// labelOf returns the label of image i. It reads the image if ds has no faster way.
func labelOf(ds Dataset, i int) (int, error) {
	if d, ok := ds.(interface{ label(int) (int, error) }); ok {
		return d.label(i)
	}
	return ds.Read(i, make([]float32, ds.Shape().Pixels()))
}

// CheckLabels returns an error unless every image has a label from 0 to classes-1. The
// error names the first image at fault.
func CheckLabels(ds Dataset, classes int) error {
	labels, err := Labels(ds)
	if err != nil {
		return err
	}
	for i, l := range labels {
		switch {
		case l < 0:
			return fmt.Errorf("data: image %d of %s has no label: put the images into a folder per class", i, ds.Name())
		case l >= classes:
			return labelError(ds, i, l, classes)
		}
	}
	return nil
}

func labelError(ds Dataset, i, label, classes int) error {
	return fmt.Errorf("data: image %d of %s has label %d, with %d classes: expected 0 to %d",
		i, ds.Name(), label, classes, classes-1)
}

// relabelled is a Dataset with the images of another and new labels.
type relabelled struct {
	wrapper
	labels  []int
	classes []string
}

// Relabel returns the images of ds with new labels, one for each image, and new names of
// classes. It returns an error unless there is a label for each image, from 0 to
// len(classes)-1. It copies the slices.
func Relabel(ds Dataset, labels []int, classes []string) (Dataset, error) {
	if len(labels) != ds.Len() {
		return nil, fmt.Errorf("data: %d labels for the %d images of %s: expected one for each",
			len(labels), ds.Len(), ds.Name())
	}
	for i, l := range labels {
		if l < 0 || l >= len(classes) {
			return nil, labelError(ds, i, l, len(classes))
		}
	}
	return &relabelled{wrapper{ds}, slices.Clone(labels), slices.Clone(classes)}, nil
}

// RandomLabels returns the images of ds with random labels, uniform over its classes
// (paper energy, random labels). A label depends only on the seed and the index of the
// image. It returns an error if ds has no classes.
func RandomLabels(ds Dataset, seed uint64) (Dataset, error) {
	classes := len(ds.Classes())
	if classes == 0 {
		return nil, fmt.Errorf("data: random labels for %s: it has no classes; put the images into a folder per class",
			ds.Name())
	}
	pcg := rand.NewPCG(0, 0)
	rng := rand.New(pcg)
	labels := make([]int, ds.Len())
	for i := range labels {
		seedStream(pcg, seed, "random labels", uint64(i))
		labels[i] = rng.IntN(classes)
	}
	return Relabel(ds, labels, ds.Classes())
}

// Classes returns the names of the new classes.
func (r *relabelled) Classes() []string { return r.classes }

// Read implements Dataset.
func (r *relabelled) Read(i int, dst []float32) (int, error) {
	if _, err := r.Dataset.Read(i, dst); err != nil {
		return 0, err
	}
	return r.labels[i], nil
}

// identify writes the new label, and then the source of the image.
func (r *relabelled) identify(w io.Writer, i int) error {
	if _, err := fmt.Fprintf(w, "label %d\n", r.labels[i]); err != nil {
		return err
	}
	return identify(w, r.Dataset, i)
}

func (r *relabelled) label(i int) (int, error) { return r.labels[i], nil }

func (r *relabelled) bytes(i int, scratch []uint8) ([]uint8, int, bool) {
	pix, _, ok := bytesOf(r.Dataset, i, scratch)
	return pix, r.labels[i], ok
}
