package data

import (
	"fmt"
	"io"
	"math"
)

const (
	barsName    = "bars"
	barsVersion = "bars/1"

	// The default numbers of images, from the paper's code.
	barsTrain = 500
	barsTest  = 500
)

// barsShape is the size of an image, of barsShape.Height patches: a row is a patch.
var barsShape = Shape{1, 16, 32}

// bars is the toy problem of paper cnfa, Fig. 5A: rows of Gaussian noise, of which
// a random one is replaced by a white or a black bar. A pixel of the bar is ±1/√32,
// so that the bar has norm 1. The noise has variance noise/32 per pixel, so that a
// row of it has norm √noise, in the root mean square.
//
// Pixels are signed. Images 2k and 2k+1 have different classes. At every noise level
// image i has the same bar, and the same noise up to its scale.
type bars struct {
	generated
	noise float64
}

// openBars returns the bars that the options describe; by default noise is 1.
func openBars(o Options) (Dataset, error) {
	noise, err := o.args.number("noise", 1, 0, maxNoise)
	if err != nil {
		return nil, err
	}
	if err := o.nativeSize(barsShape); err != nil {
		return nil, err
	}
	return &bars{newGenerated(o, barsVersion, o.countOr(barsTrain, barsTest)), noise}, nil
}

func (b *bars) Shape() Shape      { return barsShape }
func (b *bars) Classes() []string { return []string{"white", "black"} }

// Read implements Dataset.
func (b *bars) Read(i int, dst []float32) (int, error) {
	if err := checkRead(b, i, dst); err != nil {
		return 0, err
	}
	fillNoise(dst, b.stream("noise", i), math.Sqrt(b.noise/float64(barsShape.Width)))
	label := b.balanced(i, 2)
	level := float32(1 / math.Sqrt(float64(barsShape.Width)))
	if label == 1 {
		level = -level
	}
	row := b.row(i)
	for k := range barsShape.Width {
		dst[row*barsShape.Width+k] = level
	}
	return label, nil
}

// row returns the row of the bar in image i.
func (b *bars) row(i int) int { return b.stream("row", i).IntN(barsShape.Height) }

func (b *bars) label(i int) (int, error) { return b.balanced(i, 2), nil }

func (b *bars) identify(w io.Writer, i int) error {
	if _, err := fmt.Fprintf(w, "noise %g ", b.noise); err != nil {
		return err
	}
	return b.generated.identify(w, i)
}
