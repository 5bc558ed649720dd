package setups

import (
	"context"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/experiments/examples"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// ImageHiddenLayers is the number of hidden layers of networks that learn images (paper rfm,
// Appendix D).
const ImageHiddenLayers = 2

// MLP is a fully connected network in training on the examples and one-hot targets of a kernel
// machine.
type MLP struct {
	*train.NetworkTraining
	Spec NetworkSpec
}

// NewMLP returns the network before its training, with random weights.
func NewMLP(in study.Setting, s NetworkSpec, e *examples.Set) (*MLP, error) {
	t, err := s.training(in, ImageHiddenLayers, e.Train)
	if err != nil {
		return nil, err
	}
	return &MLP{t, s}, nil
}

// Train trains for all epochs.
func (m *MLP) Train(ctx context.Context, in study.Setting) error {
	return m.TrainFollowed(ctx, in, m.Spec, func(context.Context, int) error { return nil })
}

// epochFollower measures a network after an epoch, counted from 1, or before the first.
type epochFollower func(ctx context.Context, epoch int) error

// TrainFollowed trains for all epochs, and calls follow before the first, as epoch 0, and after
// every one. The results of follow belong in the State of the loop, and the settings must hold what
// the results depend on.
func (m *MLP) TrainFollowed(ctx context.Context, in study.Setting, settings any, follow epochFollower) error {
	const stage = "training the network"
	m.Begin = func(ctx context.Context) error {
		if m.Trainer.Steps() > 0 {
			return nil // it goes on, and the checkpoint has what follow found
		}
		return follow(ctx, 0)
	}
	m.EndEpoch = func(ctx context.Context) error {
		epoch := m.Epoch() + 1
		if err := follow(ctx, epoch); err != nil {
			return err
		}
		in.Report(stage, epoch, m.Spec.Epochs)
		return nil
	}
	return in.Train(ctx, stage, settings, &m.Loop)
}

// Accuracy returns the share of the examples that the network classifies correctly.
func (m *MLP) Accuracy(ctx context.Context, e rfm.Examples) (float64, error) {
	s, err := ScoreNetwork(ctx, m.Device, m.Net, e, rfm.Classification)
	return s.Accuracy, err
}

// filters returns the weights of the first layer, units × features; with without, W₁ − W₀, what
// training changed.
func (m *MLP) filters(without bool) *mat.Dense {
	w := mat.DenseCopyOf(FirstFilters(m.Net))
	if without {
		w.Sub(w, FirstFilters(m.Initial))
	}
	return w
}

// Features returns the network's feature matrix W₁ᵀW₁; with without, that of W₁ − W₀.
func (m *MLP) Features(without bool) *rfm.Metric {
	return rfm.FullMetric(cnfa.CNFM(m.filters(without)))
}

// Diagonal returns the diagonal of [MLP.Features].
func (m *MLP) Diagonal(without bool) []float64 { return SquaredColumns(m.filters(without)) }
