package experiments

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/data/array"
	"github.com/ansatz-lab/ansatz/data/table"
	"github.com/ansatz-lab/ansatz/experiments/checkpoint"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/shard"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/archfile"
	"github.com/ansatz-lab/ansatz/models/weights"
	"github.com/ansatz-lab/ansatz/rfm"
)

// answers is an error that reports itself whether the user caused it.
type answers struct {
	input bool
	cause error
}

func (e answers) Error() string    { return "answers" }
func (e answers) Unwrap() error    { return e.cause }
func (e answers) InputError() bool { return e.input }

// TestIsInput checks that the errors of every package that the user causes are recognised, however they are wrapped,
// and that no other errors are.
func TestIsInput(t *testing.T) {
	ours := []error{
		context.Canceled, fs.ErrNotExist, &models.DivergedError{}, &rfm.DivergedError{},
		&study.StoppedError{}, &study.FailedError{}, &checkpoint.InterruptedError{},
		&checkpoint.SaveError{Err: &input.Error{Err: fs.ErrExist}}, answers{input: false},
	}
	for _, user := range []error{
		&input.Error{Err: fs.ErrNotExist}, input.Errorf("--images %d", 0),
		&shard.InputError{Err: fs.ErrNotExist}, &shard.MergeError{},
		&shard.FailedError{Units: []shard.FailedUnit{{Err: fs.ErrExist}, {Err: input.Errorf("x")}}},
		&data.NotFoundError{}, &data.FormatError{}, &table.FormatError{}, array.ErrNoHDF5,
		&weights.FormatError{}, &weights.MismatchError{}, &models.NotFiniteError{},
		&models.NTKMemoryError{}, &archfile.Error{Err: fs.ErrExist}, &models.UnknownError{},
		&graph.MemoryError{}, &cnfa.MemoryError{}, &rfm.InputError{}, &rfm.MemoryError{}, &rfm.ModelError{},
		answers{input: true, cause: answers{input: false}}, // the outer error decides
	} {
		wrapped := fmt.Errorf("seed 3: %w", user)
		for _, err := range []error{
			user, wrapped, errors.Join(ours[0], wrapped), fmt.Errorf("%w, then %w", ours[1], wrapped),
			&models.CheckpointError{Err: user},
		} {
			if !input.IsError(err) {
				t.Errorf("%T: %v is not found to be the user's", user, err)
			}
		}
		if input.IsError(answers{input: false, cause: user}) {
			t.Errorf("%T within an error that is not the user's counts", user)
		}
	}
	ours = append(ours, errors.Join(ours...), fmt.Errorf("x: %w", errors.Join(ours...)), nil)
	for _, err := range ours {
		if input.IsError(err) {
			t.Errorf("%T %v is said to be the user's", err, err)
		}
	}
}
