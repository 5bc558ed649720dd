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
// Long texts are set in paragraphs. Nothing in a text is a command; characters
// that LaTeX does not know by itself are written as their code points, U+4E2D.
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
	fmt.Fprintf(b, "\\begingroup\\footnotesize\n\\begin{longtable}{@{}%s@{}}\n", t.latexColumns())
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

// latexColumns says how the columns are set: numbers to the right, long texts in
// paragraphs, which share a part of the line by their lengths.
func (t *Table) latexColumns() string {
	const (
		short   = 14    // characters that stay on a line
		longest = 60    // that count
		narrow  = .0085 // of the line, a character
	)
	_, widths := t.grid(func(s string) string { return s })
	room, all := .95, 0.
	paragraph := make([]bool, len(widths))
	for j, w := range widths {
		if paragraph[j] = !t.Columns[j].Numeric && w > short; paragraph[j] {
			all += float64(min(w, longest))
		} else {
			room -= narrow * float64(w+2)
		}
	}
	var columns strings.Builder
	for j, w := range widths {
		switch {
		case paragraph[j]:
			fmt.Fprintf(&columns, ">{\\raggedright\\arraybackslash}p{%.3f\\linewidth}",
				max(room, .4)*float64(min(w, longest))/all)
		case t.Columns[j].Numeric:
			columns.WriteByte('r')
		default:
			columns.WriteByte('l')
		}
	}
	return columns.String()
}
