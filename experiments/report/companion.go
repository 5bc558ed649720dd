package report

import (
	"image/color"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/report/draw"
	"gonum.org/v1/plot/vg"
)

// role is what a series of a chart of curves or bars is, as its label says: some stand for others to be compared with,
// and look the same in all charts.
type role int

const (
	measured  role = iota
	nullLevel      // "null", "null of a", "null, a", "null: how": what chance would give, in grey
	paperSays      // "paper", "paper (Table 3)": what the paper has, as diamonds
	reference      // "reference: 1/√k": what nothing measured, to read slopes and levels by, as a thin line
)

func roleOf(label string) role {
	label = strings.TrimLeft(plain(label), "-−")
	for word, r := range map[string]role{"null": nullLevel, "paper": paperSays, "reference": reference} {
		if rest, is := strings.CutPrefix(label, word); is && (rest == "" || strings.ContainsAny(rest[:1], " ,:(")) {
			return r
		}
	}
	return measured
}

// ownerOf returns which series a null or a number of the paper belongs to: the one that its label names, or else the
// last one before it.
func ownerOf(labels []string, i int) int {
	words := strings.TrimLeft(plain(labels[i]), "-−")
	_, words, _ = strings.Cut(words, " ")
	words = strings.TrimPrefix(words, "of ")
	last := -1
	for j, label := range labels {
		if roleOf(label) != measured {
			continue
		}
		if words != "" && strings.HasPrefix(plain(label), words) {
			return j
		}
		if j < i {
			last = j
		}
	}
	return last
}

// look returns the place of a series among those of its role: it has the colour and the marks of that place.
func lookOf(labels []string, i int) int {
	return len(slices.DeleteFunc(slices.Clone(labels[:i]), func(s string) bool { return roleOf(s) != roleOf(labels[i]) }))
}

// companionLegend returns one entry for all nulls, one for all numbers of the paper and one for all references that are
// shown.
func companionLegend(labels []string, shown func(i int) bool, null func(draw.Pen, vg.Point)) []legendItem {
	var items []legendItem
	for _, r := range []struct {
		role role
		text string
		key  func(draw.Pen, vg.Point)
	}{{nullLevel, "null", null}, {paperSays, "paper", paperKey}, {reference, "reference", lineKey(referenceLine)}} {
		var of []string
		for i, label := range labels {
			if roleOf(label) == r.role && shown(i) {
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

// paintPaper draws the marks of numbers of the paper, in ink or in the colour of what they are compared with.
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

// nullLine draws the level of a null as a line, and as its key in a legend.
func nullLine(d draw.Pen, p vg.Path) { d.Stroke(middle, curveLine, p, 1.5, 1.5) }

// referenceLine draws a reference, and its key in a legend.
func referenceLine(d draw.Pen, p vg.Path) { d.Stroke(soft, fineLine, p, 6, 2) }

// lineKey returns what draws a piece of a line in a legend.
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
