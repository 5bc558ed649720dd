package data

import (
	"fmt"
	"math/rand/v2"

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

// A point is a point of the plane; y grows downwards.
type point struct{ x, y float64 }

// An outline is a shape bounded by closed polygons: the points with a nonzero winding
// number.
type outline [][]point

// A face holds the outline of each digit, centred on (0,0) and with y from -1 to 1.
type face [10]outline

const (
	// curveSteps is the number of lines that approximate a curve. At a height of
	// 22 pixels they deviate from it by less than a tenth of a pixel.
	curveSteps = 4

	// longestLine bounds the length of a line, as a fraction of the em, so that
	// bending the outline also bends its lines.
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
	// At this size the coordinates are in units of the font.
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

// flatten approximates curves by lines, and cuts straight lines to at most longest.
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
			return nil, fmt.Errorf("the outline has a curve that TrueType does not allow")
		}
	}
	return o, nil
}

func toPoint(p fixed.Point26_6) point { return point{float64(p.X), float64(p.Y)} }

// last returns the last polygon.
func (o outline) last() *[]point { return &o[len(o)-1] }

// lineTo adds a line to q, cut into equal parts no longer than longest.
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

// mix returns (1-t)·p + t·q. The conversions forbid fused operations, which only some
// machines use.
func mix(p, q point, t float64) point {
	return point{
		float64((1-t)*p.x) + float64(t*q.x),
		float64((1-t)*p.y) + float64(t*q.y),
	}
}

// normalise centres the outline and scales it so that y ranges from -1 to 1.
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

// A pose places a normalised outline on a canvas: it stretches and bends, slants,
// turns, scales and moves the outline, in this order.
type pose struct {
	width        float64 // the factor that stretches x
	bendX, bendY float64 // x moves by bendX·y², and y by bendY·x²
	slant        float64 // x moves by -slant·y
	cos, sin     float64 // of the angle of the turn
	scale        float64 // half the height, in pixels
	at           point   // the centre, in pixels
}

// randomPose draws a pose without its centre.
func randomPose(rng *rand.Rand) pose {
	// A turn by θ, computed from t = tan(θ/2), needs no trigonometric functions,
	// whose last bits differ between machines. .12 stands for 13.7°.
	t := between(rng, -.12, .12)
	tt := float64(t * t)
	return pose{
		width: between(rng, .7, 1.25),
		bendX: between(rng, -.15, .15),
		bendY: between(rng, -.15, .15),
		slant: between(rng, -.3, .3),
		cos:   (1 - tt) / (1 + tt),
		sin:   float64(2*t) / (1 + tt),
		scale: between(rng, 7, 11),
	}
}

// between returns a uniform number in [lo, hi).
func between(rng *rand.Rand, lo, hi float64) float64 {
	return lo + float64((hi-lo)*rng.Float64())
}

// apply returns the posed point p. The conversions forbid fused operations.
func (s *pose) apply(p point) point {
	x := float64(s.width*p.x) + float64(s.bendX*float64(p.y*p.y)) - float64(s.slant*p.y)
	y := p.y + float64(s.bendY*float64(p.x*p.x))
	return point{
		s.at.x + float64(s.scale*(float64(s.cos*x)-float64(s.sin*y))),
		s.at.y + float64(s.scale*(float64(s.sin*x)+float64(s.cos*y))),
	}
}

// place poses the outline at a random position in a square where it keeps a margin to
// the sides, and shrinks it if necessary. It writes the result to dst, whose memory it
// reuses.
func (s *pose) place(rng *rand.Rand, dst, o outline, side, margin float64) outline {
	s.at = point{}
	room := side - 2*margin
	dst = s.transform(dst, o)
	lo, hi := dst.bounds()
	if wide := max(hi.x-lo.x, hi.y-lo.y); wide > room {
		s.scale *= room / wide
		dst = s.transform(dst, o)
		lo, hi = dst.bounds()
	}
	s.at = point{
		margin - lo.x + float64((room-(hi.x-lo.x))*rng.Float64()),
		margin - lo.y + float64((room-(hi.y-lo.y))*rng.Float64()),
	}
	return s.transform(dst, o)
}

// transform writes the posed outline to dst, whose memory it reuses.
func (s *pose) transform(dst, o outline) outline {
	for len(dst) < len(o) {
		dst = append(dst, nil)
	}
	dst = dst[:len(o)]
	for k, poly := range o {
		dst[k] = dst[k][:0]
		for _, p := range poly {
			dst[k] = append(dst[k], s.apply(p))
		}
	}
	return dst
}
