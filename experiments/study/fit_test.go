package study

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// fitExamples draws n rows, whose target is the product of two features.
func fitExamples(n int) rfm.Examples {
	e := rfm.Examples{X: linalg.Gaussian(models.Stream(1, fmt.Sprint("fit ", n)), n, 4, 1), Y: mat.NewDense(n, 1, nil)}
	for i := range n {
		e.Y.Set(i, 0, e.X.At(i, 0)*e.X.At(i, 1))
	}
	return e
}

// fillIn sets only the fields that a machine leaves zero.
func TestFillIn(t *testing.T) {
	in, reported := Setting{Seed: 7, Threads: 3}, ""
	in.Progress = func(stage string, _, _ int) { reported = stage }
	m := in.fillIn("RFM", rfm.Machine{}, rfm.Examples{})
	if m.Progress(rfm.Progress{Stage: "solve"}); m.Seed != 7 || m.Threads != 3 || m.Memory <= 0 ||
		m.Remember != nil || reported != "RFM: solve" {
		t.Errorf("%+v reports %q", m, reported)
	}
	own := rfm.Machine{Seed: 1, Threads: 2, Memory: 5, Progress: func(rfm.Progress) { reported = "its own" }}
	m = in.fillIn("RFM", own, rfm.Examples{})
	if m.Progress(rfm.Progress{}); m.Seed != 1 || m.Threads != 2 || m.Memory != 5 || reported != "its own" {
		t.Errorf("%+v reports %q", m, reported)
	}
	// A fit that needs more memory than the machine may take is refused.
	var memory *rfm.MemoryError
	if _, err := in.Fit(t.Context(), "", rfm.Machine{Memory: 1}, fitExamples(9)); !errors.As(err, &memory) {
		t.Errorf("a fit in one byte: %v", err)
	}
	images := rfm.ImageExamples{X: rfm.Images{Height: 4, Width: 4, Channels: 1, Pixels: make([]float32, 32)},
		Y: mat.NewDense(2, 1, []float64{1, 2})}
	images.X.Pixels[3] = 1
	if _, err := in.FitConv(t.Context(), "images", rfm.ConvMachine{Ridges: []float64{1}}, images); err != nil ||
		reported != "images, layer 1, iteration 0: solve" {
		t.Errorf("%v, reports %q", err, reported)
	}
	if _, err := in.FitConv(t.Context(), "", rfm.ConvMachine{Memory: 1}, images); !errors.As(err, &memory) {
		t.Errorf("a convolutional fit in one byte: %v", err)
	}
}

// The key of kept iterations depends on the machine and its examples, but not on its memory limit or the functions that
// it calls.
func TestMachineKey(t *testing.T) {
	e := fitExamples(10)
	validation, other := fitExamples(5), fitExamples(6)
	of := func(change func(*rfm.Machine)) string {
		m := rfm.Machine{Kernel: rfm.Laplace{}, Validation: &validation}
		change(&m)
		return machineKey(m, e)
	}
	plain := of(func(*rfm.Machine) {})
	same := of(func(m *rfm.Machine) {
		copied := validation.Rows([]int{0, 1, 2, 3, 4})
		m.Memory, m.Validation = 9, &copied
		m.Each, m.Progress = func(*rfm.Iteration) error { return nil }, func(rfm.Progress) {}
	})
	if same != plain {
		t.Errorf("%s is another machine than %s", same, plain)
	}
	keys := map[string]int{plain: -1, machineKey(rfm.Machine{Kernel: rfm.Laplace{},
		Validation: &validation}, other): -2}
	for i, change := range []func(*rfm.Machine){
		func(m *rfm.Machine) { m.Kernel = rfm.Gaussian{} },
		func(m *rfm.Machine) { m.Kernel = rfm.Laplace{Bandwidth: 3} },
		func(m *rfm.Machine) { m.Ridge = .1 }, func(m *rfm.Machine) { m.Task = rfm.Classification },
		func(m *rfm.Machine) { m.Metric = rfm.Identity(4) },
		func(m *rfm.Machine) { m.Metric = rfm.Selection(4, []int{1}) },
		func(m *rfm.Machine) { m.Diagonal = true }, func(m *rfm.Machine) { m.CentreGradients = true },
		func(m *rfm.Machine) { m.Sample = 3 }, func(m *rfm.Machine) { m.Scale = rfm.ScaleMax },
		func(m *rfm.Machine) { m.Select = rfm.Last }, func(m *rfm.Machine) { m.Validation = nil },
		func(m *rfm.Machine) { m.Validation = &other },
		func(m *rfm.Machine) { m.Solver = rfm.EigenPro{} },
		func(m *rfm.Machine) { m.Solver = rfm.EigenPro{MaxEpochs: 5} },
		func(m *rfm.Machine) { m.Seed = 2 }, func(m *rfm.Machine) { m.Precision = graph.Double },
		func(m *rfm.Machine) { m.Threads = 2 },
	} {
		key := of(change)
		if before, there := keys[key]; there {
			t.Errorf("changes %d and %d make the same machine", i, before)
		}
		keys[key] = i
	}
}

