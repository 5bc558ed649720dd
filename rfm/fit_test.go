package rfm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend/gpu/gputest"
	"gonum.org/v1/gonum/mat"
)

// naive is Algorithm 1 with the Laplace kernel, by its closed forms in float64:
// K = exp(−‖x−z‖_M/L), ∇f(x) = −Σⱼ αⱼ K(x,zⱼ) M(x − zⱼ)/(L‖x−zⱼ‖_M).
type naive struct {
	l, ridge          float64
	centred, diagonal bool
}

func (a naive) kernel(x, z *mat.Dense, m mat.Matrix) (k, dist *mat.Dense) {
	n, d := x.Dims()
	c, _ := z.Dims()
	k, dist = mat.NewDense(n, c, nil), mat.NewDense(n, c, nil)
	for i := range n {
		for j := range c {
			diff := mat.NewVecDense(d, nil)
			diff.SubVec(x.RowView(i), z.RowView(j))
			s := math.Sqrt(mat.Inner(diff, m, diff))
			dist.Set(i, j, s)
			k.Set(i, j, math.Exp(-s/a.l))
		}
	}
	return k, dist
}

func (a naive) solve(x, y *mat.Dense, m mat.Matrix) *mat.Dense {
	k, _ := a.kernel(x, x, m)
	n, _ := x.Dims()
	for i := range n {
		k.Set(i, i, k.At(i, i)+a.ridge)
	}
	var alpha mat.Dense
	if err := alpha.Solve(k, y); err != nil {
		panic(err)
	}
	return &alpha
}

func (a naive) agop(x, alpha *mat.Dense, m mat.Matrix) *mat.SymDense {
	n, d := x.Dims()
	_, outputs := alpha.Dims()
	k, dist := a.kernel(x, x, m)
	sum := mat.NewSymDense(d, nil)
	for c := range outputs {
		g := mat.NewDense(n, d, nil)
		for i := range n {
			row := mat.NewVecDense(d, g.RawRowView(i))
			for j := range n {
				if dist.At(i, j) < 1e-12 {
					continue
				}
				diff := mat.NewVecDense(d, nil)
				diff.SubVec(x.RowView(i), x.RowView(j))
				diff.MulVec(m, diff)
				row.AddScaledVec(row, -alpha.At(j, c)*k.At(i, j)/(a.l*dist.At(i, j)), diff)
			}
		}
		if a.centred {
			for j := range d {
				mean := mat.Sum(g.ColView(j)) / float64(n)
				for i := range n {
					g.Set(i, j, g.At(i, j)-mean)
				}
			}
		}
		sum.SymRankK(sum, 1/float64(n), g.T())
	}
	if a.diagonal {
		for i := range d {
			for j := i + 1; j < d; j++ {
				sum.SetSym(i, j, 0)
			}
		}
	}
	return sum
}

// twoDirections returns a regression with two outputs that depend on two directions.
func twoDirections(seed uint64, n, d int) (x, y *mat.Dense) {
	x = normal(random(seed), n, d)
	y = mat.NewDense(n, 2, nil)
	for i := range n {
		y.Set(i, 0, x.At(i, 0)*x.At(i, 1))
		y.Set(i, 1, math.Tanh(x.At(i, 0)))
	}
	return x, y
}

// TestAgainstTheClosedForm compares the metric and the predictions of every iteration with the naive algorithm.
func TestAgainstTheClosedForm(t *testing.T) {
	x, y := twoDirections(1, 60, 5)
	tx, _ := twoDirections(2, 17, 5)
	for _, o := range []struct{ centred, diagonal bool }{{false, false}, {true, false}, {false, true}, {true, true}} {
		for _, name := range gputest.Backends(t) {
			for _, p := range []graph.Precision{graph.Single, graph.Double} {
				t.Run(fmt.Sprintf("%+v/%s/%d bits", o, name, 32+32*int(p)), func(t *testing.T) {
					a := naive{l: 3, ridge: 1e-2, centred: o.centred, diagonal: o.diagonal}
					tolerance := 1e-9
					if p == graph.Single {
						tolerance = 2e-3
					}
					var m mat.Matrix = mat.NewDiagDense(5, []float64{1, 1, 1, 1, 1})
					machine := Machine{
						Kernel: Laplace{3}, Ridge: 1e-2, Iterations: 3, Select: Last, CentreGradients: o.centred,
						Diagonal:  o.diagonal,
						Precision: p, Backend: name, Threads: 2,
					}
					machine.Each = func(it *Iteration) error {
						alpha := a.solve(x, y, m)
						if e := far(it.Metric.Dense(), m); e > tolerance {
							t.Errorf("iteration %d: M is off by %v", it.Index, e)
						}
						got, err := it.Model().Predict(context.Background(), tx)
						if err != nil {
							return err
						}
						k, _ := a.kernel(tx, x, m)
						var want mat.Dense
						want.Mul(k, alpha)
						if e := far(got, &want); e > tolerance {
							t.Errorf("iteration %d: predictions are off by %v", it.Index, e)
						}
						m = a.agop(x, alpha, m)
						return nil
					}
					if _, err := machine.Fit(context.Background(), x, y); err != nil {
						t.Fatal(err)
					}
				})
			}
		}
	}
}

