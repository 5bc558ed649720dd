package experiments

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// patchOf is a patch of q×q whose pixels are f of x, to the right, and y, up.
func patchOf(q int, f func(x, y float64) float64) []float64 {
	var v []float64
	for i := range q {
		for j := range q {
			v = append(v, f(float64(j)-float64(q-1)/2, float64(q-1)/2-float64(i)))
		}
	}
	return v
}

// A ramp has one orientation, whatever its angle and the size of the patch.
func TestOrientationOfRamps(t *testing.T) {
	for _, q := range []int{2, 3, 5, 7} {
		for angle := 0.; angle < 180; angle += 7.5 {
			sin, cos := math.Sincos(angle * math.Pi / 180)
			v := patchOf(q, func(x, y float64) float64 { return 3 - 2*(y*cos-x*sin) })
			o := orientationOf(v, q)
			if math.Abs(o.coherence-1) > 1e-12 || math.Abs(math.Remainder(o.angle-angle, 180)) > 1e-9 {
				t.Errorf("q = %d, an edge at %v°: %+v", q, angle, o)
			}
		}
	}
}

func TestOrientation(t *testing.T) {
	step := func(x float64) float64 { return math.Copysign(1, x-.25) }
	for _, c := range []struct {
		name             string
		patch            []float64
		q                int
		coherence, angle float64
	}{
		{"a vertical edge", patchOf(3, func(x, _ float64) float64 { return step(x) }), 3, 1, 90},
		{"a horizontal line", patchOf(3, func(_, y float64) float64 { return 1 - math.Abs(y) }), 3, 1, 0},
		{"a diagonal line", []float64{0, 0, 1, 0, 1, 0, 1, 0, 0}, 3, 1, 45},
		{"the other diagonal line", []float64{1, 0, 0, 0, 1, 0, 0, 0, 1}, 3, 1, 135},
		{"a blob", patchOf(5, func(x, y float64) float64 { return math.Exp(-x*x - y*y) }), 5, 0, math.NaN()},
		{"a quarter", patchOf(2, func(x, y float64) float64 { return (1 + step(x)) * (1 + step(y)) }), 2, 1, 135},
		{"a saddle", patchOf(3, func(x, y float64) float64 { return x * y }), 3, 0, math.NaN()},
		{"colours apart", append(patchOf(3, func(x, _ float64) float64 { return x }), patchOf(3, func(x, _ float64) float64 { return -x })...), 3, 1, 90},
		{"colours crossed", append(patchOf(3, func(x, _ float64) float64 { return x }), patchOf(3, func(_, y float64) float64 { return y })...), 3, 0, math.NaN()},
		{"three to one", append(patchOf(3, func(x, _ float64) float64 { return math.Sqrt(3) * x }), patchOf(3, func(_, y float64) float64 { return y })...), 3, .5, 90},
	} {
		o := orientationOf(c.patch, c.q)
		if math.Abs(o.coherence-c.coherence) > 1e-12 || !math.IsNaN(c.angle) && math.Abs(o.angle-c.angle) > 1e-9 {
			t.Errorf("%s: %+v, want %v at %v°", c.name, o, c.coherence, c.angle)
		}
	}
	for name, v := range map[string][]float64{
		"constant": {.3, .3, .3, .3, .3, .3, .3, .3, .3}, "zero": make([]float64, 9), "one pixel": {1},
		"constant by colour": {1, 1, 1, 1, -2, -2, -2, -2}, "chequerboard": {1, -1, 1, -1, 1, -1, 1, -1, 1},
	} {
		q := map[int]int{9: 3, 8: 2, 1: 1}[len(v)]
		if o := orientationOf(v, q); !math.IsNaN(o.coherence) || o.energy != 0 {
			t.Errorf("%s: %+v, want nothing", name, o)
		}
	}
}

// The coherence is that of any multiple of a patch with any constant added, and of
// the patch turned, whose angle turns with it.
func TestOrientationIsInvariant(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		const q, channels = 3, 3
		var v, scaled, turned []float64
		for range channels {
			p := make([]float64, q*q)
			shift := rng.NormFloat64()
			for i := range p {
				p[i] = rng.NormFloat64()
				scaled = append(scaled, shift-2.5*p[i])
			}
			v = append(v, p...)
			for i := range q { // a quarter to the left
				for j := range q {
					turned = append(turned, p[j*q+q-1-i])
				}
			}
		}
		a, b, c := orientationOf(v, q), orientationOf(scaled, q), orientationOf(turned, q)
		if a.coherence < 0 || a.coherence > 1 || math.Abs(a.coherence-b.coherence) > 1e-9 || math.Abs(math.Remainder(a.angle-b.angle, 180)) > 1e-6 {
			t.Fatalf("%+v, scaled %+v", a, b)
		}
		if math.Abs(a.coherence-c.coherence) > 1e-9 || math.Abs(math.Remainder(c.angle-a.angle-90, 180)) > 1e-6 {
			t.Fatalf("%+v, turned %+v", a, c)
		}
	}
}

// A metric of two edges and a constant: the constant does not count, and the
// orientation is above that of random directions; a random metric is not.
func TestOrientationNull(t *testing.T) {
	const q = 3
	m := mat.NewSymDense(9, nil)
	for weight, f := range map[float64]func(x, y float64) float64{
		5: func(_, _ float64) float64 { return 1 }, 2: func(x, _ float64) float64 { return x }, 1: func(_, y float64) float64 { return y },
	} {
		m.SymRankOne(m, weight, mat.NewVecDense(9, patchOf(q, f)))
	}
	all, err := eigenpatches(m, q, 8)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 3 || !math.IsNaN(all[0].orientation.coherence) || math.Abs(all[0].share-45./63) > 1e-12 {
		t.Fatalf("%+v", all)
	}
	if v := coherence(all); math.Abs(v-1) > 1e-9 {
		t.Errorf("coherence %v", v)
	}
	null := newOrientationNull(all, 9, q, 400, 1)
	if !(1 > null.weightedMean+2*null.weighted) || null.weighted >= null.sd+.2 || !(null.mean > .2 && null.mean < .8) {
		t.Errorf("%+v", null)
	}
	if n := orientations(all, null.high); n != 2 || null.orientations >= 1 {
		t.Errorf("%d orientations, null %v", n, null.orientations)
	}
	// Of random directions the measure lies in its null.
	rng := rand.New(rand.NewPCG(5, 6))
	sum := 0.
	for range 200 {
		sum += coherence(randomPatches(all, 9, q, rng)) / 200
	}
	if math.Abs(sum-null.weightedMean) > 4*null.weighted/math.Sqrt(200)+4*null.weighted/20 {
		t.Errorf("mean %v of random directions, null %v ± %v", sum, null.weightedMean, null.weighted)
	}
	if again := newOrientationNull(all, 9, q, 400, 1); again != null {
		t.Error("the null is not the same twice")
	}
}
