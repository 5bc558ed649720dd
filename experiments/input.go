package experiments

import (
	"fmt"
	"slices"
)

// InputError is a mistake in what the user asked for, found before anything was
// computed.
type InputError struct{ Err error }

// Error returns the text of Err.
func (e *InputError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *InputError) Unwrap() error { return e.Err }

// InputError returns true: the user can mend what they asked for.
func (e *InputError) InputError() bool { return true }

// badInput returns an [*InputError] with the text that fmt.Errorf makes.
func badInput(format string, args ...any) error {
	return &InputError{fmt.Errorf(format, args...)}
}

// IsInput reports whether the user caused err: by a flag, by a file that is missing,
// malformed or of another kind, by a run that does not fit into memory. An error type
// says so by a method InputError() bool. IsInput asks the outermost error that has the
// method, and of errors that are joined each: one of them that is the user's is enough.
func IsInput(err error) bool {
	switch e := err.(type) {
	case interface{ InputError() bool }:
		return e.InputError()
	case interface{ Unwrap() error }:
		return IsInput(e.Unwrap())
	case interface{ Unwrap() []error }:
		return slices.ContainsFunc(e.Unwrap(), IsInput)
	}
	return false
}
