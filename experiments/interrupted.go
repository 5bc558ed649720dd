package experiments

import (
	"errors"
	"fmt"
)

// checkpointFile is the checkpoint of a training in its folder. It is not named as weights
// are, since it holds times, which are never the same twice.
const checkpointFile = "run.checkpoint"

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
