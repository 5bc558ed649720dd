package setups

import (
	"context"
	"fmt"

	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/rfm"
)

// TrainedNetwork is a network with the weights that had the least error on
// validation examples.
type TrainedNetwork struct {
	Net     *models.Network
	Initial *models.Network // as it was before training
	Last    *models.Network // as it was after the last epoch
	networkErrors
}

// networkErrors are the errors of a network while it is trained.
type networkErrors struct {
	models.Position
	BestEpoch int // with the least validation error so far, counted from 1; 0 before the first has ended
	// TrainMSE and ValidationMSE are the errors after every epoch; those of the
	// training examples are means over the steps of the epoch.
	TrainMSE, ValidationMSE []float64
}

// add adds the errors of an epoch, and returns whether it is the best so far.
func (e *networkErrors) add(train, validation float64) (best bool) {
	best = e.BestEpoch == 0 || validation < e.ValidationMSE[e.BestEpoch-1]
	e.TrainMSE, e.ValidationMSE = append(e.TrainMSE, train), append(e.ValidationMSE, validation)
	if best {
		e.BestEpoch = len(e.ValidationMSE)
	}
	return best
}

// Train trains a network of so many hidden layers. Its weights and the order of
// its examples come from the seed.
func (s NetworkSpec) Train(ctx context.Context, depth int, train, validation rfm.Examples,
	in study.Setting) (*TrainedNetwork, error) {
	t, err := s.training(in, depth, train)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	out := &TrainedNetwork{Initial: t.Initial, Last: t.Net}
	stage := fmt.Sprintf("network of depth %d", depth)
	t.State = &out.networkErrors
	t.EndEpoch = func(ctx context.Context) error {
		score, err := ScoreNetwork(ctx, t.Device, t.Net, validation, rfm.Regression)
		if err != nil {
			return err
		}
		if out.add(out.Running.MeanLoss(), score.MSE) {
			t.KeepBest()
		}
		in.Report(stage, len(out.ValidationMSE), s.Epochs)
		return nil
	}
	if err := in.Train(ctx, stage, s, &t.Loop); err != nil {
		return nil, err
	}
	out.Net = t.Best
	return out, nil
}

// training prepares the training of a network of so many hidden layers.
func (s NetworkSpec) training(in study.Setting, depth int, e rfm.Examples) (*train.NetworkTraining, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	rows := examplesInRows(e, s.Batch, in.Seed)
	_, outputs := e.Y.Dims()
	shape := models.Shape{Channels: rows.Size, Height: 1, Width: 1}
	net, err := s.Architecture(depth).InitNetwork(shape, outputs, in.Seed)
	if err != nil {
		return nil, err
	}
	return train.NewNetworkTraining(in, net, rows, s.Epochs, models.TrainOptions{
		Batch: rows.BatchSize(), Optimiser: s.optimiser(), Loss: models.MeanSquaredError,
	})
}

// examplesInRows are the batches of a regression on some examples, in an order that
// the seed draws.
func examplesInRows(e rfm.Examples, batch int, seed uint64) *models.Rows {
	_, size := e.X.Dims()
	return &models.Rows{Pixels: flattenRows(e.X), Size: size, Targets: flattenRows(e.Y), Batch: batch, Seed: seed}
}
