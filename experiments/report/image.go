package report

import (
	"fmt"
	"image"
	"image/color"
	"math"

	"github.com/ansatz-lab/ansatz/experiments/report/draw"
	"gonum.org/v1/plot/vg"
)

// Image is a picture of Height × Width pixels with one channel (grey) or three
// (red, green, blue). Pixels holds their values in [0, 1], in the order (row,
// column, channel); values beyond are clipped, and a pixel with a NaN is grey-brown.
// If Map is set, a single channel is shown in a colour map, from dark blue for 0 to
// yellow for 1, in which small differences are easier to see than in greys.
type Image struct {
	Height   int       `json:"height"`
	Width    int       `json:"width"`
	Channels int       `json:"channels"`
	Pixels   []float64 `json:"-"` // see [Description]
	Caption  string    `json:"caption,omitempty"`
	Map      bool      `json:"map,omitempty"`
}

func (m *Image) check() error {
	switch {
	case m.Height < 0 || m.Width < 0 || m.Height > maxSide || m.Width > maxSide:
		return fmt.Errorf("an image of %d×%d: want sides from 0 to %d", m.Height, m.Width, maxSide)
	case m.empty() && len(m.Pixels) == 0:
		return nil
	case m.Channels != 1 && m.Channels != 3:
		return fmt.Errorf("an image of %d channels: want 1 or 3", m.Channels)
	case len(m.Pixels) != m.Height*m.Width*m.Channels:
		return fmt.Errorf("an image of %d values for %d×%d×%d", len(m.Pixels), m.Height, m.Width, m.Channels)
	}
	return nil
}

func (m *Image) empty() bool { return m.Height == 0 || m.Width == 0 }

// photoDPI is the largest number of pixels per inch that an image keeps: twice a screen's.
const photoDPI = 2 * draw.CSSDPI

// render returns the picture as an image that is shown at the given size. It scales larger pictures down to
// photoDPI, so that photographs do not swell the file.
func (m *Image) render(size vg.Point) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, m.Width, m.Height))
	for y := range m.Height {
		for x := range m.Width {
			img.SetNRGBA(x, y, m.colour(y*m.Width+x))
		}
	}
	width, height := int(math.Ceil(size.X.Dots(photoDPI))), int(math.Ceil(size.Y.Dots(photoDPI)))
	if width >= m.Width || height >= m.Height {
		return img
	}
	return draw.Resize(img, width, height)
}

// colour returns the colour of pixel i.
func (m *Image) colour(i int) color.NRGBA {
	v := m.Pixels[i*m.Channels : (i+1)*m.Channels]
	for _, c := range v {
		if math.IsNaN(c) {
			return draw.Absent
		}
	}
	switch {
	case m.Channels == 3:
		return color.NRGBA{level8(v[0]), level8(v[1]), level8(v[2]), 0xff}
	case m.Map:
		return draw.Sequential(v[0])
	}
	return color.NRGBA{level8(v[0]), level8(v[0]), level8(v[0]), 0xff}
}

func level8(v float64) uint8 { return uint8(math.Round(255 * min(max(v, 0), 1))) }
