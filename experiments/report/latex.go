package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/report/latex"
)

// WriteLaTeX writes the table as a longtable with the rules of booktabs, for a
// document with
//
//	\usepackage{array,booktabs,longtable}
//
// Long texts are set in paragraphs. Commands in texts are escaped; a character that
// plain LaTeX lacks is written as its code point, such as U+4E2D.
func (t *Table) WriteLaTeX(w io.Writer) error {
	if err := t.Check(); err != nil {
		return fmt.Errorf("report: writing LaTeX: %w", err)
	}
	b := bufio.NewWriter(w)
	if len(t.Columns) > 0 {
		t.latex(b)
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("report: writing table %q as LaTeX: %w", t.Name, err)
	}
	return nil
}

func (t *Table) latex(b *bufio.Writer) {
	_, widths := t.grid(func(s string) string { return s })
	isNumeric := func(j int) bool { return t.Columns[j].Numeric }
	fmt.Fprintf(b, "\\begingroup\\footnotesize\n\\begin{longtable}{@{}%s@{}}\n", latex.Columns(widths, isNumeric))
	if caption := plain(t.Caption); caption != "" {
		fmt.Fprintf(b, "\\caption{%s}\\\\\n", latex.Escape(caption))
	}
	head := make([]string, len(t.Columns))
	for j, c := range t.Columns {
		head[j] = latex.Escape(plain(c.Name))
	}
	fmt.Fprintf(b, "\\toprule\n%s \\\\\n\\midrule\n\\endhead\n\\bottomrule\n\\endfoot\n", strings.Join(head, " & "))
	for _, row := range t.Rows {
		cells := make([]string, len(row))
		for j, c := range row {
			text := strings.TrimSpace(t.Columns[j].shown(c) + " " + c.Mark.sign())
			if rest, negative := strings.CutPrefix(text, "-"); negative && t.Columns[j].Numeric {
				text = "−" + rest
			}
			cells[j] = latex.Escape(text)
		}
		fmt.Fprintf(b, "%s \\\\\n", strings.Join(cells, " & "))
	}
	b.WriteString("\\end{longtable}\n\\endgroup\n")
}
