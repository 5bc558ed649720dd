package models

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/graph/backend/gpu/gputest"
	"github.com/ansatz-lab/ansatz/internal/peer"
)

// peerRun is a training run of PyTorch: see testdata/train.py.
type peerRun struct {
	Optimiser, Loss string
	Norm            bool
	Double, Single  []float64
}

func (r peerRun) options() TrainOptions {
	l, _ := ParseLoss(r.Loss)
	return TrainOptions{Batch: 16, Loss: l, Optimiser: map[string]Optimiser{
		"sgd":      SGD{LR: .02, Momentum: .9, WeightDecay: 1e-3},
		"adam":     Adam{LR: 2e-3, WeightDecay: 1e-3},
		"adamw":    Adam{LR: 2e-3, WeightDecay: .1, Decoupled: true},
		"adadelta": Adadelta{LR: .5, WeightDecay: 1e-3},
	}[r.Optimiser]}
}

// peerTraining returns the network of train.py with its weights.
func peerTraining(t *testing.T, norm bool) *Network {
	t.Helper()
	root := Sequential{{"conv1", Conv3(6, 1, true)}}
	add := func(layers ...Named) { root = append(root, layers...) }
	if norm {
		add(Named{"bn1", BatchNorm{}})
	}
	add(Named{"", ReLU{}}, Named{"", MaxPool(SquarePool(2, 2, 0))}, Named{"conv2", Conv3(8, 1, true)})
	if norm {
		add(Named{"bn2", BatchNorm{}})
	}
	add(Named{"", ReLU{}}, Named{"", AdaptiveAvgPool{2, 2}}, Named{"fc", Linear{}})
	a := &Architecture{Name: "peer", Root: root, Input: Shape{3, 8, 8}}
	n, err := a.InitNetwork(a.Input, 4, 0)
	if err != nil {
		t.Fatal(err)
	}
	if n, err = a.Load(rampState(n), a.Input); err != nil {
		t.Fatal(err)
	}
	return n
}

// peerBatch returns the batch of train.py for a step, as images with the channels last.
func peerBatch(step int) (px []float32, labels []int) {
	const c, area, classes = 3, 64, 4
	n := 16
	if step%5 == 4 {
		n = 7
	}
	name := "batch " + string(rune('0'+step%4))
	planes := peer.Ramp(name, n*c*area)
	px, labels = make([]float32, len(planes)), make([]int, n)
	for i := range planes {
		image, channel, at := i/(c*area), i/area%c, i%area
		px[(image*area+at)*c+channel] = planes[i] * 2
	}
	for i, v := range peer.Ramp(name+" labels", n) {
		labels[i] = int((v + .5) * classes)
	}
	return px, labels
}

// TestTrainerAgainstPyTorch checks that, with the same weights and batches, a trainer has PyTorch's losses over 50
// steps: for every optimiser and every loss, with and without batch norm, in both precisions and on every backend.
func TestTrainerAgainstPyTorch(t *testing.T) {
	text, err := os.ReadFile("testdata/train.json")
	if err != nil {
		t.Fatal(err)
	}
	var runs []peerRun
	if err := json.Unmarshal(text, &runs); err != nil || len(runs) != 16 {
		t.Fatalf("%d runs: %v", len(runs), err)
	}
	for _, r := range runs {
		for _, b := range gputest.Backends(t) {
			trainAsPeer(t, r, b, graph.Single, r.Single, 1e-4)
			trainAsPeer(t, r, b, graph.Double, r.Double, 1e-9)
		}
	}
}

func trainAsPeer(t *testing.T, r peerRun, name string, p graph.Precision, want []float64, tolerance float64) {
	t.Helper()
	d, err := backend.Open(backend.Options{Backend: name})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	o := r.options()
	o.Precision = p
	tr, err := NewTrainer(peerTraining(t, r.Norm), d, o)
	if err != nil {
		t.Fatal(err)
	}
	for step, loss := range want {
		px, labels := peerBatch(step)
		s, err := tr.Step(t.Context(), px, labels)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.MeanLoss(); math.Abs(got/loss-1) > tolerance {
			t.Errorf("%s %s, norm %v, %s, precision %v: loss %v at step %d, PyTorch has %v",
				r.Optimiser, r.Loss, r.Norm, name, p, got, step, loss)
			return
		}
	}
}
