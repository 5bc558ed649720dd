package draw

import (
	"image"
	"image/color"
	"math"
)

// Tint mixes c, by a share in [0, 1], with white. Tints are opaque, so that they
// print the same everywhere.
func Tint(c color.NRGBA, share float64) color.NRGBA {
	mix := func(v uint8) uint8 { return uint8(255 - share*(255-float64(v)) + 0.5) }
	return color.NRGBA{mix(c.R), mix(c.G), mix(c.B), 0xff}
}

// Veil returns c with the opacity alpha, in [0, 1].
func Veil(c color.NRGBA, alpha float64) color.NRGBA {
	c.A = uint8(255*alpha + 0.5)
	return c
}

// Shade returns c made dark enough for text on white: a contrast of 4.5 : 1 demands
// a luminance of at most 0.18.
func Shade(c color.NRGBA) color.NRGBA {
	for Luminance(c) > 0.18 {
		c.R, c.G, c.B = c.R-c.R/16, c.G-c.G/16, c.B-c.B/16
	}
	return c
}

// Luminance returns the relative luminance of c as WCAG 2 defines it, 1 for
// white.
func Luminance(c color.NRGBA) float64 {
	linear := func(v uint8) float64 {
		s := float64(v) / 255
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
}

// Diverging returns the colour of t in [−1, 1]: blue through white to red. The
// lightness is symmetric about white, and the two sides are distinct under every kind
// of colour blindness (RdBu of ColorBrewer, interpolated).
func Diverging(t float64) color.NRGBA {
	return between((t+1)/2, [][3]uint8{
		{0x05, 0x30, 0x61}, {0x21, 0x66, 0xac}, {0x43, 0x93, 0xc3}, {0x92, 0xc5, 0xde}, {0xd1, 0xe5, 0xf0},
		{0xff, 0xff, 0xff},
		{0xfd, 0xdb, 0xc7}, {0xf4, 0xa5, 0x82}, {0xd6, 0x60, 0x4d}, {0xb2, 0x18, 0x2b}, {0x67, 0x00, 0x1f},
	})
}

// Sequential returns the colour of t in [0, 1]: matplotlib's viridis, which gets
// lighter by equal steps, also for colour-blind readers.
func Sequential(t float64) color.NRGBA {
	return between(t, [][3]uint8{
		{0x44, 0x01, 0x54}, {0x48, 0x18, 0x6a}, {0x47, 0x2d, 0x7b}, {0x42, 0x40, 0x86}, {0x3b, 0x52, 0x8b},
		{0x33, 0x63, 0x8d}, {0x2c, 0x72, 0x8e}, {0x26, 0x82, 0x8e}, {0x21, 0x91, 0x8c}, {0x1f, 0xa0, 0x88},
		{0x28, 0xae, 0x80}, {0x3f, 0xbc, 0x73}, {0x5e, 0xc9, 0x62}, {0x84, 0xd4, 0x4b}, {0xad, 0xdc, 0x30},
		{0xd8, 0xe2, 0x19}, {0xfd, 0xe7, 0x25},
	})
}

// SequentialBar paints the colours of [Sequential] as a row of pixels.
func SequentialBar() image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, 256, 1))
	for i := range 256 {
		img.SetNRGBA(i, 0, Sequential(float64(i)/255))
	}
	return img
}

// between interpolates linearly between colours that are evenly spaced on [0, 1]. It
// clips t to that range.
func between(t float64, stops [][3]uint8) color.NRGBA {
	t = min(max(t, 0), 1) * float64(len(stops)-1)
	i := min(int(t), len(stops)-2)
	share := t - float64(i)
	mix := func(k int) uint8 {
		a, b := float64(stops[i][k]), float64(stops[i+1][k])
		return uint8(math.Round(a + share*(b-a)))
	}
	return color.NRGBA{mix(0), mix(1), mix(2), 0xff}
}

// SeriesColour returns the colour of the i-th series. The palette, by Okabe and Ito,
// stays distinct under every kind of colour blindness. Darker colours come first, and
// grey replaces a yellow that is hard to see on white. It starts again after eight.
func SeriesColour(i int) color.NRGBA {
	palette := [...]color.NRGBA{
		{0x00, 0x72, 0xb2, 0xff}, // blue
		{0xd5, 0x5e, 0x00, 0xff}, // vermillion
		{0x00, 0x9e, 0x73, 0xff}, // bluish green
		{0xcc, 0x79, 0xa7, 0xff}, // reddish purple
		{0xe6, 0x9f, 0x00, 0xff}, // orange
		{0x56, 0xb4, 0xe9, 0xff}, // sky blue
		{0x22, 0x24, 0x27, 0xff}, // black
		{0x82, 0x87, 0x8c, 0xff}, // grey
	}
	return palette[i%len(palette)]
}
