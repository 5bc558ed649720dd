package report

import (
	"cmp"
	"image/color"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/report/axes"
	"github.com/ansatz-lab/ansatz/experiments/report/draw"
	"gonum.org/v1/plot/vg"
)

// curveEnd is a label at the right end of a curve. Heights are in points above the foot of the plot.
type curveEnd struct {
	label  string
	colour color.NRGBA
	end    vg.Length // the height of the curve's end
	at     vg.Length // the height of the label, which moves if labels would overlap
}

// labelEnds places the labels of the curves at their ends. It reports false if a curve has dots or ends early, or if the
// labels are too long or too many.
func (c *lineChart) labelEnds() ([]curveEnd, bool) {
	var ends []curveEnd
	for i, s := range c.series {
		p, ok := s.last()
		if !ok || plain(s.Label) == "" {
			continue
		}
		if s.Dots || p.x < c.xs.Hi-0.03*(c.xs.Hi-c.xs.Lo) || draw.Regular(textSize).Width(s.Label) > longestEnd*c.width {
			return nil, false
		}
		y := vg.Length(c.y.Fraction(p.y)) * c.plot
		colour := draw.SeriesColour(c.look(i))
		switch axes.RoleOf(s.Label) {
		case axes.NullLevel:
			colour = middle
		case axes.Reference:
			colour = soft
		}
		ends = append(ends, curveEnd{s.Label, colour, y, y})
	}
	return ends, spreadEnds(ends, c.plot)
}

// spreadEnds moves labels apart until none overlap, and keeps their order. It reports false if they do not all fit beside a
// plot of the given height.
func spreadEnds(ends []curveEnd, height vg.Length) bool {
	slices.SortStableFunc(ends, func(a, b curveEnd) int { return cmp.Compare(a.end, b.end) })
	var at []vg.Length
	for _, e := range ends {
		at = append(at, e.end)
	}
	at, fit := draw.Apart(at, endLine, height)
	for i, y := range at {
		ends[i].at = y
	}
	return fit
}

func endsRoom(ends []curveEnd) vg.Length {
	var room vg.Length
	for _, e := range ends {
		room = max(room, endGap+draw.Regular(textSize).Width(e.label))
	}
	return room
}

// paint writes the label, with a line to the curve's end if it had to move.
func (e curveEnd) paint(d draw.Pen, f frame) {
	at := vg.Point{X: f.Max.X + endGap, Y: f.Min.Y + e.at}
	if math.Abs(float64(e.at-e.end)) > 2 {
		d.Line(e.colour, hairline,
			vg.Point{X: f.Max.X + 2, Y: f.Min.Y + e.end}, vg.Point{X: at.X - 1, Y: at.Y})
	}
	d.Middled(draw.Regular(textSize), draw.Shade(e.colour), at, draw.AtLeft, e.label)
}
