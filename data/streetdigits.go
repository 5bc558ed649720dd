package data

import (
	"image"
	"slices"

	"github.com/ansatz-lab/ansatz/internal/random"
	"golang.org/x/image/vector"
)

const (
	streetDigitsName    = "streetdigits"
	streetDigitsVersion = "streetdigits/1"

	streetDigitsSide = 32
)

// streetDigits is a source of images that stand in for SVHN: the digit in the middle is the label; digits to its
// left and right, cut off by the edges of the image, are distractors. All digits of an image share one of the Go
// fonts and one colour, on a shaded background of another. Which of the two colours is brighter is random, so that
// the brightness of an image does not depend on its label.
//
// Image i depends only on the seed, the split and i, and is the same on every machine.
type streetDigits struct {
	generated
	faces []face
}

// openStreetDigits returns the set that the options describe.
func openStreetDigits(o Options) (Dataset, error) {
	faces, err := loadFaces()
	if err != nil {
		return nil, err
	}
	g := newGenerated(o, streetDigitsVersion, o.countOr(glyphsTrain, glyphsTest))
	return eightBit{&streetDigits{g, faces}, o.Size}, nil
}

func (d *streetDigits) Shape() Shape      { return Shape{3, streetDigitsSide, streetDigitsSide} }
func (d *streetDigits) Classes() []string { return digits() }
func (d *streetDigits) labelAt(i int) int { return d.balanced(i, 10) }

func (d *streetDigits) image(i int, scratch []uint8) ([]uint8, int) {
	label, rng := d.labelAt(i), d.stream("image", i)
	n := d.Shape().Pixels()
	pix := slices.Grow(scratch[:0], n)[:n]
	ink := drawNumber(rng, d.faces[rng.IntN(len(d.faces))], label)
	paintNumber(rng, pix, ink)
	addNoise(rng.Rand, pix, 2+rng.IntN(9))
	return pix, label
}

// drawNumber returns the coverage of a digit in the middle and of one on each side, which is there with probability
// 3/4.
func drawNumber(rng *random.Source, digits face, middle int) *image.Alpha {
	const half = streetDigitsSide / 2
	s := randomPose(rng.Rand)
	s.scale = between(rng.Rand, 9, 12)
	s.width = between(rng.Rand, .7, 1)
	s.at = point{half + between(rng.Rand, -1.5, 1.5), half + between(rng.Rand, -1.5, 1.5)}
	number := s.transform(nil, digits[middle])
	centre, lean := s.at, between(rng.Rand, -.15, .15)
	for _, side := range []float64{-1, 1} {
		digit, there := rng.IntN(len(digits)), rng.IntN(4) > 0
		step := float64(side * s.scale * between(rng.Rand, 1.35, 1.7))
		if !there {
			continue
		}
		s.at = point{centre.x + step, centre.y + float64(lean*step)}
		number = append(number, s.transform(nil, digits[digit])...)
	}
	ink := image.NewAlpha(image.Rect(0, 0, streetDigitsSide, streetDigitsSide))
	fillOutline(vector.NewRasterizer(streetDigitsSide, streetDigitsSide), ink, number)
	return ink
}

// paintNumber writes the pixels, channel by channel, without noise. Ink and background are equally likely to be the
// brighter.
func paintNumber(rng *random.Source, dst []uint8, ink *image.Alpha) {
	const side = streetDigitsSide
	middle, contrast := 80+rng.IntN(96), 20+rng.IntN(50)
	if rng.IntN(2) == 0 {
		contrast = -contrast
	}
	slopeX, slopeY := rng.IntN(61)-30, rng.IntN(61)-30
	for c := range 3 {
		paper, digit := middle-contrast+rng.IntN(61)-30, middle+contrast+rng.IntN(61)-30
		for k, covered := range ink.Pix {
			v := paper + (digit-paper)*int(covered)/0xff
			v += (slopeX*(2*(k%side)-side) + slopeY*(2*(k/side)-side)) / (2 * side)
			dst[c*side*side+k] = uint8(min(max(v, 0), 0xff))
		}
	}
}
