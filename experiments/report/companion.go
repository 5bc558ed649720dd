package report

import (
	"image/color"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/report/draw"
	"gonum.org/v1/plot/vg"
)

// role says what a series of a line or bar chart is, which its label tells: a measurement, or something to compare
// measurements with, which looks the same in all charts.
type role int

const (
	measured  role = iota
	nullLevel      // "null", "null of a", "null, a", "null: how": what chance would give, in grey
	paperSays      // "paper", "paper (Table 3)": the paper's numbers, as diamonds
	reference      // "reference: 1/√k": a computed line for comparing slopes and levels, thin
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

// ownerOf returns the index of the series to which a null or a number of the paper belongs: the one that its label names,
// or else the last measured one before it, or −1 if there is none.
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

// lookOf returns the place of the i-th series among those of its role, which sets its colour and marks.
func lookOf(labels []string, i int) int {
	return len(slices.DeleteFunc(slices.Clone(labels[:i]), func(s string) bool { return roleOf(s) != roleOf(labels[i]) }))
}

// companionLegend returns legend entries for the companions that are shown: one for all nulls, one for all numbers of the
// paper and one for all references.
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
