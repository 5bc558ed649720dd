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

// IsError reports whether the user caused err: by a flag, by a file that is missing, malformed or
// of another kind, or by a run that does not fit into memory. An error type says so by a method
// InputError() bool. The outermost error that has the method decides; of joined errors one is
// enough. That the process has too many open files is no fault of the file that could not be opened.
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
