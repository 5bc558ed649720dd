package energy

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ansatz-lab/ansatz/cnfa"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// [Reliability] estimates the correlation of the profiles of two independent sets of filters of the same kind. The test
// simulates such sets.
func TestProfileReliability(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	const d, draws = 27, 300
	components, variances := basis(t, d, rng)
	for _, k := range []int{16, 33, 64} {
		draw := func() *mat.Dense { // filters whose profile falls from 1.6 to 1
			a := mat.NewDense(k, d, nil)
			for j := range k {
				for i, c := range components {
					x := rng.NormFloat64() * (1 + .6*float64(d-1-i)/(d-1))
					for n, v := range c {
						a.Set(j, n, a.At(j, n)+x*v)
					}
				}
			}
			return a
		}
		var others, halves []float64
		for range draws {
			a := draw()
			p, q := profileOf(t, a, components, variances), profileOf(t, draw(), components, variances)
			others = append(others, stat.Correlation(p.Energies, q.Energies, nil))
			r, err := Reliability(a, components, 10, rng)
			if err != nil {
				t.Fatal(err)
			}
			halves = append(halves, r)
		}
		if want, got := stat.Mean(others, nil), stat.Mean(halves, nil); math.Abs(got-want) > .03 {
			t.Errorf("%d filters: a reliability of %.3f, two such sets have a correlation of %.3f", k, got, want)
		}
	}
	if got := NoiseCeiling(.81, .49); math.Abs(got-.63) > 1e-12 {
		t.Errorf("the ceiling of .81 and .49 is %v", got)
	}
}

// Filters whose halves have no profile in common have reliability 0, and filters that are all equal have reliability 1.
// Bad arguments are refused.
func TestReliabilityBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	components, _ := basis(t, 9, rng)
	apart, alike := mat.NewDense(4, 9, nil), mat.NewDense(4, 9, nil)
	for j := range 4 {
		apart.SetRow(j, components[j])
		alike.SetRow(j, gaussian(1, 9, rand.New(rand.NewPCG(3, 3))).RawRowView(0))
	}
	if r, err := Reliability(apart, components, 5, rng); err != nil || r != 0 {
		t.Errorf("filters apart: %v, %v", r, err)
	}
	if r, err := Reliability(alike, components, 5, rng); err != nil || math.Abs(r-1) > 1e-9 {
		t.Errorf("filters alike: %v, %v", r, err)
	}
	for name, c := range map[string]struct {
		a          *mat.Dense
		components [][]float64
		splits     int
		want       error
	}{
		"one filter":     {mat.NewDense(1, 9, nil), components, 5, nil},
		"no split":       {alike, components, 0, nil},
		"zeros":          {mat.NewDense(4, 9, nil), components, 5, cnfa.ErrZero},
		"two components": {alike, components[:2], 5, ErrFewComponents},
		"other patches":  {mat.NewDense(4, 8, nil), components, 5, nil},
	} {
		if _, err := Reliability(c.a, c.components, c.splits, rng); err == nil ||
			c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
