package onnx

import (
	"fmt"
)

// Error says what is wrong with an ONNX file.
type Error struct {
	Path   string // "" if there is none
	Offset int64  // of the byte in the file where it was noticed, -1 if that says nothing
	Text   string
}

// Error returns the text, with path and offset.
func (e *Error) Error() string {
	where := ""
	if e.Path != "" {
		where = e.Path + ": "
	}
	if e.Offset >= 0 {
		return fmt.Sprintf("%sno readable ONNX file: at byte %d want %s", where, e.Offset, e.Text)
	}
	return where + e.Text
}

// InputError returns true: the user gave a file that cannot be read.
func (e *Error) InputError() bool { return true }

// wrong returns an error about the bytes at an offset.
func (f *file) wrong(at int64, format string, args ...any) error {
	return &Error{f.path, at, fmt.Sprintf(format, args...)}
}

// refuse returns an error about the content of the file.
func (f *file) refuse(format string, args ...any) error {
	return &Error{f.path, -1, fmt.Sprintf(format, args...)}
}
