package data

import (
	"image"
	"image/color"
)

// toRGBA converts an image to opaque RGB. Grey becomes equal red, green and
// blue; alpha is dropped and the colour under it kept, as Pillow's
// convert("RGB") does; 16 bits lose the lower eight.
func toRGBA(src image.Image) *image.RGBA {
	switch src := src.(type) {
	case *image.YCbCr:
		return ycbcrToRGBA(src)
	case *image.Gray:
		return fill(src, func(x, y int) (r, g, b uint8) {
			v := src.GrayAt(x, y).Y
			return v, v, v
		})
	case *image.RGBA:
		if src.Opaque() {
			return src
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

// fill returns an opaque image of the size of src and of the colours that at
// gives for the points of src.
func fill(src image.Image, at func(x, y int) (r, g, b uint8)) *image.RGBA {
	b := src.Bounds()
	dst := image.NewRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	for y := range b.Dy() {
		row := dst.Pix[y*dst.Stride:]
		for x := range b.Dx() {
			p := row[4*x : 4*x+4 : 4*x+4]
			p[0], p[1], p[2] = at(b.Min.X+x, b.Min.Y+y)
			p[3] = 0xff
		}
	}
	return dst
}
