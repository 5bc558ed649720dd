package models

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/graph/optim"
	"github.com/ansatz-lab/ansatz/graph/values"
	"github.com/ansatz-lab/ansatz/models/weights"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// TrainOptions says how to train a network.
type TrainOptions struct {
	// Batch is the largest number of images of a step.
	Batch     int
	Optimiser Optimiser
	Loss      Loss
	// Frozen matches the names of the parameters that are not trained; nil freezes none. Running statistics are updated
	// all the same, as in PyTorch.
	Frozen *regexp.Regexp
	// Linearized trains the linearization at the network's weights (ntk eq. 2): training changes u and not the network's
	// weights; weight decay and the optimiser's state apply to u. All passes are in evaluation mode.
	Linearized bool
	// Precision is the precision of all computations; a network's own weights are always float32.
	Precision graph.Precision
	// Seed is the seed of dropouts.
	Seed uint64
	// Memory, if not 0, bounds the memory in bytes. A step that would need more returns a [*graph.MemoryError].
	Memory int64
}

// Trainer trains a network's weights, one batch per step. A step depends only on the weights, the state of the optimiser,
// the number of the step, the images and the options. So a Trainer that is restored from the state of another takes the
// same steps. It is not safe for concurrent use, and neither is the network during training.
type Trainer struct {
	net     *Network
	device  *backend.Device
	o       TrainOptions
	lr      float64
	steps   int
	values  map[string]*tensor.Dense // the parameters, in the precision of training
	trained []*trainedWeight
	arena   graph.Arena
	passes  map[passKey]*pass
}

// trainedWeight is a trained parameter, or its tangent, with the optimiser's state for it.
type trainedWeight struct {
	name  string
	value *tensor.Dense
	state []*tensor.Dense
}

// Score holds the loss and the accuracy of a network on some images.
type Score struct {
	Images, Correct int
	Loss            float64 // sum over the images
}

// Add adds the scores of other images.
func (s *Score) Add(o Score) {
	s.Images += o.Images
	s.Correct += o.Correct
	s.Loss += o.Loss
}

// MeanLoss returns the mean loss of an image; NaN without images.
func (s Score) MeanLoss() float64 { return s.Loss / float64(s.Images) }

// Accuracy returns the share of the images that are classified correctly; NaN without images.
func (s Score) Accuracy() float64 { return float64(s.Correct) / float64(s.Images) }

// NewTrainer prepares the training of a network on a device. The network's weights change with every step in single
// precision, and with every [Trainer.Sync] in double precision.
func NewTrainer(n *Network, d *backend.Device, o TrainOptions) (*Trainer, error) {
	if o.Batch < 1 {
		return nil, fmt.Errorf("models: a batch of %d images: want at least 1", o.Batch)
	}
	if err := o.Optimiser.Check(); err != nil {
		return nil, fmt.Errorf("models: %w", err)
	}
	if n.Classes == 1 && o.Loss != MeanSquaredError {
		return nil, fmt.Errorf(
			"models: %s has one output, whose cross-entropy is always 0: use the mean squared error", n.Arch.Name)
	}
	if err := n.checkRange(); o.Precision == graph.Single && err != nil {
		return nil, err
	}
	t := &Trainer{net: n, device: d, o: o, lr: o.Optimiser.Rate(), values: n.valuesIn(o.Precision),
		passes: map[passKey]*pass{}}
	n.exact = nil // the values change
	if err := t.listTrained(); err != nil {
		return nil, err
	}
	for _, w := range t.trained {
		for _, v := range append([]*tensor.Dense{w.value}, w.state...) {
			backend.Pin(d, v, v.Data())
		}
	}
	return t, t.Prepare(o.Batch)
}

// Tangents returns the u of a linearized training, under the names of the weights and in the network's parameterisation, or
// nil for other trainings. The tensors are the trainer's own.
func (t *Trainer) Tangents() *weights.StateDict {
	if !t.o.Linearized {
		return nil
	}
	d := new(weights.StateDict)
	for _, w := range t.trained {
		d.Set(w.name, w.value)
	}
	return d
}

// listTrained lists the parameters to be trained.
func (t *Trainer) listTrained() error {
	var names []string
	frozen := 0
	for _, p := range t.net.params {
		if !p.Trained {
			continue
		}
		names = append(names, p.Name)
		if t.o.Frozen != nil && t.o.Frozen.MatchString(p.Name) {
			frozen++
			continue
		}
		w := &trainedWeight{name: p.Name, value: t.values[p.Name]}
		if t.o.Linearized {
			w.value = tensor.New(tensor.Of(w.value.Dtype()), tensor.WithShape(p.Shape...))
		}
		for range t.o.Optimiser.State() {
			w.state = append(w.state, tensor.New(tensor.Of(w.value.Dtype()), tensor.WithShape(w.value.Shape()...)))
		}
		t.trained = append(t.trained, w)
	}
	if t.o.Frozen != nil && (frozen == 0 || len(t.trained) == 0) {
		how := "all"
		if frozen == 0 {
			how = "none"
		}
		return fmt.Errorf("models: %q matches %s of the parameters: freeze some, but not all, of %s",
			t.o.Frozen, how, strings.Join(names, ", "))
	}
	return nil
}

