package rfm

import (
	"context"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend/gpu/gputest"
	"github.com/ansatz-lab/ansatz/rfm/crew"
	"gonum.org/v1/gonum/mat"
)

// pairsCase returns a model with random coefficients for n centres, with the given number of outputs, in a metric.
func pairsCase(t *testing.T, on machinery, k Kernel, metric *Metric, n, outputs int) *Model {
	t.Helper()
	d := metric.Dim()
	x, alpha := normal(random(uint64(n)), n, d), normal(random(uint64(outputs)), n, outputs)
	x.SetRow(1, x.RawRowView(0)) // a point that occurs twice
	l, err := metric.lensFor(k, x)
	if err != nil {
		t.Fatal(err)
	}
	points, err := on.transform(context.Background(), l, x)
	if err != nil {
		t.Fatal(err)
	}
	return &Model{kernel: k, metric: metric, centres: x, alpha: alpha, lens: l, points: points, precision: on.precision}
}

// bothWays returns the AGOP of a model over its centres, computed by pairs of centres and by a pass for every output.
func bothWays(t *testing.T, on machinery, m *Model, diagonal bool) (pairs, passes *Metric) {
	t.Helper()
	p, err := m.predictor(on, m.centres)
	if err != nil {
		t.Fatal(err)
	}
	if passes, err = p.agop(context.Background(), m.centres, false, diagonal); err != nil {
		t.Fatal(err)
	}
	if pairs, err = m.agopOfPairs(context.Background(), on, diagonal); err != nil || pairs == nil {
		t.Fatalf("%v: no AGOP by pairs: %v", m.kernel, err)
	}
	return pairs, passes
}

// The AGOP by pairs of centres equals the AGOP by passes, one for every output: for one tile and for several of which
// the last is cut off, for one output and for several, and for every kind of metric, of low rank too.
func TestAGOPByPairs(t *testing.T) {
	const d = 7
	low := mat.NewSymDense(d, nil)
	low.SymOuterK(1, normal(random(5), d, 2))
	diagonal := []float64{2, 0, .5, 1, 3, .1, 1}
	metrics := map[string]*Metric{"I": Identity(d), "full": FullMetric(covariance(random(4), d)), "low rank": FullMetric(low),
		"diagonal": DiagonalMetric(diagonal)}
	for _, name := range gputest.Backends(t) {
		for _, p := range []graph.Precision{graph.Single, graph.Double} {
			tolerance := 1e-10
			if p == graph.Single {
				tolerance = 3e-5 // for distances of near points, in the metric of low rank; measured 1.3e-5 at most
			}
			on, several := on(t, name, p), crewOn(t, name, 3, p)
			for which, metric := range metrics {
				for _, size := range []struct{ n, outputs int }{{3, 1}, {61, 3}, {523, 1}, {1031, 4}} {
					for _, k := range []Kernel{Laplace{3}, Gaussian{2}, Exponential{2, 1.4}} {
						if k != (Laplace{3}) && size.n > 100 || which != "full" && size.outputs == 4 {
							continue // these take long
						}
						if which == "low rank" && size.n > 100 && p == graph.Single {
							continue // rounding destroys the distances of points that are near in the plane, either way
						}
						on.crew = several
						m := pairsCase(t, on, k, metric, size.n, size.outputs)
						for _, diagonal := range []bool{false, true} {
							pairs, passes := bothWays(t, on, m, diagonal)
							if e := far(pairs.Dense(), passes.Dense()); e > tolerance {
								t.Errorf("%s, %d bits, %v, M %s, n = %d, %d outputs, diagonal %v: %.1e off", name, 32+32*int(p), k,
									which, size.n, size.outputs, diagonal, e)
							}
						}
					}
				}
			}
		}
	}
}

