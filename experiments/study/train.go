package study

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ansatz-lab/ansatz/experiments/checkpoint"
	"github.com/ansatz-lab/ansatz/models"
)

// Train runs the remaining steps of a loop. If an interrupted attempt left a checkpoint, it continues from there. Name and
// settings, which become JSON, tell the training from others of the seed, as do its examples if they are [models.Rows].
func (in Setting) Train(ctx context.Context, name string, settings any, l *models.Loop) error {
	if in.checkpoints == "" {
		return l.Run(ctx)
	}
	if r, ok := l.Batches.(*models.Rows); ok {
		name += ", " + rowsKey(r)
	}
	var err error
	if l.Path, err = in.CheckpointPath("training "+name, settings); err != nil {
		return err
	}
	l.Optional = true
	resumed, err := l.Resume()
	if err != nil {
		return &checkpoint.SaveError{Err: err}
	}
	if resumed {
		in.MarkResumed(l.Path)
	}
	defer in.attempt.markMade(l.Path)
	start, before := time.Now(), l.Trainer.Steps()
	err = l.Run(ctx)
	switch {
	case err != nil && ctx.Err() != nil:
		return checkpoint.Stop(ctx, l, err)
	case err == nil && l.Trainer.Steps() > before && time.Since(start) >= in.minTime():
		err = l.Save()
	}
	if unwritten := (*models.CheckpointError)(nil); errors.As(err, &unwritten) {
		return &checkpoint.SaveError{Err: err}
	}
	return err
}

// rowsKey returns a text that differs between different examples.
func rowsKey(r *models.Rows) string {
	labels := make([]int64, len(r.Labels))
	for i, l := range r.Labels {
		labels[i] = int64(l)
	}
	return fmt.Sprintf("%d×%d %s", r.Len(), r.Size, checkpoint.ContentDigest(r.Pixels, r.Targets, labels))
}
