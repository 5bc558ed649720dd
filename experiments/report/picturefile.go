package report

import (
	"bytes"
	"fmt"
	"image/png"

	"github.com/ansatz-lab/ansatz/experiments/report/draw"
)

// packing is the factor by which compression makes an SVG smaller, at least.
const packing = 5

// Within returns the figure with a single picture, of at most limit bytes if possible. It takes the SVG, with smaller
// images, if that is small enough once the page compresses it, else the PNG. It scales the PNG down as far as needed, but
// not below the 96 pixels per inch of a screen; if the PNG is still too large, as of photographs, it becomes a JPEG. The
// figure is shown as large as before.
func (f Figure) Within(limit int) (Figure, error) {
	var err error
	if f.SVG, err = draw.ImagesWithin(f.SVG, limit); err != nil {
		return f, fmt.Errorf("report: figure %q: %w", f.Name, err)
	}
	if len(f.SVG) > 0 && (len(f.SVG) <= packing*limit || len(f.PNG) == 0 && f.scene == nil) {
		f.PNG, f.scene = nil, nil
		return f, nil
	}
	if f, err = f.Rendered(); err != nil {
		return f, err
	}
	f.scene = nil
	if f.width == 0 && len(f.SVG) > 0 {
		f.width, f.height, _ = draw.SVGSize(f.SVG) // zeros if the SVG cannot be read
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
		f.width, f.height, _ = draw.PNGSize(f.PNG) // no error, since the PNG was just decoded
	}
	if f.PNG, f.JPEG, err = draw.EncodeWithin(img, limit, f.width); err != nil {
		return f, fmt.Errorf("report: figure %q: %w", f.Name, err)
	}
	return f, nil
}
