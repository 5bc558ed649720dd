package imagefile

import (
	"image"
	"math/rand/v2"
	"testing"
)

// newYCbCr returns an image whose planes are random.
func newYCbCr(w, h int, r image.YCbCrSubsampleRatio) *image.YCbCr {
	img := image.NewYCbCr(image.Rect(0, 0, w, h), r)
	rng := rand.New(rand.NewPCG(1, 2))
	for _, plane := range [][]uint8{img.Y, img.Cb, img.Cr} {
		for k := range plane {
			plane[k] = uint8(rng.IntN(256))
		}
	}
	return img
}

var subsampleRatios = []image.YCbCrSubsampleRatio{
	image.YCbCrSubsampleRatio444, image.YCbCrSubsampleRatio422, image.YCbCrSubsampleRatio420,
	image.YCbCrSubsampleRatio440, image.YCbCrSubsampleRatio411, image.YCbCrSubsampleRatio410,
}

// TestChromaOfOneColour checks that an image of one colour keeps it at all sizes, also odd ones and those smaller than
// a colour sample.
func TestChromaOfOneColour(t *testing.T) {
	for _, r := range subsampleRatios {
		for w := 1; w <= 9; w++ {
			for h := 1; h <= 9; h++ {
				img := newYCbCr(w, h, r)
				for _, plane := range [][]uint8{img.Y, img.Cb, img.Cr} {
					for k := range plane {
						plane[k] = 90
					}
				}
				out := ycbcrToRGB(img)
				for k := 0; k < len(out.Pix); k += 3 {
					// 90 + 1.402·(-38), 90 + 1.058·38, 90 + 1.772·(-38)
					if got := [3]uint8(out.Pix[k:]); got != [3]uint8{37, 130, 23} {
						t.Fatalf("%v %d×%d: pixel %d is %v", r, w, h, k/3, got)
					}
				}
			}
		}
	}
}

// TestChromaInterpolates compares a row with the results of libjpeg's h2v1_fancy_upsample and h2v2_fancy_upsample,
// computed by hand.
func TestChromaInterpolates(t *testing.T) {
	for _, test := range []struct {
		ratio  image.YCbCrSubsampleRatio
		height int
		want   []int
	}{
		{image.YCbCrSubsampleRatio444, 1, []int{0, 100, 200}},
		{image.YCbCrSubsampleRatio422, 1, []int{0, 25, 75, 125, 175, 200}},
		{image.YCbCrSubsampleRatio411, 1, []int{0, 0, 0, 0, 100, 100, 100, 100, 200, 200, 200, 200}},
		// The second row of samples is larger by 40. A row of pixels takes three parts of the nearest row of samples
		// and one part of the next.
		{image.YCbCrSubsampleRatio420, 4, []int{10, 35, 85, 135, 185, 210}},
	} {
		img := image.NewYCbCr(image.Rect(0, 0, len(test.want), test.height), test.ratio)
		copy(img.Cb, []uint8{0, 100, 200})
		if test.height > 1 {
			copy(img.Cb[img.CStride:], []uint8{40, 140, 240})
		}
		c := newChroma(img, img.Cb)
		c.seek(test.height / 3) // the second of four rows, or the only row
		for x, want := range test.want {
			if got := c.at(x); got != want {
				t.Errorf("%v: column %d is %d, want %d", test.ratio, x, got, want)
			}
		}
	}
}

// TestChromaTransposed checks 4:4:0, which Pillow does not write, against transposed 4:2:2. They may differ only by
// rounding.
func TestChromaTransposed(t *testing.T) {
	wide := newYCbCr(14, 6, image.YCbCrSubsampleRatio422)
	tall := image.NewYCbCr(image.Rect(0, 0, 6, 14), image.YCbCrSubsampleRatio440)
	for y := range 6 {
		for x := range 14 {
			tall.Cb[tall.COffset(y, x)] = wide.Cb[wide.COffset(x, y)]
		}
	}
	a, b := newChroma(wide, wide.Cb), newChroma(tall, tall.Cb)
	for y := range 6 {
		for x := range 14 {
			a.seek(y)
			b.seek(x)
			if d := a.at(x) - b.at(y); d < -1 || d > 1 {
				t.Errorf("column %d of row %d: %d, turned %d", x, y, a.at(x), b.at(y))
			}
		}
	}
}

func TestChromaOfSubImage(t *testing.T) {
	for _, r := range subsampleRatios {
		img := newYCbCr(24, 24, r)
		sub := img.SubImage(image.Rect(8, 4, 20, 12)).(*image.YCbCr)
		got, whole := ycbcrToRGB(sub), ycbcrToRGB(img)
		// Away from the edges, where samples are repeated, the colours are those of the whole image.
		for y := 2; y < 6; y++ {
			for x := 4; x < 8; x++ {
				if a, b := [3]uint8(got.row(y)[3*x:]), [3]uint8(whole.row(4 + y)[3*(8+x):]); a != b {
					t.Fatalf("%v: (%d,%d) is %v, of the whole %v", r, x, y, a, b)
				}
			}
		}
	}
}
