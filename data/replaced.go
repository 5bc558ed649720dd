package data

import (
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
)

// replaced is a Dataset of the images of another, all with some pixels of one image.
type replaced struct {
	Dataset
	at   []int     // the pixels, by rows
	px   []float32 // the image that they are taken of
	pix  []uint8   // its bytes; nil if it has none
	told []byte    // a digest of the pixels and of what that image is made from
}

// ReplacePixels returns the images of ds with the pixels where mask is true replaced by those of image from, in all
// channels. The mask is Height·Width long, row by row; it is copied. This is the test of paper rfm, Fig. 9: how much
// accuracy does a network lose when all faces have the eyes of one? It returns an error for a mask of another length,
// and for an image from that does not exist or cannot be read.
func ReplacePixels(ds Dataset, mask []bool, from int) (Dataset, error) {
	s := ds.Shape()
	if len(mask) != s.Height*s.Width {
		return nil, fmt.Errorf("data: a mask of %d pixels for the images of %s: expected %d×%d = %d",
			len(mask), ds.Name(), s.Height, s.Width, s.Height*s.Width)
	}
	r := &replaced{Dataset: ds, px: make([]float32, s.Pixels())}
	if _, err := ds.Read(from, r.px); err != nil {
		return nil, err
	}
	if pix, _, ok := bytesOf(ds, from, nil); ok {
		r.pix = slices.Clone(pix)
	}
	for k, set := range mask {
		if set {
			r.at = append(r.at, k)
		}
	}
	h := sha256.New()
	fmt.Fprintln(h, r.at)
	if err := identify(h, ds, from); err != nil {
		return nil, err
	}
	r.told = h.Sum(nil)
	return r, nil
}

// Read implements Dataset.
func (r *replaced) Read(i int, dst []float32) (int, error) {
	label, err := r.Dataset.Read(i, dst)
	if err != nil {
		return 0, err
	}
	n := r.Shape().Channels
	for _, k := range r.at {
		copy(dst[k*n:(k+1)*n], r.px[k*n:])
	}
	return label, nil
}

func (r *replaced) bytes(i int, scratch []uint8) ([]uint8, int, bool) {
	if r.pix == nil {
		return nil, 0, false
	}
	pix, label, ok := bytesOf(r.Dataset, i, scratch)
	if !ok {
		return nil, 0, false
	}
	out := append(slices.Grow(scratch[:0], len(pix)), pix...)
	s := r.Shape()
	for c := range s.Channels {
		for _, k := range r.at {
			k += c * s.Height * s.Width
			out[k] = r.pix[k]
		}
	}
	return out, label, true
}

// Split returns the split of the set whose images these are.
func (r *replaced) Split() string { return splitOf(r.Dataset) }

func (r *replaced) label(i int) (int, error) { return labelOf(r.Dataset, i) }

// identify writes what is replaced, and by what, before what the image is made
// from.
func (r *replaced) identify(w io.Writer, i int) error {
	if _, err := w.Write(r.told); err != nil {
		return err
	}
	return identify(w, r.Dataset, i)
}
