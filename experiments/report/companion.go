package report

import (
	"image/color"

	"github.com/ansatz-lab/ansatz/experiments/report/axes"
	"github.com/ansatz-lab/ansatz/experiments/report/draw"
	"gonum.org/v1/plot/vg"
)

// companionLegend returns legend entries for the companions that are shown: one for all nulls, one for all numbers of the
// paper and one for all references.
func companionLegend(labels []string, shown func(i int) bool, null func(draw.Pen, vg.Point)) []legendItem {
	var items []legendItem
	for _, r := range []struct {
		role axes.Role
		text string
		key  func(draw.Pen, vg.Point)
	}{{axes.NullLevel, "null", null}, {axes.PaperValue, "paper", paperKey}, {axes.Reference, "reference", lineKey(referenceLine)}} {
		var of []string
		for i, label := range labels {
			if axes.RoleOf(label) == r.role && shown(i) {
				of = append(of, label)
			}
		}
		switch len(of) {
		case 0:
		case 1:
			items = append(items, legendItem{r.key, of[0]})
		default:
			items = append(items, legendItem{r.key, r.text})
		}
	}
	return items
}

const paperRadius vg.Length = 3

// paintPaper draws the marks of numbers of the paper, in ink or in the colour of the series to compare them with.
func paintPaper(d draw.Pen, colour color.Color, at ...vg.Point) {
	var outer, inner vg.Path
	for _, p := range at {
		draw.AddDiamond(&outer, p, paperRadius)
		draw.AddDiamond(&inner, p, paperRadius-1.2)
	}
	d.Fill(colour, outer)
	d.Fill(white, inner)
}

func paperKey(d draw.Pen, at vg.Point) { paintPaper(d, ink, at) }

// nullLine draws the level of a null as a line, also for its key in a legend.
func nullLine(d draw.Pen, p vg.Path) { d.Stroke(middle, curveLine, p, 1.5, 1.5) }

// referenceLine draws a reference, also for its key in a legend.
func referenceLine(d draw.Pen, p vg.Path) { d.Stroke(soft, fineLine, p, 6, 2) }

// lineKey returns a function that draws a piece of a line as a key in a legend.
func lineKey(line func(draw.Pen, vg.Path)) func(draw.Pen, vg.Point) {
	return func(d draw.Pen, at vg.Point) {
		var p vg.Path
		draw.AddSegment(&p, vg.Point{X: at.X - keyWidth/2, Y: at.Y}, vg.Point{X: at.X + keyWidth/2, Y: at.Y})
		line(d, p)
	}
}

// nullTick draws the level of a null across a bar, with its spread if it has any.
func nullTick(d draw.Pen, left, right, low, level, high vg.Length) {
	var spread, tick vg.Path
	if high > low {
		draw.AddRect(&spread, draw.Box(left, low, right-left, high-low))
	}
	draw.AddSegment(&tick, vg.Point{X: left, Y: level}, vg.Point{X: right, Y: level})
	d.Fill(draw.Veil(band, 0.75), spread)
	for _, stroke := range []struct {
		colour color.Color
		width  vg.Length
	}{{white, 2.6}, {ink, 1.2}} {
		d.Stroke(stroke.colour, stroke.width, tick)
	}
}

func nullTickKey(d draw.Pen, at vg.Point) {
	nullTick(d, at.X-keyWidth/2, at.X+keyWidth/2, at.Y-3, at.Y, at.Y+3)
}
