package report

import (
	"math"

	"github.com/ansatz-lab/ansatz/experiments/report/axes"
	"github.com/ansatz-lab/ansatz/experiments/report/draw"
	"gonum.org/v1/plot/vg"
)

// at returns element i of v, or NaN if v is shorter or the element cannot be shown.
func at(v []float64, i int) float64 {
	if i >= len(v) || !axes.Present(v[i]) {
		return math.NaN()
	}
	return v[i]
}

// frame is the area of a plot with its upright axis.
type frame struct {
	vg.Rectangle
	y axes.Axis
}

// tickGap is the gap between the label of a tick and the plot.
const tickGap vg.Length = 4

// tickRoom returns the width of the labels of an upright axis.
func tickRoom(a axes.Axis) vg.Length {
	return draw.Regular(smallSize).Widest(a.Labels()) + tickGap
}

// height returns where v lies on the upright axis, in points.
func (f frame) height(v float64) vg.Length {
	return f.Min.Y + vg.Length(f.y.Fraction(v))*(f.Max.Y-f.Min.Y)
}

// drawGrid draws a light line and a label for each tick of the upright axis. The
// line at zero is darker, and so is the lowest one if the axis starts above zero.
func (f frame) drawGrid(d draw.Pen) {
	var light, dark vg.Path
	font := draw.Regular(smallSize)
	labels := f.y.Labels()
	for i, v := range f.y.Ticks() {
		y := f.height(v)
		path := &light
		if f.y.Base == 0 && (v == 0 || i == 0 && v == f.y.Lo && v > 0) {
			path = &dark
		}
		draw.AddSegment(path, vg.Point{X: f.Min.X, Y: y}, vg.Point{X: f.Max.X, Y: y})
		d.Middled(font, soft, vg.Point{X: f.Min.X - tickGap, Y: y}, draw.AtRight, labels[i])
	}
	d.Stroke(rail, fineLine, light)
	d.Stroke(axisIn, fineLine, dark)
}

// drawNote writes a line into the middle of a plot without data.
func (f frame) drawNote(d draw.Pen, note string) {
	at := vg.Point{X: (f.Min.X + f.Max.X) / 2, Y: (f.Min.Y + f.Max.Y) / 2}
	d.Middled(draw.Regular(textSize), soft, at, draw.AtCentre, note)
}
