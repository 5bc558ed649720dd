package models

import (
	"errors"
	"math"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models/weights"
	"gorgonia.org/tensor"
)

// linearOf returns a network with an input x and the outputs wx and −wx, whose weights were stored in float64.
func linearOf(t *testing.T, w float64) *Network {
	t.Helper()
	a := &Architecture{Root: Sequential{{"fc", Linear{NoBias: true}}}, Input: Shape{1, 1, 1}}
	d := new(weights.StateDict)
	d.Set("fc.weight", tensor.New(tensor.WithShape(2, 1), tensor.WithBacking([]float64{w, -w})))
	n, err := a.Load(d, Shape{1, 1, 1})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// outputOf returns the first output of a network for the input 1.
func outputOf(t *testing.T, n *Network) float64 {
	t.Helper()
	out, err := n.Outputs(t.Context(), device(t), []float32{1}, 1, graph.Double)
	if err != nil {
		t.Fatal(err)
	}
	return out.At(0, 0)
}

// TestExactWeights checks that weights in float64 keep every bit in double precision, even if float32 cannot represent
// them. Single precision refuses only those that are too large for float32. A network with a trainer has its weights
// rounded to float32.
func TestExactWeights(t *testing.T) {
	for _, w := range []float64{1. / 3, 1e-200, 1e200, math.Pi} {
		n := linearOf(t, w)
		if got := outputOf(t, n); got != w {
			t.Errorf("%v: the output is %v", w, got)
		}
		if got := n.Filters("fc").At(0, 0); got != w {
			t.Errorf("%v: the filter is %v", w, got)
		}
		if got := outputOf(t, n.Clone()); got != w {
			t.Errorf("%v: the output of a copy is %v", w, got)
		}
		var beyond *RangeError
		_, err := n.Function(device(t), 1, graph.Single)
		if huge := w > math.MaxFloat32; errors.As(err, &beyond) != huge {
			t.Errorf("%v in single precision: %v", w, err)
		}
		if _, err := NewTrainer(n, device(t), TrainOptions{Batch: 1, Optimiser: SGD{LR: .1}}); errors.As(err, &beyond) !=
			(w > math.MaxFloat32) {
			t.Errorf("training %v in single precision: %v", w, err)
		}
	}
	n := linearOf(t, 1./3)
	if _, err := NewTrainer(n, device(t), TrainOptions{Batch: 1, Optimiser: SGD{LR: .1}}); err != nil {
		t.Fatal(err)
	}
	if got := outputOf(t, n); got != float64(float32(1./3)) {
		t.Errorf("a network that is trained has the weight %v: the one that was loaded stayed", got)
	}
}
