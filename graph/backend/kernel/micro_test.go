package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// eachMicro runs f for every micro-kernel that this processor can run.
func eachMicro(t *testing.T, f func(t *testing.T, m *Micro)) {
	for _, s := range Available() {
		for i := range s.Micro {
			m := &s.Micro[i]
			t.Run(fmt.Sprintf("%s/%d×%d", s.Name, m.Rows, m.Cols), func(t *testing.T) { f(t, m) })
		}
	}
}

// shape is the shape of a tile.
type shape struct{ m, n, k, taps, step int }

// untouched is the value of C between its rows. Micro-kernels must not change it.
const untouched = 12345

// newTile returns a tile of random numbers. A, B, C and the bias end at the end of accessible memory.
func newTile(t *testing.T, rng *rand.Rand, micro *Micro, s shape) *Tile {
	x := &Tile{Step: s.step, K: s.k, M: s.m, N: s.n}
	for i := range s.taps {
		x.Taps = append(x.Taps, 3*i)
	}
	for range s.m {
		x.Rows = append(x.Rows, rng.IntN(50))
	}
	reach := slices.Max(x.Rows) + x.Taps[s.taps-1] + (s.k-1)*s.step + 1
	for len(x.Rows) < micro.Rows {
		x.Rows = append(x.Rows, x.Rows[0])
	}
	const apart = 40 // more than any micro-kernel has columns
	for _, i := range rng.Perm(s.m) {
		x.Out = append(x.Out, i*apart+rng.IntN(apart-s.n))
	}
	x.A, x.B = normal(t, rng, reach), normal(t, rng, s.taps*s.k*micro.Cols)
	x.Bias = normal(t, rng, s.n)
	x.C = guarded[float32](t, slices.Max(x.Out)+s.n)
	for i := range x.C {
		x.C[i] = untouched
	}
	for _, at := range x.Out {
		copy(x.C[at:], normal(t, rng, s.n))
	}
	return x
}

// normal returns n random numbers that end at the end of accessible memory.
func normal(t *testing.T, rng *rand.Rand, n int) []float32 {
	x := guarded[float32](t, n)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	return x
}

// naive returns what C must be after the run, computed in float64.
func (t *Tile) naive(micro *Micro) []float64 {
	c := make([]float64, len(t.C))
	for i, v := range t.C {
		c[i] = float64(v)
	}
	for i := range t.M {
		for j := range t.N {
			to := &c[t.Out[i]+j]
			if !t.Add {
				*to = 0
			}
			if t.Bias != nil {
				*to += float64(t.Bias[j])
			}
			for q, tap := range t.Taps {
				for p := range t.K {
					*to += float64(t.A[t.Rows[i]+tap+p*t.Step]) * float64(t.B[(q*t.K+p)*micro.Cols+j])
				}
			}
			if t.ReLU && *to <= 0 {
				*to = 0
			}
		}
	}
	return c
}

// near compares with a tolerance relative to numbers above 1. NaN equals NaN.
func near(t *testing.T, what any, got []float32, want []float64, tol float64) {
	t.Helper()
	for i, w := range want {
		g := float64(got[i])
		if g != w && !(math.IsNaN(g) && math.IsNaN(w)) && !(math.Abs(g-w) <= tol*math.Max(1, math.Abs(w))) {
			t.Fatalf("%+v: [%d] = %v, want %v", what, i, g, w)
		}
	}
}

func TestMicro(t *testing.T) {
	eachMicro(t, func(t *testing.T, micro *Micro) {
		rng := rand.New(rand.NewPCG(1, 2))
		for m := 1; m <= micro.Rows; m++ {
			for n := 1; n <= micro.Cols; n++ {
				for _, k := range []int{1, 2, 7} {
					s := shape{m, n, k, 1 + rng.IntN(3), 1 + rng.IntN(4)}
					x := newTile(t, rng, micro, s)
					x.Add, x.ReLU = rng.IntN(2) == 1, rng.IntN(2) == 1
					if rng.IntN(2) == 1 {
						x.Bias = nil
					}
					want := x.naive(micro)
					micro.Run(x)
					near(t, s, x.C, want, 1e-4)
				}
			}
		}
	})
}

// A NaN or an infinity in a row of A changes only that row of C. A NaN in a column of B beyond N changes nothing.
func TestMicroNotANumber(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	eachMicro(t, func(t *testing.T, micro *Micro) {
		rng := rand.New(rand.NewPCG(1, 2))
		for _, relu := range []bool{false, true} {
			x := newTile(t, rng, micro, shape{3, 3, 5, 1, 1})
			x.Rows[0], x.Rows[1], x.Rows[2], x.ReLU = 0, 5, 10, relu
			x.A = normal(t, rng, 15)
			for i := 3; i < micro.Rows; i++ {
				x.Rows[i] = 0
			}
			x.A[7], x.A[12] = nan, inf
			for p := range x.K { // in a column beyond N
				x.B[(p+1)*micro.Cols-1] = nan
			}
			want := x.naive(micro)
			micro.Run(x)
			near(t, fmt.Sprint("ReLU ", relu), x.C, want, 1e-5)
		}
	})
}

func BenchmarkMicro(b *testing.B) {
	for _, s := range Available() {
		for i := range s.Micro {
			m := &s.Micro[i]
			b.Run(fmt.Sprintf("%s/%d×%d", s.Name, m.Rows, m.Cols), func(b *testing.B) {
				const k = 256
				t := &Tile{
					A: make([]float32, m.Rows*k), B: make([]float32, k*m.Cols), C: make([]float32, m.Rows*m.Cols),
					Taps: []int{0}, Step: 1, K: k, M: m.Rows, N: m.Cols,
				}
				for i := range m.Rows {
					t.Rows, t.Out = append(t.Rows, i*k), append(t.Out, i*m.Cols)
				}
				for b.Loop() {
					m.Run(t)
				}
				b.ReportMetric(2*float64(m.Rows*m.Cols*k)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			})
		}
	}
}
