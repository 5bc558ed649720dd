package experiments

import (
	"context"
	"slices"
	"time"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/models"
)

// endEpoch evaluates the network, chooses the best weights and saves.
func (s *session) endEpoch(ctx context.Context) error {
	e, err := s.evaluateEpoch(ctx, true)
	if err != nil {
		return err
	}
	s.state.Epochs = append(s.state.Epochs, e)
	s.state.Step, s.state.Running, s.state.Seconds = 0, models.Score{}, 0
	s.trainer.Sync() // for what is saved, and for who is told that the epoch has ended
	if err := s.choose(e); err != nil {
		return err
	}
	s.losePatience()
	if s.run.follow != nil {
		if err := s.run.follow.after(ctx, e.Epoch); err != nil {
			return err
		}
	}
	if s.run.Progress != nil {
		s.run.Progress(TrainProgress{Stage: "training", Done: s.trainer.Steps(), Total: s.totalSteps(), Epoch: e.Epoch, Epochs: s.spec.Epochs, Ended: &e})
	}
	if s.folder == nil {
		return nil
	}
	if err := s.folder.saveEpoch(s); err != nil {
		return err
	}
	return s.checkpoint()
}

// evaluateEpoch is the record of the current epoch; the training images are
// scored during training.
func (s *session) evaluateEpoch(ctx context.Context, evaluate bool) (EpochRecord, error) {
	epoch := len(s.state.Epochs)
	e := EpochRecord{
		Epoch: epoch + 1, LR: s.plan.schedule.LR(s.spec.LR, epoch, s.spec.Epochs),
		TrainLoss: s.state.Running.MeanLoss(), TrainAccuracy: s.state.Running.Accuracy(), Seconds: s.state.Seconds,
	}
	if !evaluate {
		return e, nil
	}
	start := time.Now()
	var err error
	if e.ValidationLoss, e.ValidationAccuracy, err = s.evaluate(ctx, "validating", s.data.validation); err != nil {
		return e, err
	}
	if !s.run.TestLast || e.Epoch >= s.spec.Epochs {
		e.TestLoss, e.TestAccuracy, err = s.evaluate(ctx, "testing", s.data.test)
	}
	e.Seconds += time.Since(start).Seconds()
	return e, err
}

// evaluate scores a set in evaluation mode; nil results where there is none.
func (s *session) evaluate(ctx context.Context, stage string, set data.Dataset) (loss, accuracy *float64, err error) {
	if set == nil {
		return nil, nil, nil
	}
	p := &data.Pipeline{Dataset: set, Normalisation: s.data.normalisation, Batch: min(s.batches().Batch, set.Len()), Sequential: true}
	var total models.Score
	for batch, err := range p.Epoch(ctx, 0, 0) {
		if err != nil {
			return nil, nil, err
		}
		score, err := s.trainer.Evaluate(ctx, batch.Pixels, batch.Labels)
		if err != nil {
			return nil, nil, err
		}
		total.Add(score)
		if s.run.Progress != nil {
			s.run.Progress(TrainProgress{Stage: stage, Done: total.Images, Total: set.Len(), Epoch: len(s.state.Epochs) + 1, Epochs: s.spec.Epochs, Score: total})
		}
	}
	return ptr(total.MeanLoss()), ptr(total.Accuracy()), nil
}

// choose keeps the weights if they are the best so far: by the loss of the
// validation images, or of the training images where there are none. Test images
// choose nothing.
func (s *session) choose(e EpochRecord) error {
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

// medianStep is the median time of a step of this session, the first two of
// which prepare; of a session without steps it is that of the session before.
func (s *session) medianStep() float64 {
	times := slices.Clone(s.times)
	if len(times) > 4 {
		times = times[2:]
	}
	if len(times) == 0 {
		return s.state.SecondsPerStep
	}
	slices.Sort(times)
	return times[len(times)/2]
}
