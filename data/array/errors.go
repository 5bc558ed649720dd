package array

import (
	"fmt"
	"strings"
)

// noOffset is the FormatError.Offset of an error that no byte stands for.
const noOffset = -1

// damaged is the hint where a file is not what it says to be.
const damaged = "the file is damaged or cut short: fetch it again"

// FormatError says that a file, or an option, is not in the form that it must have.
// Packages data and table use it too.
type FormatError struct {
	Path   string // the file or folder, with the entry of an NPZ file in parentheses; or an option and its text
	Line   int    // the line of a text file at fault, from 1; 0 for none
	Offset int64  // the byte at fault, from 0, of what is inflated in a compressed file; negative for none
	Want   string // what was expected
	Got    string // what was found
	Hint   string // what to do about it; may be empty
	Err    error  // the underlying error; may be nil
}

// Error says what was expected, what was found, where, and what to do.
func (e *FormatError) Error() string {
	var b strings.Builder
	b.WriteString(e.Path)
	if e.Line > 0 {
		fmt.Fprintf(&b, ": line %d", e.Line)
	}
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

// InputError returns true: the fault is in a file or an option of the user's.
func (e *FormatError) InputError() bool { return true }

// Unwrap returns the underlying error, or nil.
func (e *FormatError) Unwrap() error { return e.Err }
