package draw

import (
	"image"
	"image/color"

	"gonum.org/v1/plot/vg"
)

// Scene is a picture of Width × Height points on white. Title and Alt say in words what it
// shows; they may be empty.
type Scene struct {
	Width, Height vg.Length
	Title, Alt    string

	marks []mark // later ones cover earlier ones
}

// mark is one of shape, label and picture.
type mark any

// shape is a path that is filled, or stroked if it has a width.
type shape struct {
	path   vg.Path
	colour color.NRGBA
	width  vg.Length
	dashes []vg.Length
}

// label is a text whose baseline starts at the point at, turned about that point by an angle in radians.
type label struct {
	face   Face
	colour color.NRGBA
	at     vg.Point
	angle  float64
	text   string
}

// picture is an image that fills a rectangle. In a crisp one, pixels keep their edges.
type picture struct {
	at    vg.Rectangle
	image image.Image
	crisp bool
}

// Text is a text of a scene: At is the start of its baseline, Angle its rotation in radians.
type Text struct {
	Face   Face
	At     vg.Point
	Angle  float64
	String string
}

// Texts returns the texts of a scene, in the order in which they were drawn.
func (s *Scene) Texts() []Text {
	var all []Text
	for _, m := range s.marks {
		if l, is := m.(label); is {
			all = append(all, Text{l.face, l.at, l.angle, l.text})
		}
	}
	return all
}

// PageWidth is the width in points of the text on a printed page, over both columns: 7 inches. PDF and PNG
// are no wider.
const PageWidth vg.Length = 504

// printScale returns the factor that scales a scene down to the width of a page, 1 if it is no wider.
func (s *Scene) printScale() float64 { return min(1, float64(PageWidth/s.Width)) }
