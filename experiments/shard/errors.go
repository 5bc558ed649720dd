package shard

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/ansatz-lab/ansatz/internal/words"
)

// InputError is a mistake in what the user asked for, or in files that the user gave.
type InputError struct{ Err error }

// Error returns the text of Err.
func (e *InputError) Error() string { return e.Err.Error() }

// InputError returns true: the fault is in what the user asked for or gave.
func (e *InputError) InputError() bool { return true }

// Unwrap returns the cause.
func (e *InputError) Unwrap() error { return e.Err }

func inputError(format string, args ...any) error {
	return &InputError{fmt.Errorf(format, args...)}
}

// StoppedError reports that not all units are complete, because the work was interrupted or because other processes
// are making them. The same command continues.
type StoppedError struct {
	Out        string
	Done, Of   int // units
	ByOthers   int // units that other processes make
	Interrupts bool
}

// Interrupted returns true: the rest can be made later.
func (e *StoppedError) Interrupted() bool { return true }

// Error says how many units are done, and how to continue.
func (e *StoppedError) Error() string {
	s := fmt.Sprintf("%d of %s are in %s", e.Done, words.Count(e.Of, "unit"), e.Out)
	if e.Interrupts {
		return "interrupted: " + s + "; run the same command again, or ansatz resume"
	}
	return fmt.Sprintf("%s; other processes are running %s: ansatz status shows when they are done", s,
		were(e.ByOthers))
}

func were(n int) string {
	if n == 1 {
		return "1 is"
	}
	return fmt.Sprintf("%d are", n)
}

// FailedError reports which units failed. The others are complete, or other processes make them.
type FailedError struct {
	Units []FailedUnit
	Of    int // the number of units that were to be made
}

// FailedUnit is a unit that failed.
type FailedUnit struct {
	Unit
	Err error
}

// Error has a line for each failed unit.
func (e *FailedError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %s failed:", len(e.Units), words.Count(e.Of, "unit"))
	for _, u := range e.Units {
		fmt.Fprintf(&b, "\n  %s: %v", u.Name, u.Err)
	}
	return b.String()
}

// Unwrap returns the causes.
func (e *FailedError) Unwrap() []error {
	var all []error
	for _, u := range e.Units {
		all = append(all, u.Err)
	}
	return all
}

// noPlanError says that there is no plan in a folder. It is [fs.ErrNotExist].
type noPlanError string

// Error says how to make one.
func (out noPlanError) Error() string {
	return fmt.Sprintf("%s has no plan: make one with ansatz plan ID... --out %s", string(out), string(out))
}

// Unwrap returns [fs.ErrNotExist].
func (out noPlanError) Unwrap() error { return fs.ErrNotExist }
