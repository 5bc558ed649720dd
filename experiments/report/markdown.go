package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// minDashes is the length of the shortest delimiter that every Markdown reader accepts.
const minDashes = 3

// WriteMarkdown writes the table as a GitHub-flavoured Markdown table under
// its caption. The source is aligned, except for long cells. Links lead to
// anchors of the same document.
func (t *Table) WriteMarkdown(w io.Writer) error {
	return t.WriteMarkdownLinks(w, func(id string) string {
		if checkName(id) != nil { // it could not be an ID
			return ""
		}
		return "#" + id
	})
}

// WriteMarkdownLinks is WriteMarkdown for one of several documents: address returns
// the URL for the link of a cell, "" for no link.
func (t *Table) WriteMarkdownLinks(w io.Writer, address func(id string) string) error {
	if err := t.Check(); err != nil {
		return fmt.Errorf("report: writing Markdown: %w", err)
	}
	cells, widths := t.linkedGrid(escapeMarkdown, func(text, id string) string {
		if to := address(id); id != "" && to != "" {
			return fmt.Sprintf("[%s](%s)", text, to)
		}
		return text
	})
	for j := range widths {
		widths[j] = min(max(widths[j], minDashes), longCell)
	}
	b := bufio.NewWriter(w)
	if caption := plain(t.Caption); caption != "" {
		fmt.Fprintf(b, "%s\n\n", escapeMarkdown(caption))
	}
	for i, row := range cells {
		fmt.Fprintf(b, "| %s |\n", t.line(row, widths, " | "))
		if i == 0 {
			fmt.Fprintf(b, "| %s |\n", t.delimiter(widths))
		}
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("report: writing table %q as Markdown: %w", t.Name, err)
	}
	return nil
}

// delimiter returns the row of dashes below the column names. A colon at the end of
// the dashes aligns a column to the right.
func (t *Table) delimiter(widths []int) string {
	parts := make([]string, len(widths))
	for j, w := range widths {
		parts[j] = strings.Repeat("-", w)
		if t.Columns[j].Numeric {
			parts[j] = parts[j][1:] + ":"
		}
	}
	return strings.Join(parts, " | ")
}

// EscapeMarkdown returns s as one line of Markdown, with every character that has a
// meaning in Markdown escaped.
func EscapeMarkdown(s string) string { return escapeMarkdown(plain(s)) }

// escapeMarkdown escapes every character of s that has a meaning in Markdown.
func escapeMarkdown(s string) string {
	return strings.NewReplacer(
		`\`, `\\`, "|", `\|`, "`", "\\`", "*", `\*`, "_", `\_`, "~", `\~`,
		"[", `\[`, "]", `\]`, "#", `\#`, "$", `\$`,
		"&", "&amp;", "<", "&lt;", ">", "&gt;",
	).Replace(s)
}