// DivergedError is returned by a step whose loss is not finite. The step does not change the weights.
type DivergedError struct{ Loss float64 }

// Error returns the loss, and what to do.
func (e *DivergedError) Error() string {
	return fmt.Sprintf("training diverged: the loss is %v; take a smaller learning rate", e.Loss)
}

// SetLR sets the learning rate for the next steps.
func (t *Trainer) SetLR(lr float64) { t.lr = lr }

// Steps returns the number of steps taken.
func (t *Trainer) Steps() int { return t.steps }

// Step takes one training step on images, (image, row, column, channel), and their
// labels. It returns the score before the step, in training mode.
func (t *Trainer) Step(ctx context.Context, px []float32, labels []int) (Score, error) {
	s, p, err := t.run(ctx, train, px, labels)
	if err != nil {
		return s, err
	}
	return s, t.update(p)
}

// Prepare prepares steps of that many images, and reports what makes them impossible, such as a batch norm of one image.
func (t *Trainer) Prepare(images int) error {
	_, err := t.pass(train, images)
	return err
}

// update takes the optimiser's step along the gradients of a pass.
func (t *Trainer) update(p *pass) error {
	t.steps++
	return t.device.Do(func() error {
		p.update(t)
		return nil
	})
}

// Evaluate returns the score of images in evaluation mode.
func (t *Trainer) Evaluate(ctx context.Context, px []float32, labels []int) (Score, error) {
	s, _, err := t.run(ctx, eval, px, labels)
	return s, err
}

// Outputs returns the outputs for images, in evaluation mode, as images × outputs: those of the network or, in a
// linearized training, of its linearization.
func (t *Trainer) Outputs(ctx context.Context, px []float32) (*mat.Dense, error) {
	images := len(px) / t.net.Input.Size()
	p, err := t.pass(eval, images)
	if err != nil {
		return nil, err
	}
	p.f.Data(p.targets).Zero()
	if err := p.writeImages(t, px); err != nil {
		return nil, err
	}
	if _, err := p.run(ctx); err != nil {
		return nil, err
	}
	out := mat.NewDense(images, t.net.Classes, nil)
	values.CopyTo(out.RawMatrix().Data, p.prog.Value(p.output))
	return out, nil
}

func (t *Trainer) run(ctx context.Context, m mode, px []float32, labels []int) (Score, *pass, error) {
	p, err := t.pass(m, len(labels))
	if err != nil {
		return Score{}, nil, err
	}
	if err := p.write(t, px, labels); err != nil {
		return Score{}, nil, err
	}
	loss, err := p.run(ctx)
	s := Score{Images: len(labels), Loss: loss * float64(len(labels))}
	if err != nil {
		return s, nil, err
	}
	s.Correct = p.hits(labels)
	return s, p, nil
}

// Sync copies the trainer's weights to the network in double precision; in single precision they are the same.
func (t *Trainer) Sync() {
	if t.o.Precision == graph.Single {
		return
	}
	for name, v := range t.values {
		values.CopyTo(t.net.values[name].Float32s(), v)
	}
}

// errNotRegression is returned for numerical targets if the loss is not the mean squared error.
var errNotRegression = errors.New("models: targets that are numbers need the mean squared error as the loss")

// StepTowards takes one step of a regression on inputs, (image, row, column,
// channel), and their targets, (image, output), for the mean squared error. It
// returns the loss before the step, a mean over inputs and outputs, in training
// mode.
func (t *Trainer) StepTowards(ctx context.Context, px, targets []float32) (loss float64, err error) {
	if t.o.Loss != MeanSquaredError {
		return 0, errNotRegression
	}
	n := len(targets) / t.net.Classes
	if n*t.net.Classes != len(targets) {
		return 0, fmt.Errorf("models: %d targets of %d outputs", len(targets), t.net.Classes)
	}
	p, err := t.pass(train, n)
	if err != nil {
		return 0, err
	}
	values.CopyFrom(p.f.Data(p.targets), targets)
	if err := p.writeImages(t, px); err != nil {
		return 0, err
	}
	if loss, err = p.run(ctx); err != nil {
		return loss, err
	}
	return loss, t.update(p)
}

type (
	// Optimiser is [optim.Optimiser]: [SGD], [Adam] or [Adadelta].
	Optimiser = optim.Optimiser
	// SGD is [optim.SGD], with momentum and weight decay.
	SGD = optim.SGD
	// Adam is [optim.Adam].
	Adam = optim.Adam
	// Adadelta is [optim.Adadelta].
	Adadelta = optim.Adadelta
)
