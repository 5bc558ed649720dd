// Package leaves paints images of leaves of all sizes that occlude each other. A [Painter] paints an image of one [Kind].
package leaves

import (
	"math"

	"github.com/ansatz-lab/ansatz/internal/random"
)

// Kind describes the leaves of an image.
type Kind struct {
	Disk     bool // disks, else ellipses
	Standing bool // ellipses stand, else they lie
	Textured bool // leaves have stripes
}

// A leaf is an ellipse: the points (x+dx, y+dy) with a·dx² + 2b·dx·dy + c·dy² ≤ 1.
type leaf struct {
	x, y    float64
	a, b, c float64
	det     float64 // a·c - b²
	reach   float64 // half the height: the largest dy
	colour  [3]int
	stripes stripes
}

const (
	// maxStretch is the largest ratio of an ellipse's axes.
	maxStretch = 3

	// maxLean is the tangent of half the largest angle, 28°, by which an ellipse
	// leans.
	maxLean = .25
)

// randomLeaf draws a leaf with a radius from smallest to largest that may reach into a
// square of that side.
func randomLeaf(rng *random.Source, kind Kind, side, smallest, largest float64) leaf {
	widest := 1.
	if !kind.Disk {
		widest = math.Sqrt(maxStretch)
	}
	r := randomRadius(rng, side, widest, smallest, largest)
	margin := float64(widest * r)
	l := leaf{x: rng.Between(-margin, side+margin), y: rng.Between(-margin, side+margin)}
	l.a = 1 / float64(r*r)
	l.c, l.det, l.reach = l.a, float64(l.a*l.a), r
	if !kind.Disk {
		l.stretch(rng, kind.Standing)
	}
	l.colour = randomColour(rng)
	if kind.Textured {
		l.stripes = randomStripes(rng, r)
	}
	return l
}

// randomRadius draws the radius of a leaf that may reach into a square. A leaf reaches
// at most widest times its radius from its centre. Among all leaves the density of
// radii is ∝ r⁻³; among those that may reach the square it is also ∝ the area where
// their centres may lie. The conversions, here and below, forbid fused operations.
func randomRadius(rng *random.Source, side, widest, smallest, largest float64) float64 {
	most := side + float64(2*float64(widest*largest))
	for {
		// If the density of r is ∝ r⁻³, r⁻² is uniform.
		r := 1 / math.Sqrt(rng.Between(1/float64(largest*largest), 1/float64(smallest*smallest)))
		part := (side + float64(2*float64(widest*r))) / most
		if rng.Float64() < float64(part*part) {
			return r
		}
	}
}

// stretch turns a disk into an ellipse of the same area.
func (l *leaf) stretch(rng *random.Source, standing bool) {
	stretch := rng.Between(1.5, maxStretch)
	cos, sin := turn(rng.Between(-maxLean, maxLean))
	if standing {
		cos, sin = sin, cos
	}
	along, across := l.a/stretch, float64(l.a*stretch) // the inverse squares of the half-axes
	cc, ss, cs := float64(cos*cos), float64(sin*sin), float64(cos*sin)
	l.a = float64(cc*along) + float64(ss*across)
	l.b = float64(cs * (along - across))
	l.c = float64(ss*along) + float64(cc*across)
	l.reach = math.Sqrt(l.a / l.det)
}

// turn returns the cosine and the sine of an angle from the tangent of its half. It
// avoids trigonometric functions, whose last bits differ between machines.
func turn(t float64) (cos, sin float64) {
	tt := float64(t * t)
	return (1 - tt) / (1 + tt), float64(2*t) / (1 + tt)
}

// span returns the range of x that the leaf covers at height y, which it must reach.
func (l *leaf) span(y float64) (from, to float64) {
	dy := y - l.y
	half := math.Sqrt(max(0, l.a-float64(l.det*float64(dy*dy)))) / l.a
	middle := l.x - float64(l.b*dy)/l.a
	return middle - half, middle + half
}

