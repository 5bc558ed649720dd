package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// loopCases returns the loops, each with the function of one element that it computes.
func loopCases(l *Loops[float32]) map[string]struct {
	run  func(out, a, b, c []float32, k float32)
	want func(a, b, c, k float64) float64
} {
	type f = func(out, a, b, c []float32, k float32)
	type w = func(a, b, c, k float64) float64
	return map[string]struct {
		run  f
		want w
	}{
		"add": {func(out, a, b, _ []float32, _ float32) { l.Add(out, a, b) },
			func(a, b, _, _ float64) float64 { return a + b }},
		"sub": {func(out, a, b, _ []float32, _ float32) { l.Sub(out, a, b) },
			func(a, b, _, _ float64) float64 { return a - b }},
		"mul": {func(out, a, b, _ []float32, _ float32) { l.Mul(out, a, b) },
			func(a, b, _, _ float64) float64 { return a * b }},
		"scale": {func(out, a, _, _ []float32, k float32) { l.Scale(out, a, k) },
			func(a, _, _, k float64) float64 { return k * a }},
		"shift": {func(out, a, _, _ []float32, k float32) { l.Shift(out, a, k) },
			func(a, _, _, k float64) float64 { return a + k }},
		"affine": {func(out, a, b, c []float32, _ float32) { l.Affine(out, a, b, c) },
			func(a, b, c, _ float64) float64 { return a*b + c }},
		"mask": {func(out, a, b, _ []float32, _ float32) { l.Mask(out, a, b) }, func(a, b, _, _ float64) float64 {
			if a > 0 {
				return b
			}
			return 0
		}},
		"relu": {func(out, a, _, _ []float32, _ float32) { l.ReLU(out, a) }, func(a, _, _, _ float64) float64 {
			if a <= 0 {
				return 0
			}
			return a
		}},
	}
}

// eachLength runs f with every set of kernels and for all lengths up to several vectors.
func eachLength(t *testing.T, f func(t *testing.T, s *Set, rng *rand.Rand, n int)) {
	for _, s := range Available() {
		t.Run(s.Name, func(t *testing.T) {
			for n := range 70 {
				f(t, s, rand.New(rand.NewPCG(1, uint64(n))), n)
			}
		})
	}
}

// special returns random numbers, some of which are zeros, NaNs or infinities.
func special(t *testing.T, rng *rand.Rand, n int) []float32 {
	x := normal(t, rng, n)
	odd := []float32{0, float32(math.Copysign(0, -1)), float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))}
	for i := range x {
		if k := rng.IntN(4 * len(odd)); k < len(odd) {
			x[i] = odd[k]
		}
	}
	return x
}

func TestLoops(t *testing.T) {
	eachLength(t, func(t *testing.T, s *Set, rng *rand.Rand, n int) {
		for name, c := range loopCases(s.Loops) {
			u, v, w := special(t, rng, n), special(t, rng, n), special(t, rng, n)
			const k = -1.5
			want := make([]float64, n)
			for i := range want {
				want[i] = c.want(float64(u[i]), float64(v[i]), float64(w[i]), k)
			}
			out := guarded[float32](t, n)
			c.run(out, u, v, w, k)
			near(t, fmt.Sprintf("%s of %d", name, n), out, want, 1e-6)
			c.run(u, u, v, w, k)
			near(t, fmt.Sprintf("%s of %d in place", name, n), u, want, 1e-6)
		}
	})
}

func TestLargest(t *testing.T) {
	eachLength(t, func(t *testing.T, s *Set, rng *rand.Rand, n int) {
		best, x, idx := special(t, rng, n), special(t, rng, n), guarded[int32](t, n)
		wantBest, wantIdx := make([]float64, n), make([]int32, n)
		for i := range best {
			idx[i] = int32(i) - 1000
			wantBest[i], wantIdx[i] = float64(best[i]), idx[i]
			if x[i] > best[i] || x[i] != x[i] {
				wantBest[i], wantIdx[i] = float64(x[i]), 77+int32(i)
			}
		}
		s.Loops.Largest(best, idx, x, 77)
		near(t, fmt.Sprintf("largest of %d", n), best, wantBest, 1e-6)
		for i, w := range wantIdx {
			if idx[i] != w {
				t.Fatalf("largest of %d: place %d is %d, want %d", n, i, idx[i], w)
			}
		}
	})
}
