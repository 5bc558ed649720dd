package backend

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// eachDevice runs f on every backend of this build, with the given number of threads.
func eachDevice(t *testing.T, threads int, f func(d *Device)) {
	names := []string{"go"}
	if Native() {
		names = append(names, "native")
	}
	for _, name := range names {
		d, err := Open(Options{Backend: name, Threads: threads})
		if err != nil {
			t.Fatal(err)
		}
		f(d)
		d.Close()
	}
}

// The sum over a single difference is the power function itself. TestPowersOfDifferences compares it with math.Pow.
func TestPowersOfDifferences(t *testing.T) {
	eachDevice(t, 1, func(d *Device) {
		for _, p := range []float64{-1.5, -.5, .25, .7, 1, 1.5, 2, 3, 80} {
			for _, x := range []float64{1e-9, .001, .49, .5, .99, 1, 1.01, math.Sqrt2, 2, 1000} {
				for _, sign := range []float64{1, -1} {
					delta := float32(sign * x)
					s := Differences{Rows: 1, Others: 1, Cols: 1, Power: p, Odd: true}
					got := make([]float32, 1)
					err := d.Do(func() error {
						d.Float32().SumDifferences(s, []float32{delta}, []float32{0}, nil, nil, got)
						return nil
					})
					if err != nil {
						t.Fatal(err)
					}
					want := sign * math.Pow(math.Abs(float64(delta)), p)
					if a := math.Abs(want); a > 1e37 || a < 1e-37 {
						continue // out of float32's range
					}
					if e := math.Abs(float64(got[0])/want - 1); !(e < 2e-6) {
						t.Errorf("%s: %v^%v = %v, want %v: relative error %.1g", d.Name(), delta, p, got[0], want, e)
					}
				}
			}
		}
	})
}

// The power of a NaN is a NaN, that of an infinity is not finite, a large one does not wrap around, and a negative
// power of 0 is 0.
func TestPowersAtTheLimits(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	eachDevice(t, 1, func(d *Device) {
		f := func(delta float32, p float64) float32 {
			got := make([]float32, 1)
			err := d.Do(func() error {
				d.Float32().SumDifferences(Differences{Rows: 1, Others: 1, Cols: 1, Power: p}, []float32{delta},
					[]float32{0}, nil, nil, got)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			return got[0]
		}
		for _, p := range []float64{.5, 1, 1.5} {
			if got := f(nan, p); got == got {
				t.Errorf("%s: |NaN|^%v = %v", d.Name(), p, got)
			}
			if got := f(inf, p); got-got == 0 {
				t.Errorf("%s: ∞^%v = %v", d.Name(), p, got)
			}
		}
		if got := f(1e30, 2); !(got > 1e37) {
			t.Errorf("%s: 1e30² = %v", d.Name(), got)
		}
		if got := f(1e-30, 2); !(got >= 0 && got < 1e-37) {
			t.Errorf("%s: 1e-30² = %v", d.Name(), got)
		}
		if got := f(0, -.5); got != 0 {
			t.Errorf("%s: 0^-.5 = %v", d.Name(), got)
		}
	})
}

// The number of threads does not change the order in which sums are computed, with several blocks too.
func TestDifferencesOfAnyThreads(t *testing.T) {
	const rows, others, cols = 13, 150, 1100
	rng := rand.New(rand.NewPCG(1, 2))
	random := func(n int) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = rng.Float32()
		}
		return x
	}
	u, v, p := random(rows*cols), random(others*cols), random(rows*others)
	first := map[string][]float32{}
	for _, threads := range []int{1, 2, 3} {
		eachDevice(t, threads, func(d *Device) {
			for _, power := range []float64{0, 1, 1.5} {
				s := Differences{Rows: rows, Others: others, Cols: cols, Power: power, Odd: power == 0}
				got := make([]float32, rows*others+2*rows*cols)
				err := d.Do(func() error {
					e := d.Float32()
					e.SumDifferences(s, u, v, nil, nil, got[:rows*others])
					e.WeighDifferences(s, false, p, u, v, nil, got[rows*others:][:rows*cols])
					e.WeighDifferences(s, true, p, u, v, nil, got[rows*others+rows*cols:])
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				key := fmt.Sprint(d.Name(), power)
				if first[key] == nil {
					first[key] = got
				}
				for i, x := range got {
					if x != first[key][i] {
						t.Fatalf("%s, power %v, %d threads: [%d] = %v, with 1 %v",
							d.Name(), power, threads, i, x, first[key][i])
					}
				}
			}
		})
	}
}
