package report

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// or returns s, or other if there is nothing to see in s.
func or(s, other string) string {
	if plain(s) == "" {
		return other
	}
	return s
}

// plural returns "1 layer" or "3 layers".
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}

// atMost returns an error if there are more than limit things: the charts keep
// their figures to sizes that can be read and held in memory.
func atMost(limit, n int, things string) error {
	if n > limit {
		return fmt.Errorf("%d %s, at most %d are shown", n, things, limit)
	}
	return nil
}

// plain returns s as one line of text that is safe to show in a terminal and
// to put into XML: valid UTF-8, runs of white space and control characters as
// one space, nothing that XML forbids or that reorders the text around it.
func plain(s string) string {
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