// crewOn opens a crew for a test.
func crewOn(t *testing.T, name string, threads int, p graph.Precision) *crew.Crew {
	t.Helper()
	c, err := crew.New(name, threads, p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// The AGOP by pairs agrees with central differences of the predictor at every centre. The kernel is smooth where points
// coincide.
func TestAGOPByPairsAgainstDifferences(t *testing.T) {
	const n, d, outputs, h = 40, 3, 2, 1e-4
	on := on(t, "go", graph.Double)
	m := pairsCase(t, on, Gaussian{1.5}, FullMetric(covariance(random(4), d)), n, outputs)
	want := mat.NewSymDense(d, nil)
	g := make([]*mat.Dense, d)
	for k := range d {
		var at [2]*mat.Dense
		for side, step := range []float64{h, -h} {
			moved := mat.DenseCopyOf(m.centres)
			for i := range n {
				moved.Set(i, k, moved.At(i, k)+step)
			}
			var err error
			if at[side], err = m.predictOn(context.Background(), on, moved); err != nil {
				t.Fatal(err)
			}
		}
		g[k] = mat.NewDense(n, outputs, nil)
		g[k].Sub(at[0], at[1])
		g[k].Scale(1/(2*h), g[k])
	}
	for a := range d {
		for b := a; b < d; b++ {
			var product mat.Dense
			product.MulElem(g[a], g[b])
			want.SetSym(a, b, mat.Sum(&product)/n)
		}
	}
	got, err := m.agopOfPairs(context.Background(), on, false)
	if err != nil {
		t.Fatal(err)
	}
	if e := far(got.Dense(), want); e > 1e-6 {
		t.Errorf("%.1e off from differences", e)
	}
}

// The AGOP by pairs has the same bits for any number of members of the crew and every time.
func TestAGOPByPairsIsDeterministic(t *testing.T) {
	for _, name := range gputest.Backends(t) {
		on := on(t, name, graph.Single)
		on.crew = crewOn(t, name, 1, graph.Single)
		m := pairsCase(t, on, Laplace{3}, Identity(9), 1100, 5)
		first, err := m.agopOfPairs(context.Background(), on, false)
		if err != nil {
			t.Fatal(err)
		}
		on.crew = crewOn(t, name, 3, graph.Single)
		for range 2 {
			again, err := m.agopOfPairs(context.Background(), on, false)
			if err != nil {
				t.Fatal(err)
			}
			if !mat.Equal(first.Dense(), again.Dense()) {
				t.Errorf("%s: another matrix with three members", name)
			}
		}
	}
}

// Where terms of the moment of pairs cancel, the AGOP is computed by passes. In the test the coefficients alternate in
// sign between points that are nearly equal, so that the gradients are small beside their terms.
func TestAGOPByPairsRefusesLoss(t *testing.T) {
	const n, d, outputs = 60, 4, 9
	on := on(t, "go", graph.Single)
	m := pairsCase(t, on, Laplace{3}, Identity(d), n, outputs)
	chosen := func() (pairs, got *Metric) {
		t.Helper()
		pairs, err := m.agopOfPairs(context.Background(), on, false)
		if err == nil {
			got, err = m.agop(context.Background(), on, m.centres, false, false)
		}
		if err != nil {
			t.Fatal(err)
		}
		return pairs, got
	}
	if pairs, got := chosen(); pairs == nil || !mat.Equal(pairs.Dense(), got.Dense()) {
		t.Error("where nothing cancels, the AGOP is not that by pairs")
	}
	for i := 0; i < n; i += 2 {
		for k := range d {
			m.centres.Set(i+1, k, m.centres.At(i, k)+1e-3)
		}
		for k := range outputs {
			m.alpha.Set(i+1, k, -m.alpha.At(i, k))
		}
	}
	m.points = m.lens.centre(m.centres)
	pairs, got := chosen()
	p, err := m.predictor(on, m.centres)
	if err != nil {
		t.Fatal(err)
	}
	passes, err := p.agop(context.Background(), m.centres, false, false)
	if err != nil {
		t.Fatal(err)
	}
	if pairs != nil || !mat.Equal(got.Dense(), passes.Dense()) {
		t.Errorf("where terms cancel, the AGOP by pairs is %v, and that of the model %.1e off the passes", pairs,
			far(got.Dense(), passes.Dense()))
	}
}

// The AGOP is computed by pairs where that costs less: for few centres and many outputs.
func TestPairsPay(t *testing.T) {
	for _, c := range []struct {
		n, r, outputs int
		want          bool
	}{{4000, 784, 10, true}, {4000, 784, 1, false}, {500, 784, 1, true}, {20000, 784, 10, false}, {4000, 60, 10, false},
		{20000, 784, 1000, false}} {
		if got := pairsPay(c.n, c.r, c.outputs); got != c.want {
			t.Errorf("n = %d, r = %d, %d outputs: %v, want %v", c.n, c.r, c.outputs, got, c.want)
		}
	}
}
