package table

import (
	"strconv"

	"github.com/ansatz-lab/ansatz/data/array"
)

// noOffset is the FormatError.Offset of an error that no byte stands for.
const noOffset = -1

// FormatError says that a file, or an option, is not in the form that it must have.
type FormatError = array.FormatError

// optionError says that an option is not what it may be.
func optionError(option, want, got string) *FormatError {
	return &FormatError{Path: "option " + option, Offset: noOffset, Want: want, Got: got}
}

// show quotes a text of a file, of which a message needs the beginning only.
func show(text string) string {
	const most = 40
	if len(text) > most {
		return strconv.Quote(text[:most]) + "…"
	}
	return strconv.Quote(text)
}
