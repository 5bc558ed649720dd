package report

import (
	"strings"
	"testing"
)

// Texts link to anchors of the document, or to the addresses that a function returns. A link that is not a valid ID, or
// for which the function returns no address, is written as plain text.
func TestMarkdownLinks(t *testing.T) {
	table := &Table{Columns: []Column{{Name: "in"}}, Rows: [][]Cell{{{Text: "a_b", Link: "one"}},
		{{Text: "two", Link: "b) [c"}}, {{Text: "three"}}}}
	var b strings.Builder
	if err := table.WriteMarkdown(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`| [a\_b](#one) |`, "| two ", "| three "} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q:\n%s", want, b.String())
		}
	}
	b.Reset()
	err := table.WriteMarkdownLinks(&b, func(id string) string {
		if id == "one" {
			return "all.md#one"
		}
		return ""
	})
	if want := `| [a\_b](all.md#one) |`; err != nil || !strings.Contains(b.String(), want) ||
		strings.Count(b.String(), "](") != 1 {
		t.Errorf("%v, no %q, or more links than that:\n%s", err, want, b.String())
	}
}
