package experiments

import (
	"context"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// imageLayers is how many hidden layers the networks have that learn images
// (paper rfm, Appendix D).
const imageLayers = 2

// mlp is a fully connected network while it is trained on the examples, and the
// one-hot targets, that a kernel machine gets.
type mlp struct {
	*lesson
	spec    NetworkSpec
	initial *models.Network
	device  *backend.Device
}

// newMLP makes the network, with fresh weights.
func newMLP(in Setting, s NetworkSpec, e *examples) (*mlp, error) {
	d, err := backend.Open(backend.Options{Threads: in.Threads})
	if err != nil {
		return nil, err
	}
	l, err := s.lesson(d, imageLayers, e.train, in.Seed)
	if err != nil {
		d.Close()
		return nil, err
	}
	return &mlp{lesson: l, spec: s, initial: l.net.Clone(), device: d}, nil
}

func (m *mlp) close() { m.device.Close() }

// train takes all epochs. Each, which may be nil, is called before the first, as
// epoch 0, and after every one.
func (m *mlp) train(ctx context.Context, in Setting, each func(epoch int) error) error {
	for epoch := range m.spec.Epochs + 1 {
		if each != nil {
			if err := each(epoch); err != nil {
				return err
			}
		}
		if epoch == m.spec.Epochs {
			break
		}
		in.report("training the network", epoch, m.spec.Epochs)
		if _, err := m.epoch(ctx, epoch); err != nil {
			return err
		}
	}
	return nil
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
