package rfm

import (
	"math"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
)

func lpqCases() []kernelCase {
	var cases []kernelCase
	for _, c := range []struct{ p, q float64 }{{1, 1}, {1.5, 1}, {1.5, .7}, {.8, .8}, {1.3, 1.3}, {2, 1}, {2, 1.6}} {
		cases = append(cases, kernelCase{Lpq{2, c.p, c.q}, func(x, z []float64) float64 {
			norm := 0.
			for i := range x {
				norm += math.Pow(math.Abs(x[i]-z[i]), c.p)
			}
			return math.Exp(-math.Pow(math.Pow(norm, 1/c.p)/2, c.q))
		}})
	}
	return cases
}

// For some exponents the Lpq kernel equals another kernel. Exponents out of range are refused.
func TestLpqIsOthers(t *testing.T) {
	m, x := on(t, "go", graph.Double), normal(random(5), 20, 3)
	for _, c := range []struct{ a, b Kernel }{{Lpq{}, Laplace{}}, {Lpq{3, 1, 1}, L1{3}},
		{Lpq{3, 1.5, 1.5}, Product{3, 1.5}}, {Lpq{3, 2, 1.2}, Exponential{3, 1.2}}, {Lpq{3, 2, 2}, Gaussian{3 / math.Sqrt2}}} {
		if d := far(values(t, m, c.a, x), values(t, m, c.b, x)); d > 1e-12 {
			t.Errorf("%#v and %#v differ by %v", c.a, c.b, d)
		}
		if a, b := symmetry(c.a), symmetry(c.b); a != b {
			t.Errorf("%v has the symmetries %v, %v has %v", c.a, a, c.b, b)
		}
	}
	for _, k := range []Kernel{Lpq{1, 1, 1.1}, Lpq{1, 2.1, 1}, Lpq{1, -1, -1}, Lpq{1, 1, math.NaN()}, Lpq{-1, 1, 1}} {
		if k.check() == nil {
			t.Errorf("%#v is taken", k)
		}
	}
	for _, bad := range []string{"lpq:1:2", "lpq:1.5:1:1", "lpq:1.5:", "lpq:0:1", "lpq:1:0", "product:1:1", "laplace:1:1"} {
		if k, err := ParseKernel(bad, 1); err == nil {
			t.Errorf("%q is taken for %v", bad, k)
		}
	}
}

func symmetry(k Kernel) [2]bool {
	rotations, shifts := k.symmetries()
	return [2]bool{rotations, shifts}
}
