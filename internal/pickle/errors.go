package pickle

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Fault is the kind of an error in a pickle.
type Fault uint8

// The faults of a pickle.
const (
	Cut     Fault = iota + 1 // the data end before the pickle does
	Damaged                  // it is not a pickle, or its bytes were changed
	Large                    // it is larger than the limits
	Forged                   // no program that saves data as pickles writes this
	Unread                   // reading failed with Err
)

// Error says what is wrong with a pickle, and where. The reader of a file wraps it in an error about the file.
type Error struct {
	Fault  Fault
	Offset int64  // the byte of the pickle at fault
	Want   string // what was expected there
	Got    string // what was found; empty if reading failed
	Err    error  // the cause: io.ErrUnexpectedEOF for Cut, the reader's error for Unread, else nil
}

// Error says what was expected at which byte and what was found.
func (e *Error) Error() string {
	if e.Fault == Unread {
		return fmt.Sprintf("pickle: reading %s at byte %d: %v", e.Want, e.Offset, e.Err)
	}
	return fmt.Sprintf("pickle: byte %d: expected %s, found %s", e.Offset, e.Want, e.Got)
}

// Unwrap returns the cause, or nil.
func (e *Error) Unwrap() error { return e.Err }

// fail returns an error at the next byte.
func (s *scanner) fail(fault Fault, want, got string) error {
	return &Error{Fault: fault, Offset: s.read, Want: want, Got: got}
}

// cut returns the error of a pickle that ends at a byte where want was expected.
func cut(offset int64, want string) error {
	return &Error{Fault: Cut, Offset: offset, Want: want, Got: "the end of the data", Err: io.ErrUnexpectedEOF}
}

// readFailed returns the error of reading what, or nil if err is nil.
func (s *scanner) readFailed(what string, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return cut(s.read, what)
	}
	return &Error{Fault: Unread, Offset: s.read, Want: what, Err: err}
}

// Printable makes a text from a file safe for messages on a terminal: shortened and with control characters escaped.
func Printable(s string) string {
	quoted := strconv.Quote(Shorten(s))
	return quoted[1 : len(quoted)-1]
}

// most is the largest length, in bytes, of a file's text in a message.
const most = 200

// Shorten cuts a text to at most 200 bytes, for messages.
func Shorten(s string) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
