package train

import (
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/models"
)

// With NoDropout a network has no dropout layers.
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

// Labels of one class against the rest give one output, and the label 1 exactly for images of that class.
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
	s.Classes = "3,4,8"
	if text := newQuick(t, s).conv.Labels; !strings.HasSuffix(text, "of the classes 3, 4, 8") {
		t.Errorf("with three classes: %s", text)
	}
}

// FinalTrainAccuracy is the accuracy of the final weights on the training images, computed here image by image. The
// running accuracy is that of the weights during the epoch.
func TestFinalTrainAccuracy(t *testing.T) {
	tr := newQuick(t, Spec{Arch: "lenet", Width: .3, Data: "glyphs", Train: 60, Test: 20, Epochs: 2, Batch: 10, LR: .05,
		Momentum: .9, Loss: "mse", Seed: 3})
	r, err := tr.Run(t.Context(), Run{TrainLast: true})
	if err != nil {
		t.Fatal(err)
	}
	d, err := backend.Open(backend.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	l, err := tr.net.Linearize(d, 1, graph.Single) // predicts f(w, x), since its u is 0
	if err != nil {
		t.Fatal(err)
	}
	loader := &data.Loader{Dataset: tr.data.Train, Normalisation: tr.data.Normalisation}
	right := 0
	for i := range tr.data.Train.Len() {
		px, label := make([]float32, tr.data.Train.Shape().Pixels()), make([]int, 1)
		if err := loader.Load(t.Context(), i, i+1, px, label); err != nil {
			t.Fatal(err)
		}
		out, err := l.Predict(t.Context(), px)
		if err != nil {
			t.Fatal(err)
		}
		if models.Predicted(out.RawRowView(0)) == label[0] {
			right++
		}
	}
	first, last := r.Epochs[0], r.Final()
	if first.FinalTrainAccuracy != nil || last.FinalTrainAccuracy == nil {
		t.Fatal("want the accuracy after the last epoch alone")
	}
	if got := *last.FinalTrainAccuracy; got != float64(right)/60 || got == last.TrainAccuracy {
		t.Errorf("%v after the last epoch, running %v, of the weights %d of 60", got, last.TrainAccuracy, right)
	}
}

// A network that small images do not fit is said to need larger ones, but not where they are not the reason.
func TestSizeIsTheReason(t *testing.T) {
	for width, size := range map[float64]bool{1: true, .05: false} {
		a, err := input.LookupArchitecture("vit_b_16")
		if err != nil {
			t.Fatal(err)
		}
		if err := (Spec{Width: width}).Configure(a); err != nil {
			t.Fatal(err)
		}
		_, err = FreshNetwork(a, models.Shape{Channels: 3, Height: 8, Width: 8}, 2, 0)
		if !input.IsError(err) || strings.Contains(err.Error(), "--size scales") != size {
			t.Errorf("width %v: %v", width, err)
		}
	}
}
