package data

import (
	"math/rand/v2"
)

// A pose places a normalised outline on a canvas: stretched and bent, slanted,
// turned, scaled and moved, in this order. Its fields have the ranges that
// randomPose draws from.
type pose struct {
	width        float64 // by how much x is stretched
	bendX, bendY float64 // how far x moves with y², and y with x²
	slant        float64 // how far x moves as y falls
	cos, sin     float64 // of the turn
	scale        float64 // half the height, in pixels
	at           point   // the centre, in pixels
}

// randomPose draws everything but the centre.
func randomPose(rng *rand.Rand) pose {
	// A turn by θ from t = tan(θ/2) needs no trigonometry, whose last bits
	// differ from one machine to another. .12 stands for 13.7°.
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

// apply returns the place of p. The conversions forbid fused operations.
func (s *pose) apply(p point) point {
	x := float64(s.width*p.x) + float64(s.bendX*float64(p.y*p.y)) - float64(s.slant*p.y)
	y := p.y + float64(s.bendY*float64(p.x*p.x))
	return point{
		s.at.x + float64(s.scale*(float64(s.cos*x)-float64(s.sin*y))),
		s.at.y + float64(s.scale*(float64(s.sin*x)+float64(s.cos*y))),
	}
}

// place puts the outline, posed, at random where it keeps margin from the
// sides of a square, and shrinks it if it has to. It writes the result to dst,
// whose memory it uses.
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

// transform writes the outline, posed, to dst, whose memory it uses.
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
