package draw

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"strconv"
	"strings"

	xdraw "golang.org/x/image/draw"
)

// PNGSize returns the size of a PNG of [DPI] pixels per inch in CSS pixels. Each of these is several pixels of the PNG.
func PNGSize(data []byte) (width, height int, err error) {
	config, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return 0, 0, fmt.Errorf("reading the PNG: %w", err)
	}
	css := func(pixels int) int { return int(math.Round(float64(pixels) * CSSDPI / DPI)) }
	return css(config.Width), css(config.Height), nil
}

// SVGSize returns the size that an SVG asks for in CSS pixels, or zeros if it asks
// for none in points or pixels. It returns an error for a file that is not an SVG.
func SVGSize(data []byte) (width, height int, err error) {
	d := xml.NewDecoder(bytes.NewReader(data))
	for {
		token, err := d.Token()
		if err != nil {
			return 0, 0, fmt.Errorf("reading the SVG: %w", err)
		}
		root, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if root.Name.Local != "svg" {
			return 0, 0, fmt.Errorf("the SVG starts with <%s>", root.Name.Local)
		}
		for _, a := range root.Attr {
			switch a.Name.Local {
			case "width":
				width = cssPixels(a.Value)
			case "height":
				height = cssPixels(a.Value)
			}
		}
		return width, height, nil
	}
}

// cssPixels returns a length of an SVG in CSS pixels, or 0 if its unit is neither pt nor px.
func cssPixels(s string) int {
	scale := 1.0 // from the unit to pixels
	if number, ok := strings.CutSuffix(s, "pt"); ok {
		s, scale = number, CSSDPI/72.0
	}
	v, err := strconv.ParseFloat(strings.TrimSuffix(s, "px"), 64)
	if err != nil || !(v > 0 && v < 1e5) {
		return 0
	}
	return int(math.Round(v * scale))
}

// EncodeWithin encodes a picture in at most limit bytes. It scales the picture down as far as needed, but not below least
// pixels of width. If the PNG is still too large, as of photographs, it returns a JPEG, and nil for asPNG; a JPEG of width
// least may be larger than limit.
func EncodeWithin(img image.Image, limit, least int) (asPNG, asJPEG []byte, err error) {
	best := png.Encoder{CompressionLevel: png.BestCompression}
	asPNG, err = shrinkTo(img, limit, least, func(w io.Writer, img image.Image) error { return best.Encode(w, grey(img)) })
	if err != nil || len(asPNG) <= limit {
		return asPNG, nil, err
	}
	asJPEG, err = shrinkTo(img, limit, least, func(w io.Writer, img image.Image) error {
		return jpeg.Encode(w, grey(img), &jpeg.Options{Quality: photographQuality})
	})
	return nil, asJPEG, err
}

// The quality of JPEGs, from 1 to 100: in pages, which have limits of size, and in figures.
const photographQuality, printQuality = 65, 70

// shrinkTo returns a picture, encoded, that is scaled down to at most limit bytes or to the width least.
func shrinkTo(img image.Image, limit, least int, encode func(io.Writer, image.Image) error) ([]byte, error) {
	for {
		var b bytes.Buffer
		if err := encode(&b, img); err != nil {
			return nil, fmt.Errorf("writing a picture: %w", err)
		}
		size := img.Bounds().Size()
		if b.Len() <= limit || size.X <= least {
			return b.Bytes(), nil
		}
		// The size of a file grows a little more slowly than its number of pixels.
		scale := max(math.Sqrt(float64(limit)/float64(b.Len()))*.95, float64(least)/float64(size.X))
		width, height := int(math.Round(scale*float64(size.X))), int(math.Round(scale*float64(size.Y)))
		img = Resize(img, min(width, size.X-1), height)
	}
}

// Resize returns a picture scaled smoothly to a size of at least one pixel.
func Resize(img image.Image, width, height int) image.Image {
	out := image.NewNRGBA(image.Rect(0, 0, max(1, width), max(1, height)))
	xdraw.CatmullRom.Scale(out, out.Bounds(), img, img.Bounds(), xdraw.Src, nil)
	return out
}
