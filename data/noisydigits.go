package data

import (
	"fmt"
	"io"
	"math"
)

const (
	noisyDigitsName    = "noisydigits"
	noisyDigitsVersion = "noisydigits/1"

	// noisyDigitsCount is the default number of images of a split, from the
	// paper's code.
	noisyDigitsCount = 2000
)

// noisyDigits is the toy problem of paper cnfa, Fig. 5B: each image of another set is
// placed at random in a frame with sides longer by half, 42×42 for 28×28. Gaussian
// noise of variance noise/4 fills the frame around the image, but not the image, as in
// the code of the paper and of the problem's origin (Karp et al., Local signal
// adaptivity). Unlike their code, ours can also place the image at the last row and
// column, with equal probability.
//
// Pixels of the frame are signed. At every noise level image i has the same place, and
// the same noise up to its scale.
type noisyDigits struct {
	generated
	base  Dataset
	shape Shape
	noise float64
}

// openNoisyDigits frames the first images of the set that the word names, by default
// glyphs; by default noise is 1. The first images of a set that is sorted by class
// have few classes.
func openNoisyDigits(o Options) (Dataset, error) {
	noise, err := o.args.number("noise", 1, 0, maxNoise)
	if err != nil {
		return nil, err
	}
	native := o
	native.Size = 0
	base, err := openFirst(native, noisyDigitsCount)
	if err != nil {
		return nil, err
	}
	s := base.Shape()
	s.Height, s.Width = s.Height*3/2, s.Width*3/2
	if err := o.nativeSize(s); err != nil {
		return nil, err
	}
	if err := checkPixels(o, s); err != nil {
		return nil, err
	}
	return &noisyDigits{newGenerated(o, noisyDigitsVersion, base.Len()), base, s, noise}, nil
}

func (d *noisyDigits) Shape() Shape      { return d.shape }
func (d *noisyDigits) Classes() []string { return d.base.Classes() }

// Read implements Dataset.
func (d *noisyDigits) Read(i int, dst []float32) (int, error) {
	if err := checkRead(d, i, dst); err != nil {
		return 0, err
	}
	s := d.base.Shape()
	digit := make([]float32, s.Pixels())
	label, err := d.base.Read(i, digit)
	if err != nil {
		return 0, err
	}
	fillNoise(dst, d.stream("noise", i), math.Sqrt(d.noise)/2)
	top, left := d.place(i)
	row := s.Width * s.Channels
	for y := range s.Height {
		copy(dst[((top+y)*d.shape.Width+left)*s.Channels:], digit[y*row:(y+1)*row])
	}
	return label, nil
}

// place returns the position of image i in its frame, in pixels.
func (d *noisyDigits) place(i int) (top, left int) {
	s, src := d.base.Shape(), d.stream("place", i)
	return src.IntN(d.shape.Height - s.Height + 1), src.IntN(d.shape.Width - s.Width + 1)
}

func (d *noisyDigits) label(i int) (int, error) { return labelOf(d.base, i) }

func (d *noisyDigits) identify(w io.Writer, i int) error {
	if _, err := fmt.Fprintf(w, "noise %g ", d.noise); err != nil {
		return err
	}
	if err := d.generated.identify(w, i); err != nil {
		return err
	}
	return identify(w, d.base, i)
}
