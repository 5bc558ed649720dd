package array

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ansatz-lab/ansatz/internal/pickle"
)

// NoOffset is the [FormatError].Offset of an error that does not concern a single byte.
const NoOffset = -1

// damaged is the hint for a file whose content contradicts its header.
const damaged = "the file is damaged or cut short: fetch it again"

// FormatError says that a file or an option does not have the form that it must have. Packages data and table use it too.
type FormatError struct {
	Path   string // the file or folder, with the entry of an NPZ file in parentheses; or an option and its text
	Line   int    // the line at fault in a text file, from 1; 0 for none
	Offset int64  // the byte at fault, from 0, in a compressed file after decompression; negative for none
	Want   string // what was expected
	Got    string // what was found
	Hint   string // what to do about it; may be empty
	Err    error  // the underlying error; may be nil
}

// Error says where the fault is, what was expected, what was found, and what to do.
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

// InputError returns true: the fault is in the user's file or option.
func (e *FormatError) InputError() bool { return true }

// Unwrap returns the underlying error, or nil.
func (e *FormatError) Unwrap() error { return e.Err }

// OptionError returns the error of an option with an invalid value: want was expected, got was found.
func OptionError(option, want, got string) *FormatError {
	return &FormatError{Path: "option " + option, Offset: NoOffset, Want: want, Got: got}
}

const (
	hintPickleNone  = "the file is not a pickle: unpack it if it is compressed, and give the batch itself"
	hintPickleDict  = "in Python, write a dict of arrays: pickle.dump({'data': data, 'labels': labels}, file)"
	hintPickleLarge = "in Python, write each array into a file of its own: numpy.save('data.npy', data)"
)

// pickleFailed returns the error of a file whose pickle cannot be read because of err.
func pickleFailed(path string, err error) error {
	var e *pickle.Error
	if !errors.As(err, &e) || e.Fault == pickle.Unread {
		return fmt.Errorf("array: reading %s: %w", path, err)
	}
	hint := damaged
	switch {
	case e.Fault == pickle.Large:
		hint = hintPickleLarge
	case e.Offset == 0 && e.Fault == pickle.Damaged:
		hint = hintPickleNone
	}
	return &FormatError{Path: path, Offset: e.Offset, Want: e.Want, Got: e.Got, Hint: hint, Err: e.Err}
}

// listKeys lists the keys of d, to follow "found".
func (d *Dict) listKeys() string {
	const most = 10
	if len(d.keys) == 0 {
		return "no keys"
	}
	var b strings.Builder
	b.WriteString("the keys ")
	for i, key := range d.keys {
		if i == most {
			b.WriteString(" and others")
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%q", pickle.Shorten(key))
	}
	return b.String()
}

// describePickled describes v, to follow "found". It does not look into v, which may contain itself.
func describePickled(v any) string {
	switch v := v.(type) {
	case *ndarray:
		return v.describe()
	case *dtype, class, function:
		return "a class, type or function of NumPy"
	}
	return pickle.Describe(v)
}
