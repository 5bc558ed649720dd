package data

import (
	"io"
	"sync/atomic"
)

// held is a Dataset of the images of another, which reads each image once.
type held struct {
	Dataset
	images []atomic.Pointer[heldImage]
}

// heldImage is an image as it was read.
type heldImage struct {
	pixels []float32
	label  int
}

// Held returns the images of ds, and keeps every image that was read in memory, four bytes a pixel, so that it is
// decoded and scaled just once.
func Held(ds Dataset) Dataset {
	return &held{Dataset: ds, images: make([]atomic.Pointer[heldImage], ds.Len())}
}

// Read implements Dataset.
func (h *held) Read(i int, dst []float32) (int, error) {
	if err := checkRead(h, i, dst); err != nil {
		return 0, err
	}
	if image := h.images[i].Load(); image != nil {
		copy(dst, image.pixels)
		return image.label, nil
	}
	label, err := h.Dataset.Read(i, dst)
	if err != nil {
		return 0, err
	}
	image := &heldImage{pixels: make([]float32, len(dst)), label: label}
	copy(image.pixels, dst)
	h.images[i].Store(image)
	return label, nil
}

func (h *held) identify(to io.Writer, i int) error { return identify(to, h.Dataset, i) }

func (h *held) label(i int) (int, error) { return labelOf(h.Dataset, i) }

// Split returns the split of the set that is held.
func (h *held) Split() string { return splitOf(h.Dataset) }
func (h *held) decodes() bool { return Decodes(h.Dataset) }
