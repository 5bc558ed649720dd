package rfm

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"gonum.org/v1/gonum/mat"
)

// on opens a backend for a test.
func on(t testing.TB, name string, p graph.Precision) machinery {
	t.Helper()
	d, err := backend.Open(backend.Options{Backend: name, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return machinery{device: d, precision: p}
}

// normal returns a random matrix with elements from N(0, 1).
func normal(rng *rand.Rand, n, d int) *mat.Dense {
	m := mat.NewDense(n, d, nil)
	m.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, m)
	return m
}

// covariance returns a random positive definite matrix.
func covariance(rng *rand.Rand, d int) *mat.SymDense {
	a := normal(rng, d+3, d)
	s := mat.NewSymDense(d, nil)
	s.SymOuterK(1/float64(d), a.T())
	return s
}

func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 77)) }

// far returns ‖a − b‖/‖b‖, in the Frobenius norm, infinite where that is NaN.
func far(a, b mat.Matrix) float64 {
	var diff mat.Dense
	diff.Sub(a, b)
	return orInfinite(mat.Norm(&diff, 2) / max(mat.Norm(b, 2), 1e-300))
}

// orInfinite returns x, or +Inf in place of NaN, which no bound would exclude.
func orInfinite(x float64) float64 {
	if math.IsNaN(x) {
		return math.Inf(1)
	}
	return x
}