// A recursive feature machine that is stopped after each iteration computes no iteration twice, and ends with the same
// bits as one that is not stopped. The same holds for a hyper basis function network that learns in the same way. A fit
// to chosen features is computed once for each choice.
func TestFitContinues(t *testing.T) {
	e, validation, test := fitExamples(40), fitExamples(12), fitExamples(15)
	const iterations = 3
	stop := errors.New("stopped")
	for name, m := range map[string]rfm.Machine{
		"full, validation": {Ridge: 1e-3, Validation: &validation},
		"diagonal, last":   {Diagonal: true, Select: rfm.Last, Sample: 20, Scale: rfm.ScaleTrace},
		"EigenPro":         {Ridge: .1, Select: rfm.Last, Solver: rfm.EigenPro{Subsample: 10}},
	} {
		for kind, fit := range map[string]func(Setting, rfm.Machine) (*rfm.Model, error){
			"machine": func(in Setting, m rfm.Machine) (*rfm.Model, error) { return in.Fit(t.Context(), "RFM", m, e) },
			"hyper BF": func(in Setting, m rfm.Machine) (*rfm.Model, error) {
				return in.FitHyperBF(t.Context(), "RFM", rfm.HyperBF{Machine: m}, e)
			},
		} {
			t.Run(name+", "+kind, func(t *testing.T) {
				m := m
				m.Iterations = iterations
				want, err := fit(Setting{Seed: 5, Threads: 1}, m)
				if err != nil {
					t.Fatal(err)
				}
				in := Setting{Seed: 5, Threads: 1}.WithCheckpoints(t.TempDir()).KeepAll()
				for k := range iterations + 1 {
					m.Each = func(it *rfm.Iteration) error {
						if it.Index == k {
							return stop
						}
						return nil
					}
					m.Progress = func(p rfm.Progress) {
						if p.Iteration != k {
							t.Errorf("attempt %d computes iteration %d", k, p.Iteration)
						}
					}
					if _, err := fit(in, m); err != stop {
						t.Fatalf("attempt %d: %v", k, err)
					}
				}
				m.Each = nil
				m.Progress = func(p rfm.Progress) { t.Errorf("iteration %d is computed again", p.Iteration) }
				got, err := fit(in, m)
				if err != nil {
					t.Fatal(err)
				}
				sameModel(t, got, want, test.X)
			})
		}
	}
	in := Setting{}.WithCheckpoints(t.TempDir()).KeepAll()
	fits := 0
	ticket := func(features ...int) {
		t.Helper()
		computed := false
		m := rfm.Machine{Ridge: 1e-3, Select: rfm.Last, Progress: func(rfm.Progress) { computed = true }}
		got, err := in.FitOn(t.Context(), "ticket", m, e, features)
		if err != nil {
			t.Fatal(err)
		}
		if computed {
			fits++
		}
		want, err := m.FitOn(t.Context(), e.X, e.Y, features)
		if err != nil {
			t.Fatal(err)
		}
		sameModel(t, got, want, test.X)
	}
	ticket(0, 1)
	ticket(2)
	ticket(0, 1)
	if fits != 2 {
		t.Errorf("%d fits to 2 choices of features", fits)
	}
	descent := rfm.HyperBF{Machine: rfm.Machine{Kernel: rfm.Gaussian{}, Ridge: 1, Iterations: 1, Select: rfm.Last},
		Update: rfm.ByDescent}
	if _, err := in.FitHyperBF(t.Context(), "descent", descent, e); err != nil {
		t.Errorf("gradient descent is refused where iterations are kept: %v", err)
	}
}

// sameModel compares the bits of two models and their predictions.
func sameModel(t *testing.T, got, want *rfm.Model, x *mat.Dense) {
	t.Helper()
	predict := func(m *rfm.Model) *mat.Dense {
		p, err := m.Predict(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	a, b := predict(got), predict(want)
	if !mat.Equal(got.Metric().Dense(), want.Metric().Dense()) ||
		!mat.Equal(got.Coefficients(), want.Coefficients()) || !mat.Equal(a, b) || math.IsNaN(mat.Sum(a)) {
		t.Error("the models differ")
	}
}
