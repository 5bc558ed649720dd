package experiments

import (
	"errors"
	"fmt"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/data/array"
	"github.com/ansatz-lab/ansatz/data/table"
	"github.com/ansatz-lab/ansatz/experiments/spread"
	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/weights"
	"github.com/ansatz-lab/ansatz/rfm"
)

// InputError is a mistake in what was asked for, found before anything was
// computed.
type InputError struct{ Err error }

// Error is that of Err.
func (e *InputError) Error() string { return e.Err.Error() }

// Unwrap is Err.
func (e *InputError) Unwrap() error { return e.Err }

// badInput marks an error as one of the input.
func badInput(format string, args ...any) error {
	return &InputError{fmt.Errorf(format, args...)}
}

// IsInput says whether an error is the input's fault: a flag, a file that is
// missing, malformed or of something else, a run that does not fit.
func IsInput(err error) bool {
	var (
		input    *InputError
		notFound *data.NotFoundError
		format   *data.FormatError
		file     *weights.FormatError
		mismatch *weights.MismatchError
		nan      *models.NotFiniteError
		memory   *cnfa.MemoryError
		table    *table.FormatError
		examples *rfm.InputError
		model    *rfm.ModelError
		kernel   *rfm.MemoryError
		values   *graph.MemoryError
		tangent  *models.NTKMemoryError
		planned  *spread.InputError
		unmerged *spread.MergeError
	)
	return errors.As(err, &input) || errors.As(err, &notFound) || errors.As(err, &format) ||
		errors.As(err, &file) || errors.As(err, &mismatch) || errors.As(err, &nan) || errors.As(err, &memory) || errors.As(err, &table) ||
		errors.As(err, &examples) || errors.As(err, &model) || errors.As(err, &kernel) || errors.As(err, &values) || errors.As(err, &tangent) || errors.As(err, &planned) || errors.As(err, &unmerged) || errors.Is(err, array.ErrNoHDF5)
}
