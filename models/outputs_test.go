package models

import (
	"math"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"gonum.org/v1/gonum/mat"
)

// Outputs are those of a trainer that has taken no step, in either precision and for batches that are not full.
func TestOutputs(t *testing.T) {
	n := smallNet(t)
	px, _ := newBrightness().batch(5)
	tr := newTrainer(t, smallNet(t), TrainOptions{Batch: 5, Optimiser: SGD{LR: .1}, Precision: graph.Double})
	want, err := tr.Outputs(t.Context(), px)
	if err != nil {
		t.Fatal(err)
	}
	for p, tolerance := range map[graph.Precision]float64{graph.Single: 1e-5, graph.Double: 1e-12} {
		for _, batch := range []int{2, 5, 8} {
			got, err := n.Outputs(t.Context(), device(t), px, batch, p)
			if err != nil {
				t.Fatal(err)
			}
			if !mat.EqualApprox(got, want, tolerance) {
				t.Errorf("precision %v, batches of %d: outputs %v, want %v", p, batch, mat.Formatted(got), mat.Formatted(want))
			}
		}
	}
	for _, bad := range [][]float32{nil, px[:len(px)-1]} {
		if out, err := n.Outputs(t.Context(), device(t), bad, 2, graph.Single); err == nil {
			t.Errorf("%d numbers that are no images have outputs %v", len(bad), out)
		}
	}
	px[0] = float32(math.NaN())
	if got, err := n.Outputs(t.Context(), device(t), px, 2, graph.Single); err != nil || got.At(4, 0) != got.At(4, 0) {
		t.Errorf("%v: an image changes the outputs of another batch", err)
	}
}
