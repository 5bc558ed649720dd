package report

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/report/latex"
)

// TestLaTeXHostile checks the LaTeX of a table of hostile texts: each row has one cell for each column, groups and
// formulas are closed, and special characters are escaped.
func TestLaTeXHostile(t *testing.T) {
	table := hostileTable()
	var b bytes.Buffer
	if err := table.WriteLaTeX(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, r := range text {
		if r >= 0x100 || r < ' ' && r != '\n' {
			t.Fatalf("it has %q", r)
		}
	}
	bare := strings.NewReplacer(`\\`, "\n", `\&`, "", `\{`, "", `\}`, "", `\$`, "", `\%`, "", `\#`, "", `\_`,
		"").Replace(text)
	if outside := regexp.MustCompile(`\$[^$]*\$`).ReplaceAllString(bare, ""); strings.ContainsAny(outside, "%#~^") {
		t.Error("a special character is not escaped")
	}
	if strings.Count(bare, "{") != strings.Count(bare, "}") || strings.Count(bare, "$")%2 != 0 {
		t.Error("a group or a formula is open")
	}
	rows := 0
	for line := range strings.Lines(bare) {
		switch n := strings.Count(line, "&"); {
		case n == len(table.Columns)-1:
			rows++
		case n != 0:
			t.Errorf("%d cells: %s", n+1, line)
		}
	}
	if rows != 1+len(table.Rows) {
		t.Errorf("%d rows, want %d", rows, 1+len(table.Rows))
	}
}

// TestLaTeXCompiles checks that pdflatex accepts the tables, if it is installed.
func TestLaTeXCompiles(t *testing.T) {
	pdflatex, err := exec.LookPath("pdflatex")
	if err != nil {
		t.Skip("there is no pdflatex")
	}
	all := &Table{Caption: "every character", Columns: []Column{{Name: "text"}}}
	for _, r := range latex.Special() {
		all.Rows = append(all.Rows, []Cell{{Text: string(r) + "a" + string(r) + string(r)}})
	}
	var b bytes.Buffer
	b.WriteString("\\documentclass{article}\\usepackage{array,booktabs,longtable}\\begin{document}\n")
	for _, table := range []*Table{mixedTable(), hostileTable(), all, {}, {Columns: []Column{{Name: "empty"}}}} {
		if err := table.WriteLaTeX(&b); err != nil {
			t.Fatal(err)
		}
	}
	b.WriteString("\\end{document}\n")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.tex"), b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(pdflatex, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "a.tex")
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out[max(0, len(out)-2000):])
	}
}

func TestDrop(t *testing.T) {
	table := mixedTable()
	table.Drop("null", "nothere", "layer")
	if len(table.Columns) != 3 || table.Columns[0].Name != "r" || len(table.Rows[0]) != 3 ||
		table.Rows[0][1].Text != "above" || table.Check() != nil {
		t.Errorf("%+v", table)
	}
}
