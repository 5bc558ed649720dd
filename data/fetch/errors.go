package fetch

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// noOffset is the Error.Offset of an error that does not concern a single byte.
const noOffset = -1

// Error says that a file could not be downloaded, or has the wrong content.
type Error struct {
	Path string // the file, or ARCHIVE: "ENTRY"
	URL  string // the address; may be empty
	// Offset is the byte at fault in the archive as stored; negative for none.
	Offset int64
	Want   string // what was expected
	Got    string // what was found; may be empty if Err says it
	Hint   string // what to do about it; may be empty
	Err    error  // the underlying error; may be nil

	then next          // what a download does next
	wait time.Duration // the wait that the server asks for
}

// next says what a download does after a failed transfer.
type next int

const (
	nextMirror next = iota
	tryAgain
	stop // the fault is on this machine
)

// Error says where the fault is, what was expected, what was found, and what to do.
func (e *Error) Error() string {
	text := e.Path + e.brief()
	switch {
	case strings.HasPrefix(e.Hint, "\n"):
		text += e.Hint
	case e.Hint != "":
		text += "; " + e.Hint
	}
	return text
}

// brief is Error without the path and the hint.
func (e *Error) brief() string {
	var b strings.Builder
	if e.URL != "" {
		fmt.Fprintf(&b, " from %s", e.URL)
	}
	if e.Offset >= 0 {
		fmt.Fprintf(&b, ": at byte %d", e.Offset)
	}
	fmt.Fprintf(&b, ": expected %s", e.Want)
	if e.Got != "" {
		fmt.Fprintf(&b, ", found %s", e.Got)
	}
	if e.Err != nil {
		fmt.Fprintf(&b, ": %v", e.Err)
	}
	return b.String()
}

// brief returns Error.brief of an *Error, and the text of any other error.
func brief(err error) string {
	if e, ok := err.(*Error); ok {
		return strings.TrimSpace(e.brief())
	}
	return err.Error()
}

// attempts holds the errors of all addresses.
type attempts []error

func (a attempts) Error() string {
	var b strings.Builder
	for _, err := range a {
		b.WriteString("\n  " + brief(err))
	}
	return b.String()
}

func (a attempts) Unwrap() []error { return a }

// Unwrap returns the underlying error, or nil.
func (e *Error) Unwrap() error { return e.Err }

// onDisk returns the error of a local file that could not be written or read.
func onDisk(path string, err error) error {
	return &Error{Path: path, Offset: noOffset, Want: "to read and write files there", Err: err,
		Hint: "check free space and permissions and run it again; the bytes so far are kept", then: stop}
}

// nextStep returns what a download does after err.
func nextStep(err error) (next, time.Duration) {
	if e := (*Error)(nil); errors.As(err, &e) {
		return e.then, e.wait
	}
	return stop, 0
}
