// Package leaves paints leaves of all sizes that hide each other. A [Painter] paints images of one [Kind].
package leaves

import (
	"math"

	"github.com/ansatz-lab/ansatz/internal/random"
)

// Kind is what the leaves of an image have in common.
type Kind struct {
	Disk     bool // else ellipses
	Standing bool // ellipses stand, else they lie
	Textured bool
}

// A leaf is an ellipse on a plane, the points at (x+dx, y+dy) for which
// a·dx² + 2b·dx·dy + c·dy² ≤ 1.
type leaf struct {
	x, y    float64
	a, b, c float64
	det     float64 // a·c - b²
	reach   float64 // of y from the centre
	colour  [3]int
	stripes stripes
}

const (
	// maxStretch is the longest that an ellipse is, as a part of its width.
	maxStretch = 3

	// maxLean is the tangent of half the angle, 28°, that an ellipse leans by
	// at most.
	maxLean = .25
)

// randomLeaf draws a leaf with a radius from smallest to largest that may reach
// into a square of that side.
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

// randomRadius draws the radius of a leaf among those that may reach into a
// square, to as far from their centre as widest times their radius. Of all
// leaves, the density of radii is ∝ r⁻³; of these, also ∝ the area that their
// centres may lie in. The conversions, here and below, forbid fused operations.
func randomRadius(rng *random.Source, side, widest, smallest, largest float64) float64 {
	most := side + float64(2*float64(widest*largest))
	for {
		// Where the density of r is ∝ r⁻³, r⁻² is uniform.
		r := 1 / math.Sqrt(rng.Between(1/float64(largest*largest), 1/float64(smallest*smallest)))
		part := (side + float64(2*float64(widest*r))) / most
		if rng.Float64() < float64(part*part) {
			return r
		}
	}
}

// stretch makes of a disk an ellipse of the same area.
func (l *leaf) stretch(rng *random.Source, standing bool) {
	stretch := rng.Between(1.5, maxStretch)
	cos, sin := turn(rng.Between(-maxLean, maxLean))
	if standing {
		cos, sin = sin, cos
	}
	along, across := l.a/stretch, float64(l.a*stretch) // the squares of 1 / the half-axes
	cc, ss, cs := float64(cos*cos), float64(sin*sin), float64(cos*sin)
	l.a = float64(cc*along) + float64(ss*across)
	l.b = float64(cs * (along - across))
	l.c = float64(ss*along) + float64(cc*across)
	l.reach = math.Sqrt(l.a / l.det)
}

// turn returns the cosine and the sine of an angle from the tangent of its
// half: trigonometry differs in its last bits from one machine to another.
func turn(t float64) (cos, sin float64) {
	tt := float64(t * t)
	return (1 - tt) / (1 + tt), float64(2*t) / (1 + tt)
}

// span returns from where to where the leaf reaches in x at a height that it
// reaches.
func (l *leaf) span(y float64) (from, to float64) {
	dy := y - l.y
	half := math.Sqrt(max(0, l.a-float64(l.det*float64(dy*dy)))) / l.a
	middle := l.x - float64(l.b*dy)/l.a
	return middle - half, middle + half
}

// randomColour draws a colour as photographs have them: it differs in
// brightness most, less between blue and yellow, least between red and green.
func randomColour(rng *random.Source) [3]int {
	bright := 24 + rng.IntN(208)
	blue, red := rng.IntN(81)-40, rng.IntN(41)-20
	return [3]int{bright + red - blue/2, bright - red - blue/2, bright + blue}
}

// stripes are a texture: they add to the brightness a triangle wave.
type stripes struct {
	cos, sin float64 // the direction across them, over their distance
	height   float64 // in grey levels
}

// randomStripes draws stripes that are in proportion to a leaf of radius r.
func randomStripes(rng *random.Source, r float64) stripes {
	distance := float64(r * rng.Between(.2, 1))
	cos, sin := turn(rng.Between(-1, 1))
	return stripes{cos / distance, sin / distance, rng.Between(10, 50)}
}

// at returns the grey levels to add at a place.
func (s *stripes) at(dx, dy float64) int {
	if s.height == 0 {
		return 0
	}
	phase := float64(s.cos*dx) + float64(s.sin*dy)
	phase -= math.Floor(phase)
	return int(float64(s.height * (1 - float64(4*math.Abs(phase-.5)))))
}

const (
	// leafSamples is the number of samples of a side of a pixel, the mean of
	// which it is.
	leafSamples = 4

	// smallestLeaf is the smallest radius, in pixels. The largest is the side
	// of the image.
	smallestLeaf = .5
)

// Painter draws images of leaves. It is not safe for concurrent use.
type Painter struct {
	side    int        // of the image, in samples
	colours [][3]uint8 // of the samples, by rows
	painted []bool     // which of them have one
	left    int        // how many have none
}

// NewPainter returns a painter of images of side×side pixels.
func NewPainter(side int) *Painter {
	n := side * leafSamples
	return &Painter{side: n, colours: make([][3]uint8, n*n), painted: make([]bool, n*n)}
}

// Paint covers the samples with leaves, each under those before it, until none
// can be seen any more: that is how the model looks after infinitely many
// leaves have fallen.
func (p *Painter) Paint(rng *random.Source, kind Kind) {
	clear(p.painted)
	p.left = len(p.painted)
	side := float64(p.side)
	for p.left > 0 {
		l := randomLeaf(rng, kind, side, smallestLeaf*leafSamples, side)
		p.add(&l)
	}
}

// add paints what can be seen of a leaf below all others. Samples are taken in
// the middle of their squares.
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

// samples returns which of the samples of a side lie between two places.
func (p *Painter) samples(from, to float64) (first, end int) {
	side := float64(p.side)
	return int(min(max(math.Ceil(from-.5), 0), side)), int(min(max(math.Ceil(to-.5), 0), side))
}

// Average writes the pixels, channel by channel and each row by row.
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
