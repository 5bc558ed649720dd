package rfm

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"gonum.org/v1/gonum/mat"
)

// TestEigenProOfFew fits as many examples as the subsample has, fewer, and a few more.
func TestEigenProOfFew(t *testing.T) {
	for _, n := range []int{1, 2, 3, 19, 20, 21, 23} {
		x, y := problemOf(n, 3, 6)
		m := Machine{Ridge: .01, Precision: graph.Double}
		want, _ := predictions(t, m, x, y, x)
		for _, e := range []EigenPro{{}, {Subsample: 20}, {Subsample: 1}, {Memory: 1}} {
			e.Tolerance = 1e-9
			m.Solver = e
			got, s := predictions(t, m, x, y, x)
			if d := apart(got, want); !(d < 1e-7) {
				t.Errorf("%d examples, %+v: predictions are %.2g apart, %+v", n, e, d, s)
			}
		}
	}
}

// TestEigenProWithoutASolution fits, without a ridge, points that occur twice with different targets. The predictions
// are the mean targets, and the solution has a note.
func TestEigenProWithoutASolution(t *testing.T) {
	half, targets := problemOf(150, 4, 9)
	x, y, mean := mat.NewDense(300, 4, nil), mat.NewDense(300, 2, nil), mat.NewDense(300, 2, nil)
	for i := range 300 {
		x.SetRow(i, half.RawRowView(i/2))
		mean.SetRow(i, targets.RawRowView(i/2))
		by := .3
		if i%2 == 1 {
			by = -by
		}
		y.SetRow(i, []float64{targets.At(i/2, 0) + by, targets.At(i/2, 1) - by})
	}
	for _, precision := range []graph.Precision{graph.Single, graph.Double} {
		m := Machine{Kernel: Laplace{2}, Precision: precision, Solver: EigenPro{Subsample: 60}}
		got, s := predictions(t, m, x, y, x)
		if s.Note == "" || !(s.Residual > .01 && s.Residual < .2) {
			t.Errorf("%v: %+v", precision, s)
		}
		if e := apart(got, mean); !(e < .01) {
			t.Errorf("%v: predictions are %.2g from the means of the targets", precision, e)
		}
	}
	m := Machine{Kernel: Laplace{2}, Solver: EigenPro{Subsample: 60, Stochastic: true, MaxEpochs: 300}}
	if _, s := predictions(t, m, x, y, x); s.Note == "" || !(s.Residual > .01 && s.Residual < .5) {
		t.Errorf("stochastic: %+v", s)
	}
}

func TestEigenProOfASmoothKernel(t *testing.T) {
	x, y := problemOf(500, 2, 10)
	m := Machine{Kernel: Gaussian{5}, Solver: EigenPro{Subsample: 50}}
	got, s := predictions(t, m, x, y, x)
	if s.Note == "" || !(s.Residual < .3) || !(apart(got, y) < .3) {
		t.Errorf("%+v, predictions are %.2g from the targets", s, apart(got, y))
	}
}

func TestEigenProOfZeros(t *testing.T) {
	x, y := problemOf(100, 3, 11)
	for i := range 100 {
		y.Set(i, 1, 0)
	}
	for _, e := range []EigenPro{{Subsample: 20}, {Subsample: 20, Stochastic: true, MaxEpochs: 20}} {
		f, s := predictions(t, Machine{Kernel: Laplace{2}, Ridge: .1, Solver: e}, x, y, x)
		for i := range 100 {
			if f.At(i, 1) != 0 || notFinite(f.At(i, 0)) {
				t.Fatalf("%+v: f = %v, %+v", e, f.RawRowView(i), s)
			}
		}
		if _, s = predictions(t, Machine{Solver: e}, x, mat.NewDense(100, 1, nil), x); s.Residual != 0 || s.Note != "" {
			t.Errorf("%+v, no targets but 0: %+v", e, s)
		}
	}
}

