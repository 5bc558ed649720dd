package draw

import (
	"html/template"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Run is a piece of a text: on the line, above it (a power) or beneath it (an index).
type Run struct {
	Text           string
	Above, Beneath bool
}

// scripts matches powers after ^, such as AGOP^0.5, M^½, k^−½ and AGOP^{1/L}, and names such as W_i: a capital, _ and letters.
var scripts = regexp.MustCompile(`[\pL\pN)\]]\^(?:\{[^{}]+\}|[−-]?(?:\pN+(?:\.\pN+)?|\pL+))|\p{Lu}_\p{Ll}+`)

// Runs divides a text into plain pieces, powers and indices, without the ^ or _ before these. An index is a single letter.
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

var (
	// escapes escapes texts between tags, where quotes need no escape.
	escapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\x00", "\uFFFD")
	// option matches an option of a command, which must not be broken after its hyphens.
	option = regexp.MustCompile(`--[a-z][a-z-]*`)
	// number matches a number in a text. Its groups are the character before it, its sign, and either its digits with the
	// exponent's sign and digits, or its first digit.
	number = regexp.MustCompile(`(^|[\s(±,;:])([-−+]?)(?:(\d(?:\.\d+)?)e([-−+]?)0*(\d{1,3})\b|(\d))`)
	// optionBefore matches an option before its value, which must stay as a command reads it.
	optionBefore = regexp.MustCompile(`--[a-z-]+[ =]$`)
)

// HTML returns a text as HTML, with powers raised, indices lowered, and numbers set with a minus sign and powers of ten.
func HTML(s string) template.HTML {
	var b strings.Builder
	for _, run := range Runs(setNumbers(s)) {
		text := string(VerbatimHTML(run.Text))
		switch {
		case run.Above:
			text = "<sup>" + text + "</sup>"
		case run.Beneath:
			text = "<sub>" + text + "</sub>"
		}
		b.WriteString(text)
	}
	return template.HTML(b.String())
}

// VerbatimHTML returns a text that can be copied, such as a command, as HTML.
func VerbatimHTML(s string) template.HTML {
	return template.HTML(option.ReplaceAllString(escapes.Replace(s), `<span class="option">$0</span>`))
}

// setNumbers writes -1.5e-07 as −1.5×10^−7 and 1e3 as 10^3. It does not change values of options.
func setNumbers(s string) string {
	var b strings.Builder
	from := 0
	for _, at := range number.FindAllStringSubmatchIndex(s, -1) {
		part := func(i int) string {
			if at[2*i] < 0 {
				return ""
			}
			return s[at[2*i]:at[2*i+1]]
		}
		if optionBefore.MatchString(s[:at[3]]) {
			continue
		}
		b.WriteString(s[from:at[3]] + strings.Replace(part(2), "-", "−", 1))
		if digits := part(3); digits == "" {
			b.WriteString(part(6))
		} else {
			if digits != "1" {
				b.WriteString(digits + "×")
			}
			b.WriteString("10^" + strings.Trim(strings.Replace(part(4), "-", "−", 1), "+") + part(5))
		}
		from = at[1]
	}
	return b.String() + s[from:]
}
