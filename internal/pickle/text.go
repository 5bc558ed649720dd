package pickle

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// escapes are the letters after a backslash in a str of Python 2 that stand for
// one byte.
var escapes = map[byte]byte{
	'\\': '\\', '\'': '\'', '"': '"',
	'a': '\a', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v',
}

// unquote returns the bytes of a str of Python 2 from its repr on a line. It works in place, since the result is never
// longer.
func (s *scanner) unquote(line []byte) ([]byte, error) {
	n := len(line)
	if n < 2 || line[0] != line[n-1] || line[0] != '\'' && line[0] != '"' {
		return nil, s.fail(Damaged, "a text in quotes before the end of its line", "one without")
	}
	in := line[1 : n-1]
	out := in[:0]
	for len(in) > 0 {
		if in[0] != '\\' {
			out = append(out, in[0])
			in = in[1:]
			continue
		}
		c, n, ok := escape(in)
		if !ok {
			return nil, s.fail(Damaged, "a text with escapes before the end of its line",
				"one with an escape that is none")
		}
		out = append(out, c)
		in = in[n:]
	}
	return out, nil
}

// escape returns the byte and the length of the escape at the start of in. For a backslash that begins no escape it
// returns the backslash, as Python does.
func escape(in []byte) (c byte, n int, ok bool) {
	if len(in) < 2 {
		return 0, 0, false
	}
	if c, ok := escapes[in[1]]; ok {
		return c, 2, true
	}
	if in[1] == 'x' {
		v, ok := number(in, 2, 2, 16)
		return byte(v), 4, ok
	}
	octal := 0
	for octal < 3 && 1+octal < len(in) && '0' <= in[1+octal] && in[1+octal] <= '7' {
		octal++
	}
	if octal == 0 {
		return '\\', 1, true
	}
	v, _ := number(in, 1, octal, 8)
	return byte(v), 1 + octal, true
}

// unescape decodes a line in Python's raw-unicode-escape to UTF-8: Latin-1, with \uXXXX and \UXXXXXXXX for other
// characters. Half a surrogate pair becomes the replacement character.
func (s *scanner) unescape(line []byte) ([]byte, error) {
	if bytes.IndexFunc(line, func(r rune) bool { return r == '\\' || r >= utf8.RuneSelf }) < 0 {
		return line, nil
	}
	out := make([]byte, 0, len(line)+len(line)/8)
	for i := 0; i < len(line); {
		digits := digitsOf(line[i:])
		switch {
		case digits > 0:
			v, ok := number(line, i+2, digits, 16)
			if !ok || v > utf8.MaxRune {
				return nil, s.fail(Damaged, "a text with escapes before the end of its line",
					"one with an escape that is none")
			}
			out = utf8.AppendRune(out, rune(v))
			i += 2 + digits
		case line[i] == '\\' && i+1 < len(line) && line[i+1] == '\\':
			out = append(out, '\\', '\\')
			i += 2
		default:
			out = utf8.AppendRune(out, rune(line[i]))
			i++
		}
	}
	return out, nil
}

// digitsOf returns the number of digits of the escape at the start of in, 0 if there
// is none.
func digitsOf(in []byte) int {
	switch {
	case bytes.HasPrefix(in, []byte(`\u`)):
		return 4
	case bytes.HasPrefix(in, []byte(`\U`)):
		return 8
	}
	return 0
}

// number returns the number of that many digits at index at of in.
func number(in []byte, at, digits, base int) (v uint64, ok bool) {
	if len(in)-at < digits {
		return 0, false
	}
	v, err := strconv.ParseUint(string(in[at:at+digits]), base, 32)
	return v, err == nil
}
