package experiments

import (
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/models"
)

// networkTraining is the training of a network that an experiment makes itself, on
// examples that it has in memory. [Setting.train] runs its loop.
type networkTraining struct {
	models.Loop
	net, initial *models.Network // as it is now, and as it was before training
	device       *backend.Device
}

// newNetworkTraining prepares the training of a network. Close frees the device.
func (in Setting) newNetworkTraining(
	net *models.Network, b models.Batches, epochs int, o models.TrainOptions,
) (*networkTraining, error) {
	d, err := backend.Open(backend.Options{Threads: in.Threads})
	if err != nil {
		return nil, err
	}
	o.Memory = availableMemory()
	t := &networkTraining{Loop: models.Loop{Batches: b, Epochs: epochs}, net: net, initial: net.Clone(), device: d}
	if t.Trainer, err = models.NewTrainer(net, d, o); err != nil {
		d.Close()
		return nil, &InputError{err}
	}
	return t, nil
}

func (t *networkTraining) close() { t.device.Close() }
