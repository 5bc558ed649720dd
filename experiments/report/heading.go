package report

import (
	"github.com/ansatz-lab/ansatz/experiments/report/draw"
	"gonum.org/v1/plot/vg"
)

// heading stands above the plot of a chart: a title, a legend and the name of the
// upright axis. The name is level, above its axis, because turned text is slow to
// read.
type heading struct {
	title, ylabel           string
	titleLines, ylabelLines []string
	legend                  legend
}

const (
	titleLine   = titleSize * 1.3
	titleGap    = titleSize * 0.4
	labelLine   = textSize * 1.3
	labelGap    = textSize * 0.3
	labelHeight = labelLine + labelGap
)

// newHeading sets the texts in lines no wider than width, at most two of each.
func newHeading(title string, l legend, ylabel string, width vg.Length) heading {
	return heading{title, ylabel, draw.Bold(titleSize).Wrap(title, width, 2), draw.Regular(textSize).Wrap(ylabel, width, 2), l}
}

// height returns the room that the heading takes, in points.
func (h heading) height() vg.Length {
	height := titleLine*vg.Length(len(h.titleLines)) + h.legend.height() + labelLine*vg.Length(len(h.ylabelLines))
	if len(h.titleLines) > 0 {
		height += titleGap
	}
	if len(h.ylabelLines) > 0 {
		height += labelGap
	}
	return height + textSize/2 // half of the topmost tick's label
}

// draw draws the heading from its upper left corner down.
func (h heading) draw(d draw.Pen, corner vg.Point) {
	f := draw.Bold(titleSize)
	for _, line := range h.titleLines {
		d.Text(f, ink, vg.Point{X: corner.X, Y: corner.Y - f.Size}, draw.AtLeft, line)
		corner.Y -= titleLine
	}
	if len(h.titleLines) > 0 {
		corner.Y -= titleGap
	}
	h.legend.draw(d, corner)
	corner.Y -= h.legend.height()
	f = draw.Regular(textSize)
	for _, line := range h.ylabelLines {
		d.Text(f, soft, vg.Point{X: corner.X, Y: corner.Y - f.Size}, draw.AtLeft, line)
		corner.Y -= labelLine
	}
}

// plotHeight returns the height of a plot in a figure of a width, if it is full in a figure as wide as the text.
func plotHeight(full, width vg.Length) vg.Length {
	return full * (0.4 + 0.6*min(1, width/textWidth))
}

// legend is a list of keys and what they mean, set in lines.
type legend struct {
	lines [][]legendItem
}

// legendItem is an entry of a legend. key draws its key, keyWidth wide, around a
// point at half the height of the text.
type legendItem struct {
	key  func(d draw.Pen, at vg.Point)
	text string
}

const (
	keyWidth   vg.Length = 16
	keyGap     vg.Length = 3  // between a key and its text
	itemGap    vg.Length = 14 // between an entry and the next
	legendLine           = smallSize * 1.6
)

// newLegend sets groups of entries in lines no wider than width. Every group
// starts a line.
func newLegend(width vg.Length, groups ...[]legendItem) legend {
	var l legend
	f := draw.Regular(smallSize)
	for _, items := range groups {
		var x vg.Length
		for i, item := range items {
			item.text = f.Shorten(item.text, width-keyWidth-keyGap)
			w := itemWidth(item)
			if i == 0 || x+w > width {
				l.lines = append(l.lines, nil)
				x = 0
			}
			last := len(l.lines) - 1
			l.lines[last] = append(l.lines[last], item)
			x += w + itemGap
		}
	}
	return l
}

func itemWidth(item legendItem) vg.Length {
	return keyWidth + keyGap + draw.Regular(smallSize).Width(item.text)
}

func (l legend) height() vg.Length {
	if len(l.lines) == 0 {
		return 0
	}
	return vg.Length(len(l.lines))*legendLine + 3
}

func (l legend) draw(d draw.Pen, corner vg.Point) {
	f := draw.Regular(smallSize)
	y := corner.Y - legendLine/2
	for _, line := range l.lines {
		x := corner.X
		for _, item := range line {
			item.key(d, vg.Point{X: x + keyWidth/2, Y: y})
			d.Middled(f, ink, vg.Point{X: x + keyWidth + keyGap, Y: y}, draw.AtLeft, item.text)
			x += itemWidth(item) + itemGap
		}
		y -= legendLine
	}
}
