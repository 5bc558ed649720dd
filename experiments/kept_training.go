package experiments

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ansatz-lab/ansatz/models"
)

// train takes the steps of a loop that are left, from where the seed was interrupted.
// Name and settings tell the training from others of the seed, and so do its examples
// where they are [models.Rows].
func (in Setting) train(ctx context.Context, name string, settings any, l *models.Loop) error {
	if in.Kept == "" {
		return l.Run(ctx)
	}
	if r, ok := l.Batches.(*models.Rows); ok {
		name += ", " + rowsKey(r)
	}
	var err error
	if l.Path, err = in.keptAt("training "+name, settings); err != nil {
		return err
	}
	l.Optional = true
	resumed, err := l.Resume()
	if err != nil {
		return &keptError{err}
	}
	if resumed {
		in.attempt.take(l.Path)
	}
	defer in.attempt.keep(l.Path)
	start, before := time.Now(), l.Trainer.Steps()
	err = l.Run(ctx)
	switch {
	case err != nil && ctx.Err() != nil:
		return interrupted(ctx, l, err)
	case err == nil && l.Trainer.Steps() > before && time.Since(start) >= in.worth():
		err = l.Save()
	}
	if unwritten := (*models.CheckpointError)(nil); errors.As(err, &unwritten) {
		return &keptError{err}
	}
	return err
}

// training runs a training of a seed, from where it was interrupted.
func (in Setting) training(ctx context.Context, t *Training, name string, r TrainRun) (*TrainRecord, error) {
	r.RunLoop = func(ctx context.Context, l *models.Loop) error { return in.train(ctx, name, t.spec, l) }
	return t.Run(ctx, r)
}

// trainReporting is training that reports every epoch, and names the network in errors.
func (in Setting) trainReporting(ctx context.Context, t *Training, name string) (*TrainRecord, error) {
	r, err := in.training(ctx, t, name, TrainRun{Progress: func(p TrainProgress) {
		if p.Ended != nil {
			in.report("training "+name, p.Epoch, p.Epochs)
		}
	}})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return r, nil
}

// rowsKey tells examples from others.
func rowsKey(r *models.Rows) string {
	labels := make([]int64, len(r.Labels))
	for i, l := range r.Labels {
		labels[i] = int64(l)
	}
	return fmt.Sprintf("%d×%d %s", r.Len(), r.Size, contentKey(r.Pixels, r.Targets, labels))
}
