package draw

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg" // SVGs embed JPEGs
	"image/png"
	"regexp"
)

// svgImage matches an image that [Scene.SVG] wrote. Its groups are the width in points, the style, and the file in base64.
var svgImage = regexp.MustCompile(`<image (?:id='[^']*' )?x='[^']*' y='[^']*' width='([^']*)' ` +
	`[^>]*preserveAspectRatio='none'([^>]*) (?:xlink:)?href='data:image/(?:png|jpeg);base64,([^']*)'/>`)

// ImagesWithin makes the images of an SVG that [Scene.SVG] wrote smaller, together at most limit bytes if possible. It undoes
// the enlargement of crisp images, and scales the others down or makes them JPEGs, but leaves them at least the 96 pixels per
// inch of a screen. It does not change an SVG whose images are small enough, nor images that cannot be read.
func ImagesWithin(svg []byte, limit int) ([]byte, error) {
	total := 0
	for _, m := range svgImage.FindAllSubmatch(svg, -1) {
		total += base64.StdEncoding.DecodedLen(len(m[3]))
	}
	if total <= limit {
		return svg, nil
	}
	var failed error
	out := svgImage.ReplaceAllFunc(svg, func(element []byte) []byte {
		m := svgImage.FindSubmatch(element)
		data, err := base64.StdEncoding.DecodeString(string(m[3]))
		if err != nil {
			return element
		}
		img, _, err := image.Decode(bytes.NewReader(data))
		if err != nil {
			return element
		}
		kind, small, err := "png", []byte(nil), error(nil)
		if bytes.Contains(m[2], []byte("pixelated")) {
			var b bytes.Buffer
			err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, grey(unenlarged(img)))
			small = b.Bytes()
		} else {
			var asJPEG []byte
			small, asJPEG, err = EncodeWithin(img, limit*len(data)/total, cssPixels(string(m[1])+"pt"))
			if small == nil {
				kind, small = "jpeg", asJPEG
			}
		}
		if err != nil {
			failed = err
		}
		if err != nil || len(small) >= len(data) {
			return element
		}
		at := bytes.Index(element, []byte("href="))
		return fmt.Appendf(bytes.Clone(element[:at]), "href='data:image/%s;base64,%s'/>", kind,
			base64.StdEncoding.EncodeToString(small))
	})
	return out, failed
}

// grey returns an image of opaque greys with one byte for each pixel, and any other image as it is.
func grey(img image.Image) image.Image {
	at := img.Bounds()
	out := image.NewGray(at)
	for y := at.Min.Y; y < at.Max.Y; y++ {
		for x := at.Min.X; x < at.Max.X; x++ {
			c := colourAt(img, x, y)
			if c.R != c.G || c.G != c.B || c.A < 255 {
				return img
			}
			out.SetGray(x, y, color.Gray{Y: c.R})
		}
	}
	return out
}

// unenlarged undoes enlarged: it returns an image with one pixel for each square of equal pixels. An image that does not
// consist of such squares stays as it is.
func unenlarged(img image.Image) image.Image {
	size := img.Bounds().Size()
	for by := enlargedSide; by >= leastEnlarged; by-- {
		if size.X%by != 0 || size.Y%by != 0 || !squares(img, by) {
			continue
		}
		out := image.NewNRGBA(image.Rect(0, 0, size.X/by, size.Y/by))
		for y := range size.Y / by {
			for x := range size.X / by {
				out.Set(x, y, img.At(by*x, by*y))
			}
		}
		return out
	}
	return img
}

// squares reports whether an image consists of squares of equal pixels with the given side.
func squares(img image.Image, side int) bool {
	size := img.Bounds().Size()
	for y := range size.Y {
		for x := range size.X {
			if colourAt(img, x, y) != colourAt(img, x-x%side, y-y%side) {
				return false
			}
		}
	}
	return true
}

func colourAt(img image.Image, x, y int) color.NRGBA {
	return color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
}
