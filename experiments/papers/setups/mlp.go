package setups

import (
	"context"

	"github.com/ansatz-lab/ansatz/experiments/examples"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// imageHiddenLayers is the number of hidden layers of networks that learn images (paper rfm,
// Appendix D).
const imageHiddenLayers = 2

// MLP is the training of a fully connected network on the examples and one-hot targets of a
// kernel machine.
type MLP struct {
	*train.NetworkTraining
	Spec NetworkSpec
	in   study.Setting
}

// NewMLP returns a network with random weights, to be trained. Close frees its device.
func NewMLP(in study.Setting, s NetworkSpec, e *examples.Set) (*MLP, error) {
	return NewDeepMLP(in, s, imageHiddenLayers, e.Train)
}

// NewDeepMLP is [NewMLP] for a number of hidden layers, on examples that need not be images.
func NewDeepMLP(in study.Setting, s NetworkSpec, depth int, e rfm.Examples) (*MLP, error) {
	t, err := s.training(in, depth, e)
	if err != nil {
		return nil, err
	}
	return &MLP{t, s, in}, nil
}

// Train trains for all epochs.
func (m *MLP) Train(ctx context.Context) error {
	return m.TrainFollowed(ctx, m.Spec, func(context.Context, int) error { return nil })
}

// epochFollower makes measurements after an epoch, counted from 1; epoch 0 is before the first.
type epochFollower func(ctx context.Context, epoch int) error

// TrainFollowed trains for all epochs, and calls follow before the first, as epoch 0, and after each. The State of the
// loop stores the results of follow; settings must contain all that they depend on. In a dry run follow is not called.
func (m *MLP) TrainFollowed(ctx context.Context, settings any, follow epochFollower) error {
	const stage = "training the network"
	if m.in.Dry() {
		return nil
	}
	m.Begin = func(ctx context.Context) error {
		if m.Trainer.Steps() > 0 {
			return nil // the training was resumed, and its checkpoint has the results of follow
		}
		return follow(ctx, 0)
	}
	m.EndEpoch = func(ctx context.Context) error {
		epoch := m.Epoch() + 1
		if err := follow(ctx, epoch); err != nil {
			return err
		}
		m.in.Report(stage, epoch, m.Spec.Epochs)
		return nil
	}
	return m.in.Train(ctx, stage, settings, &m.Loop)
}

// Accuracy returns the share of the examples that the network classifies correctly.
func (m *MLP) Accuracy(ctx context.Context, e rfm.Examples) (float64, error) {
	s, err := m.Score(ctx, e)
	return s.Accuracy, err
}

// Score returns the scores of the network on examples.
func (m *MLP) Score(ctx context.Context, e rfm.Examples) (rfm.Scores, error) {
	if m.in.Dry() {
		m.in.AddTested(float64(linalg.RowCount(e.X)))
		return rfm.Scores{}, nil
	}
	return ScoreNetwork(ctx, m.Device, m.Net, e, rfm.Classification)
}

// Change returns W₁ − W₀, the change of the first layer's weights by training, units × features.
func (m *MLP) Change() *mat.Dense {
	var change mat.Dense
	change.Sub(FirstFilters(m.Net), FirstFilters(m.Initial))
	return &change
}
