package pickle

import (
	"math"
	"unicode/utf8"
)

// Bytes returns the bytes of a Python bytes, bytearray or str of Python 2, if v is one of n bytes, and whether it is. A text
// of Python 3 counts as its UTF-8.
//
// It does not copy a value longer than [MaxText], which the caller must not change. In every call it copies shorter values,
// and bytes that Python 3 wrote in a protocol without bytes. Its time and memory are bounded by n, whatever v is.
func Bytes(v any, n int) ([]byte, bool) {
	b, ok := upTo(v, n)
	return b, ok && len(b) == n
}

// Text returns a text of Python, or the unchanged bytes of a str or bytes, as a string, and whether v is one of at
// most [MaxText] bytes.
func Text(v any) (string, bool) {
	if s, ok := v.(string); ok {
		return s, true
	}
	b, ok := upTo(v, MaxText)
	return string(b), ok
}

// Len returns the number of bytes that [Bytes] returns for v, and whether v has bytes. It must count the bytes that
// Python 3 wrote in a protocol without bytes.
func Len(v any) (n int, ok bool) {
	switch v := v.(type) {
	case string:
		return len(v), true
	case []byte:
		return len(v), true
	case *long:
		return len(v.data), true
	case *latin1:
		text, ok := upTo(v.text, math.MaxInt)
		return runes(text), ok
	}
	return 0, false
}

// upTo returns the bytes of v if there are at most n.
func upTo(v any, n int) ([]byte, bool) {
	switch v := v.(type) {
	case string:
		if len(v) <= n {
			return []byte(v), true
		}
	case []byte:
		return v, len(v) <= n
	case *long:
		return v.data, len(v.data) <= n
	case *latin1:
		text, ok := upTo(v.text, 2*min(n, math.MaxInt/2))
		if !ok {
			return nil, false
		}
		return decodeLatin1(text, n)
	}
	return nil, false
}

// decodeLatin1 returns the bytes whose values are the characters of a text in UTF-8, and whether all characters are
// bytes and there are at most n. The text may have half a gigabyte, of which utf8.RuneCount would make a copy.
func decodeLatin1(text []byte, n int) ([]byte, bool) {
	length := runes(text)
	if length > n {
		return nil, false
	}
	out := make([]byte, 0, length)
	for i := 0; i < len(text); i++ {
		b := text[i]
		if b >= utf8.RuneSelf {
			// The byte after 0xc2 has the value of the character; the byte after 0xc3 lacks 0x40.
			if i++; b != 0xc2 && b != 0xc3 || i == len(text) || utf8.RuneStart(text[i]) {
				return nil, false
			}
			b = b<<6 | text[i]&0x3f
		}
		out = append(out, b)
	}
	return out, true
}

// runes returns the number of characters of a text in UTF-8.
func runes(text []byte) (n int) {
	for _, b := range text {
		if utf8.RuneStart(b) {
			n++
		}
	}
	return n
}