// TestEveryKernelLearns checks for every kernel that M is the AGOP of the previous predictor by central differences.
func TestEveryKernelLearns(t *testing.T) {
	const d, h = 3, 1e-4
	x, y := twoDirections(3, 25, d)
	for _, c := range kernelCases() {
		var before *Model
		m := Machine{Kernel: c.kernel, Ridge: .1, Iterations: 2, Select: Last, Precision: graph.Double,
			Each: func(it *Iteration) error {
				if before != nil {
					want := mat.NewSymDense(d, nil)
					n, _ := x.Dims()
					for out := range 2 {
						g := mat.NewDense(n, d, nil)
						for k := range d {
							up, down := mat.DenseCopyOf(x), mat.DenseCopyOf(x)
							for i := range n {
								up.Set(i, k, x.At(i, k)+h)
								down.Set(i, k, x.At(i, k)-h)
							}
							fu, err := before.Predict(context.Background(), up)
							if err != nil {
								return err
							}
							fd, err := before.Predict(context.Background(), down)
							if err != nil {
								return err
							}
							for i := range n {
								g.Set(i, k, (fu.At(i, out)-fd.At(i, out))/(2*h))
							}
						}
						want.SymRankK(want, 1/float64(n), g.T())
					}
					// At a centre the kernel has a cusp, which gives the differences a small error.
					if e := far(it.Metric.Dense(), want); e > 5e-3 {
						t.Errorf("%v, iteration %d: M is off by %v", c.kernel, it.Index, e)
					}
				}
				before = it.Model()
				return nil
			}}
		if _, err := m.Fit(context.Background(), x, y); err != nil {
			t.Errorf("%v: %v", c.kernel, err)
		}
	}
}

func TestScalesOfTheMetric(t *testing.T) {
	x, y := twoDirections(4, 40, 4)
	plain := fitOf(t, Machine{Iterations: 1, Select: Last, Ridge: 1e-3}, x, y).Metric()
	for _, s := range []Scale{ScaleMax, ScaleTrace} {
		by := plain.largest()
		if s == ScaleTrace {
			by = plain.Trace() / 4
		}
		got := fitOf(t, Machine{Iterations: 1, Select: Last, Ridge: 1e-3, Scale: s}, x, y).Metric()
		var want mat.SymDense
		want.ScaleSym(1/by, plain.Dense())
		if e := far(got.Dense(), &want); e > 1e-12 {
			t.Errorf("scale %v: M is off by %v", s, e)
		}
	}
}

func fitOf(t testing.TB, m Machine, x, y *mat.Dense) *Model {
	t.Helper()
	model, err := m.Fit(context.Background(), x, y)
	if err != nil {
		t.Fatal(err)
	}
	return model
}

// TestBestIsTheBestOnValidation checks that the model is that of the iteration with the smallest validation error.
func TestBestIsTheBestOnValidation(t *testing.T) {
	notLast := 0
	for seed := range uint64(6) {
		x, y := twoDirections(seed, 80, 6)
		vx, vy := twoDirections(seed+100, 10, 6)
		best, metric, index := math.Inf(1), (*Metric)(nil), 0
		m := Machine{Iterations: 6, Ridge: 1e-3, Validation: &Examples{vx, vy}, Each: func(it *Iteration) error {
			s, err := it.Model().Score(context.Background(), vx, vy)
			if err != nil {
				return err
			}
			if math.Abs(s.MSE-it.Validation.MSE) > 1e-9 {
				t.Errorf("iteration %d: validation error %v, scored again %v", it.Index, it.Validation.MSE, s.MSE)
			}
			if s.MSE < best {
				best, metric, index = s.MSE, it.Metric, it.Index
			}
			return nil
		}}
		if got := fitOf(t, m, x, y); got.Metric() != metric {
			t.Errorf("seed %d: the model is not that of iteration %d", seed, index)
		}
		if index != m.Iterations {
			notLast++
		}
	}
	if notLast == 0 {
		t.Error("the last iteration is always the best, which tests nothing")
	}
}

