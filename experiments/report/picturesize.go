package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/png"
	"math"
	"strconv"
	"strings"
)

// pngSize returns the size of a PNG in pixels of CSS, for each of which
// a figure has several of its own.
func pngSize(data []byte) (width, height int, err error) {
	config, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return 0, 0, fmt.Errorf("reading the PNG: %w", err)
	}
	const perPixel = dpi / cssDPI
	return (config.Width + 1) / perPixel, (config.Height + 1) / perPixel, nil
}

// svgSize returns the size that an SVG asks for in pixels of CSS, or zeros if
// it asks for none in points or pixels.
func svgSize(data []byte) (width, height int, err error) {
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

func cssPixels(s string) int {
	scale := 1.0 // from the unit to pixels
	if number, ok := strings.CutSuffix(s, "pt"); ok {
		s, scale = number, cssDPI/72.0
	}
	v, err := strconv.ParseFloat(strings.TrimSuffix(s, "px"), 64)
	if err != nil || !(v > 0 && v < 1e5) {
		return 0
	}
	return int(math.Round(v * scale))
}
