package report

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"math"

	xdraw "golang.org/x/image/draw"
)

// Within returns the figure for a page that has many: with a picture of at most
// limit bytes, if that can be. It is the SVG if that is small enough, else the PNG
// alone, which is scaled down as far as it must be, but no further than to what a
// screen of 96 pixels per inch shows. The figure is shown as large as before.
func (f Figure) Within(limit int) (Figure, error) {
	if len(f.SVG) > 0 && (len(f.SVG) <= limit || len(f.PNG) == 0) {
		f.PNG = nil
		return f, nil
	}
	f.SVG = nil
	if len(f.PNG) <= limit {
		return f, nil
	}
	img, err := png.Decode(bytes.NewReader(f.PNG))
	if err != nil {
		return f, fmt.Errorf("report: figure %q: reading the PNG: %w", f.Name, err)
	}
	if f.width == 0 {
		f.width, f.height, _ = pngSize(f.PNG) // it was just read
	}
	f.PNG, err = shrunk(img, limit, f.width)
	return f, err
}

// shrunk is a picture as a PNG of at most limit bytes, or as narrow as least.
func shrunk(img image.Image, limit, least int) ([]byte, error) {
	for {
		var b bytes.Buffer
		best := png.Encoder{CompressionLevel: png.BestCompression}
		if err := best.Encode(&b, img); err != nil {
			return nil, fmt.Errorf("report: writing a PNG: %w", err)
		}
		size := img.Bounds().Size()
		if b.Len() <= limit || size.X <= least {
			return b.Bytes(), nil
		}
		// A PNG grows with its pixels, a little slower.
		scale := max(math.Sqrt(float64(limit)/float64(b.Len()))*.95, float64(least)/float64(size.X))
		width, height := int(math.Round(scale*float64(size.X))), int(math.Round(scale*float64(size.Y)))
		small := image.NewNRGBA(image.Rect(0, 0, max(1, min(width, size.X-1)), max(1, height)))
		xdraw.CatmullRom.Scale(small, small.Bounds(), img, img.Bounds(), xdraw.Src, nil)
		img = small
	}
}
