package dialect

import (
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/ansatz-lab/ansatz/data/array"
	"golang.org/x/text/encoding/charmap"
)

// Text is the content of a file, decoded to UTF-8, without byte order mark.
type Text struct {
	Text     string
	Encoding Encoding // of the file
	// Shift is the number of bytes of the file before the text; [array.NoOffset] if the file is not in UTF-8.
	Shift int64
}

const (
	mark8  = "\ufeff"   // the byte order mark in UTF-8
	markLE = "\xff\xfe" // in little-endian UTF-16
	markBE = "\xfe\xff" // in big-endian UTF-16
)

// Decode converts the content of a file to UTF-8, from the encoding e. If e is empty, it detects the encoding: UTF-16 by
// its byte order mark or zero bytes, else UTF-8 if the content is valid, else windows-1252. Path names the file in errors.
//
// It returns an [*array.FormatError] if the text is not in the encoding, or would have more than most bytes in UTF-8.
func (e Encoding) Decode(path, text string, most int64) (Text, error) {
	if e == "" {
		var err error
		if e, err = detectEncoding(path, text); err != nil {
			return Text{}, err
		}
	}
	switch e {
	case UTF16:
		return decode16(path, text, most)
	case Latin1:
		return decodeBytes(path, text, e, charmap.ISO8859_1, most)
	case Windows:
		return decodeBytes(path, text, e, charmap.Windows1252, most)
	}
	if !utf8.ValidString(text) {
		return Text{}, notUTF8(path, text)
	}
	t := Text{Text: strings.TrimPrefix(text, mark8), Encoding: e}
	t.Shift = int64(len(text) - len(t.Text))
	return t, nil
}

// detectEncoding returns the encoding of a text, and an error if the text seems to be damaged UTF-8 or binary data.
func detectEncoding(path, text string) (Encoding, error) {
	if strings.HasPrefix(text, markLE) || strings.HasPrefix(text, markBE) || len(text)%2 == 0 && isASCIIOf16(text) {
		return UTF16, nil
	}
	if utf8.ValidString(text) {
		return UTF8, nil
	}
	bad, valid := 0, 0
	for i, c := range text {
		switch _, n := utf8.DecodeRuneInString(text[i:]); {
		case c == utf8.RuneError && n == 1:
			bad++
		case n > 1:
			valid++
		}
	}
	if valid > bad || strings.HasPrefix(text, mark8) || strings.Contains(text, "\x00") {
		return "", notUTF8(path, text)
	}
	return Windows, nil
}

// notUTF8 returns the error of a text that is not UTF-8, at the first invalid byte.
func notUTF8(path, text string) error {
	first := 0
	for {
		c, n := utf8.DecodeRuneInString(text[first:])
		if c == utf8.RuneError && n <= 1 {
			break
		}
		first += n
	}
	return fault(path, text[:first], int64(first), UTF8, fmt.Sprintf("byte 0x%02x, which is invalid", text[first]),
		"say which encoding it has: utf-16, latin1 or windows-1252 (--encoding)")
}

// isASCIIOf16 reports whether a text seems to begin with two ASCII characters in UTF-16.
func isASCIIOf16(text string) bool {
	return len(text) >= 4 && (text[0] == 0) != (text[1] == 0) && (text[0] == 0) == (text[2] == 0) &&
		(text[1] == 0) == (text[3] == 0)
}

// decodeBytes decodes a text with one byte per character.
func decodeBytes(path, text string, e Encoding, by *charmap.Charmap, most int64) (Text, error) {
	size := int64(0)
	for i := range len(text) {
		c := by.DecodeByte(text[i])
		if c == utf8.RuneError {
			return Text{}, fault(path, text[:i], int64(i), e, fmt.Sprintf("byte 0x%02x, which is undefined", text[i]),
				"say which encoding it has: utf-8, utf-16 or latin1 (--encoding)")
		}
		size += int64(utf8.RuneLen(c))
	}
	var b strings.Builder
	if err := grow(&b, path, size, most); err != nil {
		return Text{}, err
	}
	for i := range len(text) {
		b.WriteRune(by.DecodeByte(text[i]))
	}
	return Text{b.String(), e, array.NoOffset}, nil
}

// decode16 decodes a text in UTF-16. Without a byte order mark, the zero byte of the first character shows the byte order.
func decode16(path, text string, most int64) (Text, error) {
	bigEndian := strings.HasPrefix(text, markBE) || len(text) > 1 && text[0] == 0 && text[1] != 0
	start := 0
	if strings.HasPrefix(text, markBE) || strings.HasPrefix(text, markLE) {
		start = len(markLE)
	}
	each := func(do func(at int, c rune)) {
		for i := start; i < len(text); {
			at, c := i, unit(bigEndian, text, i)
			if i += 2; utf16.IsSurrogate(c) {
				c = utf16.DecodeRune(c, unit(bigEndian, text, i))
				i += 2
			}
			do(at, c)
		}
	}
	size, first := int64(0), -1
	each(func(at int, c rune) {
		if size += int64(utf8.RuneLen(c)); c == utf8.RuneError && first < 0 {
			first = at
		}
	})
	var b strings.Builder
	if err := grow(&b, path, size, most); err != nil {
		return Text{}, err
	}
	each(func(at int, c rune) {
		if first < 0 || at < first {
			b.WriteRune(c)
		}
	})
	if first >= 0 {
		return Text{}, fault(path, b.String(), int64(first), UTF16, "bytes that are not a character",
			"the file is damaged or cut short, or it is in utf-8, latin1 or windows-1252 (--encoding)")
	}
	return Text{b.String(), UTF16, array.NoOffset}, nil
}

// unit returns the UTF-16 code unit at a byte of a text; [utf8.RuneError] if fewer than two bytes are left.
func unit(bigEndian bool, text string, at int) rune {
	switch {
	case at+2 > len(text):
		return utf8.RuneError
	case bigEndian:
		return rune(text[at])<<8 | rune(text[at+1])
	}
	return rune(text[at+1])<<8 | rune(text[at])
}

// grow makes room for a text of size bytes; more than most is an error.
func grow(b *strings.Builder, path string, size, most int64) error {
	if size > most {
		return &array.FormatError{Path: path, Offset: array.NoOffset, Want: fmt.Sprintf("at most %d bytes of UTF-8", most),
			Got: fmt.Sprint(size), Hint: "divide it into several files"}
	}
	b.Grow(int(size))
	return nil
}

// fault returns the error of the byte at offset at, which is not valid in the encoding; before is the text up to it.
func fault(path, before string, at int64, e Encoding, got, hint string) error {
	return &array.FormatError{Path: path, Line: 1 + strings.Count(before, "\n"), Offset: at,
		Want: "text in " + Dialect{Encoding: e}.String(), Got: got, Hint: hint}
}
