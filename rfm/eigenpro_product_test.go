package rfm

import (
	"context"
	"math"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/graph/backend/gpu/gputest"
	"gonum.org/v1/gonum/mat"
)

func TestProduct(t *testing.T) {
	const n = 2048 + 301
	v, _ := problemOf(n, 3, 14)
	x, _ := problemOf(n, 4, 15)
	for _, b := range gputest.Backends(t) {
		m := machineryOf(t, b, graph.Double)
		for _, kernel := range []Kernel{Laplace{2}, NTK{1}} {
			k, err := m.gram(context.Background(), kernel, v)
			if err != nil {
				t.Fatal(err)
			}
			p, err := m.newProduct(kernel, v, 4)
			if err != nil {
				t.Fatal(err)
			}
			var want, got mat.Dense
			want.Mul(k, x)
			got.Apply(func(_, _ int, v float64) float64 { return 3*v + 1 }, &want) // Times must overwrite all of it
			if err := p.Times(context.Background(), x, &got); err != nil {
				t.Fatal(err)
			}
			if e := apart(&got, &want); !(e <= 1e-12) {
				t.Errorf("%s, %v: K·x is %.2g off", b, kernel, e)
			}
			diag, err := m.diagonal(context.Background(), kernel, v)
			if err != nil {
				t.Fatal(err)
			}
			for i, d := range diag {
				if math.Abs(d-k.At(i, i)) > 1e-12*d {
					t.Fatalf("%s, %v: K(x, x) of %d is %v, not %v", b, kernel, i, d, k.At(i, i))
				}
			}
		}
	}
}

func machineryOf(t testing.TB, b string, precision graph.Precision) machinery {
	t.Helper()
	d, err := backend.Open(backend.Options{Backend: b})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return machinery{device: d, precision: precision}
}

// TestEigenProStepsInPlace checks that a step of either loop allocates at most 100 times for a thousand examples.
func TestEigenProStepsInPlace(t *testing.T) {
	perStep := func(n int) (conjugate, stochastic float64) {
		x, y := problemOf(n, 3, 16)
		p := &problem{machinery: machineryOf(t, "", graph.Single), kernel: Laplace{2}, points: x, y: y, ridge: .01}
		ctx := context.Background()
		it, err := EigenPro{Subsample: 50}.withDefaults(n).prepare(ctx, p)
		if err != nil {
			t.Fatal(err)
		}
		c, err := it.newResiduals()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.improve(ctx, 1); err != nil {
			t.Fatal(err)
		}
		conjugate = testing.AllocsPerRun(3, func() {
			c.step()
			if err := c.nextDirection(ctx); err != nil {
				t.Fatal(err)
			}
		})
		d, err := it.newDescent()
		if err != nil {
			t.Fatal(err)
		}
		d.rows = []int{3, 1, 4}
		stochastic = testing.AllocsPerRun(3, func() {
			if err := d.gradient(ctx); err != nil {
				t.Fatal(err)
			}
			d.update()
		})
		return conjugate, stochastic
	}
	// A thousand rows fit in one batch and in one tile. So what is allocated belongs to the ops and the threads, and
	// not to the examples.
	if a, b := perStep(1000); a > 100 || b > 100 {
		t.Errorf("%v and %v allocations a step", a, b)
	}
}
