package experiments

import (
	"context"
	"fmt"
	"slices"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/rfm"
)

// SweepNetwork is the network that corresponds to convolutional kernel machines:
// cnnDEPTH of the architectures, convolutions without padding and biases, ReLUs
// and a linear layer, trained by Adam for the cross-entropy. Its images are
// normalised by the mean and the standard deviation of the training images.
type SweepNetwork struct {
	Width  float64 `json:"width" toml:"width"` // a factor on its 64 filters
	Rate   float64 `json:"rate" toml:"rate"`
	Batch  int     `json:"batch" toml:"batch"`
	Epochs int     `json:"epochs" toml:"epochs"` // of which the best on the validation images is kept
}

// sweptNetwork is what came of a network.
type sweptNetwork struct {
	Training, Validation, Test float64 // accuracies
	Epoch                      int     // the one that was kept, counted from 1
}

// networkScores are accuracies and mean losses after an epoch.
type networkScores struct{ training, validation models.Score }

// better says whether the validation images prefer s.
func (s networkScores) better(than networkScores) bool {
	if a, b := s.validation.Accuracy(), than.validation.Accuracy(); a != b {
		return a > b
	}
	return s.validation.Loss < than.validation.Loss
}

// train trains the network of so many convolutions.
func (s SweepNetwork) train(ctx context.Context, in Setting, depth int, e *sweepSet) (*sweptNetwork, error) {
	if !(s.Width > 0) || s.Batch < 1 || s.Epochs < 1 {
		return nil, badInput("a network of width %v, batches of %d and %d epochs: want more than 0 of each", s.Width, s.Batch, s.Epochs)
	}
	d, err := backend.Open(backend.Options{Threads: in.Threads})
	if err != nil {
		return nil, err
	}
	defer d.Close()
	l, err := s.lesson(d, depth, e, in.Seed)
	if err != nil {
		return nil, err
	}
	out := &sweptNetwork{}
	var best networkScores
	for epoch := range s.Epochs {
		var now networkScores
		if now.training, err = l.epoch(ctx, epoch); err != nil {
			return nil, err
		}
		if now.validation, err = l.score(ctx, e.validation); err != nil {
			return nil, err
		}
		if epoch == 0 || now.better(best) {
			best, out.Epoch = now, epoch+1
			test, err := l.score(ctx, e.test)
			if err != nil {
				return nil, err
			}
			out.Training, out.Validation, out.Test = now.training.Accuracy(), now.validation.Accuracy(), test.Accuracy()
		}
		in.report("training the network", epoch+1, s.Epochs)
	}
	return out, nil
}

// imageLesson is a network that is being trained on images.
type imageLesson struct {
	set     *sweepSet
	trainer *models.Trainer
	labels  []int // of the training images
	batch   int
	seed    uint64
}

func (s SweepNetwork) lesson(d *backend.Device, depth int, e *sweepSet, seed uint64) (*imageLesson, error) {
	a, err := lookup(fmt.Sprintf("cnn%d", depth))
	if err != nil {
		return nil, err
	}
	a.Width = s.Width
	x := e.train.X
	net, err := a.InitNetwork(models.Shape{Channels: x.Channels, Height: x.Height, Width: x.Width}, len(e.classes), seed)
	if err != nil {
		return nil, &InputError{err}
	}
	l := &imageLesson{set: e, labels: classIndices(e.train.Y), batch: min(s.Batch, x.Len()), seed: seed}
	l.trainer, err = models.NewTrainer(net, d, models.TrainOptions{Batch: l.batch, Optimiser: models.Adam{LR: s.Rate}, Memory: availableMemory()})
	if err != nil {
		return nil, &InputError{err}
	}
	return l, nil
}

// epoch takes the steps of an epoch, in an order of its own, and returns their
// scores.
func (l *imageLesson) epoch(ctx context.Context, epoch int) (models.Score, error) {
	order := models.Stream(l.seed, fmt.Sprintf("order of epoch %d", epoch)).Perm(len(l.labels))
	var all models.Score
	for rows := range slices.Chunk(order, l.batch) {
		labels := make([]int, 0, len(rows))
		for _, i := range rows {
			labels = append(labels, l.labels[i])
		}
		step, err := l.trainer.Step(ctx, l.see(l.set.train.X.Pick(rows)), labels)
		if err != nil {
			return all, err
		}
		all.Add(step)
	}
	return all, nil
}

// score scores images as the network is.
func (l *imageLesson) score(ctx context.Context, e rfm.ImageExamples) (models.Score, error) {
	var all models.Score
	labels := classIndices(e.Y)
	for rows := range slices.Chunk(from(0, len(labels)), l.batch) {
		lo, hi := rows[0], rows[len(rows)-1]+1
		s, err := l.trainer.Evaluate(ctx, l.see(e.X.Pick(rows)), labels[lo:hi])
		if err != nil {
			return all, err
		}
		all.Add(s)
	}
	return all, nil
}

// see normalises images, which are the caller's own, in place.
func (l *imageLesson) see(x rfm.Images) []float32 {
	l.set.normalisation.Apply(x.Pixels)
	return x.Pixels
}
