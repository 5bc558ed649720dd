package kernelmachine

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// patchOf returns a patch of q×q pixels with the values f(x, y). The origin is the centre, x grows to the right and y
// grows upwards.
func patchOf(q int, f func(x, y float64) float64) []float64 {
	var v []float64
	for i := range q {
		for j := range q {
			v = append(v, f(float64(j)-float64(q-1)/2, float64(q-1)/2-float64(i)))
		}
	}
	return v
}

// A ramp has coherence 1 and its own orientation, whatever its angle and the size of the patch.
func TestOrientationOfRamps(t *testing.T) {
	for _, q := range []int{2, 3, 5, 7} {
		for angle := 0.; angle < 180; angle += 7.5 {
			sin, cos := math.Sincos(angle * math.Pi / 180)
			v := patchOf(q, func(x, y float64) float64 { return 3 - 2*(y*cos-x*sin) })
			o := OrientationOf(v, q)
			if math.Abs(o.Coherence-1) > 1e-12 || math.Abs(math.Remainder(o.Angle-angle, 180)) > 1e-9 {
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
		{
			"colours apart", append(patchOf(3, func(x, _ float64) float64 { return x }),
				patchOf(3, func(x, _ float64) float64 { return -x })...), 3, 1, 90,
		},
		{
			"colours crossed", append(patchOf(3, func(x, _ float64) float64 { return x }),
				patchOf(3, func(_, y float64) float64 { return y })...), 3, 0, math.NaN(),
		},
		{
			"three to one", append(patchOf(3, func(x, _ float64) float64 { return math.Sqrt(3) * x }),
				patchOf(3, func(_, y float64) float64 { return y })...), 3, .5, 90,
		},
	} {
		o := OrientationOf(c.patch, c.q)
		if math.Abs(o.Coherence-c.coherence) > 1e-12 || !math.IsNaN(c.angle) && math.Abs(o.Angle-c.angle) > 1e-9 {
			t.Errorf("%s: %+v, want %v at %v°", c.name, o, c.coherence, c.angle)
		}
	}
	for name, v := range map[string][]float64{
		"constant": {.3, .3, .3, .3, .3, .3, .3, .3, .3}, "zero": make([]float64, 9), "one pixel": {1},
		"constant by colour": {1, 1, 1, 1, -2, -2, -2, -2}, "chequerboard": {1, -1, 1, -1, 1, -1, 1, -1, 1},
	} {
		q := map[int]int{9: 3, 8: 2, 1: 1}[len(v)]
		if o := OrientationOf(v, q); !math.IsNaN(o.Coherence) || o.Energy != 0 {
			t.Errorf("%s: %+v, want nothing", name, o)
		}
	}
}

// The coherence and the angle of a patch do not change if the patch is multiplied by a constant or constants are added
// to its channels. If the patch is turned, its coherence stays the same and its angle turns with it.
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
			for i := range q { // turned by 90° to the left
				for j := range q {
					turned = append(turned, p[j*q+q-1-i])
				}
			}
		}
		a, b, c := OrientationOf(v, q), OrientationOf(scaled, q), OrientationOf(turned, q)
		if a.Coherence < 0 || a.Coherence > 1 || math.Abs(a.Coherence-b.Coherence) > 1e-9 ||
			math.Abs(math.Remainder(a.Angle-b.Angle, 180)) > 1e-6 {
			t.Fatalf("%+v, scaled %+v", a, b)
		}
		if math.Abs(a.Coherence-c.Coherence) > 1e-9 || math.Abs(math.Remainder(c.Angle-a.Angle-90, 180)) > 1e-6 {
			t.Fatalf("%+v, turned %+v", a, c)
		}
	}
}

// TestOrientationNull checks a metric whose eigenvectors are two edges and a constant. The constant does not count, and
// the coherence is above the null of random directions. The coherence of random directions is near the mean of the
// null.
func TestOrientationNull(t *testing.T) {
	const q = 3
	m := mat.NewSymDense(9, nil)
	for weight, f := range map[float64]func(x, y float64) float64{
		5: func(_, _ float64) float64 { return 1 }, 2: func(x, _ float64) float64 { return x },
		1: func(_, y float64) float64 { return y },
	} {
		m.SymRankOne(m, weight, mat.NewVecDense(9, patchOf(q, f)))
	}
	all, err := Eigenpatches(m, q, 8)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 3 || !math.IsNaN(all[0].Orientation.Coherence) || math.Abs(all[0].Share-45./63) > 1e-12 {
		t.Fatalf("%+v", all)
	}
	if v := Coherence(all); math.Abs(v-1) > 1e-9 {
		t.Errorf("coherence %v", v)
	}
	null := NewOrientationNull(all, 9, q, 400, 1)
	if !(1 > null.WeightedMean+2*null.Weighted) || null.Weighted >= null.Sd+.2 || !(null.Mean > .2 && null.Mean < .8) {
		t.Errorf("%+v", null)
	}
	if n := Orientations(all, null.High); n != 2 || null.Orientations >= 1 {
		t.Errorf("%d orientations, null %v", n, null.Orientations)
	}
	// The mean coherence of random directions agrees with the mean of the null.
	rng := rand.New(rand.NewPCG(5, 6))
	sum := 0.
	for range 200 {
		sum += Coherence(randomPatches(all, 9, q, rng)) / 200
	}
	if math.Abs(sum-null.WeightedMean) > 4*null.Weighted/math.Sqrt(200)+4*null.Weighted/20 {
		t.Errorf("mean %v of random directions, null %v ± %v", sum, null.WeightedMean, null.Weighted)
	}
	if again := NewOrientationNull(all, 9, q, 400, 1); again != null {
		t.Error("the null is not the same twice")
	}
}
