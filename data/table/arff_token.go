package table

import "strings"

// arffLine is a line of an ARFF file, read from the left.
type arffLine struct {
	*lines
	text string
	at   int // the byte to read next
}

// arffToken is a name or value.
type arffToken struct {
	text   string
	quoted bool
	at     int // where it begins
}

// isMissing reports whether the token stands for a missing value.
func (t arffToken) isMissing() bool { return t.text == "?" && !t.quoted }

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

// skipBlank goes to the next byte that is not blank.
func (l *arffLine) skipBlank() {
	for l.at < len(l.text) && isBlank(l.text[l.at]) {
		l.at++
	}
}

// lineEnd is what peek returns at the end of a line or at a comment.
const lineEnd = -1

// peek returns the next byte that is not blank, or lineEnd.
func (l *arffLine) peek() int {
	l.skipBlank()
	if l.at == len(l.text) || l.text[l.at] == '%' {
		return lineEnd
	}
	return int(l.text[l.at])
}

// accept goes past the next byte that is not blank if it is c.
func (l *arffLine) accept(c byte) bool {
	if l.peek() != int(c) {
		return false
	}
	l.at++
	return true
}

// token reads a name or value: a quoted one, or the text up to a blank or comma, or up to } within braces.
func (l *arffLine) token(want string, braced bool) (arffToken, error) {
	switch c := l.peek(); {
	case c == lineEnd:
		return arffToken{}, l.errorAt(l.at, want, "the end of the line")
	case c == ',' || braced && c == '}':
		return arffToken{}, l.errorAt(l.at, want, show(l.text[l.at:l.at+1]))
	case c == '\'' || c == '"':
		return l.quoted(byte(c))
	}
	start := l.at
	for l.at < len(l.text) && !ends(l.text[l.at], braced) {
		l.at++
	}
	return arffToken{text: l.text[start:l.at], at: start}, nil
}

// ends reports whether a byte ends a token that is not quoted.
func ends(c byte, braced bool) bool {
	return isBlank(c) || c == ',' || braced && c == '}'
}

// quoted reads a name or value that begins with a quote.
func (l *arffLine) quoted(quote byte) (arffToken, error) {
	start := l.at
	l.at++
	var b strings.Builder
	for l.at < len(l.text) {
		c := l.text[l.at]
		l.at++
		switch {
		case c == quote:
			if l.at < len(l.text) && !ends(l.text[l.at], true) {
				return arffToken{}, l.errorAt(l.at, "a comma or a blank after the quote", show(l.text[l.at:]))
			}
			return arffToken{text: b.String(), quoted: true, at: start}, nil
		case c == '\\' && l.at < len(l.text):
			b.WriteByte(unescaped(l.text[l.at]))
			l.at++
		default:
			b.WriteByte(c)
		}
	}
	e := l.errorAt(len(l.text), "the quote "+string(quote)+" that ends "+show(l.text[start:]), "the end of the line")
	e.Hint = `a quote in a value is written \` + string(quote)
	return arffToken{}, e
}

// unescaped returns what a byte after a backslash stands for.
func unescaped(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}

// end fails unless nothing but a comment follows.
func (l *arffLine) end() error {
	if l.peek() != lineEnd {
		return l.errorAt(l.at, "the end of the line", show(l.text[l.at:]))
	}
	return nil
}
