package report

import (
	"fmt"

	"github.com/ansatz-lab/ansatz/experiments/report/draw"
	"gonum.org/v1/plot/vg"
)

// drawing is a picture without a format: a size in points, and a function that paints it.
type drawing struct {
	width, height vg.Length
	title, alt    string
	paint         func(draw.Pen)
}

// scene paints the drawing.
func (d drawing) scene() *draw.Scene {
	s := &draw.Scene{Width: d.width, Height: d.height, Title: plain(d.title), Alt: plain(d.alt)}
	d.paint(s.Pen())
	return s
}

// figure returns a figure with the drawing's SVG; csv has the numbers that it shows. [Figure.Rendered] makes the other formats.
func (d drawing) figure(name string, csv []byte) (Figure, error) {
	s := d.scene()
	svg, err := s.SVG()
	if err != nil {
		return Figure{}, fmt.Errorf("report: figure %q: %w", name, err)
	}
	return Figure{Name: name, Alt: s.Alt, SVG: svg, CSV: csv, Wide: d.width > textWidth, scene: s}, nil
}

// Rendered returns the figure with its PDF and its PNG. A figure that was not drawn here stays as it is.
func (f Figure) Rendered() (_ Figure, err error) {
	if f.scene != nil {
		f.PDF, f.PNG, err = f.scene.Print()
	}
	return f, err
}
