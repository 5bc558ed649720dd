package report

import "gonum.org/v1/plot/vg"

// frame is the area of a plot with its upright axis.
type frame struct {
	vg.Rectangle
	y axis
}

// tickGap separates the label of a tick from the plot.
const tickGap vg.Length = 4

// tickRoom returns the width that the labels of an upright axis take.
func tickRoom(a axis) vg.Length {
	return regular(smallSize).widest(a.labels()) + tickGap
}

// height returns where v lies on the upright axis, in points.
func (f frame) height(v float64) vg.Length {
	return f.Min.Y + vg.Length(f.y.fraction(v))*(f.Max.Y-f.Min.Y)
}

// drawGrid draws a light line and a label per tick of the upright axis, and
// the line of zero darker if values lie on both sides of it.
func (f frame) drawGrid(d pen) {
	var light, dark vg.Path
	font := regular(smallSize)
	labels := f.y.labels()
	for i, v := range f.y.ticks() {
		y := f.height(v)
		path := &light
		if v == 0 || i == 0 && v == f.y.lo && v > 0 {
			path = &dark
		}
		addSegment(path, vg.Point{X: f.Min.X, Y: y}, vg.Point{X: f.Max.X, Y: y})
		d.middled(font, soft, vg.Point{X: f.Min.X - tickGap, Y: y}, atRight, labels[i])
	}
	d.stroke(rail, fineLine, light)
	d.stroke(axisIn, fineLine, dark)
}

// drawNote writes a line into the middle of the plot, for one without data.
func (f frame) drawNote(d pen, note string) {
	at := vg.Point{X: (f.Min.X + f.Max.X) / 2, Y: (f.Min.Y + f.Max.Y) / 2}
	d.middled(regular(textSize), soft, at, atCentre, note)
}
