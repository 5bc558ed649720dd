package report

import (
	"image"
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// pen draws on a canvas of any format. As everywhere in vg, lengths are in
// points and y grows upwards.
type pen struct {
	draw.Canvas
}

// anchor says which part of a text lies at the point where it is put.
type anchor float64

const (
	atLeft   anchor = 0
	atCentre anchor = 0.5
	atRight  anchor = 1
)

// text puts s with its baseline at p.
func (d pen) text(f face, c color.Color, p vg.Point, a anchor, s string) {
	s = plain(s)
	if s == "" {
		return
	}
	d.SetColor(c)
	p.X -= vg.Length(a) * f.Width(s)
	d.FillString(f.Face, p, s)
}

// middled is text with the middle of its capitals, not its baseline, at p.
func (d pen) middled(f face, c color.Color, p vg.Point, a anchor, s string) {
	p.Y -= f.cap() / 2
	d.text(f, c, p, a, s)
}

// turned is text turned about p by an angle in radians.
func (d pen) turned(f face, c color.Color, p vg.Point, angle float64, a anchor, s string) {
	d.Push()
	d.Translate(p)
	d.Rotate(angle)
	d.text(f, c, vg.Point{}, a, s)
	d.Pop()
}

// line strokes a line through the points.
func (d pen) line(c color.Color, width vg.Length, pts ...vg.Point) {
	d.StrokeLines(draw.LineStyle{Color: c, Width: width}, pts)
}

// stroke strokes a path of any number of parts.
func (d pen) stroke(c color.Color, width vg.Length, p vg.Path) {
	if len(p) == 0 {
		return
	}
	d.SetLineStyle(draw.LineStyle{Color: c, Width: width})
	d.Stroke(p)
}

// fill fills a path of any number of parts.
func (d pen) fill(c color.Color, p vg.Path) {
	if len(p) == 0 {
		return
	}
	d.SetColor(c)
	d.Fill(p)
}

// picture draws an image to fill r; crisp ones keep the edges of their pixels.
func (d pen) picture(r vg.Rectangle, img image.Image, crisp bool) {
	if crisp {
		img = crispImage{img}
	}
	d.DrawImage(r, img)
}

// The functions below add a part to a path: drawing many parts at once keeps an
// SVG of hundreds of marks small.

// addRect adds a rectangle.
func addRect(p *vg.Path, r vg.Rectangle) {
	p.Move(r.Min)
	p.Line(vg.Point{X: r.Max.X, Y: r.Min.Y})
	p.Line(r.Max)
	p.Line(vg.Point{X: r.Min.X, Y: r.Max.Y})
	p.Close()
}

// addDisc adds a disc.
func addDisc(p *vg.Path, at vg.Point, radius vg.Length) {
	p.Move(vg.Point{X: at.X + radius, Y: at.Y})
	p.Arc(at, radius, 0, 2*math.Pi)
	p.Close()
}

// addDiamond adds a square that stands on its corner.
func addDiamond(p *vg.Path, at vg.Point, radius vg.Length) {
	p.Move(vg.Point{X: at.X + radius, Y: at.Y})
	p.Line(vg.Point{X: at.X, Y: at.Y + radius})
	p.Line(vg.Point{X: at.X - radius, Y: at.Y})
	p.Line(vg.Point{X: at.X, Y: at.Y - radius})
	p.Close()
}

// addSegment adds a straight line.
func addSegment(p *vg.Path, from, to vg.Point) {
	p.Move(from)
	p.Line(to)
}

// box returns the rectangle of a size whose lower left corner is at (x, y).
func box(x, y, width, height vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: x, Y: y}, Max: vg.Point{X: x + width, Y: y + height}}
}
