package draw

import (
	"math"

	"gonum.org/v1/plot/vg"
)

// The functions below add a part to a path: drawing many parts at once keeps a
// file of hundreds of marks small.

// AddPoint adds a point to a line, or starts a line if the point is the first.
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

// AddDisc adds a disc. Whole circles are the only curves that a scene's paths may have.
func AddDisc(p *vg.Path, at vg.Point, radius vg.Length) {
	p.Move(vg.Point{X: at.X + radius, Y: at.Y})
	p.Arc(at, radius, 0, 2*math.Pi)
	p.Close()
}

// AddDiamond adds a square that stands on a corner; radius is half of its diagonal.
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

// Lines of at least thinFrom points are thinned out: points less than thinBy away from the line without them are left out.
// At 300 pixels per inch thinBy is a fifth of a pixel.
const (
	thinBy   vg.Length = 0.05
	thinFrom int       = 32
)

// thinned returns the path with its long lines thinned out.
func thinned(p vg.Path) vg.Path {
	out := make(vg.Path, 0, len(p))
	for first := 0; first < len(p); {
		end := first + 1
		for end < len(p) && p[first].Type != vg.ArcComp && p[first].Type != vg.CloseComp && p[end].Type == vg.LineComp {
			end++
		}
		if line := p[first:end]; len(line) < thinFrom {
			out = append(out, line...)
		} else {
			out = appendThinned(out, line)
		}
		first = end
	}
	return out
}

// appendThinned appends the ends of a line, and the points that keep its shape (the Douglas–Peucker algorithm).
func appendThinned(out, line vg.Path) vg.Path {
	keep := make([]bool, len(line))
	keep[0], keep[len(line)-1] = true, true
	for open := [][2]int{{0, len(line) - 1}}; len(open) > 0; {
		from, to := open[len(open)-1][0], open[len(open)-1][1]
		open = open[:len(open)-1]
		furthest, at := thinBy, 0
		for i := from + 1; i < to; i++ {
			if d := fromSegment(line[i].Pos, line[from].Pos, line[to].Pos); d > furthest {
				furthest, at = d, i
			}
		}
		if at > 0 {
			keep[at] = true
			open = append(open, [2]int{from, at}, [2]int{at, to})
		}
	}
	for i, c := range line {
		if keep[i] {
			out = append(out, c)
		}
	}
	return out
}

// fromSegment returns the distance of p from the straight segment between two points.
func fromSegment(p, from, to vg.Point) vg.Length {
	along, off := to.Sub(from), p.Sub(from)
	share := 0.0
	if length := along.Dot(along); length > 0 {
		share = min(1, max(0, float64(along.Dot(off)/length)))
	}
	rest := off.Sub(along.Scale(vg.Length(share)))
	return vg.Length(math.Hypot(float64(rest.X), float64(rest.Y)))
}
