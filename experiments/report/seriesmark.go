package report

import (
	"github.com/ansatz-lab/ansatz/experiments/report/draw"
	"gonum.org/v1/plot/vg"
)

// strokeCurve strokes the path of the i-th curve.
func strokeCurve(d draw.Pen, i int, p vg.Path) {
	d.Stroke(draw.SeriesColour(i), curveLine, p, draw.Dash(i)...)
}

// barKey returns a function that draws a patch of the i-th group of bars as a key in a legend.
func barKey(i int) func(draw.Pen, vg.Point) {
	return func(d draw.Pen, at vg.Point) {
		patch := draw.Box(at.X-keyWidth/2, at.Y-smallSize*0.32, keyWidth, smallSize*0.64)
		var whole, lines vg.Path
		draw.AddRect(&whole, patch)
		draw.AddHatch(&lines, i, patch)
		d.Fill(draw.SeriesColour(i), whole)
		d.Stroke(white, hatchLine, lines)
	}
}

const hatchLine = fineLine