// TestHoldoutIsNotTrainedOn checks that the centres are the examples that are not held out, in their order.
func TestHoldoutIsNotTrainedOn(t *testing.T) {
	x, y := twoDirections(7, 50, 3)
	c := fitOf(t, Machine{Holdout: .3}, x, y).Centres()
	if n, _ := c.Dims(); n != 35 {
		t.Fatalf("%d centres of 50 examples with 15 held out", n)
	}
	at := 0
	for i := range 50 { // they keep their order
		if n, _ := c.Dims(); at < n && mat.Equal(c.RowView(at), x.RowView(i)) {
			at++
		}
	}
	if at != 35 {
		t.Errorf("%d of 35 centres are training examples in their order", at)
	}
}

func TestSameSeedSameModel(t *testing.T) {
	x, y := twoDirections(8, 300, 5)
	for _, name := range gputest.Backends(t) {
		m := Machine{Iterations: 2, Ridge: 1e-3, Sample: 100, Seed: 3, Backend: name, Threads: 2}
		a, b := fitOf(t, m, x, y), fitOf(t, m, x, y)
		if !mat.Equal(a.Coefficients(), b.Coefficients()) || !mat.Equal(a.Metric().Dense(), b.Metric().Dense()) {
			t.Errorf("%s: two fits with one seed differ", name)
		}
		m.Seed = 4
		if c := fitOf(t, m, x, y); mat.Equal(a.Metric().Dense(), c.Metric().Dense()) {
			t.Errorf("%s: the seed of the sample does not matter", name)
		}
	}
}

func TestPermutingExamplesChangesNothing(t *testing.T) {
	x, y := twoDirections(9, 70, 4)
	px, py := mat.NewDense(70, 4, nil), mat.NewDense(70, 2, nil)
	for i, j := range random(1).Perm(70) {
		px.SetRow(i, x.RawRowView(j))
		py.SetRow(i, y.RawRowView(j))
	}
	m := Machine{Iterations: 2, Ridge: 1e-2, Select: Last, Precision: graph.Double}
	if e := far(fitOf(t, m, px, py).Metric().Dense(), fitOf(t, m, x, y).Metric().Dense()); e > 1e-9 {
		t.Errorf("M is off by %v", e)
	}
}

