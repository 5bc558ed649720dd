package models

import (
	"math"
	"slices"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
)

// regressionTrainer returns a network on images of 3×1×1 and a trainer of it with batches of 4.
func regressionTrainer(t *testing.T, a *Architecture, classes int, p graph.Precision, loss Loss,
	lr float64) (*Network, *Trainer) {
	t.Helper()
	d, err := backend.Open(backend.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	n, err := a.InitNetwork(Shape{3, 1, 1}, classes, 1)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := NewTrainer(n, d, TrainOptions{Batch: 4, Optimiser: SGD{LR: lr}, Loss: loss, Precision: p})
	if err != nil {
		t.Fatal(err)
	}
	return n, tr
}

var regressionInputs = []float32{1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1}

// A step of StepTowards with one-hot targets equals a step with their labels, bit for bit.
func TestStepTowardsOneHot(t *testing.T) {
	for _, p := range []graph.Precision{graph.Single, graph.Double} {
		n, a := regressionTrainer(t, mlpWith("net", []int{5}), 2, p, MeanSquaredError, .1)
		m, b := regressionTrainer(t, mlpWith("net", []int{5}), 2, p, MeanSquaredError, .1)
		for range 3 {
			score, err := a.Step(t.Context(), regressionInputs, []int{0, 1, 1, 0})
			if err != nil {
				t.Fatal(err)
			}
			loss, err := b.StepTowards(t.Context(), regressionInputs, []float32{1, 0, 0, 1, 0, 1, 1, 0})
			if err != nil || loss != score.MeanLoss() {
				t.Fatalf("loss %v, want %v; %v", loss, score.MeanLoss(), err)
			}
		}
		a.Sync()
		b.Sync()
		for _, param := range n.Parameters() {
			if !slices.Equal(n.Value(param.Name).Float32s(), m.Value(param.Name).Float32s()) {
				t.Errorf("precision %v: %s differs", p, param.Name)
			}
		}
		if b.Steps() != 3 {
			t.Errorf("%d steps", b.Steps())
		}
	}
}

// A linear network finds the coefficients of a linear function.
func TestStepTowardsFindsALine(t *testing.T) {
	n, tr := regressionTrainer(t, mlpWith("line", nil), 1, graph.Single, MeanSquaredError, .4)
	var loss float64
	for range 2000 {
		var err error
		if loss, err = tr.StepTowards(t.Context(), regressionInputs,
			[]float32{2 + .5, -3 + .5, 1 + .5, .5}); err != nil {
			t.Fatal(err)
		}
	}
	w := n.Filters(n.Layers()[0].Name)
	for i, want := range []float64{2, -3, 1} {
		if math.Abs(w.At(0, i)-want) > 1e-3 {
			t.Errorf("coefficient %d: %v, want %v (loss %v)", i, w.At(0, i), want, loss)
		}
	}
}

func TestStepTowardsRefuses(t *testing.T) {
	_, tr := regressionTrainer(t, mlpWith("net", nil), 2, graph.Single, MeanSquaredError, .1)
	for name, c := range map[string]struct{ px, targets []float32 }{
		"half a row of targets": {regressionInputs, make([]float32, 7)},
		"no rows":               {nil, nil},
		"too many rows":         {make([]float32, 15), make([]float32, 10)},
		"too few inputs":        {regressionInputs[:9], make([]float32, 8)},
	} {
		if _, err := tr.StepTowards(t.Context(), c.px, c.targets); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if tr.Steps() != 0 {
		t.Errorf("%d steps", tr.Steps())
	}
	nan := []float32{float32(math.NaN()), 0, 0, 0, 0, 0, 0, 0}
	if _, err := tr.StepTowards(t.Context(), regressionInputs, nan); err == nil {
		t.Error("a target that is no number: no error")
	}
	_, ce := regressionTrainer(t, mlpWith("net", nil), 2, graph.Single, CrossEntropy, .1)
	if _, err := ce.StepTowards(t.Context(), regressionInputs, make([]float32, 8)); err == nil {
		t.Error("cross-entropy: no error")
	}
}
