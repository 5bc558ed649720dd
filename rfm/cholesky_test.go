package rfm

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/graph/backend/gpu/gputest"
	"gonum.org/v1/gonum/mat"
)

// TestPseudoInverse checks that where K is singular the coefficients are those of least norm, the fit is the least
// squares fit, and the solution has a note.
func TestPseudoInverse(t *testing.T) {
	x, y := twoDirections(1, 30, 4)
	for i := range 6 { // the same point with another target
		x.SetRow(20+i, x.RawRowView(i))
	}
	for _, name := range gputest.Backends(t) {
		for _, p := range []graph.Precision{graph.Single, graph.Double} {
			var it *Iteration
			m := fitOf(t, Machine{Select: Last, Precision: p, Backend: name,
				Each: func(i *Iteration) error { it = i; return nil }}, x, y)
			if it.Solution.Method != "pseudo-inverse" || it.Solution.Rank != 24 || it.Solution.Note == "" {
				t.Errorf("%s: solved by %+v, want the pseudo-inverse of rank 24", name, it.Solution)
			}
			f, err := m.Predict(context.Background(), x)
			if err != nil {
				t.Fatal(err)
			}
			for i := range 20 {
				for k := range 2 {
					want := y.At(i, k)
					if i < 6 { // the mean of the two targets
						want = (y.At(i, k) + y.At(20+i, k)) / 2
					}
					if math.Abs(f.At(i, k)-want) > 1e-3 {
						t.Errorf("%s: f(x%d) = %v, want %v", name, i, f.At(i, k), want)
					}
				}
			}
			for i := range 6 { // the solution of least norm gives equal points equal coefficients
				a, b := m.Coefficients().At(i, 0), m.Coefficients().At(20+i, 0)
				if math.Abs(a-b) > 1e-2*(1+math.Abs(a)) {
					t.Errorf("%s: coefficients of one point are %v and %v", name, a, b)
				}
			}
		}
	}
}

// TestFittedIsThePrediction checks that the scores on the training examples are those of the model's predictions for
// them.
func TestFittedIsThePrediction(t *testing.T) {
	x, y := twoDirections(2, 50, 4)
	for _, ridge := range []float64{0, 1e-3, 1} {
		for _, duplicates := range []int{0, 5} {
			x := mat.DenseCopyOf(x)
			for i := range duplicates {
				x.SetRow(40+i, x.RawRowView(i))
			}
			var it *Iteration
			m := fitOf(t, Machine{Select: Last, Ridge: ridge, Iterations: 1,
				Each: func(i *Iteration) error { it = i; return nil }}, x, y)
			s, err := m.Score(context.Background(), x, y)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(s.MSE-it.Train.MSE) > 1e-4*(1e-2+s.MSE) {
				t.Errorf("ridge %v, %d duplicates: training error %v, predicted again %v",
					ridge, duplicates, it.Train.MSE, s.MSE)
			}
		}
	}
}

// TestGramInTiles checks the elements of a kernel matrix that consists of several tiles.
func TestGramInTiles(t *testing.T) {
	m := on(t, "go", graph.Double)
	x := normal(random(3), 2048+37, 3)
	n, _ := x.Dims()
	k, err := m.gram(context.Background(), Laplace{3}, x)
	if err != nil {
		t.Fatal(err)
	}
	rng := random(4)
	for range 2000 {
		i, j := rng.IntN(n), rng.IntN(n)
		want := math.Exp(-separation(x.RawRowView(i), x.RawRowView(j)) / 3)
		if got := k.At(i, j); math.Abs(got-want) > 1e-12 {
			t.Fatalf("K(%d, %d) = %v, want %v", i, j, got, want)
		}
	}
}

// TestLens checks that WᵀW = M. Where rotations do not matter, W has as many rows as the rank of M, else it is the
// symmetric root.
func TestLens(t *testing.T) {
	rng := random(5)
	full := covariance(rng, 6)
	low := mat.NewSymDense(6, nil)
	low.SymOuterK(1, normal(rng, 6, 2))
	for _, c := range []struct {
		m    *Metric
		rank int
	}{{FullMetric(full), 6}, {FullMetric(low), 2}, {DiagonalMetric([]float64{1, 0, 4, 2, 3, 5}), 6},
		{FullMetric(mat.NewSymDense(6, nil)), 1}} {
		for _, rotates := range []bool{true, false} {
			l, err := c.m.lens(rotates)
			if err != nil {
				t.Fatal(err)
			}
			w := l.full
			if w == nil {
				w = mat.DenseCopyOf(mat.NewDiagDense(6, l.diag))
			}
			if r, _ := w.Dims(); rotates && r != c.rank {
				t.Errorf("a metric of rank %d has a lens of %d rows", c.rank, r)
			}
			if !rotates && far(w, w.T()) > 1e-12 {
				t.Error("the root is not symmetric")
			}
			var m mat.Dense
			m.Mul(w.T(), w)
			if e := far(&m, c.m.Dense()); e > 1e-8 && c.m.Trace() > 0 {
				t.Errorf("WᵀW is off by %v", e)
			}
		}
	}
	bad := mat.NewSymDense(2, []float64{1, math.NaN(), 0, 1})
	if _, err := FullMetric(bad).lens(true); !errors.Is(err, backend.ErrEigen) {
		t.Errorf("the lens of a metric with a NaN: %v", err)
	}
}

// TestUnequalDiagonal checks that with a kernel that grows with the norms, one long example does not make the matrix of
// the others look singular.
func TestUnequalDiagonal(t *testing.T) {
	x, y := twoDirections(6, 51, 3)
	x.SetRow(50, []float64{3000, 3000, 0})
	var it *Iteration
	fitOf(t, Machine{Kernel: NTK{1}, Ridge: 1e-2, Select: Last, Each: func(i *Iteration) error { it = i; return nil }},
		x, y)
	if it.Solution.Method != "cholesky" || it.Train.R2 < .98 {
		t.Errorf("solved by %+v, training R² %v", it.Solution, it.Train.R2)
	}
}

// TestZeroKernel checks that predictions are 0 and not NaN where the kernel is 0.
func TestZeroKernel(t *testing.T) {
	x, y := mat.NewDense(5, 2, nil), mat.NewDense(5, 1, []float64{1, 2, 3, 4, 5})
	m := fitOf(t, Machine{Kernel: NTK{2}, Select: Last, Iterations: 1}, x, y)
	f, err := m.Predict(context.Background(), x)
	if err != nil || mat.Norm(f, 2) != 0 {
		t.Errorf("predictions %v (%v), want zeros", mat.Formatted(f), err)
	}
}

// TestOverflowIsRefused checks that examples whose distances overflow float32 are refused, and do not count as equal.
func TestOverflowIsRefused(t *testing.T) {
	x, y := mat.NewDense(3, 2, []float64{1e20, 0, -3e20, 1, 0, 1}), mat.NewDense(3, 1, []float64{1, 2, 3})
	for _, k := range []Kernel{Laplace{}, Gaussian{}, Exponential{Gamma: 1.3}, HomogeneousExponential{}, NTK{1}} {
		for _, name := range gputest.Backends(t) {
			if _, err := (&Machine{Kernel: k, Select: Last, Backend: name}).Fit(context.Background(), x,
				y); err == nil {
				t.Errorf("%s: the %v kernel takes rows of 1e20", name, k)
			}
		}
	}
}