func TestFitRefuses(t *testing.T) {
	x, y := twoDirections(10, 10, 3)
	with := func(i, j int, v float64) *mat.Dense { c := mat.DenseCopyOf(x); c.Set(i, j, v); return c }
	for name, c := range map[string]struct {
		m    Machine
		x, y *mat.Dense
	}{
		"nothing":                               {Machine{}, nil, nil},
		"targets of other rows":                 {Machine{}, x, mat.NewDense(4, 1, nil)},
		"a missing value":                       {Machine{}, with(2, 1, math.NaN()), y},
		"an infinite value":                     {Machine{}, with(2, 1, math.Inf(1)), y},
		"a negative ridge":                      {Machine{Ridge: -1}, x, y},
		"a ridge that is no number":             {Machine{Ridge: math.NaN()}, x, y},
		"negative iterations":                   {Machine{Iterations: -1}, x, y},
		"a negative sample":                     {Machine{Sample: -1}, x, y},
		"a holdout of all":                      {Machine{Holdout: 1}, x, y},
		"a metric of other size":                {Machine{Metric: Identity(4)}, x, y},
		"a negative metric":                     {Machine{Metric: DiagonalMetric([]float64{1, -1, 1})}, x, y},
		"one class":                             {Machine{Task: Classification}, x, mat.NewDense(10, 1, nil)},
		"a kernel out of range":                 {Machine{Kernel: NTK{}}, x, y},
		"n = 1 with a holdout":                  {Machine{}, mat.NewDense(1, 3, []float64{1, 2, 3}), mat.NewDense(1, 1, nil)},
		"too large for memory":                  {Machine{Memory: 1000}, x, y},
		"validation examples of other features": {Machine{Validation: &Examples{mat.NewDense(10, 6, nil), y}}, x, y},
	} {
		if _, err := c.m.Fit(context.Background(), c.x, c.y); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	var memory *MemoryError
	if _, err := (&Machine{Memory: 1000}).Fit(context.Background(), x, y); !errors.As(err, &memory) ||
		memory.Need <= memory.Limit {
		t.Errorf("too large for memory: %v", err)
	}
	// With many features M does not fit in memory, but its diagonal does. The error reports that.
	wide := Machine{Iterations: 1, Diagonal: true}
	wide.Memory, wide.Diagonal = wide.Bytes(10, 2000, 1), false
	_, err := wide.Fit(context.Background(), mat.NewDense(10, 2000, nil), mat.NewDense(10, 1, nil))
	if !errors.As(err, &memory) || !memory.FitsDiagonal() {
		t.Errorf("many features: %v", err)
	}
}

// TestOddExamples checks that unusual examples and targets can be fitted.
func TestOddExamples(t *testing.T) {
	ctx := context.Background()
	one := mat.NewDense(1, 3, []float64{1, 2, 3})
	m := Machine{Select: Last, Iterations: 2, Ridge: 1e-3}
	f, err := fitOf(t, m, one, mat.NewDense(1, 1, []float64{5})).Predict(ctx, one)
	if err != nil || math.Abs(f.At(0, 0)-5/1.001) > 1e-6 {
		t.Errorf("n = 1: f is %v (%v), want 5/1.001", f, err)
	}

	wide, y := twoDirections(11, 6, 40) // d > n
	if f, err = fitOf(t, m, wide, y).Predict(ctx, wide); err != nil || far(f, y) > .05 {
		t.Errorf("d > n: fits to %v (%v)", far(f, y), err)
	}

	x, y := twoDirections(12, 30, 4)
	for i := range 30 { // a constant feature
		x.Set(i, 2, 7)
	}
	model := fitOf(t, m, x, y)
	if v := model.Metric().Diagonal()[2]; v > 1e-9*model.Metric().Trace() {
		t.Errorf("a constant column has %v on the diagonal of M", v)
	}

	for i := range 30 { // constant targets
		y.Set(i, 0, 1)
		y.Set(i, 1, 0)
	}
	if _, err := (&Machine{Select: Last, Iterations: 3, Ridge: 1e-3, Task: Classification}).Fit(ctx, x, y); err != nil {
		t.Errorf("one class among two: %v", err)
	}
	same := mat.NewDense(30, 4, nil) // examples that are all equal
	if _, err := (&Machine{Select: Last, Iterations: 2}).Fit(ctx, same, y); err != nil {
		t.Errorf("examples that are all equal: %v", err)
	}
}

// TestStopsWhenTheContextEnds checks that a cancelled fit returns the context's error.
func TestStopsWhenTheContextEnds(t *testing.T) {
	x, y := twoDirections(13, 200, 5)
	ctx, cancel := context.WithCancel(context.Background())
	m := Machine{Iterations: 3, Each: func(*Iteration) error { cancel(); return nil }}
	if _, err := m.Fit(ctx, x, y); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestEachCanEndAFit(t *testing.T) {
	x, y := twoDirections(14, 20, 5)
	stop := errors.New("enough")
	m := Machine{Iterations: 3, Each: func(*Iteration) error { return stop }}
	if _, err := m.Fit(context.Background(), x, y); !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
}

func TestModelRefusesOtherFeatures(t *testing.T) {
	x, y := twoDirections(15, 20, 5)
	m := fitOf(t, Machine{}, x, y)
	if _, err := m.Predict(context.Background(), mat.NewDense(2, 4, nil)); err == nil {
		t.Error("examples of 4 features are accepted by a model of 5")
	}
}

// TestModelAGOP checks that the AGOP of a model is the metric of the next iteration.
func TestModelAGOP(t *testing.T) {
	x, y := twoDirections(16, 40, 4)
	var first *Model
	m := Machine{Iterations: 1, Select: Last, Ridge: 1e-3, Each: func(it *Iteration) error {
		if it.Index == 0 {
			first = it.Model()
		}
		return nil
	}}
	next := fitOf(t, m, x, y).Metric()
	got, err := first.AGOP(context.Background(), x, false)
	if err != nil || far(got.Dense(), next.Dense()) > 1e-9 {
		t.Errorf("off by %v (%v)", far(got.Dense(), next.Dense()), err)
	}
}

// TestCentredDiagonalOfOne checks that a fit accepts the centred gradients of a single example. Their moment is 0, and
// rounding must not make it negative.
func TestCentredDiagonalOfOne(t *testing.T) {
	for seed := range uint64(10) {
		x, y := twoDirections(seed, 30, 4)
		m := Machine{Diagonal: true, CentreGradients: true, Sample: 1, Iterations: 2, Ridge: 1e-3,
			Select: Last, Seed: seed}
		if _, err := m.Fit(context.Background(), x, y); err != nil {
			t.Error(err)
		}
	}
}

func TestR2OfConstantTargets(t *testing.T) {
	s, err := Regression.Score(mat.NewDense(6, 1, []float64{.11, .11, .11, .11, .11, .11}),
		mat.NewDense(6, 1, []float64{.1, .1, .1, .1, .1, .1}))
	if err != nil || !math.IsNaN(s.R2) {
		t.Errorf("R² of constant targets is %v (%v), want none", s.R2, err)
	}
}
