package data

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/ansatz-lab/ansatz/data/array"
	"github.com/ansatz-lab/ansatz/data/catalogue"
)

// NotFoundError says that a dataset, or a file that it needs, is not there.
// It matches [fs.ErrNotExist].
type NotFoundError struct {
	Dataset string   // the requested name or path
	Looked  []string // the paths tried, in order; empty when the name itself is unknown
	Hint    string   // what to do about it
}

// Error says what is missing, which paths were tried, and what to do.
func (e *NotFoundError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "dataset %q not found", e.Dataset)
	if len(e.Looked) > 0 {
		fmt.Fprintf(&b, ": looked for %s", strings.Join(e.Looked, ", "))
	}
	if e.Hint != "" {
		fmt.Fprintf(&b, "; %s", e.Hint)
	}
	return b.String()
}

// InputError returns true: the user can name another dataset or fetch its files.
func (e *NotFoundError) InputError() bool { return true }

// Is reports whether target is [fs.ErrNotExist].
func (e *NotFoundError) Is(target error) bool { return target == fs.ErrNotExist }

// FormatError says that a file or the text of an option does not have the form that it must have.
type FormatError = array.FormatError

// getHint returns a hint that says how to get the dataset that a text names.
func getHint(spec string) string {
	name, _ := cutSpec(spec)
	download := "run: ansatz data get " + name
	e, ok := catalogue.Find(name)
	switch {
	case !ok || e.ByHand == "":
		return download
	case len(e.Files) > 0:
		return download + "; then " + e.ByHand
	}
	return e.ByHand
}

// againHint returns a hint for a set with missing files.
func againHint(spec string) string { return "unpack the set again; or " + getHint(spec) }
