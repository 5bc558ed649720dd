package data

import (
	"fmt"
)

// Labels returns the label of every image, -1 where there is none. The sets of
// this package tell without reading an image.
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

// labelOf returns the label of image i. It reads the image where ds does not
// tell.
func labelOf(ds Dataset, i int) (int, error) {
	if d, ok := ds.(interface{ label(int) (int, error) }); ok {
		return d.label(i)
	}
	return ds.Read(i, make([]float32, ds.Shape().Pixels()))
}

// CheckLabels returns an error unless the label of every image is from 0 to
// classes-1. It names the first image at fault.
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
	return fmt.Errorf("data: image %d of %s has label %d, with %d classes expected 0 to %d",
		i, ds.Name(), label, classes, classes-1)
}
