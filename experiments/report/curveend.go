package report

import (
	"cmp"
	"image/color"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/report/draw"
	"gonum.org/v1/plot/vg"
)

// curveEnd is a label at the right end of a curve. The heights are in points
// above the foot of the plot: of the curve's end, and of the label, which moves
// where labels would overlap.
type curveEnd struct {
	label  string
	colour color.NRGBA
	end    vg.Length
	at     vg.Length
}

// labelEnds places the labels of the curves at their ends. It reports false if
// that will not do: a curve ends early, or the labels are too long or too many.
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
		colour := seriesColour(c.look(i))
		switch roleOf(s.Label) {
		case nullLevel:
			colour = middle
		case reference:
			colour = soft
		}
		ends = append(ends, curveEnd{s.Label, colour, y, y})
	}
	return ends, spreadEnds(ends, c.plot)
}

// spreadEnds moves labels beside a plot of a height apart until none overlap, keeping their order and
// moving them as little as can be (in the sum of squares). It reports false if
// they do not all fit beside the plot.
func spreadEnds(ends []curveEnd, height vg.Length) bool {
	room := height - vg.Length(len(ends)-1)*endLine
	if room < 0 {
		return false
	}
	slices.SortStableFunc(ends, func(a, b curveEnd) int { return cmp.Compare(a.end, b.end) })
	// Less the room of the labels below it, no label may be lower than the one
	// before.
	free := make([]vg.Length, len(ends))
	for i, e := range ends {
		free[i] = e.end - vg.Length(i)*endLine
	}
	for i, y := range nearestRising(free) {
		ends[i].at = min(max(y, 0), room) + vg.Length(i)*endLine
	}
	return true
}

// nearestRising returns the sequence nearest to v that never falls: means over
// runs of v, which join where one would be below the one before it.
func nearestRising(v []vg.Length) []vg.Length {
	type mean struct {
		sum vg.Length
		n   int
	}
	below := func(a, b mean) bool { return a.sum*vg.Length(b.n) < b.sum*vg.Length(a.n) }
	var means []mean
	for _, x := range v {
		next := mean{x, 1}
		for len(means) > 0 && below(next, means[len(means)-1]) {
			last := means[len(means)-1]
			means = means[:len(means)-1]
			next = mean{last.sum + next.sum, last.n + next.n}
		}
		means = append(means, next)
	}
	rising := make([]vg.Length, 0, len(v))
	for _, m := range means {
		rising = append(rising, slices.Repeat([]vg.Length{m.sum / vg.Length(m.n)}, m.n)...)
	}
	return rising
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
