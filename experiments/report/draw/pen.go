package draw

import (
	"image"
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
)

// Pen draws on a scene or on a part of it. The part is the embedded rectangle, whose lower left corner is (0, 0).
type Pen struct {
	vg.Rectangle
	scene *Scene
	at    vg.Point // the place of this corner in the scene
	scale vg.Length
}

// Pen returns the pen that draws on the whole scene.
func (s *Scene) Pen() Pen {
	return Pen{Box(0, 0, s.Width, s.Height), s, vg.Point{}, 1}
}

// Part returns a pen that draws on a part of d's part, with its lower left corner at a point of that. The pen
// scales what it draws, so that the part takes scale × size.
func (d Pen) Part(at, size vg.Point, scale float64) Pen {
	return Pen{vg.Rectangle{Max: size}, d.scene, d.point(at), d.scale * vg.Length(scale)}
}

// point returns the place in the scene of a point of the pen's part.
func (d Pen) point(p vg.Point) vg.Point {
	return vg.Point{X: d.at.X + d.scale*p.X, Y: d.at.Y + d.scale*p.Y}
}

// Anchor says which point of a text's baseline is put at a given place.
type Anchor float64

const (
	AtLeft   Anchor = 0   // the start
	AtCentre Anchor = 0.5 // the middle
	AtRight  Anchor = 1   // the end
)

// Text draws s with the anchor on its baseline at p.
func (d Pen) Text(f Face, c color.Color, p vg.Point, a Anchor, s string) { d.Turned(f, c, p, 0, a, s) }

// Middled is Text with p at half the height of the capitals, not at the baseline.
func (d Pen) Middled(f Face, c color.Color, p vg.Point, a Anchor, s string) {
	p.Y -= f.Cap() / 2
	d.Text(f, c, p, a, s)
}

// Turned is Text, turned counterclockwise about p by an angle in radians.
func (d Pen) Turned(f Face, c color.Color, p vg.Point, angle float64, a Anchor, s string) {
	if s = Plain(s); s == "" {
		return
	}
	f.Size *= d.scale
	p = d.point(p)
	back := vg.Length(a) * f.Width(s)
	sin, cos := math.Sincos(angle)
	p = vg.Point{X: p.X - back*vg.Length(cos), Y: p.Y - back*vg.Length(sin)}
	d.add(label{f, nrgba(c), p, angle, s})
}

// Line strokes a line through the points.
func (d Pen) Line(c color.Color, width vg.Length, pts ...vg.Point) {
	var p vg.Path
	for i, at := range pts {
		AddPoint(&p, at, i == 0)
	}
	d.Stroke(c, width, p)
}

// Stroke strokes a path of any number of parts. dashes are the lengths of a dash, a gap and so on; none
// make a solid line.
func (d Pen) Stroke(c color.Color, width vg.Length, p vg.Path, dashes ...vg.Length) {
	if len(p) == 0 || width <= 0 {
		return
	}
	var scaled []vg.Length
	for _, l := range dashes {
		scaled = append(scaled, d.scale*l)
	}
	d.add(shape{d.path(p), nrgba(c), d.scale * width, scaled})
}

// Fill fills a path of any number of parts.
func (d Pen) Fill(c color.Color, p vg.Path) {
	if len(p) > 0 {
		d.add(shape{path: d.path(p), colour: nrgba(c)})
	}
}

// Picture draws an image that fills r. If it is crisp, its pixels keep their edges.
func (d Pen) Picture(r vg.Rectangle, img image.Image, crisp bool) {
	d.add(picture{vg.Rectangle{Min: d.point(r.Min), Max: d.point(r.Max)}, img, crisp})
}

func (d Pen) add(m mark) { d.scene.marks = append(d.scene.marks, m) }

func nrgba(c color.Color) color.NRGBA { return color.NRGBAModel.Convert(c).(color.NRGBA) }

// path returns a path of the pen's part in coordinates of the scene, thinned out.
func (d Pen) path(p vg.Path) vg.Path {
	out := make(vg.Path, len(p))
	for i, c := range p {
		c.Pos, c.Radius = d.point(c.Pos), d.scale*c.Radius
		control := c.Control
		c.Control = nil
		for _, at := range control {
			c.Control = append(c.Control, d.point(at))
		}
		out[i] = c
	}
	return thinned(out)
}
