package report

import (
	"bytes"
	"image/color"
	"math"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/report/draw"
)

// Pictures of few pixels are drawn with sharp edges between them. Larger ones are scaled smoothly.
func TestImageGridScaling(t *testing.T) {
	check := func(side int) (edge int) {
		m := Image{Height: side, Width: side, Channels: 1}
		for i := range side * side {
			m.Pixels = append(m.Pixels, float64((i%side+i/side)%2))
		}
		d := &Description{Images: [][]Image{{m}}}
		g := newImageGrid(d, onPage)
		f, err := gridDrawing(d, onPage).figure("stem", nil)
		f = rendered(t, f, err)
		if crisp := bytes.Contains(f.SVG, []byte(draw.CrispStyle)); crisp != (side <= crispUpTo) {
			t.Errorf("side %d: crisp in the SVG is %v", side, crisp)
		}
		img := decodePNG(t, f.PNG)
		size := g.size(&m)
		for x := margin + 1; x < margin+size.X-1; x += 0.24 {
			if c := colourAt(img, x, g.height-margin-size.Y/2-1); c.R != 0 && c.R != 0xff {
				edge++
			}
		}
		return edge
	}
	if n := check(16); n > 0 {
		t.Errorf("16 pixels a side: %d colours between black and white", n)
	}
	if n := check(100); n == 0 {
		t.Error("100 pixels a side: no colours between black and white")
	}
}

func TestImageColours(t *testing.T) {
	m := Image{Height: 1, Width: 5, Channels: 1, Pixels: []float64{0, 1, -3, 7, math.NaN()}}
	for i, want := range []color.NRGBA{{0, 0, 0, 255}, {255, 255, 255, 255}, {0, 0, 0, 255}, {255, 255, 255, 255},
		draw.Absent} {
		if got := m.colour(i); got != want {
			t.Errorf("pixel %d is %v, want %v", i, got, want)
		}
	}
	m.Map = true
	if got, want := m.colour(1), (color.NRGBA{0xfd, 0xe7, 0x25, 0xff}); got != want {
		t.Errorf("1 is mapped to %v, want %v", got, want)
	}
	rgb := Image{Height: 1, Width: 1, Channels: 3, Pixels: []float64{1, 0.5, 0}}
	if got, want := rgb.colour(0), (color.NRGBA{255, 128, 0, 255}); got != want {
		t.Errorf("colour %v, want %v", got, want)
	}
}

// A photograph of many pixels is stored with only as many as are shown.
func TestImageDownscaled(t *testing.T) {
	f, err := ImageGrid("stem", nil, [][]Image{{gradientImage(1000)}})
	if err != nil {
		t.Fatal(err)
	}
	if size := embeddedImages(t, f.SVG)[0].Bounds().Size(); size.X > 400 || size.X < 300 {
		t.Errorf("1000 pixels are stored as %v", size)
	}
}
