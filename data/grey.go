package data

import (
	"fmt"
	"io"
	"slices"

	"github.com/ansatz-lab/ansatz/data/imagefile"
)

// shades is a Dataset with the images of another, of three channels, converted to grey.
type shades struct{ wrapper }

// Grey returns the images of ds in one channel, .299 red + .587 green + .114 blue (ITU-R 601), like torchvision's
// Grayscale. Images held in memory as bytes stay bytes, exactly as by Pillow's convert("L"); images that are read from files
// or scaled are not rounded again. Grey returns a set of one channel as it is, and an error unless there are one
// or three channels.
func Grey(ds Dataset) (Dataset, error) {
	switch n := ds.Shape().Channels; n {
	case 1:
		return ds, nil
	case 3:
		return &shades{wrapper{ds}}, nil
	default:
		return nil, fmt.Errorf("data: grey images of %s: it has %d channels, expected 1 or 3", ds.Name(), n)
	}
}

// Shape implements Dataset.
func (s *shades) Shape() Shape {
	shape := s.Dataset.Shape()
	shape.Channels = 1
	return shape
}

// Read implements Dataset. If the images are stored as bytes, it rounds grey pixels to bytes too.
func (s *shades) Read(i int, dst []float32) (int, error) {
	if err := checkRead(s, i, dst); err != nil {
		return 0, err
	}
	scratch := imagefile.NewBytes(len(dst))
	defer imagefile.FreeBytes(scratch)
	if pix, label, ok := s.bytes(i, scratch); ok {
		imagefile.PlanesToUnit(dst, pix, 1)
		return label, nil
	}
	colours := make([]float32, s.Dataset.Shape().Pixels())
	label, err := s.Dataset.Read(i, colours)
	if err != nil {
		return 0, err
	}
	greyFloats(dst, colours)
	return label, nil
}

func (s *shades) bytes(i int, scratch []uint8) ([]uint8, int, bool) {
	inner := imagefile.NewBytes(s.Dataset.Shape().Pixels())
	defer imagefile.FreeBytes(inner)
	pix, label, ok := bytesOf(s.Dataset, i, inner)
	if !ok {
		return nil, 0, false
	}
	n := s.Shape().Pixels()
	scratch = slices.Grow(scratch[:0], n)[:n]
	greyPlanes(scratch, pix)
	return scratch, label, true
}

// identify writes "grey of" and the original shape, and then the source of the image.
func (s *shades) identify(w io.Writer, i int) error {
	if _, err := fmt.Fprintf(w, "grey of %v\n", s.Dataset.Shape()); err != nil {
		return err
	}
	return identify(w, s.Dataset, i)
}

func greyFloats(dst, src []float32) {
	for k := range dst {
		r, g, b := float64(src[3*k]), float64(src[3*k+1]), float64(src[3*k+2])
		// The conversions forbid fused operations.
		dst[k] = float32(float64(.299*r) + float64(.587*g) + float64(.114*b))
	}
}

// greyPlanes converts three planes of bytes to grey. It rounds as Pillow does, with weights of 16 bits.
func greyPlanes(dst, src []uint8) {
	n := len(dst)
	r, g, b := src[:n], src[n:2*n], src[2*n:3*n]
	for k := range dst {
		dst[k] = uint8((19595*uint32(r[k]) + 38470*uint32(g[k]) + 7471*uint32(b[k]) + 1<<15) >> 16)
	}
}
