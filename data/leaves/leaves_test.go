package leaves

import (
	"math"
	"testing"

	"github.com/ansatz-lab/ansatz/internal/random"
)

// TestDeadLeavesRadii compares the distribution of the radii of leaves that may reach into a square with its density, ∝
// r⁻³ (side+2r)².
func TestDeadLeavesRadii(t *testing.T) {
	const n, side, smallest, largest = 100000, 64., 2., 64.
	primitive := func(r float64) float64 {
		return -side*side/(2*r*r) - 4*side/r + 4*math.Log(r)
	}
	rng := random.New(0, "radii", 0)
	below := map[float64]float64{2.5: 0, 4: 0, 10: 0, 30: 0}
	for range n {
		r := randomRadius(rng, side, 1, smallest, largest)
		if r < smallest || r > largest {
			t.Fatalf("a radius of %g", r)
		}
		for at := range below {
			if r < at {
				below[at]++
			}
		}
	}
	for at, got := range below {
		p := (primitive(at) - primitive(smallest)) / (primitive(largest) - primitive(smallest))
		if math.Abs(got/n-p) > 4*math.Sqrt(p*(1-p)/n) {
			t.Errorf("%.4f of the radii are below %g, want %.4f", got/n, at, p)
		}
	}
}

// TestLeafCovers checks that a leaf paints the samples that fulfil its equation, and that its determinant, and so its
// area, is that of the disk it was made from.
func TestLeafCovers(t *testing.T) {
	rng := random.New(0, "leaves", 0)
	for trial := range 300 {
		kind := Kind{Disk: trial%3 == 0, Standing: trial%2 == 0}
		p := NewPainter(16)
		p.left = len(p.painted)
		l := randomLeaf(rng, kind, float64(p.side), 4, 20)
		p.add(&l)
		painted := 0
		for k, is := range p.painted {
			dx, dy := float64(k%p.side)+.5-l.x, float64(k/p.side)+.5-l.y
			form := l.a*dx*dx + 2*l.b*dx*dy + l.c*dy*dy
			if math.Abs(form-1) > 1e-9 && is != (form < 1) {
				t.Fatalf("leaf %d: the sample at (%.1f,%.1f) from the middle is painted: %t, its form is %.3f",
					trial, dx, dy, is, form)
			}
			if is {
				painted++
			}
		}
		if painted != len(p.painted)-p.left {
			t.Fatalf("leaf %d: %d samples are painted, %d are counted", trial, painted, len(p.painted)-p.left)
		}
		if math.Abs(l.a*l.c-l.b*l.b-l.det) > 1e-12 {
			t.Errorf("leaf %d: the determinant is %g, kept is %g", trial, l.a*l.c-l.b*l.b, l.det)
		}
	}
}
