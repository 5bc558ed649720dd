// Package dialect describes how a CSV file is written: the separator of its values, whether a header names the columns, the
// decimal mark, and the encoding of its text. Package table detects what is not given.
package dialect

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ansatz-lab/ansatz/data/array"
)

// Dialect says how a CSV file is written. Package table detects the fields that are empty. They are also values of
// command-line flags, where "auto" means empty.
type Dialect struct {
	Separator Separator // between the values of a line
	Header    Header    // whether the first line names the columns
	Decimal   Decimal   // the decimal mark of numbers
	Encoding  Encoding  // of the text

	// Verbatim names columns whose cells are also kept as the file writes them, for table.Table.Texts.
	Verbatim []string
}

// Separator is the character between the values of a line; 0 means to detect it.
type Separator rune

// The separators that can be detected.
const (
	Comma     Separator = ','
	Semicolon Separator = ';'
	Tab       Separator = '\t'
	Pipe      Separator = '|'
)

// Header says whether the first line names the columns; "" means to detect it.
type Header string

// The values of Header.
const (
	Names   Header = "yes"
	NoNames Header = "no"
)

// Decimal is the decimal mark of numbers; "" means to detect it.
type Decimal string

// The values of Decimal.
const (
	DecimalPoint Decimal = "point"
	DecimalComma Decimal = "comma"
)

// Encoding is the encoding of a text; "" means to detect it.
type Encoding string

// The values of Encoding. A byte order mark, or the zero bytes of ASCII characters, shows the byte order of UTF-16.
const (
	UTF8    Encoding = "utf-8"
	UTF16   Encoding = "utf-16"
	Latin1  Encoding = "latin1"
	Windows Encoding = "windows-1252"
)

// auto is the flag value that means to detect a field.
const auto = "auto"

// separators are the names of separators.
var separators = []struct {
	name string
	is   Separator
}{{auto, 0}, {"comma", Comma}, {"semicolon", Semicolon}, {"tab", Tab}, {"pipe", Pipe}, {"space", ' '}}

// Set reads a name, such as semicolon, or the character itself. It returns an error if that cannot separate values.
func (s *Separator) Set(text string) error {
	for _, known := range separators {
		if text == known.name {
			*s = known.is
			return nil
		}
	}
	c, n := utf8.DecodeRuneInString(text)
	if n == 0 || n < len(text) || !Separator(c).separates() {
		return fmt.Errorf("want comma, semicolon, tab, pipe, space, or one character that is neither a letter, a digit, " +
			"a quote nor a line break")
	}
	*s = Separator(c)
	return nil
}

// separates reports whether a character can stand between values.
func (s Separator) separates() bool {
	c := rune(s)
	return utf8.ValidRune(c) && c != utf8.RuneError && c != 0 && !strings.ContainsRune("\"\r\n", c) && !unicode.IsLetter(c) &&
		!unicode.IsDigit(c)
}

// String returns the name of the separator, or the character if it has no name.
func (s Separator) String() string {
	for _, known := range separators {
		if s == known.is {
			return known.name
		}
	}
	return string(rune(s))
}

// Type returns the type of the flag.
func (Separator) Type() string { return "string" }

// Set reads a value of [Header], or "auto".
func (h *Header) Set(text string) error { return choose(h, text, Names, NoNames) }

// String returns the value, auto if it is empty.
func (h Header) String() string { return orAuto(h) }

// Type returns the type of the flag.
func (Header) Type() string { return "string" }

// Set reads a value of [Decimal], or "auto".
func (d *Decimal) Set(text string) error { return choose(d, text, DecimalPoint, DecimalComma) }

// String returns the value, auto if it is empty.
func (d Decimal) String() string { return orAuto(d) }

// Type returns the type of the flag.
func (Decimal) Type() string { return "string" }

// Set reads a value of [Encoding], or "auto".
func (e *Encoding) Set(text string) error { return choose(e, text, UTF8, UTF16, Latin1, Windows) }

// String returns the value, auto if it is empty.
func (e Encoding) String() string { return orAuto(e) }

// Type returns the type of the flag.
func (Encoding) Type() string { return "string" }

// choose sets a value to the known one with that text, or to "" for auto.
func choose[T ~string](into *T, text string, known ...T) error {
	switch {
	case slices.Contains(known, T(text)):
		*into = T(text)
	case text == auto:
		*into = ""
	default:
		var names []string
		for _, k := range known {
			names = append(names, string(k))
		}
		return fmt.Errorf("want %s or %s", strings.Join(names, ", "), auto)
	}
	return nil
}

func orAuto[T ~string](value T) string {
	if value == "" {
		return auto
	}
	return string(value)
}

// Check returns an [*array.FormatError] if a field has an invalid value.
func (d Dialect) Check() error {
	if d.Separator != 0 && !d.Separator.separates() {
		return array.OptionError("separator", "a character that can stand between values", fmt.Sprintf("%q", rune(d.Separator)))
	}
	for _, field := range []struct {
		name string
		err  error
	}{
		{"header", new(Header).Set(d.Header.String())}, {"decimal", new(Decimal).Set(d.Decimal.String())},
		{"encoding", new(Encoding).Set(d.Encoding.String())},
	} {
		if field.err != nil {
			return array.OptionError(field.name, strings.TrimPrefix(field.err.Error(), "want "), "another value")
		}
	}
	return nil
}

// String describes the dialect, for example "semicolons, header, decimal comma, windows-1252". It omits empty fields and
// the decimal point.
func (d Dialect) String() string {
	var parts []string
	switch name := d.Separator.String(); {
	case d.Separator == 0:
	case len(name) > 1:
		parts = append(parts, name+"s")
	default:
		parts = append(parts, fmt.Sprintf("separated by %q", rune(d.Separator)))
	}
	for _, part := range []string{
		map[Header]string{Names: "header", NoNames: "no header"}[d.Header],
		map[Decimal]string{DecimalComma: "decimal comma"}[d.Decimal],
		map[Encoding]string{UTF8: "UTF-8", UTF16: "UTF-16", Latin1: "Latin-1", Windows: "windows-1252"}[d.Encoding],
	} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ", ")
}
