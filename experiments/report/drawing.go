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

// figure renders the drawing to all formats. It shows the numbers in csv.
func (d drawing) figure(name string, csv []byte) (Figure, error) {
	s := d.scene()
	f := Figure{Name: name, Alt: s.Alt, CSV: csv, Wide: d.width > textWidth}
	for format, render := range map[*[]byte]func() ([]byte, error){&f.SVG: s.SVG, &f.PDF: s.PDF, &f.PNG: s.PNG} {
		var err error
		if *format, err = render(); err != nil {
			return Figure{}, fmt.Errorf("report: figure %q: %w", name, err)
		}
	}
	return f, nil
}
