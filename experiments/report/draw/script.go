package draw

import (
	"html"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Run is a piece of a text: on its line, above it as a power, or below it as an index.
type Run struct {
	Text           string
	Above, Beneath bool
}

// scripts are powers after ^, such as AGOP^0.5, M^½, k^−½ and AGOP^{1/L}, and indices of one letter after a capital and _.
var scripts = regexp.MustCompile(`[\pL\pN)\]]\^(?:\{[^{}]+\}|[−-]?(?:\pN+(?:\.\pN+)?|\pL+))|\p{Lu}_\p{Ll}+`)

// Runs divides a text into what stands on the line, powers and indices, without the signs that mark them.
func Runs(s string) []Run {
	var all []Run
	from := 0
	for _, at := range scripts.FindAllStringIndex(s, -1) {
		_, size := utf8.DecodeRuneInString(s[at[0]:])
		base, script := at[0]+size, s[at[0]+size+1:at[1]]
		below := s[base] == '_'
		if below && utf8.RuneCountInString(script) > 1 {
			continue // a name such as Wearing_Hat
		}
		if script[0] == '{' {
			script = script[1 : len(script)-1]
		}
		all = append(all, Run{Text: s[from:base]}, Run{script, !below, below})
		from = at[1]
	}
	return append(all, Run{Text: s[from:]})
}

// HTML returns a text as HTML, with powers and indices in their places.
func HTML(s string) string {
	var b strings.Builder
	for _, run := range Runs(s) {
		text := html.EscapeString(strings.ReplaceAll(run.Text, "\x00", "\uFFFD"))
		switch {
		case run.Above:
			text = "<sup>" + text + "</sup>"
		case run.Beneath:
			text = "<sub>" + text + "</sub>"
		}
		b.WriteString(text)
	}
	return b.String()
}
