package weights

import (
	"archive/zip"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/ansatz-lab/ansatz/internal/pickle"
)

// noOffset is the Offset of a [FormatError] that concerns no single byte.
const noOffset = -1

const (
	// hintStateDict is the remedy for most pickles that hold more than a state dict.
	hintStateDict = "in Python, save the parameters alone: torch.save(model.state_dict(), 'weights.pth')"

	hintCut = "the file is cut short or damaged: fetch it again and compare its size and checksum with the " +
		"publisher's"
	hintChecksum = "the file is damaged: fetch it again; if it was saved after " +
		"torch.serialization.set_crc32_options(False), save it again without that"
)

// A FormatError says what is wrong with the content of a file of weights. Every
// error that the content causes is or wraps one; find it with [errors.As].
type FormatError struct {
	Path   string // the file; empty if the content did not come from [Open]
	Format string // the format as which the content was read, such as "safetensors"
	Offset int64  // the byte of the file at fault, or -1 if it is no single byte
	Want   string // what was expected there
	Got    string // what was found
	Hint   string // what to do about it
	Err    error  // the cause, or nil
}

// Error says where, what was expected, what was found, and what to do.
func (e *FormatError) Error() string {
	var b strings.Builder
	b.WriteString("weights: ")
	if e.Path != "" {
		fmt.Fprintf(&b, "%s: ", e.Path)
	}
	if e.Format != "" {
		fmt.Fprintf(&b, "%s: ", e.Format)
	}
	if e.Offset >= 0 {
		fmt.Fprintf(&b, "byte %d: ", e.Offset)
	}
	fmt.Fprintf(&b, "expected %s, found %s", e.Want, e.Got)
	if e.Err != nil {
		fmt.Fprintf(&b, ": %v", e.Err)
	}
	if e.Hint != "" {
		fmt.Fprintf(&b, " (%s)", e.Hint)
	}
	return b.String()
}

// InputError returns true: the fault is in the weights that the user gave.
func (e *FormatError) InputError() bool { return true }

// Unwrap returns the cause, or nil.
func (e *FormatError) Unwrap() error { return e.Err }

// cut returns the error for a file that ends where want was expected.
func cut(format string, offset int64, want string) *FormatError {
	return &FormatError{
		Format: format,
		Offset: offset,
		Want:   want,
		Got:    "the end of the data",
		Hint:   hintCut,
		Err:    io.ErrUnexpectedEOF,
	}
}

// readFailed returns the error of a read at offset that failed with err: a
// [FormatError] if the data ended or could not be decompressed, and otherwise err,
// wrapped, since a failing disk says nothing about the content.
func readFailed(format string, offset int64, want string, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return cut(format, offset, want)
	}
	damaged := &FormatError{Format: format, Offset: offset, Want: want, Got: "damaged data", Err: err}
	var corrupt flate.CorruptInputError
	switch {
	case errors.Is(err, zip.ErrChecksum):
		damaged.Hint = hintChecksum
		return damaged
	case errors.Is(err, zip.ErrFormat), errors.As(err, &corrupt):
		damaged.Hint = hintCut
		return damaged
	}
	return fmt.Errorf("reading %s: %w", want, err)
}

// pickleFailed returns the error for a pickle at byte base of a file, which could not
// be read because of err, a [*pickle.Error] if it is about the content.
func pickleFailed(format string, base int64, err error) error {
	var e *pickle.Error
	if !errors.As(err, &e) {
		return err
	}
	at := base + e.Offset
	switch e.Fault {
	case pickle.Cut:
		return cut(format, at, e.Want)
	case pickle.Unread:
		return readFailed(format, at, e.Want, e.Err)
	}
	hints := map[pickle.Fault]string{pickle.Damaged: hintCut, pickle.Large: hintStateDict, pickle.Forged: hintForged}
	return &FormatError{Format: format, Offset: at, Want: e.Want, Got: e.Got, Hint: hints[e.Fault]}
}

// printable and shorten make texts from a file safe to show in messages.
func printable(s string) string { return pickle.Printable(s) }
func shorten(s string) string   { return pickle.Shorten(s) }
