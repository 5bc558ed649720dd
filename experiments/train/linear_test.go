package train

import (
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/models"
)

// Networks without dropout take the same steps in training as in evaluation.
func TestNoDropout(t *testing.T) {
	a, err := input.LookupArchitecture("alexnet")
	if err != nil {
		t.Fatal(err)
	}
	s := Spec{Width: .02, NoDropout: true}
	if err := s.Configure(a); err != nil {
		t.Fatal(err)
	}
	n, err := a.InitNetwork(models.Shape{Channels: 3, Height: 64, Width: 64}, 4, 1)
	if err != nil || n.Dropouts() != 0 {
		t.Errorf("%d dropouts, %v", n.Dropouts(), err)
	}
}

// One class against the rest has one output, and as many ones as images of the class.
func TestOneClassLabels(t *testing.T) {
	s := Spec{Arch: "lenet", Width: .3, Data: "glyphs", Train: 60, Test: 20, Epochs: 1, Loss: "mse", Seed: 3}
	all, err := data.Labels(newQuick(t, s).data.Train)
	if err != nil {
		t.Fatal(err)
	}
	s.Labels = "one:4"
	tr := newQuick(t, s)
	one, err := data.Labels(tr.data.Train)
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range all {
		if (l == 4) != (one[i] == 1) || one[i] > 1 {
			t.Errorf("image %d of class %d has label %d", i, l, one[i])
		}
	}
	if tr.net.Classes != 1 || !strings.Contains(tr.conv.Labels, "class 4") ||
		!strings.Contains(tr.conv.Loss, "one output") {
		t.Errorf("%d outputs, %+v", tr.net.Classes, tr.conv)
	}
}
