package report

import (
	"bytes"
	"image/jpeg"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/report/draw"
)

// noise returns a figure of random pixels, whose PNG can hardly be compressed.
func noise(t *testing.T) Figure {
	t.Helper()
	r := random(7)
	m := Image{Height: 200, Width: 300, Channels: 3, Pixels: make([]float64, 200*300*3)}
	for i := range m.Pixels {
		m.Pixels[i] = r.Float64()
	}
	f, err := ImageGrid("noise", nil, [][]Image{{m}})
	return rendered(t, f, err)
}

// A figure is scaled down to the number of bytes allowed, but not to fewer pixels than a screen shows. The page shows
// it as large as before.
func TestFigureWithin(t *testing.T) {
	f := noise(t)
	width, height, err := draw.PNGSize(f.PNG)
	if err != nil {
		t.Fatal(err)
	}
	least := 0
	for _, limit := range []int{len(f.PNG), len(f.PNG) / 2, len(f.PNG) / 3, 100} {
		raster := f
		raster.SVG = nil
		small, err := raster.Within(limit)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case limit == 100: // impossible, even as a JPEG
			picture, err := jpeg.Decode(bytes.NewReader(small.JPEG))
			if err != nil || small.PNG != nil {
				t.Fatalf("%d bytes of PNG: %v", len(small.PNG), err)
			}
			least = picture.Bounds().Dx()
		case len(small.PNG) > limit || len(small.PNG) < limit/3:
			t.Errorf("%d bytes of %d allowed", len(small.PNG), limit)
		}
		if v, err := newFigureView(&small, 1, nil); err != nil || v.Width != width || v.Height != height {
			t.Errorf("shown as %d×%d, want %d×%d: %v", v.Width, v.Height, width, height, err)
		}
	}
	if least != width {
		t.Errorf("scaled down to %d pixels, want %d", least, width)
	}
}

// The SVG is kept if it is small enough, or if there is no other picture.
func TestFigureWithinSVG(t *testing.T) {
	f := noise(t)
	if kept, err := f.Within((len(f.SVG) + packing - 1) / packing); err != nil || kept.PNG != nil || len(kept.SVG) == 0 {
		t.Errorf("%d bytes of SVG, %d of PNG: %v", len(kept.SVG), len(kept.PNG), err)
	}
	if other, err := f.Within(1); err != nil || other.SVG != nil || len(other.JPEG) == 0 {
		t.Errorf("%d bytes of SVG, %d of PNG: %v", len(other.SVG), len(other.PNG), err)
	}
	f.PNG, f.scene = nil, nil
	if kept, err := f.Within(1); err != nil || len(kept.SVG) == 0 {
		t.Errorf("%d bytes of SVG: %v", len(kept.SVG), err)
	}
	if _, err := (Figure{Name: "f", PNG: []byte("no PNG")}).Within(1); err == nil ||
		!strings.Contains(err.Error(), `"f"`) {
		t.Errorf("a broken PNG: %v", err)
	}
}
