package experiments

import (
	"context"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// imageLayers is how many hidden layers the networks have that learn images
// (paper rfm, Appendix D).
const imageLayers = 2

// mlp is a fully connected network while it is trained on the examples, and the
// one-hot targets, that a kernel machine gets.
type mlp struct {
	*networkTraining
	spec NetworkSpec
}

// newMLP makes the network, with fresh weights.
func newMLP(in Setting, s NetworkSpec, e *examples) (*mlp, error) {
	t, err := s.training(in, imageLayers, e.train)
	if err != nil {
		return nil, err
	}
	return &mlp{t, s}, nil
}

// train takes all epochs.
func (m *mlp) train(ctx context.Context, in Setting) error {
	return m.trainFollowed(ctx, in, m.spec, func(context.Context, int) error { return nil })
}

// epochFollower measures a network after an epoch, counted from 1, or before the first.
type epochFollower func(ctx context.Context, epoch int) error

// trainFollowed takes all epochs, and calls follow before the first, as epoch 0, and
// after every one. What follow finds belongs into the State of the loop, and what
// that depends on into the settings.
func (m *mlp) trainFollowed(ctx context.Context, in Setting, settings any, follow epochFollower) error {
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
		in.report(stage, epoch, m.spec.Epochs)
		return nil
	}
	return in.train(ctx, stage, settings, &m.Loop)
}

// accuracy is the share of the examples that the network has right.
func (m *mlp) accuracy(ctx context.Context, e rfm.Examples) (float64, error) {
	s, err := scoreNetwork(ctx, m.device, m.net, e, rfm.Classification)
	return s.Accuracy, err
}

// filters are the weights of the first layer, units × features; without is true
// for W₁ − W₀, what training changed.
func (m *mlp) filters(without bool) *mat.Dense {
	w := mat.DenseCopyOf(firstFilters(m.net))
	if without {
		w.Sub(w, firstFilters(m.initial))
	}
	return w
}

// features are the network's feature matrix W₁ᵀW₁.
func (m *mlp) features(without bool) *rfm.Metric {
	return rfm.FullMetric(cnfa.CNFM(m.filters(without)))
}

// diagonal is that of features, without the rest.
func (m *mlp) diagonal(without bool) []float64 { return squaredColumns(m.filters(without)) }
