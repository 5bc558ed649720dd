package rfm

import (
	"math"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
)

func productCases() []kernelCase {
	product := func(l, q float64) func(x, z []float64) float64 {
		return func(x, z []float64) float64 {
			k := 1.
			for i := range x {
				k *= math.Exp(-math.Pow(math.Abs(x[i]-z[i]), q) / math.Pow(l, q))
			}
			return k
		}
	}
	cases := []kernelCase{{L1{2}, product(2, 1)}}
	for _, q := range []float64{.7, 1, 1.5, 2} {
		cases = append(cases, kernelCase{Product{3, q}, product(3, q)})
	}
	return cases
}

// L1 is the product kernel with exponent 1, and a Gaussian kernel is the product kernel with exponent 2.
func TestProductKernelsAreOthers(t *testing.T) {
	m, x := on(t, "go", graph.Double), normal(random(5), 20, 3)
	for _, c := range []struct{ a, b Kernel }{{L1{}, Product{}},
		{Product{Bandwidth: 3, Exponent: 2}, Gaussian{3 / math.Sqrt2}}} {
		if d := far(values(t, m, c.a, x), values(t, m, c.b, x)); d > 1e-12 {
			t.Errorf("%#v and %#v differ by %v", c.a, c.b, d)
		}
	}
}

func TestProductKernelsRefuse(t *testing.T) {
	for _, k := range []Kernel{L1{-1}, L1{math.NaN()}, Product{1, 2.1}, Product{1, -1}, Product{math.Inf(1), 1},
		Product{1, math.NaN()}} {
		if k.check() == nil {
			t.Errorf("%#v is taken", k)
		}
	}
}
