// Package imagefile reads image files, with the pixels that Pillow decodes, and brings images to the size that a network
// reads, with the pixels of torchvision's Resize and CenterCrop of a Pillow image. The exception is grey of 16 bits, which
// Pillow cuts at 255, so that nearly all of it is white: here it keeps its upper eight bits.
package imagefile

import (
	"image"
	"image/color"
	"sync"
)

// Picture is an image of any size, with pixels in row, column, channel order.
type Picture struct {
	Width, Height, Channels int
	Pix                     []uint8 // Height·Width·Channels bytes
}

// newPicture returns a picture whose pixels are not set yet.
func newPicture(width, height, channels int) *Picture {
	return &Picture{width, height, channels, NewBytes(width * height * channels)}
}

// row returns the pixels of row y.
func (p *Picture) row(y int) []uint8 {
	n := p.Width * p.Channels
	return p.Pix[y*n:][:n]
}

// Free returns the memory of the pixels for reuse. The picture must not be used again.
// To free a picture is optional.
func (p *Picture) Free() { FreeBytes(p.Pix) }

// spareBytes holds memory for files and pictures, which are large and live only while
// an image is read.
var spareBytes sync.Pool

// NewBytes returns n bytes with any content, for a file or an image that is needed for a short time only.
func NewBytes(n int) []uint8 {
	if spare, ok := spareBytes.Get().(*[]uint8); ok && cap(*spare) >= n {
		return (*spare)[:n]
	}
	return make([]uint8, n)
}

// FreeBytes returns memory that nobody uses any more to [NewBytes].
func FreeBytes(b []uint8) { spareBytes.Put(&b) }

// toRGB converts a decoded image to RGB. Grey becomes equal red, green and blue. Like
// Pillow's convert("RGB"), it drops alpha and keeps the colour under it. Samples of 16
// bits lose the lower eight.
func toRGB(src image.Image) *Picture {
	switch src := src.(type) {
	case *image.YCbCr:
		return ycbcrToRGB(src)
	case *image.Gray:
		return fill(src, func(x, y int) (r, g, b uint8) {
			v := src.GrayAt(x, y).Y
			return v, v, v
		})
	case *image.RGBA:
		// Decoders use this type only for images without alpha.
		if src.Opaque() {
			return fill(src, func(x, y int) (r, g, b uint8) {
				c := src.RGBAAt(x, y)
				return c.R, c.G, c.B
			})
		}
	case *image.NRGBA:
		return fill(src, func(x, y int) (r, g, b uint8) {
			c := src.NRGBAAt(x, y)
			return c.R, c.G, c.B
		})
	case *image.NRGBA64:
		return fill(src, func(x, y int) (r, g, b uint8) {
			c := src.NRGBA64At(x, y)
			return uint8(c.R >> 8), uint8(c.G >> 8), uint8(c.B >> 8)
		})
	}
	return fill(src, func(x, y int) (r, g, b uint8) {
		c := color.NRGBAModel.Convert(src.At(x, y)).(color.NRGBA)
		return c.R, c.G, c.B
	})
}

// fill returns a picture of the size of src, with the colours that at returns for its
// points.
func fill(src image.Image, at func(x, y int) (r, g, b uint8)) *Picture {
	b := src.Bounds()
	dst := newPicture(b.Dx(), b.Dy(), 3)
	for y := range dst.Height {
		row := dst.row(y)
		for x := range dst.Width {
			p := row[3*x : 3*x+3 : 3*x+3]
			p[0], p[1], p[2] = at(b.Min.X+x, b.Min.Y+y)
		}
	}
	return dst
}
