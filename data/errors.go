package data

import (
	"fmt"
	"io/fs"
	"strings"
)

// NotFoundError says that a dataset, or a file that it needs, is not there.
// It matches [fs.ErrNotExist].
type NotFoundError struct {
	Dataset string   // the name or path asked for
	Looked  []string // the files tried, in order; empty when the name itself is unknown
	Hint    string   // what to do about it
}

// Error says what is missing, where it was looked for, and what to do.
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

// Is reports whether target is [fs.ErrNotExist].
func (e *NotFoundError) Is(target error) bool { return target == fs.ErrNotExist }

// noOffset is the FormatError.Offset of an error that no byte stands for.
const noOffset = -1

// FormatError says that a file, or the text of an option, is not in the form
// that it must have.
type FormatError struct {
	Path   string // the file or folder, or the option and its text
	Offset int64  // the byte it went wrong at; of the inflated data if the file is gzipped; negative when no byte stands for it
	Want   string // what was expected
	Got    string // what was found
	Hint   string // what to do about it; may be empty
	Err    error  // the underlying error; may be nil
}

// Error says what was expected, what was found, where, and what to do.
func (e *FormatError) Error() string {
	var b strings.Builder
	b.WriteString(e.Path)
	if e.Offset >= 0 {
		fmt.Fprintf(&b, ": at byte %d", e.Offset)
	}
	fmt.Fprintf(&b, ": expected %s, found %s", e.Want, e.Got)
	if e.Err != nil {
		fmt.Fprintf(&b, ": %v", e.Err)
	}
	if e.Hint != "" {
		fmt.Fprintf(&b, "; %s", e.Hint)
	}
	return b.String()
}

// Unwrap returns the underlying error, or nil.
func (e *FormatError) Unwrap() error { return e.Err }
