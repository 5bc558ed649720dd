package train

import (
	"cmp"
	"context"
	"fmt"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/internal/words"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/weights"
)

// Training is a training with its network and images. [NewTraining] prepares one.
type Training struct {
	spec Spec
	Plan Plan

	data    *Data
	net     *models.Network
	initial *models.Network // a copy of net before training
	// initialSHA is the digest of initial, "" until Metadata needs it.
	initialSHA string
	conv       Conventions
}

// Network returns the network, which [Training.Run] trains in place.
func (t *Training) Network() *models.Network { return t.net }

// Initial returns a copy of the network as it was before training.
func (t *Training) Initial() *models.Network { return t.initial }

// Images returns the images of the training.
func (t *Training) Images() *Data { return t.data }

// Conventions returns what the numbers of the training depend on.
func (t *Training) Conventions() Conventions { return t.conv }

// NewTraining opens the images and the network that the spec names. Its errors are input errors, unless ctx ends.
func NewTraining(ctx context.Context, s Spec) (*Training, error) {
	a, err := input.LookupArchitecture(s.Arch)
	if err != nil {
		return nil, err
	}
	return NewTrainingOf(ctx, s, a)
}

// NewTrainingOf prepares the training of an architecture.
func NewTrainingOf(ctx context.Context, s Spec, a *models.Architecture) (*Training, error) {
	t, err := openTraining(ctx, s, a)
	if err != nil {
		return nil, err
	}
	if err := t.openNetwork(a); err != nil {
		return nil, err
	}
	if err := t.batches().Check(); err != nil {
		return nil, &input.Error{Err: err}
	}
	return t, t.Describe()
}

// openTraining opens the images of a training, without a network.
func openTraining(ctx context.Context, s Spec, a *models.Architecture) (*Training, error) {
	if s.Normalise == "" && s.InitWeights != "" {
		if d, err := weights.Open(s.InitWeights); err == nil { // openNetwork reports what is wrong with the file
			s.Normalise = d.Metadata()[input.NormalisationMetadata]
		}
	}
	s = s.WithDefaults()
	t := &Training{spec: s}
	var err error
	if t.Plan, err = s.plan(); err != nil {
		return nil, err
	}
	if err := s.Configure(a); err != nil {
		return nil, err
	}
	t.data, err = openData(ctx, s, t.Plan.labels, a)
	return t, err
}

// Configure applies the spec's settings to the architecture.
func (s Spec) Configure(a *models.Architecture) error {
	a.Prefix = s.Prefix
	if err := a.SetWidth(s.Width); err != nil {
		return input.Errorf("--width %w", err)
	}
	if err := a.SetInit(s.Init); err != nil {
		return &input.Error{Err: fmt.Errorf("--init: %w", err)}
	}
	if err := a.SetParameterisation(s.Parameterisation); err != nil {
		return &input.Error{Err: fmt.Errorf("--parameterisation: %w", err)}
	}
	if s.Init != "" && a.Parameterisation.NTK {
		return input.Errorf("--parameterisation %s begins with weights N(0, 1): leave out --init", s.Parameterisation)
	}
	if !(s.Dropout >= 0 && s.Dropout < 1) {
		return input.Errorf("--dropout %v: want at least 0 and less than 1", s.Dropout)
	}
	if a.Dropout = s.Dropout; s.NoDropout {
		a.Dropout = -1
	}
	return nil
}

// openNetwork creates the network, with fresh weights or with those of a file.
func (t *Training) openNetwork(a *models.Architecture) (err error) {
	if t.spec.InitWeights != "" {
		net, state, err := input.OpenWeights(a, t.spec.InitWeights, t.data.shape())
		if err != nil {
			return err
		}
		err = input.CheckClassOrder(t.spec.InitWeights, state.Metadata(), t.data.Train.Classes())
		if err != nil {
			return err
		}
		t.net = net.Clone() // the tensors of the file must not change
	} else if t.net, err = t.drawNetwork(a); err != nil {
		return err
	}
	switch {
	case t.net.Classes == t.data.classes:
	case t.net.Classes == 1 && t.data.classes == 2 && t.Plan.Options.Loss == models.MeanSquaredError:
	case t.net.Classes == 1:
		return input.Errorf("%s has one output, whose target is the label, 0 or 1: train it with --loss mse on two "+
			"classes (--classes A,B), not with %s on the %d of %s",
			a.Name, t.Plan.Options.Loss, t.data.classes, t.spec.Data)
	case t.spec.Labels != "" && t.spec.Labels != "true":
		return input.Errorf("the network has %s, --labels %s wants %d", words.Count(t.net.Classes, "output"), t.spec.Labels,
			t.outputs())
	default:
		return input.Errorf("the network has %s, %s has %s", words.Count(t.net.Classes, "output"), t.spec.Data,
			words.Count(t.data.classes, "class"))
	}
	if t.spec.Dropout > 0 && t.net.Dropouts() == 0 {
		return input.Errorf("--dropout %v: %s has no dropout layer; a network with some can be written in TOML",
			t.spec.Dropout, a.Name)
	}
	t.initial = t.net.Clone()
	return nil
}

// drawNetwork draws fresh weights after checking that they fit into memory.
func (t *Training) drawNetwork(a *models.Architecture) (*models.Network, error) {
	in := t.data.shape()
	f, err := FreshNetwork(a, in, t.outputs(), t.spec.Seed)
	if err != nil {
		return nil, err
	}
	r := KernelRoom{Parameters: f.Size(), Width: cmp.Or(t.spec.Width, 1),
		Copies: trainedCopies + len(t.Plan.Options.Optimiser.State())}
	if err := r.Check(record.AvailableMemory()); err != nil {
		return nil, err
	}
	n, err := a.InitNetwork(in, t.outputs(), t.spec.Seed)
	if err != nil {
		return nil, &input.Error{Err: err}
	}
	return n, nil
}

// FreshNetwork returns the layers of a network that has fresh weights, without drawing these.
func FreshNetwork(a *models.Architecture, in models.Shape, outputs int, seed uint64) (*models.Fresh, error) {
	f, err := a.Fresh(in, outputs, seed)
	if err == nil {
		return f, nil
	}
	if in.Height < a.Input.Height {
		if _, atItsOwn := a.Fresh(a.Input, outputs, seed); atItsOwn == nil { // so the size is the reason
			err = fmt.Errorf("%w: it was made for images of %v; --size scales them", err, a.Input)
		}
	}
	return nil, &input.Error{Err: err}
}

// trainedCopies is the least number of arrays as large as the weights: the weights, their
// initial values and their gradient.
const trainedCopies = 3

// outputs returns the number of outputs of a fresh network: one for each class, or a single one
// for a class against the rest.
func (t *Training) outputs() int {
	if t.Plan.labels.kind == OneClass {
		return 1
	}
	return t.data.classes
}

// batches returns the pipeline of the training images.
func (t *Training) batches() *data.Pipeline {
	return &data.Pipeline{
		Dataset: t.data.Train, Normalisation: t.data.Normalisation, Augmentation: t.Plan.Augment,
		Batch: min(t.spec.Batch, t.data.Train.Len()), Block: t.spec.Block, Seed: t.spec.Seed,
	}
}
