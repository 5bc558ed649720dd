package data

import (
	"fmt"
	"io"
	"slices"
)

// A mark is a pixel of pure colour: red, green and blue are each 0 or 1. Grey images use
// only its red.
type mark struct {
	x, y   int
	colour [3]uint8
}

// stamped is a Dataset of images of another, with marks set in them.
type stamped struct {
	generated
	base    Dataset
	classes []string
	images  []stampedImage
	stamps  [][]mark
}

// A stampedImage is an image of a stamped set.
type stampedImage struct {
	from  int // the index of the image in the base
	label int
	stamp int // the index of its stamp; -1 for none
}

func (s *stamped) Shape() Shape      { return s.base.Shape() }
func (s *stamped) Classes() []string { return s.classes }

// Read implements Dataset.
func (s *stamped) Read(i int, dst []float32) (int, error) {
	if err := checkRead(s, i, dst); err != nil {
		return 0, err
	}
	if _, err := s.base.Read(s.images[i].from, dst); err != nil {
		return 0, err
	}
	shape := s.Shape()
	for _, m := range s.marks(i) {
		for c := range shape.Channels {
			dst[(m.y*shape.Width+m.x)*shape.Channels+c] = float32(m.colour[c])
		}
	}
	return s.images[i].label, nil
}

func (s *stamped) bytes(i int, scratch []uint8) ([]uint8, int, bool) {
	pix, _, ok := bytesOf(s.base, s.images[i].from, scratch)
	if !ok {
		return nil, 0, false
	}
	out := append(slices.Grow(scratch[:0], len(pix)), pix...)
	shape := s.Shape()
	for _, m := range s.marks(i) {
		for c := range shape.Channels {
			out[(c*shape.Height+m.y)*shape.Width+m.x] = 0xff * m.colour[c]
		}
	}
	return out, s.images[i].label, true
}

// marks returns the marks to set in image i.
func (s *stamped) marks(i int) []mark {
	if k := s.images[i].stamp; k >= 0 {
		return s.stamps[k]
	}
	return nil
}

func (s *stamped) label(i int) (int, error) { return s.images[i].label, nil }

// identify writes the label and the marks, and then the source of the image.
func (s *stamped) identify(w io.Writer, i int) error {
	if _, err := fmt.Fprintf(w, "label %d marks %v\n", s.images[i].label, s.marks(i)); err != nil {
		return err
	}
	return identify(w, s.base, s.images[i].from)
}
