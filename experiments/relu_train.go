package experiments

import (
	"context"
	"fmt"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/rfm"
)

// trainedNetwork is a network with the weights that had the least error on
// validation examples.
type trainedNetwork struct {
	net     *models.Network
	initial *models.Network // as it was before training
	last    *models.Network // as it was after the last epoch
	epoch   int             // the one that was kept, counted from 1
	// trainMSE and validationMSE are the errors after every epoch; those of the
	// training examples are means over the steps of the epoch.
	trainMSE, validationMSE []float64
}

// train trains a network of so many hidden layers. Its weights and the order of
// its examples come from the seed.
func (s NetworkSpec) train(ctx context.Context, depth int, train, validation rfm.Examples, in Setting) (*trainedNetwork, error) {
	d, err := backend.Open(backend.Options{Threads: in.Threads})
	if err != nil {
		return nil, err
	}
	defer d.Close()
	l, err := s.lesson(d, depth, train, in.Seed)
	if err != nil {
		return nil, err
	}
	t := &trainedNetwork{initial: l.net.Clone(), last: l.net}
	stage := fmt.Sprintf("network of depth %d", depth)
	kept, err := in.course(t, l, stage, s)
	if err != nil {
		return nil, err
	}
	for epoch := len(t.trainMSE); epoch < s.Epochs; epoch++ {
		loss, err := l.epoch(ctx, epoch)
		if err != nil {
			return nil, err
		}
		score, err := scoreNetwork(ctx, d, l.net, validation, rfm.Regression)
		if err != nil {
			return nil, err
		}
		t.trainMSE, t.validationMSE = append(t.trainMSE, loss), append(t.validationMSE, score.MSE)
		if t.net == nil || score.MSE < t.validationMSE[t.epoch-1] {
			t.net, t.epoch = l.net.Clone(), epoch+1
		}
		in.report(stage, epoch+1, s.Epochs)
		if err := kept.after(epoch+1 == s.Epochs); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// lesson is a network that is being trained on examples.
type lesson struct {
	net     *models.Network
	trainer *models.Trainer
	x, y    []float32 // rows of the inputs and of the targets
	n, d, c int       // of rows, inputs and targets
	batch   int
	seed    uint64
}

func (s NetworkSpec) lesson(d *backend.Device, depth int, e rfm.Examples, seed uint64) (*lesson, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	l := &lesson{x: pixelsOf(e.X), y: pixelsOf(e.Y), seed: seed}
	l.n, l.d = e.X.Dims()
	_, l.c = e.Y.Dims()
	l.batch = s.Batch
	if l.batch == 0 || l.batch > l.n {
		l.batch = l.n
	}
	var err error
	if l.net, err = s.architecture(depth).InitNetwork(models.Shape{Channels: l.d, Height: 1, Width: 1}, l.c, seed); err != nil {
		return nil, err
	}
	l.trainer, err = models.NewTrainer(l.net, d, models.TrainOptions{
		Batch: l.batch, Optimiser: s.optimiser(), Loss: models.MeanSquaredError, Memory: availableMemory(),
	})
	if err != nil {
		return nil, &InputError{err}
	}
	return l, nil
}

// epoch takes the steps of an epoch over the examples, in an order of its own,
// and returns the mean of their losses.
func (l *lesson) epoch(ctx context.Context, epoch int) (loss float64, err error) {
	order := models.Stream(l.seed, fmt.Sprintf("order of epoch %d", epoch)).Perm(l.n)
	x, y := make([]float32, 0, l.batch*l.d), make([]float32, 0, l.batch*l.c)
	for start := 0; start < l.n; start += l.batch {
		rows := order[start:min(start+l.batch, l.n)]
		x, y = x[:0], y[:0]
		for _, i := range rows {
			x, y = append(x, l.x[i*l.d:(i+1)*l.d]...), append(y, l.y[i*l.c:(i+1)*l.c]...)
		}
		step, err := l.trainer.StepTowards(ctx, x, y)
		if err != nil {
			return 0, err
		}
		loss += step * float64(len(rows)) / float64(l.n)
	}
	return loss, nil
}
