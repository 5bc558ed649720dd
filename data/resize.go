package data

import (
	"image"
	"math"

	"golang.org/x/image/draw"
)

// scaleAndCrop scales src so that its shorter side is size·256/224 and writes
// the central size×size pixels to dst as floats in row, column, channel order.
// Every side and offset is rounded as torchvision's Resize and CenterCrop do.
func scaleAndCrop(dst []float32, size int, src *image.RGBA) {
	w, h := scaledSides(src.Rect.Dx(), src.Rect.Dy(), scaledShort(size))
	window := image.Rect(0, 0, w, h).Sub(image.Pt(cropOffset(w, size), cropOffset(h, size)))
	resample(dst, Shape{3, size, size}, window, src)
}

// scaledShort returns the shorter side of an image before it is cropped to
// size: 256 for 224, as in ImageNet's usual evaluation.
func scaledShort(size int) int { return size * 256 / 224 }

// scaledSides returns the sides of a w×h image scaled so that the shorter one
// is short.
func scaledSides(w, h, short int) (width, height int) {
	if w <= h {
		return short, short * h / w
	}
	return short * w / h, short
}

// cropOffset returns where the central size pixels of a side begin. Halves
// round to even, as in Python.
func cropOffset(side, size int) int {
	return int(math.RoundToEven(float64(side-size) / 2))
}

// scale scales 8-bit pixels of one shape to floats of another with as many
// channels, one or three. Both are in row, column, channel order.
func scale(dst []float32, to Shape, src []uint8, from Shape) {
	in := image.NewRGBA(image.Rect(0, 0, from.Width, from.Height))
	n := from.Channels
	for k := range from.Height * from.Width {
		p := src[k*n : (k+1)*n]
		copy(in.Pix[4*k:], []uint8{p[0], p[n/2], p[n-1], 0xff})
	}
	resample(dst, to, image.Rect(0, 0, to.Width, to.Height), in)
}

// resample scales src to window and writes what lies in the image of shape s,
// whose corner is (0,0), to dst.
//
// The filter is a triangle that widens as the image shrinks, torchvision's and
// Pillow's antialiased bilinear. Pillow rounds to 8 bits between its passes
// and at the end; rounding to 16 bits at the end stays within one of its grey
// levels.
func resample(dst []float32, s Shape, window image.Rectangle, src *image.RGBA) {
	out := image.NewRGBA64(image.Rect(0, 0, s.Width, s.Height))
	draw.BiLinear.Scale(out, window, src, src.Rect, draw.Src, nil)
	for k := range s.Height * s.Width {
		for c := range s.Channels {
			at := 8*k + 2*c
			dst[k*s.Channels+c] = float32(uint16(out.Pix[at])<<8|uint16(out.Pix[at+1])) / 0xffff
		}
	}
}
