package backend

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestGram checks that every engine computes the upper triangle of AᵀA + beta·C.
func TestGram(t *testing.T) {
	for _, name := range []string{"", "go"} {
		for _, threads := range []int{1, 3} {
			d, err := Open(Options{Backend: name, Threads: threads})
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			for _, n := range []int{1, 7, gramPanel, gramPanel + 1, 2*gramPanel + 37} {
				for _, rows := range []int{1, 40} {
					for _, beta := range []float64{0, 1, -.5} {
						what := fmt.Sprintf("%s, %d threads, %d×%d, beta %v", d.Name(), threads, rows, n, beta)
						gramOf(t, what+", float32", d.Float32(), d, n, rows, float32(beta), 1e-5)
						gramOf(t, what+", float64", d.Float64(), d, n, rows, beta, 1e-13)
					}
				}
			}
		}
	}
}

func gramOf[T Float](t *testing.T, what string, e Engine[T], d *Device, n, rows int, beta T, tolerance float64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	draw := func(k int) []T {
		x := make([]T, k)
		for i := range x {
			x[i] = T(rng.NormFloat64())
		}
		return x
	}
	a, c := draw(rows*n), draw(n*n)
	old := slices.Clone(c)
	if err := d.Do(func() error { e.Gram(n, a, beta, c); return nil }); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		for j := i; j < n; j++ {
			want := float64(beta) * float64(old[i*n+j])
			for r := range rows {
				want += float64(a[r*n+i]) * float64(a[r*n+j])
			}
			if math.Abs(float64(c[i*n+j])-want) > tolerance*float64(rows+1)*4 {
				t.Fatalf("%s: element %d, %d is %v, want %v", what, i, j, c[i*n+j], want)
			}
		}
	}
}
