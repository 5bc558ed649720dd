package report

import (
	"math"

	"github.com/ansatz-lab/ansatz/experiments/report/draw"
	"gonum.org/v1/plot/vg"
)

// names are names below or beside a plot. Below, they are level if they fit, else upright; beside, they are level. If they
// are too close to be read, some are left out.
type names struct {
	texts   []string
	upright bool
	font    draw.Face
	every   int // only each every-th name is set
	pitch   vg.Length
}

const (
	nameGap  vg.Length = 4   // between a name and the plot, and between level names
	longName vg.Length = 112 // names are cut to this length
)

// uprightPitch is the least distance between upright names that keeps them apart.
const uprightPitch = smallSize * 1.3

// setNames sets the names of columns that stand pitch points apart.
func setNames(texts []string, pitch vg.Length) names {
	n := names{font: draw.Regular(smallSize), every: 1, pitch: pitch}
	for _, s := range texts {
		n.texts = append(n.texts, n.font.Squeeze(s, longName))
	}
	if n.font.Widest(n.texts)+nameGap > pitch {
		n.upright = true
		n.every = max(1, int(math.Ceil(float64(uprightPitch/pitch)-1e-9)))
	}
	return n
}

// besideNames sets the names of rows, pitch points high, to the left of a plot.
func besideNames(texts []string, pitch vg.Length) names {
	n := setNames(texts, pitch)
	n.upright, n.every = false, max(1, int(math.Ceil(float64(uprightPitch/pitch)-1e-9)))
	return n
}

// drawBeside writes name i to the left of the point at.
func (n names) drawBeside(d draw.Pen, i int, at vg.Point) {
	if i%n.every == 0 {
		d.Middled(n.font, ink, vg.Point{X: at.X - nameGap, Y: at.Y}, draw.AtRight, n.texts[i])
	}
}

// room returns the height that the names take below the plot.
func (n names) room() vg.Length {
	longest := n.font.Widest(n.texts)
	switch {
	case longest == 0:
		return nameGap
	case n.upright:
		return nameGap + longest
	}
	return nameGap + n.font.Size
}

// reach returns how far centred names extend to the left of the plot, with perRow names in a row; the first one is centred
// half a pitch from the edge.
func (n names) reach(perRow int) vg.Length {
	var reach vg.Length
	for i, s := range n.texts {
		if !n.upright {
			reach = max(reach, n.font.Width(s)/2-n.pitch*(vg.Length(i%perRow)+0.5))
		}
	}
	return reach
}

// draw writes name i centred below the point at.
func (n names) draw(d draw.Pen, i int, at vg.Point) {
	if i%n.every != 0 {
		return
	}
	capital := n.font.Cap()
	at.Y -= nameGap
	if n.upright {
		d.Turned(n.font, ink, vg.Point{X: at.X + capital/2, Y: at.Y}, math.Pi/2, draw.AtRight, n.texts[i])
		return
	}
	d.Text(n.font, ink, vg.Point{X: at.X, Y: at.Y - capital}, draw.AtCentre, n.texts[i])
}

// columns are evenly spaced named columns, such as layers, along the foot of a plot.
type columns struct {
	room
	width vg.Length // of the figure
	left  vg.Length // from the figure's edge to the plot
	pitch vg.Length // from a column to the next
	names names
}

// newColumns spreads columns over rows of perRow. The figure has the width of r, or
// is wider, up to r.most, so that columns are least points apart; beyond that they
// move closer. ticks is the room for the labels of the upright axis.
func newColumns(texts []string, perRow int, r room, ticks, least vg.Length) columns {
	c := columns{room: r, left: margin + ticks}
	// Names that reach out to the left move the plot, which brings columns
	// closer, which changes how far names reach: a few steps are enough.
	for range 4 {
		c.spread(perRow, least)
		names := setNames(texts, c.pitch)
		if c.names.upright && !names.upright { // upright names stay upright
			names = c.names
			names.pitch = c.pitch
		}
		c.names = names
		c.left = margin + max(ticks, c.names.reach(perRow))
	}
	c.spread(perRow, least)
	return c
}

func (c *columns) spread(perRow int, least vg.Length) {
	c.width = min(max(c.room.width, c.left+least*vg.Length(perRow)+margin), c.most)
	c.pitch = (c.width - margin - c.left) / vg.Length(perRow)
}
