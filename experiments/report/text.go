package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/rivo/uniseg"
)

// gap separates the columns of a plain-text table.
const gap = "  "

// WriteText writes the table as aligned plain text for a terminal with a fixed-width font: the caption, the column names, a
// rule and the rows. Numeric columns are right-aligned, columns of sentences come last; the sign of a mark follows the text.
// It writes nothing for a table without rows.
func (t *Table) WriteText(w io.Writer) error {
	if err := t.Check(); err != nil {
		return fmt.Errorf("report: writing text: %w", err)
	}
	if len(t.Rows) == 0 {
		return nil
	}
	t = t.sentencesLast()
	cells, widths := t.grid(plain)
	b := bufio.NewWriter(w)
	if caption := plain(t.Caption); caption != "" {
		fmt.Fprintf(b, "%s\n\n", caption)
	}
	for i, row := range cells {
		fmt.Fprintln(b, strings.TrimRight(t.line(row, widths, gap), " "))
		if i == 0 {
			fmt.Fprintln(b, rule(widths))
		}
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("report: writing table %q as text: %w", t.Name, err)
	}
	return nil
}

// grid returns the texts of the table, the column names as row 0, each passed
// through escape, and the display width of every column.
func (t *Table) grid(escape func(string) string) (cells [][]string, widths []int) {
	return t.linkedGrid(escape, func(text, _ string) string { return text })
}

// linkedGrid is grid with the text and the link of each cell passed through link.
func (t *Table) linkedGrid(escape func(string) string, link func(text, to string) string) (cells [][]string, widths []int) {
	cells = make([][]string, 1+len(t.Rows))
	widths = make([]int, len(t.Columns))
	for i := range cells {
		cells[i] = make([]string, len(t.Columns))
	}
	for j, col := range t.Columns {
		signed := t.signed(j)
		cells[0][j] = withSign(escape(plain(col.Name)), Unmarked, signed && col.Numeric)
		for i, row := range t.Rows {
			cells[i+1][j] = withSign(link(escape(col.shown(row[j])), row[j].Link), row[j].Mark, signed)
		}
		for i := range cells {
			widths[j] = max(widths[j], uniseg.StringWidth(cells[i][j]))
		}
	}
	return cells, widths
}

// withSign appends a mark's sign, or as much room if signed.
func withSign(s string, m Mark, signed bool) string {
	switch sign := m.sign(); {
	case !signed:
		return s
	case sign == "":
		return s + "  "
	default:
		return s + " " + sign
	}
}

// line pads the cells of a row to the widths of their columns.
func (t *Table) line(row []string, widths []int, sep string) string {
	padded := make([]string, len(row))
	for j, s := range row {
		pad := strings.Repeat(" ", max(0, widths[j]-uniseg.StringWidth(s)))
		if t.Columns[j].Numeric {
			padded[j] = pad + s
		} else {
			padded[j] = s + pad
		}
	}
	return strings.Join(padded, sep)
}

func rule(widths []int) string {
	parts := make([]string, len(widths))
	for j, w := range widths {
		parts[j] = strings.Repeat("─", w)
	}
	return strings.Join(parts, gap)
}
