package train

import (
	"context"
	"time"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/models"
)

// endEpoch evaluates the network, chooses the best weights and saves both.
func (s *session) endEpoch(ctx context.Context) error {
	e, err := s.evaluateEpoch(ctx, true)
	if err != nil {
		return err
	}
	s.state.Epochs = append(s.state.Epochs, e)
	if err := s.keepIfBest(e); err != nil {
		return err
	}
	s.stopEarly()
	if s.run.Progress != nil {
		s.run.Progress(Progress{
			Stage: "training", Done: s.trainer.Steps(), Total: s.Steps(),
			Epoch: e.Epoch, Epochs: s.spec.Epochs, Ended: &e,
		})
	}
	if s.folder == nil || !s.loop.SavesEpoch {
		return nil
	}
	s.written = e.Epoch
	return s.folder.saveEpoch(s)
}

// evaluateEpoch returns the record of the current epoch. The scores of the training images were
// collected during training.
func (s *session) evaluateEpoch(ctx context.Context, evaluate bool) (EpochRecord, error) {
	epoch := len(s.state.Epochs)
	e := EpochRecord{
		Epoch: epoch + 1, LR: s.Plan.schedule.LR(s.spec.LR, epoch, s.spec.Epochs),
		TrainLoss: s.state.Running.MeanLoss(), TrainAccuracy: s.state.Running.Accuracy(), Seconds: s.state.Seconds,
	}
	if !evaluate {
		return e, nil
	}
	start := time.Now()
	var err error
	still := data.Augmentation{}
	e.ValidationLoss, e.ValidationAccuracy, err = s.evaluate(ctx, "validating", s.data.Validation, still)
	if err != nil {
		return e, err
	}
	last := e.Epoch >= s.spec.Epochs
	if s.run.TrainLast && last {
		_, e.FinalTrainAccuracy, err = s.evaluate(ctx, "scoring the training images", s.data.Train, s.Plan.Augment)
		if err != nil {
			return e, err
		}
	}
	if !s.run.TestLast || last {
		e.TestLoss, e.TestAccuracy, err = s.evaluate(ctx, "testing", s.data.Test, still)
	}
	e.Seconds += time.Since(start).Seconds()
	return e, err
}

// evaluate scores a set of images in evaluation mode. Without a set its results are nil.
func (s *session) evaluate(ctx context.Context, stage string, set data.Dataset, augment data.Augmentation) (
	loss, accuracy *float64, err error,
) {
	if set == nil {
		return nil, nil, nil
	}
	p := &data.Pipeline{Dataset: set, Normalisation: s.data.Normalisation, Augmentation: augment,
		Batch: min(s.batches().Batch, set.Len()), Sequential: true, Seed: s.spec.Seed}
	total, err := s.trainer.EvaluateAll(ctx, ImageBatches{p}, func(total models.Score) {
		if s.run.Progress != nil {
			s.run.Progress(Progress{
				Stage: stage, Done: total.Images, Total: set.Len(),
				Epoch: len(s.state.Epochs) + 1, Epochs: s.spec.Epochs, Score: total,
			})
		}
	})
	if err != nil {
		return nil, nil, err
	}
	return record.Ptr(total.MeanLoss()), record.Ptr(total.Accuracy()), nil
}

// keepIfBest keeps the weights if their loss is the smallest so far: that of the validation images or, if there are
// none, of the training images. Test images never choose weights.
func (s *session) keepIfBest(e EpochRecord) error {
	loss := e.TrainLoss
	if e.ValidationLoss != nil {
		loss = *e.ValidationLoss
	}
	if s.state.Best != nil && !(loss < s.state.Best.Loss) {
		return nil
	}
	s.state.Best = &BestRecord{Epoch: e.Epoch, Loss: loss}
	if s.folder == nil {
		return nil
	}
	return s.folder.saveLearned(bestFile, s, e.Epoch)
}
