package checkpoint

import (
	"context"
	"errors"
	"fmt"

	"github.com/ansatz-lab/ansatz/models"
)

// CheckpointFile is the checkpoint of a training in its folder. It is not named as weights
// are, since it holds times, which are never the same twice.
const CheckpointFile = "run.checkpoint"

// InterruptedError is returned by a run that was stopped and can go on.
type InterruptedError struct {
	Checkpoint string // the file or folder from which the run goes on
}

// Error says where everything so far is, and how to go on.
func (e *InterruptedError) Error() string {
	return fmt.Sprintf("interrupted: everything so far is in %s; run the same command again with --resume", e.Checkpoint)
}

// Interrupted says that the run can go on, see [Interrupted].
func (e *InterruptedError) Interrupted() bool { return true }

// Interrupted says whether an error means that a run, a batch, a download or the work of a
// shard was stopped and can go on. The types of such errors say so by a method of that name.
func Interrupted(err error) bool {
	var stopped interface {
		error
		Interrupted() bool
	}
	return errors.As(err, &stopped) && stopped.Interrupted()
}

// Stop saves a checkpoint of a loop that an error ended because the context did.
func Stop(ctx context.Context, l *models.Loop, err error) error {
	var already *InterruptedError
	if errors.As(err, &already) || IsUnsaved(err) {
		return err
	}
	if l.Path == "" {
		return ctx.Err()
	}
	if err := l.Save(); err != nil {
		return &unsavedError{err}
	}
	return &InterruptedError{Checkpoint: l.Path}
}

// IsUnsaved says whether an error is of such a run.
func IsUnsaved(err error) bool {
	var e *unsavedError
	return errors.As(err, &e)
}

// unsavedError is returned by a run that was stopped and could not save where it stood.
type unsavedError struct{ err error }

func (e *unsavedError) Error() string {
	return "interrupted, and the checkpoint could not be written: " + e.err.Error()
}

func (e *unsavedError) Unwrap() error { return e.err }
