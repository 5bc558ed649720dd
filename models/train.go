package models

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
)

// SGD is stochastic gradient descent as PyTorch's: g ← ∇ + WeightDecay·w,
// v ← Momentum·v + g, w ← w − LR·v.
type SGD struct{ LR, Momentum, WeightDecay float64 }

// Trainer trains a network's weights where they are, a batch a step, on the
// cross-entropy of the logits.
type Trainer struct {
	net     *Network
	opt     SGD
	f       *graph.Function
	prog    *graph.Program
	loss    *graph.Node
	targets *graph.Node
	grads   []gradient
	masks   []mask
	rng     *rand.Rand
}

// gradient is a trained parameter with what its step needs.
type gradient struct {
	value, velocity []float32
	node            *graph.Node
}

// NewTrainer prepares steps of a fixed batch size. The seed is that of dropout.
func NewTrainer(n *Network, d *backend.Device, batch int, opt SGD, seed uint64) (*Trainer, error) {
	if batch < 1 {
		return nil, fmt.Errorf("models: a batch of %d images: want at least 1", batch)
	}
	f, b, err := n.build(d, batch, graph.Single, train)
	if err != nil {
		return nil, err
	}
	t := &Trainer{net: n, opt: opt, f: f, masks: b.masks, rng: Stream(seed, "dropout")}
	t.targets = f.Input("targets", f.Output.Shape()...)
	t.loss = f.CrossEntropy(f.Output, t.targets)
	one := f.Input("one", 1)
	f.Data(one).Float32s()[0] = 1
	var params []*graph.Node
	for _, p := range b.params {
		if p.Trained {
			params = append(params, p.node)
		}
	}
	outputs := []*graph.Node{t.loss, f.Output}
	for i, g := range f.Pullback([]*graph.Node{t.loss}, []*graph.Node{one}, params) {
		if g == nil {
			return nil, fmt.Errorf("models: the loss does not depend on %s", params[i].Name())
		}
		v := f.Data(params[i]).Float32s()
		t.grads = append(t.grads, gradient{value: v, velocity: make([]float32, len(v)), node: g})
		outputs = append(outputs, g)
	}
	for _, u := range f.Updates {
		outputs = append(outputs, u.Value)
	}
	t.prog, err = f.Compile(graph.Plan{Outputs: outputs})
	return t, err
}

// DivergedError is returned by a step whose loss is not finite; the weights are
// those before it.
type DivergedError struct{ Loss float64 }

func (e *DivergedError) Error() string {
	return fmt.Sprintf("training diverged: the loss is %v; take a smaller learning rate", e.Loss)
}

// Batch is the number of images of a step.
func (t *Trainer) Batch() int { return t.f.Output.Shape()[0] }

// SetLR changes the learning rate of the steps to come.
func (t *Trainer) SetLR(lr float64) { t.opt.LR = lr }

// Step takes one step on a batch of images, (image, row, column, channel), and
// their labels, and returns the mean loss and the number of images that were
// right before it.
func (t *Trainer) Step(ctx context.Context, px []float32, labels []int) (loss float64, correct int, err error) {
	if err := t.write(px, labels); err != nil {
		return 0, 0, err
	}
	if err := t.prog.Run(ctx); err != nil {
		return 0, 0, err
	}
	loss = float64(t.prog.Value(t.loss).Float32s()[0])
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		return loss, 0, &DivergedError{loss}
	}
	t.descend()
	return loss, t.count(labels), nil
}

func (t *Trainer) write(px []float32, labels []int) error {
	in, targets := t.f.Data(t.f.Inputs()[0]).Float32s(), t.f.Data(t.targets).Float32s()
	if len(px) != len(in) || len(labels) != t.Batch() {
		return fmt.Errorf("models: a step of %d pixels and %d labels: want %d and %d", len(px), len(labels), len(in), t.Batch())
	}
	copy(in, px)
	clear(targets)
	for i, l := range labels {
		if l < 0 || l >= t.net.Classes {
			return fmt.Errorf("models: label %d: want 0 to %d", l, t.net.Classes-1)
		}
		targets[i*t.net.Classes+l] = 1
	}
	for _, m := range t.masks {
		v := t.f.Data(m.node).Float32s()
		for i := range v {
			if v[i] = 0; t.rng.Float64() >= m.p {
				v[i] = float32(1 / (1 - m.p))
			}
		}
	}
	return nil
}

// descend applies the optimiser's step, then the new running statistics.
func (t *Trainer) descend() {
	lr, momentum, decay := float32(t.opt.LR), float32(t.opt.Momentum), float32(t.opt.WeightDecay)
	for _, g := range t.grads {
		d := t.prog.Value(g.node).Float32s()
		for i, w := range g.value {
			v := momentum*g.velocity[i] + d[i] + decay*w
			g.velocity[i] = v
			g.value[i] = w - lr*v
		}
	}
	for _, u := range t.f.Updates {
		copy(t.f.Data(u.Param).Float32s(), t.prog.Value(u.Value).Float32s())
	}
}

func (t *Trainer) count(labels []int) int {
	logits, correct := t.prog.Value(t.f.Output).Float32s(), 0
	for i, l := range labels {
		row := logits[i*t.net.Classes : (i+1)*t.net.Classes]
		best := 0
		for j, v := range row {
			if v > row[best] {
				best = j
			}
		}
		if best == l {
			correct++
		}
	}
	return correct
}
