package ntkpaper

import (
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/study"
)

// The control of the kernel's change is of other weights, not of the training's own;
// the kernel of a network that does not learn stays where it was.
func TestKernelPath(t *testing.T) {
	s := &KernelChangeSpec{Arch: "lenet", Data: "glyphs", Train: 20, Test: 10, Probes: 3, Widths: []float64{.2},
		Epochs: 1, Batch: 10, Descent: DescentSpec{Rate: 1e-12}}
	o, err := s.Run(t.Context(), study.Setting{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if v := o.Value(anotherCosineFirst); !(o.Value(changeFirst) < 1e-6) || !(v > 0 && v < .9999) {
		t.Errorf("%v", o.Values)
	}
}
