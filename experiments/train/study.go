package train

import (
	"context"
	"fmt"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/models"
)

// NetworkTraining trains a network that an experiment built itself, on examples in memory.
// [study.Setting.Train] runs its loop.
type NetworkTraining struct {
	models.Loop
	Net, Initial *models.Network // as it is now, and as it was before training
	Device       *backend.Device
}

// NewNetworkTraining prepares the training of a network. Close frees the device.
func NewNetworkTraining(in study.Setting,
	net *models.Network, b models.Batches, epochs int, o models.TrainOptions,
) (*NetworkTraining, error) {
	d, err := backend.Open(backend.Options{Threads: in.Threads})
	if err != nil {
		return nil, err
	}
	o.Memory = record.AvailableMemory()
	t := &NetworkTraining{Loop: models.Loop{Batches: b, Epochs: epochs}, Net: net, Initial: net.Clone(), Device: d}
	if t.Trainer, err = models.NewTrainer(net, d, o); err != nil {
		d.Close()
		return nil, &input.Error{Err: err}
	}
	return t, nil
}

// Close frees the device. A dry run has a nil training, of which it does nothing.
func (t *NetworkTraining) Close() {
	if t != nil {
		t.Device.Close()
	}
}

// RunInSeed runs a training as part of a seed of an experiment, and resumes it from its checkpoint.
func RunInSeed(ctx context.Context, in study.Setting, t *Training, name string, r Run) (*Record, error) {
	r.RunLoop = func(ctx context.Context, l *models.Loop) error {
		return in.Train(ctx, name, []any{t.spec, t.conv.DataSHA256}, l)
	}
	return t.Run(ctx, r)
}

// RunReporting runs a training as [RunInSeed] does, reports every epoch to the setting, and puts
// the name of the network before errors.
func RunReporting(ctx context.Context, in study.Setting, t *Training, name string) (*Record, error) {
	r, err := RunInSeed(ctx, in, t, name, Run{Progress: func(p Progress) {
		if p.Ended != nil {
			in.Report("training "+name, p.Epoch, p.Epochs)
		}
	}})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return r, nil
}
