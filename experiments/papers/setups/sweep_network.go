package setups

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/experiments/examples"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/experiments/workload"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/rfm"
)

// SweepNetwork is the network that corresponds to the convolutional kernel machines: the architecture cnnDEPTH, with
// convolutions without padding and biases, ReLUs and a linear layer. It reads the same pixels as the machines and,
// like them, minimises the mean squared error on one-hot targets.
type SweepNetwork struct {
	Optimiser string  `json:"opt" toml:"opt"`     // adam, the default, or sgd without momentum
	Width     float64 `json:"width" toml:"width"` // a factor on its 64 filters
	Rate      float64 `json:"rate" toml:"rate"`
	Batch     int     `json:"batch" toml:"batch"`
	Epochs    int     `json:"epochs" toml:"epochs"` // of which the best on the validation images is kept
}

// NetworkAccuracies are the accuracies of a network after the chosen epoch.
type NetworkAccuracies struct {
	Training, Validation, Test float64 // accuracies; NaN if no epoch was finished
	Epoch                      int     // the one that was chosen, counted from 1
	Diverged                   bool    // in a later epoch
}

// networkChoice is the best epoch of a network so far on the validation images.
type networkChoice struct {
	models.Position
	Network NetworkAccuracies
	Scored  models.Score // of the validation images
}

// prefers reports whether the network in its present state, with a new score on the validation images, replaces the
// chosen one.
func (c *networkChoice) prefers(now models.Score) bool {
	if c.Network.Epoch == 0 {
		return true
	}
	if a, b := now.Accuracy(), c.Scored.Accuracy(); a != b {
		return a > b
	}
	return now.Loss < c.Scored.Loss
}

// Train trains the network with a number of convolutions. If the training diverges, it returns the best epoch before.
func (s SweepNetwork) Train(ctx context.Context, in study.Setting, depth int,
	e *SweepExamples) (*NetworkAccuracies, error) {
	if !(s.Width > 0) || s.Batch < 1 || s.Epochs < 1 {
		return nil, input.Errorf("a network of width %v, batches of %d and %d epochs: want more than 0 of each",
			s.Width, s.Batch, s.Epochs)
	}
	optimiser, err := s.optimiser()
	if err != nil {
		return nil, err
	}
	arch := fmt.Sprintf("cnn%d", depth)
	if in.Dry() {
		net, err := workload.NetworkOf(arch, s.Width, e.shape(), len(e.Classes))
		// About every other epoch is better than all before it, and is then scored on the test images.
		tested := linalg.RowCount(e.Validation.Y) + linalg.RowCount(e.Test.Y)/2
		l := workload.TrainingSize{Train: linalg.RowCount(e.Train.Y), Tested: tested, Batch: s.Batch, Epochs: s.Epochs}
		return &NetworkAccuracies{}, in.AddJob(l.Job(net), err)
	}
	a, err := input.LookupArchitecture(arch)
	if err != nil {
		return nil, err
	}
	a.Width = s.Width
	net, err := a.InitNetwork(e.shape(), len(e.Classes), in.Seed)
	if err != nil {
		return nil, &input.Error{Err: err}
	}
	rows := e.rows(e.Train, s.Batch)
	rows.Seed, rows.InOrder = in.Seed, false
	t, err := train.NewNetworkTraining(in, net, rows, s.Epochs, models.TrainOptions{
		Batch: rows.BatchSize(), Optimiser: optimiser, Loss: models.MeanSquaredError,
	})
	if err != nil {
		return nil, err
	}
	defer t.Close()
	validation, test := e.rows(e.Validation, rows.BatchSize()), e.rows(e.Test, rows.BatchSize())
	c := &networkChoice{}
	t.State = c
	t.EndEpoch = func(ctx context.Context) error {
		now, err := t.Trainer.EvaluateAll(ctx, validation, nil)
		if err != nil {
			return err
		}
		if c.prefers(now) {
			tested, err := t.Trainer.EvaluateAll(ctx, test, nil)
			if err != nil {
				return err
			}
			c.Scored = now
			c.Network = NetworkAccuracies{Training: c.Running.Accuracy(), Validation: now.Accuracy(), Test: tested.Accuracy(),
				Epoch: t.Epoch() + 1}
		}
		in.Report("training the network", t.Epoch()+1, s.Epochs)
		return nil
	}
	stage := fmt.Sprintf("network of %d convolutions, %s%s", depth, s.Optimiser, e.key())
	err = in.Train(ctx, stage, s, &t.Loop)
	var diverged *models.DivergedError
	if err != nil && !errors.As(err, &diverged) {
		return nil, err
	}
	if c.Network.Diverged = err != nil; c.Network.Epoch == 0 {
		nan := math.NaN()
		c.Network.Training, c.Network.Validation, c.Network.Test = nan, nan, nan
	}
	return &c.Network, nil
}

// optimiser returns the optimiser.
func (s SweepNetwork) optimiser() (models.Optimiser, error) {
	switch s.Optimiser {
	case "", "adam":
		return models.Adam{LR: s.Rate}, nil
	case "sgd":
		return models.SGD{LR: s.Rate}, nil
	}
	return nil, input.Errorf("optimiser %q: want adam or sgd", s.Optimiser)
}

// rows returns images as a network reads them, in their order.
func (e *SweepExamples) rows(of rfm.ImageExamples, batch int) *models.Rows {
	px := of.X.Pixels
	return &models.Rows{Pixels: px, Size: len(px) / of.X.Len(), Labels: examples.ClassIndices(of.Y), Batch: batch,
		InOrder: true}
}
