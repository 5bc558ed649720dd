package experiments

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/models"
)

// Training is a training that has its network and images.
type Training struct {
	spec    TrainSpec
	plan    trainPlan
	data    *trainData
	net     *models.Network
	initial *models.Network // a copy of what net was before training
	conv    TrainConventions
}

// NewTraining opens what the spec names. Its errors are the input's, unless the
// context ends.
func NewTraining(ctx context.Context, s TrainSpec) (*Training, error) {
	a, err := lookup(s.Arch)
	if err != nil {
		return nil, err
	}
	return newTraining(ctx, s, a)
}

// newTraining prepares the training of an architecture.
func newTraining(ctx context.Context, s TrainSpec, a *models.Architecture) (*Training, error) {
	t, err := openTraining(ctx, s, a)
	if err != nil {
		return nil, err
	}
	if err := t.begin(a); err != nil {
		return nil, err
	}
	if err := t.batches().Check(); err != nil {
		return nil, &InputError{err}
	}
	return t, t.describe()
}

// openTraining opens the images of a training, which has no network yet.
func openTraining(ctx context.Context, s TrainSpec, a *models.Architecture) (*Training, error) {
	s = s.withDefaults()
	t := &Training{spec: s}
	var err error
	if t.plan, err = s.plan(); err != nil {
		return nil, err
	}
	if err := s.configure(a); err != nil {
		return nil, err
	}
	t.data, err = openTrainData(ctx, s, t.plan.labels, a)
	return t, err
}

// configure applies the spec's settings of the architecture.
func (s TrainSpec) configure(a *models.Architecture) error {
	if a.Width = s.Width; !(s.Width >= 0) || math.IsInf(s.Width, 0) {
		return badInput("--width %v: want a finite number above 0", s.Width)
	}
	if err := a.SetInit(s.Init); err != nil {
		return &InputError{fmt.Errorf("--init: %w", err)}
	}
	if !(s.Dropout >= 0 && s.Dropout < 1) {
		return badInput("--dropout %v: want at least 0 and less than 1", s.Dropout)
	}
	if a.Dropout = s.Dropout; s.NoDropout {
		a.Dropout = -1
	}
	return nil
}

// begin makes the network: with fresh weights, or those of a file.
func (t *Training) begin(a *models.Architecture) (err error) {
	if t.spec.InitWeights != "" {
		if t.net, _, err = openWeights(a, t.spec.InitWeights, t.data.shape()); err != nil {
			return err
		}
		t.net = t.net.Clone() // the file's tensors are not ours to change
	} else if t.net, err = t.draw(a); err != nil {
		return err
	}
	switch {
	case t.net.Classes == t.data.classes:
	case t.net.Classes == 1 && t.data.classes == 2 && t.plan.options.Loss == models.MeanSquaredError:
	case t.net.Classes == 1:
		return badInput("%s has one output, whose target is the label, 0 or 1: train it with --loss mse on two classes (--classes A,B), not with %s on the %d of %s",
			a.Name, t.plan.options.Loss, t.data.classes, t.spec.Data)
	default:
		return badInput("the network has %d outputs, %s has %d classes", t.net.Classes, t.spec.Data, t.data.classes)
	}
	if t.spec.Dropout > 0 && t.net.Dropouts() == 0 {
		return badInput("--dropout %v: %s has no dropout layer; a network with some can be written in TOML", t.spec.Dropout, a.Name)
	}
	t.initial = t.net.Clone()
	return nil
}

// draw draws fresh weights, once it is known that there is room for them.
func (t *Training) draw(a *models.Architecture) (*models.Network, error) {
	in := t.data.shape()
	f, err := freshNetwork(a, in, t.outputs(), t.spec.Seed)
	if err != nil {
		return nil, err
	}
	r := kernelRoom{parameters: f.Size(), width: cmp.Or(t.spec.Width, 1), copies: trainedCopies + len(t.plan.options.Optimiser.State())}
	if err := r.check(availableMemory()); err != nil {
		return nil, err
	}
	n, err := a.InitNetwork(in, t.outputs(), t.spec.Seed)
	if err != nil {
		return nil, &InputError{err}
	}
	return n, nil
}

// freshNetwork is a network of fresh weights, of which none is drawn.
func freshNetwork(a *models.Architecture, in models.Shape, outputs int, seed uint64) (*models.Fresh, error) {
	f, err := a.Fresh(in, outputs, seed)
	if err == nil {
		return f, nil
	}
	if in.Height < a.Input.Height {
		err = fmt.Errorf("%w: it was made for images of %v; --size scales them", err, a.Input)
	}
	return nil, &InputError{err}
}

// trainedCopies is how many copies of the weights there are at the least: they, what
// they were before training, and their gradient.
const trainedCopies = 3

// outputs is how many a fresh network gets: one a class, or one for a class
// against the rest.
func (t *Training) outputs() int {
	if t.plan.labels.kind == oneClass {
		return 1
	}
	return t.data.classes
}

// batches is the pipeline of the training images.
func (t *Training) batches() *data.Pipeline {
	return &data.Pipeline{
		Dataset: t.data.train, Normalisation: t.data.normalisation, Augmentation: t.plan.augment,
		Batch: min(t.spec.Batch, t.data.train.Len()), Block: t.spec.Block, Seed: t.spec.Seed,
	}
}
