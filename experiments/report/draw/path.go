package draw

import (
	"math"

	"gonum.org/v1/plot/vg"
)

// The functions below add a part to a path: drawing many parts at once keeps a
// file of hundreds of marks small.

// AddPoint adds a point to a line, or starts one.
func AddPoint(p *vg.Path, at vg.Point, first bool) {
	if first {
		p.Move(at)
	} else {
		p.Line(at)
	}
}

// AddSegment adds a straight line.
func AddSegment(p *vg.Path, from, to vg.Point) {
	p.Move(from)
	p.Line(to)
}

// AddRect adds a rectangle.
func AddRect(p *vg.Path, r vg.Rectangle) {
	p.Move(r.Min)
	p.Line(vg.Point{X: r.Max.X, Y: r.Min.Y})
	p.Line(r.Max)
	p.Line(vg.Point{X: r.Min.X, Y: r.Max.Y})
	p.Close()
}

// AddDisc adds a disc, the only curve that paths of a scene have.
func AddDisc(p *vg.Path, at vg.Point, radius vg.Length) {
	p.Move(vg.Point{X: at.X + radius, Y: at.Y})
	p.Arc(at, radius, 0, 2*math.Pi)
	p.Close()
}

// AddDiamond adds a square that stands on its corner.
func AddDiamond(p *vg.Path, at vg.Point, radius vg.Length) {
	p.Move(vg.Point{X: at.X + radius, Y: at.Y})
	p.Line(vg.Point{X: at.X, Y: at.Y + radius})
	p.Line(vg.Point{X: at.X - radius, Y: at.Y})
	p.Line(vg.Point{X: at.X, Y: at.Y - radius})
	p.Close()
}

// Box returns the rectangle of a size whose lower left corner is at (x, y).
func Box(x, y, width, height vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: x, Y: y}, Max: vg.Point{X: x + width, Y: y + height}}
}
