package rfm

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend/gpu/gputest"
	"gonum.org/v1/gonum/mat"
)

// problemOf returns n points of d features and two smooth targets, the first with noise.
func problemOf(n, d int, seed uint64) (x, y *mat.Dense) {
	rng := rand.New(rand.NewPCG(seed, 1))
	x, y = mat.NewDense(n, d, nil), mat.NewDense(n, 2, nil)
	for i := range n {
		row := x.RawRowView(i)
		for j := range row {
			row[j] = rng.NormFloat64()
		}
		y.SetRow(i, []float64{row[0]*row[1] + .1*rng.NormFloat64(), 5 + math.Sin(2*row[d-1])})
	}
	return x, y
}

// predictions fits a machine and returns its predictions and its [Solution].
func predictions(t *testing.T, m Machine, x, y, at *mat.Dense) (*mat.Dense, Solution) {
	t.Helper()
	var s Solution
	m.Select = Last
	m.Each = func(it *Iteration) error { s = it.Solution; return nil }
	model, err := m.Fit(context.Background(), x, y)
	if err != nil {
		t.Fatal(err)
	}
	f, err := model.Predict(context.Background(), at)
	if err != nil {
		t.Fatal(err)
	}
	return f, s
}

// apart returns ‖a − b‖/‖b‖, infinite where that is NaN.
func apart(a, b *mat.Dense) float64 {
	var d mat.Dense
	d.Sub(a, b)
	return orInfinite(mat.Norm(&d, 2) / mat.Norm(b, 2))
}

func TestEigenProPredictsAsCholesky(t *testing.T) {
	x, y := problemOf(400, 5, 1)
	at, _ := problemOf(60, 5, 2)
	for _, kernel := range []Kernel{Laplace{3}, Gaussian{2}, NTK{2}} {
		for _, ridge := range []float64{1e-3, 1e-1} {
			for _, b := range gputest.Backends(t) {
				for _, precision := range []graph.Precision{graph.Single, graph.Double} {
					m := Machine{Kernel: kernel, Ridge: ridge, Precision: precision, Backend: b}
					want, _ := predictions(t, m, x, y, at)
					m.Solver = EigenPro{Subsample: 80}
					got, s := predictions(t, m, x, y, at)
					if e := apart(got, want); !(e < 3e-3) || s.Note != "" || s.Residual > DefaultTolerance {
						t.Errorf("%v, ridge %g, %s, %v: predictions are %.2g apart, %+v",
							kernel, ridge, b, precision, e, s)
					}
				}
			}
		}
	}
}

func TestEigenProStochastic(t *testing.T) {
	x, y := problemOf(400, 5, 1)
	at, _ := problemOf(60, 5, 2)
	for kernel, ridge := range map[Kernel]float64{Laplace{3}: .1, Gaussian{1}: .1, NTK{2}: 20} {
		m := Machine{Kernel: kernel, Ridge: ridge}
		want, _ := predictions(t, m, x, y, at)
		m.Solver = EigenPro{Stochastic: true, Subsample: 80, Tolerance: 1e-3, MaxEpochs: 1000}
		got, s := predictions(t, m, x, y, at)
		if e := apart(got, want); !(e < 1e-2) || s.Note != "" {
			t.Errorf("%v: predictions are %.2g apart, %+v", kernel, e, s)
		}
	}
}

// TestEigenProByFormula compares EigenPro with gonum's solution for a kernel matrix from the kernel's formula.
func TestEigenProByFormula(t *testing.T) {
	const n, ridge, bandwidth = 300, .01, 2.
	x, y := problemOf(n, 4, 3)
	at, _ := problemOf(40, 4, 4)
	laplace := func(u, v []float64) float64 { return math.Exp(-math.Sqrt(distance2(u, v)) / bandwidth) }
	k, across := mat.NewSymDense(n, nil), mat.NewDense(40, n, nil)
	for j := range n {
		for i := range j {
			k.SetSym(i, j, laplace(x.RawRowView(i), x.RawRowView(j)))
		}
		k.SetSym(j, j, 1+ridge)
		for i := range 40 {
			across.Set(i, j, laplace(at.RawRowView(i), x.RawRowView(j)))
		}
	}
	var c mat.Cholesky
	if !c.Factorize(k) {
		t.Fatal("not positive definite")
	}
	var alpha, want mat.Dense
	if err := c.SolveTo(&alpha, y); err != nil {
		t.Fatal(err)
	}
	want.Mul(across, &alpha)
	for _, e := range []EigenPro{{Subsample: 60, Tolerance: 1e-11},
		{Subsample: 60, Tolerance: 1e-8, Stochastic: true, MaxEpochs: 5000}} {
		got, s := predictions(t, Machine{Kernel: Laplace{bandwidth}, Ridge: ridge, Precision: graph.Double, Solver: e},
			x, y, at)
		if d := apart(got, &want); !(d < 1e3*e.Tolerance) || s.Note != "" {
			t.Errorf("%#v: predictions are %.2g apart, %+v", e, d, s)
		}
	}
}

func distance2(u, v []float64) float64 {
	s := 0.
	for k := range u {
		s += (u[k] - v[k]) * (u[k] - v[k])
	}
	return s
}

func TestEigenProIsAFunctionOfTheSeed(t *testing.T) {
	x, y := problemOf(300, 4, 5)
	for _, e := range []EigenPro{{Subsample: 50}, {Subsample: 50, Stochastic: true, MaxEpochs: 5}} {
		m := Machine{Kernel: Laplace{2}, Ridge: .01, Solver: e, Seed: 7}
		a, _ := predictions(t, m, x, y, x)
		b, _ := predictions(t, m, x, y, x)
		if !mat.Equal(a, b) {
			t.Errorf("%+v: the same seed gives other predictions", e)
		}
		m.Seed = 8
		if b, _ = predictions(t, m, x, y, x); mat.Equal(a, b) {
			t.Errorf("%+v: another seed changes nothing", e)
		}
	}
}
