package archfile

import (
	"fmt"
	"strings"
)

// Help lists the types of layers with their keys and the keys' defaults, in lines of at most 90 characters.
func Help() string {
	var b strings.Builder
	for _, t := range Types() {
		text := t.Doc
		var keys []string
		for _, k := range t.Keys() {
			keys = append(keys, fmt.Sprintf("%s (%s), %s", k.Name, k.Default, k.Doc))
		}
		if len(keys) > 0 {
			text += ". Keys: " + strings.Join(keys, "; ")
		}
		fmt.Fprintf(&b, "  %s\n", t.Name)
		wrap(&b, text, "      ", 90)
	}
	return b.String()
}

// wrap writes a text in lines of at most most characters.
func wrap(b *strings.Builder, text, indent string, most int) {
	line := indent
	for _, word := range strings.Fields(text) {
		if len([]rune(line))+1+len([]rune(word)) > most {
			fmt.Fprintln(b, line)
			line = indent
		}
		if line != indent {
			line += " "
		}
		line += word
	}
	fmt.Fprintln(b, line)
}

// Table returns the types of layers as the Markdown table in docs/networks.md.
func Table() string {
	var b strings.Builder
	b.WriteString("| type | what it does | keys (default) |\n|---|---|---|\n")
	for _, t := range Types() {
		var keys []string
		for _, k := range t.Keys() {
			keys = append(keys, fmt.Sprintf("`%s` (%s): %s", k.Name, k.Default, k.Doc))
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", t.Name, t.Doc, strings.Join(keys, "; "))
	}
	return b.String()
}
