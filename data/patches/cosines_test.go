package patches

import (
	"math"
	"slices"
	"testing"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/internal/random"
)

// TestDeadLeavesComponents checks that the principal components of patches are, as for natural images, close to
// discrete cosines. Two of the 8×8 cosines hold at least .8 of the energy of each of the first six components, but at
// most .4 of that of a random direction.
func TestDeadLeavesComponents(t *testing.T) {
	const q = 8
	c := mustComponents(t, greyed{mustOpen(t, "deadleaves:disks", data.Options{Count: 800})}, q, 0)
	if c.Variances[0] < 3*c.Variances[1] {
		t.Errorf("the variances begin with %.3f", c.Variances[:5])
	}
	for k, v := range c.Vectors[:6] {
		if part := inCosines(v, q, 2); part < .8 {
			t.Errorf("component %d has %.2f of its energy in two cosines", k+1, part)
		}
	}
	rng := random.New(0, "directions", 0)
	for range 6 {
		v := make([]float64, q*q)
		for k := range v {
			v[k] = rng.Normal()
		}
		if part := inCosines(v, q, 2); part > .4 {
			t.Errorf("a random direction has %.2f of its energy in two cosines", part)
		}
	}
}

// greyed is a Dataset with the images of another in grey: the means over their channels.
type greyed struct{ data.Dataset }

func (g greyed) Shape() data.Shape {
	s := g.Dataset.Shape()
	s.Channels = 1
	return s
}

func (g greyed) Read(i int, dst []float32) (int, error) {
	px := make([]float32, g.Dataset.Shape().Pixels())
	label, err := g.Dataset.Read(i, px)
	clear(dst)
	channels := g.Dataset.Shape().Channels
	for k, v := range px {
		dst[k/channels] += v / float32(channels)
	}
	return label, err
}

// inCosines returns the share of the energy of a q×q patch in its n largest coefficients of the discrete cosine
// transform.
func inCosines(v []float64, q, n int) float64 {
	energies := make([]float64, 0, q*q)
	for f := range q * q {
		sum, scale := 0., 2/float64(q)
		for k, x := range v {
			sum += x * math.Cos(math.Pi*float64(f/q)*(float64(k/q)+.5)/float64(q)) * math.Cos(
				math.Pi*float64(f%q)*(float64(k%q)+.5)/float64(q))
		}
		if f/q == 0 {
			scale /= math.Sqrt2
		}
		if f%q == 0 {
			scale /= math.Sqrt2
		}
		energies = append(energies, sum*scale*sum*scale)
	}
	slices.Sort(energies)
	var all, top float64
	for k, e := range energies {
		all += e
		if k >= len(energies)-n {
			top += e
		}
	}
	return top / all
}