func TestEigenProStopsWithTheContext(t *testing.T) {
	x, y := problemOf(3000, 3, 12)
	for _, e := range []EigenPro{{Subsample: 50}, {Subsample: 50, Stochastic: true}} {
		for _, stage := range []string{"kernel", "subspace", "solve"} {
			ctx, cancel := context.WithCancel(context.Background())
			after := 0
			m := Machine{Kernel: Laplace{2}, Ridge: 1e-3, Select: Last, Solver: e, Progress: func(p Progress) {
				if ctx.Err() != nil {
					after++
				}
				if p.Stage == stage {
					cancel()
				}
			}}
			if _, err := m.Fit(ctx, x, y); !errors.Is(err, context.Canceled) || after > 1 {
				t.Errorf("%+v, cancelled in stage %s: %v, and %d reports after that", e, stage, err, after)
			}
		}
	}
}

func TestEigenProRefuses(t *testing.T) {
	x, y := problemOf(100, 3, 13)
	for _, e := range []EigenPro{{Subsample: -1}, {Tolerance: -1}, {Tolerance: 1}, {Tolerance: math.NaN()},
		{MaxEpochs: -1}, {MaxEpochs: 1}, {Memory: -1}} {
		var bad *InputError
		if _, err := (&Machine{Select: Last, Solver: e}).Fit(context.Background(), x, y); !errors.As(err, &bad) {
			t.Errorf("%+v: %v", e, err)
		}
	}
	x.Set(50, 1, 1e30)
	for _, e := range []EigenPro{{Subsample: 20}, {Subsample: 20, Stochastic: true}} {
		var bad *InputError
		m := Machine{Kernel: NTK{1}, Select: Last, Solver: e}
		if _, err := m.Fit(context.Background(), x, y); !errors.As(err, &bad) {
			t.Errorf("%+v of what float32 does not hold: %v", e, err)
		}
	}
	var memory *MemoryError
	m := Machine{Select: Last, Memory: 1e6, Solver: EigenPro{Subsample: 20}}
	if _, err := m.Fit(context.Background(), x, y); !errors.As(err, &memory) {
		t.Errorf("in 1 MB: %v", err)
	}
}

func TestEigenProStopsAfterItsEpochs(t *testing.T) {
	x, y := problemOf(300, 4, 17)
	for epochs := 2; epochs < 6; epochs++ {
		for _, e := range []EigenPro{{Subsample: 30}, {Subsample: 30, Stochastic: true}} {
			e.MaxEpochs, e.Tolerance = epochs, 1e-6
			_, s := predictions(t, Machine{Kernel: Laplace{2}, Ridge: .01, Solver: e}, x, y, x)
			if s.Epochs != epochs || s.Note == "" || !(s.Residual > 0 && s.Residual < 1) {
				t.Errorf("%#v: %+v", e, s)
			}
		}
	}
}

func TestEigenProFitsItsMemory(t *testing.T) {
	for _, n := range []int{3000, 20000, 100000, 1000000} {
		e := EigenPro{}.withDefaults(n)
		if b := int64(eigenBytes * e.Subsample * e.Subsample); b > e.Memory {
			t.Errorf("%d examples: a subsample of %d takes %d bytes", n, e.Subsample, b)
		}
		if b := int64(8 * n * e.directions(n)); b > e.Memory {
			t.Errorf("%d examples: %d directions take %d bytes", n, e.directions(n), b)
		}
	}
	if e := (EigenPro{}).withDefaults(20000); e.Subsample != 2000 || e.directions(20000) != 2000 {
		t.Errorf("20000 examples: %+v", e)
	}
}

// TestEigenProOfOnePoint fits examples that are all equal, so that K consists of ones or of zeros.
func TestEigenProOfOnePoint(t *testing.T) {
	x, y := mat.NewDense(100, 3, nil), mat.NewDense(100, 1, nil)
	for i := range 100 {
		y.Set(i, 0, float64(i%2))
	}
	for _, e := range []EigenPro{{Subsample: 20}, {Subsample: 20, Stochastic: true}} {
		for kernel, want := range map[Kernel]float64{Laplace{}: 50 / 100.1, NTK{1}: 0} {
			f, s := predictions(t, Machine{Kernel: kernel, Ridge: .1, Solver: e}, x, y, x)
			if v := f.At(7, 0); math.Abs(v-want) > .01 {
				t.Errorf("%#v, %v: f = %v, want %v, %+v", e, kernel, v, want, s)
			}
		}
	}
}
