package draw

import (
	"math"

	"gonum.org/v1/plot/vg"
)

// Series differ by more than their colour, so that they stay distinct in grey print
// and for colour-blind readers: curves by dashes and by the shape of their points,
// bars by hatching.

// Dash returns the dashes of the i-th curve, nil for a solid line. Curves that share
// a colour, eight apart, have different dashes.
func Dash(i int) []vg.Length {
	dashes := [...][]vg.Length{
		nil,
		{5, 2.5},
		{1.6, 2},
		{7, 2, 1.6, 2},
		{2.8, 1.6},
		{5, 1.8, 1.6, 1.8, 1.6, 1.8},
		{9, 3},
	}
	return dashes[i%len(dashes)]
}

// AddMark adds the mark of a point of the i-th curve.
func AddMark(p *vg.Path, i int, at vg.Point, radius vg.Length) {
	switch i % 5 {
	case 0:
		AddDisc(p, at, radius)
	case 1:
		side := radius * 1.75 // about a disc's area, as the other marks have
		AddRect(p, Box(at.X-side/2, at.Y-side/2, side, side))
	case 2:
		addTriangle(p, at, radius*1.5)
	case 3:
		AddDiamond(p, at, radius*1.3)
	case 4:
		addTriangle(p, at, -radius*1.5)
	}
}

// addTriangle adds an equilateral triangle that points up, or down if radius is
// negative.
func addTriangle(p *vg.Path, at vg.Point, radius vg.Length) {
	half := radius * vg.Length(math.Sqrt(3)/2)
	p.Move(vg.Point{X: at.X, Y: at.Y + radius})
	p.Line(vg.Point{X: at.X - half, Y: at.Y - radius/2})
	p.Line(vg.Point{X: at.X + half, Y: at.Y - radius/2})
	p.Close()
}

const hatchPitch vg.Length = 5 // between the lines of a hatching

// AddHatch adds the hatching of the i-th group of bars to a bar: none for the first,
// then rising, falling and level lines, and from the fifth on with twice the pitch.
func AddHatch(p *vg.Path, i int, bar vg.Rectangle) {
	pitch := hatchPitch
	if i >= 4 {
		pitch *= 2
	}
	switch i % 4 {
	case 1:
		addSlanted(p, bar, pitch, 1)
	case 2:
		addSlanted(p, bar, pitch, -1)
	case 3:
		for y := bar.Min.Y + pitch/2; y < bar.Max.Y; y += pitch {
			AddSegment(p, vg.Point{X: bar.Min.X, Y: y}, vg.Point{X: bar.Max.X, Y: y})
		}
	}
}

// addSlanted adds lines y = slope·x + c across a rectangle, slope 1 or −1. Lines of
// neighbouring bars meet: c is a multiple of pitch.
func addSlanted(p *vg.Path, r vg.Rectangle, pitch, slope vg.Length) {
	low, high := r.Min.Y-slope*r.Min.X, r.Max.Y-slope*r.Max.X
	first, last := min(low, high)-r.Size().X, max(low, high)+r.Size().X
	for c := pitch * vg.Length(math.Ceil(float64(first/pitch))); c < last; c += pitch {
		// The line enters the rectangle at left and leaves it at right.
		xAt := func(y vg.Length) vg.Length { return (y - c) * slope }
		left := max(r.Min.X, min(xAt(r.Min.Y), xAt(r.Max.Y)))
		right := min(r.Max.X, max(xAt(r.Min.Y), xAt(r.Max.Y)))
		if right > left {
			AddSegment(p, vg.Point{X: left, Y: slope*left + c}, vg.Point{X: right, Y: slope*right + c})
		}
	}
}
