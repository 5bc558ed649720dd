package data

import "sync/atomic"

// held is a Dataset that reads each image of another set once and keeps it.
type held struct {
	wrapper
	images []atomic.Pointer[heldImage]
}

// heldImage is an image as it was read.
type heldImage struct {
	pixels []float32
	label  int
}

// Held returns the images of ds, and keeps every image in memory after it was first read, with four bytes per value, so
// that it is decoded and scaled only once.
func Held(ds Dataset) Dataset {
	return &held{wrapper: wrapper{ds}, images: make([]atomic.Pointer[heldImage], ds.Len())}
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
