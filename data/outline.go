package data

import (
	"fmt"

	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gobolditalic"
	"golang.org/x/image/font/gofont/goitalic"
	"golang.org/x/image/font/gofont/gomedium"
	"golang.org/x/image/font/gofont/gomediumitalic"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/gomonobold"
	"golang.org/x/image/font/gofont/gomonobolditalic"
	"golang.org/x/image/font/gofont/gomonoitalic"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// A point is a place on a plane; y grows downwards.
type point struct{ x, y float64 }

// An outline is a shape bounded by closed polygons, filled where they wind
// around a point.
type outline [][]point

// A face is the outlines of the digits, by digit. Each is centred on (0,0) and
// reaches from -1 to 1 in height.
type face [10]outline

const (
	// curveSteps is the number of lines that stand for a curve. At a height
	// of 22 pixels they stray from it by less than a tenth of a pixel.
	curveSteps = 4

	// longestLine is the longest a line may be, as a part of the em, so that
	// bending the outline bends its lines.
	longestLine = 1. / 8
)

// loadFaces returns the faces of the Go fonts that differ in their digits.
func loadFaces() ([]face, error) {
	var faces []face
	for _, ttf := range [][]byte{
		goregular.TTF, goitalic.TTF, gomedium.TTF, gomediumitalic.TTF, gobold.TTF, gobolditalic.TTF,
		gomono.TTF, gomonoitalic.TTF, gomonobold.TTF, gomonobolditalic.TTF,
	} {
		f, err := newFace(ttf)
		if err != nil {
			return nil, fmt.Errorf("data: reading an embedded font: %w", err)
		}
		faces = append(faces, f)
	}
	return faces, nil
}

// newFace reads the digits of a TrueType font.
func newFace(ttf []byte) (face, error) {
	font, err := sfnt.Parse(ttf)
	if err != nil {
		return face{}, err
	}
	var f face
	for d := range f {
		if f[d], err = loadDigit(font, d); err != nil {
			return face{}, fmt.Errorf("digit %d: %w", d, err)
		}
	}
	return f, nil
}

func loadDigit(font *sfnt.Font, digit int) (outline, error) {
	var buf sfnt.Buffer
	index, err := font.GlyphIndex(&buf, rune('0'+digit))
	if err != nil {
		return nil, err
	}
	// At this size a unit of the font is the unit of the coordinates.
	em := fixed.Int26_6(font.UnitsPerEm())
	segments, err := font.LoadGlyph(&buf, index, em, nil)
	if err != nil {
		return nil, err
	}
	o, err := flatten(segments, float64(em)*longestLine)
	if err != nil {
		return nil, err
	}
	o.normalise()
	return o, nil
}

// flatten turns curves into lines, none longer than longest.
func flatten(segments sfnt.Segments, longest float64) (outline, error) {
	var o outline
	for _, s := range segments {
		if s.Op != sfnt.SegmentOpMoveTo && len(o) == 0 {
			return nil, fmt.Errorf("the outline does not begin with a point")
		}
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			o = append(o, []point{toPoint(s.Args[0])})
		case sfnt.SegmentOpLineTo:
			o.lineTo(toPoint(s.Args[0]), longest)
		case sfnt.SegmentOpQuadTo:
			o.quadTo(toPoint(s.Args[0]), toPoint(s.Args[1]))
		default:
			return nil, fmt.Errorf("the outline has a curve that is no TrueType one")
		}
	}
	return o, nil
}

func toPoint(p fixed.Point26_6) point { return point{float64(p.X), float64(p.Y)} }

// last returns the last polygon.
func (o outline) last() *[]point { return &o[len(o)-1] }

// lineTo adds a line to q, cut into equal ones no longer than longest.
func (o outline) lineTo(q point, longest float64) {
	poly := o.last()
	p := (*poly)[len(*poly)-1]
	n := 1 + int(max(q.x-p.x, p.x-q.x, q.y-p.y, p.y-q.y)/longest)
	for k := 1; k <= n; k++ {
		*poly = append(*poly, mix(p, q, float64(k)/float64(n)))
	}
}

// quadTo adds a quadratic curve to r with control point q.
func (o outline) quadTo(q, r point) {
	poly := o.last()
	p := (*poly)[len(*poly)-1]
	for k := 1; k <= curveSteps; k++ {
		t := float64(k) / curveSteps
		*poly = append(*poly, mix(mix(p, q, t), mix(q, r, t), t))
	}
}

// mix returns (1-t)·p + t·q. The conversions forbid fused operations, which
// round differently from one machine to another.
func mix(p, q point, t float64) point {
	return point{
		float64((1-t)*p.x) + float64(t*q.x),
		float64((1-t)*p.y) + float64(t*q.y),
	}
}

// normalise centres the outline and scales it to reach from -1 to 1 in height.
func (o outline) normalise() {
	lo, hi := o.bounds()
	half := (hi.y - lo.y) / 2
	for _, poly := range o {
		for k, p := range poly {
			poly[k] = point{(p.x - (lo.x+hi.x)/2) / half, (p.y - (lo.y+hi.y)/2) / half}
		}
	}
}

// bounds returns the corners of the smallest rectangle around the outline.
func (o outline) bounds() (lo, hi point) {
	lo, hi = o[0][0], o[0][0]
	for _, poly := range o {
		for _, p := range poly {
			lo = point{min(lo.x, p.x), min(lo.y, p.y)}
			hi = point{max(hi.x, p.x), max(hi.y, p.y)}
		}
	}
	return lo, hi
}
