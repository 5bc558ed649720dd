package checkpoint

import (
	"context"
	"errors"
	"fmt"

	"github.com/ansatz-lab/ansatz/models"
)

// InterruptedError reports that a run was stopped and can continue.
type InterruptedError struct {
	Checkpoint string // the file or folder from which the run can continue
}

// Error says where the checkpoint is, and how to continue.
func (e *InterruptedError) Error() string {
	return fmt.Sprintf("interrupted: everything so far is in %s; run the same command again with --resume",
		e.Checkpoint)
}

// Interrupted returns true: the run can continue.
func (e *InterruptedError) Interrupted() bool { return true }

// Interrupted reports whether err means that work was stopped and can continue: a run, a batch, a download or a shard.
// Such an error has a method Interrupted() bool that returns true.
func Interrupted(err error) bool {
	var stopped interface {
		error
		Interrupted() bool
	}
	return errors.As(err, &stopped) && stopped.Interrupted()
}

// Stop saves a checkpoint of a loop that ended with err because ctx ended. It returns an [*InterruptedError], or
// another error if the loop has no path or the checkpoint could not be saved: see [IsUnsaved].
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

// IsUnsaved reports whether err means that a run was stopped and its checkpoint could not be saved.
func IsUnsaved(err error) bool {
	var e *unsavedError
	return errors.As(err, &e)
}

// unsavedError reports that a run was stopped and its checkpoint could not be saved.
type unsavedError struct{ err error }

func (e *unsavedError) Error() string {
	return "interrupted, and the checkpoint could not be written: " + e.err.Error()
}

func (e *unsavedError) Unwrap() error { return e.err }
