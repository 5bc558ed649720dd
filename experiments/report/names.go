package report

import (
	"math"

	"gonum.org/v1/plot/vg"
)

// names is how the names below a plot are set: level if they fit, else at an
// angle, and at last upright, as many of them as can be read.
type names struct {
	texts []string
	angle float64 // in radians, against the clock
	font  face
	every int // only each every-th name is set
	pitch vg.Length
}

const (
	nameGap  vg.Length = 4   // between a name and the plot, and between level names
	longName vg.Length = 112 // names are cut to this length
	slanted            = math.Pi / 4
	upright            = math.Pi / 2
)

// slantPitch is the least distance of slanted names that leaves them apart.
const slantPitch = smallSize * 1.42

// setNames sets the names of things that stand pitch points apart.
func setNames(texts []string, pitch vg.Length) names {
	n := names{font: regular(smallSize), every: 1, pitch: pitch}
	for _, s := range texts {
		n.texts = append(n.texts, n.font.squeeze(s, longName))
	}
	switch {
	case n.font.widest(n.texts)+nameGap <= pitch:
	case pitch >= slantPitch:
		n.angle = slanted
	default:
		n.angle = upright
		n.every = max(1, int(math.Ceil(float64(n.font.size()*1.1/pitch))))
	}
	return n
}

// room returns the height that the names take below the plot.
func (n names) room() vg.Length {
	longest := n.font.widest(n.texts)
	if longest == 0 {
		return nameGap
	}
	sin, cos := math.Sincos(n.angle)
	return nameGap + vg.Length(sin)*longest + vg.Length(cos)*n.font.size()
}

// reach returns how far names stick out to the left of the plot, the first
// thing of which is half a pitch from its edge, if a row has perRow things.
func (n names) reach(perRow int) vg.Length {
	var reach vg.Length
	cos := vg.Length(math.Cos(n.angle))
	for i, s := range n.texts {
		w := n.font.width(s) * cos
		if n.angle == 0 {
			w /= 2 // level names are centred
		}
		reach = max(reach, w-n.pitch*(vg.Length(i%perRow)+0.5))
	}
	return reach
}

// draw writes name i centred below the point at.
func (n names) draw(d pen, i int, at vg.Point) {
	if i%n.every != 0 {
		return
	}
	capital := n.font.cap()
	at.Y -= nameGap
	switch n.angle {
	case 0:
		d.text(n.font, ink, vg.Point{X: at.X, Y: at.Y - capital}, atCentre, n.texts[i])
	default:
		// The middle of the text's end goes to at; its corner must not touch
		// the plot.
		sin, cos := math.Sincos(n.angle)
		at.X += capital / 2 * vg.Length(sin)
		at.Y -= capital * vg.Length(cos)
		d.turned(n.font, ink, at, n.angle, atRight, n.texts[i])
	}
}

// columns is how things are spread along the foot of a plot.
type columns struct {
	width vg.Length // of the figure
	left  vg.Length // from the figure's edge to the plot
	pitch vg.Length // from a thing to the next
	names names
}

// newColumns spreads things over rows of perRow. The figure is as wide as the
// text, or wider if things need it to stand least points apart; beyond a wide
// figure they move closer. ticks is the room for the labels of the upright axis.
func newColumns(texts []string, perRow int, ticks, least vg.Length) columns {
	c := columns{left: margin + ticks}
	// Names that reach out to the left move the plot, which brings things
	// closer, which changes how far names reach: it settles in a few steps.
	for range 4 {
		c.spread(perRow, least)
		names := setNames(texts, c.pitch)
		if names.angle < c.names.angle { // once turned, names stay so
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
	c.width = min(max(textWidth, c.left+least*vg.Length(perRow)+margin), wideWidth)
	c.pitch = (c.width - margin - c.left) / vg.Length(perRow)
}

// slantedRoom returns how far any of the names, slanted, reaches to the left.
func slantedRoom(texts []string) vg.Length {
	n := setNames(texts, slantPitch)
	return n.font.widest(n.texts) * vg.Length(math.Cos(slanted))
}
