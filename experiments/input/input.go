package input

import (
	"errors"
	"fmt"
	"slices"
	"syscall"
)

// Error is a mistake in what the user asked for.
type Error struct{ Err error }

// Error returns the text of Err.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// InputError returns true: the user can correct it.
func (e *Error) InputError() bool { return true }

// Errorf returns an [*Error] with the text that fmt.Errorf makes.
func Errorf(format string, args ...any) error {
	return &Error{fmt.Errorf(format, args...)}
}

// IsError reports whether the user caused err: by a flag, by a file that is missing, malformed or of the wrong kind,
// or by a run that does not fit into memory. Such an error has a method InputError() bool. The outermost error with
// this method decides; of joined errors one is enough. If the process has too many open files, the file that could not
// be opened is not to blame.
func IsError(err error) bool {
	if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		return false
	}
	switch e := err.(type) {
	case interface{ InputError() bool }:
		return e.InputError()
	case interface{ Unwrap() error }:
		return IsError(e.Unwrap())
	case interface{ Unwrap() []error }:
		return slices.ContainsFunc(e.Unwrap(), IsError)
	}
	return false
}
