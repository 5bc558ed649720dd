package onnx

import (
	"fmt"
)

// Error says what is wrong with an ONNX file.
type Error struct {
	Path   string // "" for a model in memory
	Offset int64  // the byte of the file at which the error was found, -1 if it has no such place
	Text   string // what is wrong; with an offset, what was expected there
}

// Error returns the text, with path and offset.
func (e *Error) Error() string {
	where := ""
	if e.Path != "" {
		where = e.Path + ": "
	}
	if e.Offset >= 0 {
		return fmt.Sprintf("%snot a readable ONNX file: byte %d: want %s", where, e.Offset, e.Text)
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
