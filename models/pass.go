package models

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/graph/optim"
	"github.com/ansatz-lab/ansatz/graph/values"
)

// passKey identifies a pass of a trainer.
type passKey struct {
	mode  mode
	batch int
}

// pass is a network compiled for a number of images: the loss and, in training,
// its gradient in every trained weight.
type pass struct {
	f             *graph.Function
	prog          *graph.Program
	loss, targets *graph.Node
	output        *graph.Node   // output of f, or of its linearization
	trained       []*graph.Node // trained weights, or their tangents
	grads         []*graph.Node // gradients in trained, in the same order
	masks         []mask
}

// pass returns the pass for a number of images. All passes share their memory.
func (t *Trainer) pass(m mode, batch int) (*pass, error) {
	if batch < 1 || batch > t.o.Batch && m == train {
		return nil, fmt.Errorf("models: a step of %d images: want 1 to %d", batch, t.o.Batch)
	}
	key := passKey{m, batch}
	if p := t.passes[key]; p != nil {
		return p, nil
	}
	built := m
	if t.o.Linearized {
		built = eval
	}
	f, b, err := t.net.build(t.device, batch, t.o.Precision, built, t.values)
	if err != nil {
		return nil, err
	}
	p := &pass{f: f, masks: b.masks}
	if err := p.setTrained(t); err != nil {
		return nil, err
	}
	p.targets = f.Input("targets", f.Output.Shape()...)
	p.loss = t.o.Loss.build(f.Graph, p.output, p.targets)
	if m == train {
		if err := p.differentiate(); err != nil {
			return nil, err
		}
	}
	p.prog, err = f.Compile(graph.Plan{Outputs: p.outputs(), Arena: &t.arena, Limit: t.o.Memory})
	if err != nil {
		return nil, err
	}
	t.passes[key] = p
	return p, nil
}

// setTrained sets the trained nodes, weights or tangents, and the output that depends on them.
func (p *pass) setTrained(t *Trainer) error {
	for _, w := range t.trained {
		p.trained = append(p.trained, p.f.Named(w.name))
	}
	p.output = p.f.Output
	if !t.o.Linearized {
		return nil
	}
	p.output, p.trained = p.f.Linearize(p.f.Output, p.trained)
	for i, n := range p.trained {
		if err := p.f.Let(n, t.trained[i].value); err != nil {
			return err
		}
	}
	return p.f.Err()
}

// differentiate adds the gradients of the loss.
func (p *pass) differentiate() error {
	one := p.f.Input("one", 1)
	if p.f.Err() != nil {
		return p.f.Err()
	}
	values.Fill(p.f.Data(one), 1)
	p.grads = p.f.Pullback([]*graph.Node{p.loss}, []*graph.Node{one}, p.trained)
	for i, g := range p.grads {
		if g == nil && p.f.Err() == nil {
			return fmt.Errorf("models: the loss does not depend on %s", p.trained[i].Name())
		}
	}
	return p.f.Err()
}

func (p *pass) outputs() []*graph.Node {
	all := append([]*graph.Node{p.loss, p.output}, p.grads...)
	for _, u := range p.f.Updates {
		all = append(all, u.Value)
	}
	return all
}

// write fills the inputs.
func (p *pass) write(t *Trainer, px []float32, labels []int) error {
	for i, l := range labels {
		if last := max(t.net.Classes, 2) - 1; l < 0 || l > last {
			return fmt.Errorf("models: label %d of image %d of the batch: want 0 to %d", l, i, last)
		}
	}
	switch targets := p.f.Data(p.targets).Data().(type) {
	case []float32:
		setTargets(targets, labels)
	case []float64:
		setTargets(targets, labels)
	}
	return p.writeImages(t, px)
}

// writeImages fills all inputs except the targets.
func (p *pass) writeImages(t *Trainer, px []float32) error {
	images := p.f.Data(p.f.Inputs()[0])
	if len(px) != images.Size() {
		return fmt.Errorf("models: %d images with %d pixels in all: want %d", images.Shape()[0], len(px), images.Size())
	}
	values.CopyFrom(images, px)
	p.drawMasks(t)
	return nil
}

// setTargets writes one-hot targets for the labels. With one output the target is the label, 0 or 1.
func setTargets[T backend.Float](targets []T, labels []int) {
	outputs := len(targets) / len(labels)
	clear(targets)
	for i, l := range labels {
		if outputs == 1 {
			targets[i] = T(l)
		} else {
			targets[i*outputs+l] = 1
		}
	}
}

// drawMasks draws the masks of the dropouts for the next step.
func (p *pass) drawMasks(t *Trainer) {
	if len(p.masks) == 0 {
		return
	}
	rng := Stream(t.o.Seed, fmt.Sprintf("dropout/%d", t.steps))
	for _, m := range p.masks {
		switch v := p.f.Data(m.node).Data().(type) {
		case []float32:
			draw(rng, m.p, v)
		case []float64:
			draw(rng, m.p, v)
		}
	}
}

// draw sets elements to 0 with probability p, the others to 1/(1 − p).
func draw[T backend.Float](rng *rand.Rand, p float64, v []T) {
	keep := T(1 / (1 - p))
	for i := range v {
		if v[i] = 0; rng.Float64() >= p {
			v[i] = keep
		}
	}
}

// run computes the loss, a mean over the batch, and the gradients.
func (p *pass) run(ctx context.Context) (loss float64, err error) {
	if err := p.prog.Run(ctx); err != nil {
		return 0, err
	}
	loss = values.Reader(p.prog.Value(p.loss))(0)
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		return loss, &DivergedError{loss}
	}
	return loss, nil
}

// hits returns the number of images of a run that are classified correctly.
func (p *pass) hits(labels []int) int {
	switch v := p.prog.Value(p.output).Data().(type) {
	case []float32:
		return hits(v, labels)
	case []float64:
		return hits(v, labels)
	}
	return 0
}

// hits returns the number of rows of outputs that predict their labels.
func hits[T backend.Float](outputs []T, labels []int) (n int) {
	classes := len(outputs) / len(labels)
	for i, l := range labels {
		if Predicted(outputs[i*classes:(i+1)*classes]) == l {
			n++
		}
	}
	return n
}

// Predicted returns the class of the largest of an image's outputs, the first of equals. A single output above 1/2 is
// class 1.
func Predicted[T backend.Float](row []T) (class int) {
	if len(row) == 1 {
		if row[0] > .5 {
			return 1
		}
		return 0
	}
	for j, v := range row {
		if v > row[class] {
			class = j
		}
	}
	return class
}

// update takes the optimiser's step, then copies the new running statistics. It runs on
// the device.
func (p *pass) update(t *Trainer) {
	if t.o.Precision == graph.Double {
		update[float64](p, t)
	} else {
		update[float32](p, t)
	}
}

func update[T backend.Float](p *pass, t *Trainer) {
	engine, state := backend.EngineOf[T](t.device), make([][]T, 0, 2)
	for i, w := range t.trained {
		state = state[:0]
		for _, s := range w.state {
			state = append(state, s.Data().([]T))
		}
		optim.Step(engine, t.o.Optimiser, t.lr, t.steps, w.value.Data().([]T),
			p.prog.ValueOnDevice(p.grads[i]).Data().([]T), state)
	}
	for _, u := range p.f.Updates {
		copy(p.f.Data(u.Param).Data().([]T), p.prog.Value(u.Value).Data().([]T))
	}
}
