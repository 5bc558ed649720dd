package rfm

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/optim"
	"github.com/ansatz-lab/ansatz/rfm/tensors"
	"gonum.org/v1/gonum/mat"
)

// A saved network predicts what the fitted network does, although M is saved and not W.
func TestHyperBFSaved(t *testing.T) {
	x, y := hyperTask(60)
	for _, diagonal := range []bool{false, true} {
		m, _ := fitHyper(t, HyperBF{
			Machine: Machine{Kernel: Laplace{2}, Ridge: .1, Iterations: 2, Diagonal: diagonal, Precision: graph.Double},
			Update:  ByDescentWithCentres, Centres: 20, Optimiser: optim.Adam{LR: .05},
		}, x, y)
		dir := t.TempDir()
		if err := m.Save(dir, nil); err != nil {
			t.Fatal(err)
		}
		loaded, _, err := LoadModel(dir)
		if err != nil {
			t.Fatal(err)
		}
		want, err := m.Predict(context.Background(), x)
		if err != nil {
			t.Fatal(err)
		}
		got, err := loaded.Predict(context.Background(), x)
		if err != nil {
			t.Fatal(err)
		}
		sameMatrix(t, "predictions", got, want, 1e-9)
		if m.Metric().IsDiagonal() != diagonal {
			t.Error("the metric is of the wrong kind")
		}
	}
}

// fixedAxes is a kernel that is not invariant under rotations.
type fixedAxes struct{ Gaussian }

func (fixedAxes) symmetries() (rotations, shifts bool) { return false, true }

func TestHyperBFBadInput(t *testing.T) {
	x, y := hyperTask(20)
	for want, h := range map[string]HyperBF{
		"not a function of WᵀW": {Update: ByDescent, Machine: Machine{Kernel: fixedAxes{}}},
		"no way to learn M":     {Update: 7},
		"neither solved":        {Coefficients: 2},
		"-1 centres":            {Centres: -1},
		"-1 gradient steps":     {Steps: -1},
		"gradient of -1":        {Batch: -1},
		"takes no steps":        {Coefficients: Descended},
		"there are 20 training": {Centres: 21},
		"of 21 examples":        {Batch: 21, Update: ByDescent},
		"learning rate":         {Optimiser: optim.SGD{}, Update: ByDescent},
		"give a larger ridge":   {Update: ByDescent, Machine: Machine{Iterations: 1}},
		"metric of 3 features":  {Machine: Machine{Metric: Identity(3)}},
		"a ridge of -1":         {Machine: Machine{Ridge: -1}},
		"holds values that are": {Update: ByDescent,
			Machine: Machine{Metric: DiagonalMetric([]float64{1, 1, math.NaN(), 1, 1})}},
		"diverged: the loss": {Update: ByDescent, Coefficients: Descended, Optimiser: optim.SGD{LR: 1e30},
			Machine: Machine{Ridge: 1, Iterations: 2}},
		"room for 0 KiB": {Update: ByDescent, Machine: Machine{Memory: 1}},
		"fit of 20 examples by g": {Update: ByDescent,
			Machine: Machine{Memory: 16*20*7 + 64<<20 + 64*5 + 8*20*24 + 100}},
	} {
		h.Select = Last
		if h.Kernel == nil {
			h.Kernel = Gaussian{2}
		}
		if _, err := h.Fit(context.Background(), x, y); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	var diverged *DivergedError
	h := HyperBF{Update: ByDescent, Coefficients: Descended, Optimiser: optim.SGD{LR: 1e30},
		Machine: Machine{Ridge: 1, Iterations: 2, Select: Last}}
	if _, err := h.Fit(context.Background(), x, y); !errors.As(err, &diverged) || diverged.Step < 2 {
		t.Errorf("error %v", err)
	}
	stop := errors.New("enough")
	h = HyperBF{Update: ByDescent, Stepped: func(int, float64) error { return stop },
		Machine: Machine{Ridge: 1, Iterations: 1}}
	if _, err := h.Fit(context.Background(), x, y); !errors.Is(err, stop) {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	h.Stepped = func(int, float64) error { cancel(); return nil }
	if _, err := h.Fit(ctx, x, y); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestParseUpdate(t *testing.T) {
	for _, u := range []Update{ByAGOP, ByDescent, ByDescentWithCentres} {
		if got, err := ParseUpdate(u.String()); err != nil || got != u {
			t.Errorf("%v becomes %v, %v", u, got, err)
		}
	}
	if _, err := ParseUpdate("newton"); err == nil {
		t.Error("newton is taken")
	}
}

// BenchmarkHyperBFStep times a gradient step for n = k = 2000 and d = 784: 24 GFLOP for W alone, 31 with the centres.
func BenchmarkHyperBFStep(b *testing.B) {
	x := normal(rand.New(rand.NewPCG(1, 1)), 2000, 784)
	y := normal(rand.New(rand.NewPCG(2, 2)), 2000, 10)
	for _, u := range []Update{ByDescent, ByDescentWithCentres} {
		b.Run(u.String(), func(b *testing.B) {
			h := HyperBF{Machine: Machine{Kernel: Laplace{10}, Select: Last}, Update: u}
			f, err := h.newFit(x, y)
			if err != nil {
				b.Fatal(err)
			}
			defer f.close()
			tensors.Put(f.descent.Graph, f.descent.unit, mat.NewDense(1, 1, []float64{1}))
			for b.Loop() {
				if err := f.descent.step(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(f.descent.program.Bytes())/1e6, "MB")
		})
	}
}