// randomColour draws a colour with the statistics of photographs: it varies most in
// brightness, less between blue and yellow, least between red and green.
func randomColour(rng *random.Source) [3]int {
	bright := 24 + rng.IntN(208)
	blue, red := rng.IntN(81)-40, rng.IntN(41)-20
	return [3]int{bright + red - blue/2, bright - red - blue/2, bright + blue}
}

// stripes are a texture: they add a triangle wave to the brightness.
type stripes struct {
	cos, sin float64 // the direction across the stripes, divided by their distance
	height   float64 // the amplitude in grey levels
}

// randomStripes draws stripes in proportion to a leaf of radius r.
func randomStripes(rng *random.Source, r float64) stripes {
	distance := float64(r * rng.Between(.2, 1))
	cos, sin := turn(rng.Between(-1, 1))
	return stripes{cos / distance, sin / distance, rng.Between(10, 50)}
}

// at returns the grey levels to add at a point relative to the leaf's centre.
func (s *stripes) at(dx, dy float64) int {
	if s.height == 0 {
		return 0
	}
	phase := float64(s.cos*dx) + float64(s.sin*dy)
	phase -= math.Floor(phase)
	return int(float64(s.height * (1 - float64(4*math.Abs(phase-.5)))))
}

const (
	// leafSamples is the number of samples per pixel in each direction. A pixel is
	// the mean of its samples.
	leafSamples = 4

	// smallestLeaf is the smallest radius in pixels. The largest is the side of
	// the image.
	smallestLeaf = .5
)

// Painter draws images of leaves. It is not safe for concurrent use.
type Painter struct {
	side    int        // the side of the image in samples
	colours [][3]uint8 // the colours of the samples, by rows
	painted []bool     // which samples have a colour
	left    int        // the number of samples without one
}

// NewPainter returns a painter of images of side×side pixels.
func NewPainter(side int) *Painter {
	n := side * leafSamples
	return &Painter{side: n, colours: make([][3]uint8, n*n), painted: make([]bool, n*n)}
}

// Paint covers the image with leaves, each under all before it, until no further leaf
// would be visible. The result is distributed like the model after infinitely many
// leaves have fallen. [Painter.Average] then returns its pixels.
func (p *Painter) Paint(rng *random.Source, kind Kind) {
	clear(p.painted)
	p.left = len(p.painted)
	side := float64(p.side)
	for p.left > 0 {
		l := randomLeaf(rng, kind, side, smallestLeaf*leafSamples, side)
		p.add(&l)
	}
}

// add paints the visible part of a leaf below all others. Samples are at the centres of
// their squares.
func (p *Painter) add(l *leaf) {
	top, bottom := p.samples(l.y-l.reach, l.y+l.reach)
	for y := top; y < bottom; y++ {
		at := float64(y) + .5
		left, right := p.samples(l.span(at))
		for x := left; x < right; x++ {
			k := y*p.side + x
			if p.painted[k] {
				continue
			}
			p.painted[k] = true
			p.left--
			shade := l.stripes.at(float64(x)+.5-l.x, at-l.y)
			for c, level := range l.colour {
				p.colours[k][c] = uint8(min(max(level+shade, 0), 0xff))
			}
		}
	}
}

// samples returns the range of samples, first to end-1, between two coordinates.
func (p *Painter) samples(from, to float64) (first, end int) {
	side := float64(p.side)
	return int(min(max(math.Ceil(from-.5), 0), side)), int(min(max(math.Ceil(to-.5), 0), side))
}

// Average writes the 3×side×side pixels of the painted image to dst, in channel, row, column order.
func (p *Painter) Average(dst []uint8) {
	side := p.side / leafSamples
	for k := range side * side {
		first := k/side*leafSamples*p.side + k%side*leafSamples
		var sum [3]int
		for dy := range leafSamples {
			for _, colour := range p.colours[first+dy*p.side:][:leafSamples] {
				for c, v := range colour {
					sum[c] += int(v)
				}
			}
		}
		for c, v := range sum {
			const n = leafSamples * leafSamples
			dst[c*side*side+k] = uint8((v + n/2) / n)
		}
	}
}
