package draw

import (
	"strings"
	"unicode"
)

// Plain returns s as one line of text that is safe in a terminal and in XML. The text
// is valid UTF-8, a run of white space and control characters becomes one space, and
// characters that XML forbids or that reorder the text around them are left out.
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
