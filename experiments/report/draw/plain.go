package draw

import (
	"strings"
	"unicode"
)

// Plain returns s as one line of text that is safe to show in a terminal and
// to put into XML: valid UTF-8, runs of white space and control characters as
// one space, nothing that XML forbids or that reorders the text around it.
func Plain(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	return strings.Join(strings.Fields(strings.Map(plainRune, s)), " ")
}

func plainRune(r rune) rune {
	switch {
	case unicode.IsControl(r):
		return ' '
	case r == 0xFFFE, r == 0xFFFF, unicode.Is(unicode.Bidi_Control, r):
		return -1
	}
	return r
}
