package report

import (
	"bytes"
	"fmt"
	"html/template"

	"github.com/ansatz-lab/ansatz/experiments/report/draw"
	"github.com/ansatz-lab/ansatz/experiments/report/latex"
)

// fileView is a file that a page offers: a link to it, or its content.
type fileView struct {
	Label, Name string
	URL         template.URL
	// Gzip has the compressed content, which the page's script unpacks when a reader follows the link; "" if URL has it.
	Gzip template.HTMLAttr
}

// plainFile is the largest size in bytes of a file that is not compressed, so that its link works without a script.
// Packed pages have hundreds of small files, and compress those above packedFile.
const (
	plainFile  = 2 << 10
	packedFile = 256
)

// newFileView returns the view of a file with the given content.
func newFileView(label, name, kind string, content []byte, packed bool) (fileView, error) {
	v := fileView{Label: label, Name: name}
	if len(content) <= packedFile || len(content) <= plainFile && !packed {
		v.URL = draw.DataURL(kind, content)
		return v, nil
	}
	var err error
	v.URL = "#"
	v.Gzip, err = draw.Compress(content)
	return v, err
}

const (
	csvKind   = "text/csv;charset=utf-8"
	latexKind = "application/x-tex;charset=utf-8"
)

// mostNumbers is the largest size in bytes of a CSV file that a page embeds although the figure has a file elsewhere.
const mostNumbers = 8 << 10

// offered returns the files that the page offers with a figure besides its picture: its numbers and, unless the page is
// packed, LaTeX that includes it. Packed pages leave LaTeX to the pages of the experiments.
func (f *Figure) offered(packed bool) ([]fileView, error) {
	var all []fileView
	switch {
	case len(f.CSV) > mostNumbers && f.File != "":
		all = append(all, fileView{Label: "CSV", Name: f.Name + ".csv", URL: template.URL(f.File + ".csv")})
	case len(f.CSV) > 0:
		v, err := newFileView("CSV", f.Name+".csv", csvKind, f.CSV, packed)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	if packed {
		return all, nil
	}
	v, err := newFileView("LaTeX", f.Name+".tex", latexKind, []byte(f.LaTeX()), packed)
	return append(all, v), err
}

// LaTeX returns LaTeX that includes the figure, for a document with \usepackage{graphicx} in the report's folder.
func (f *Figure) LaTeX() string {
	return fmt.Sprintf("\\begin{figure}\n  \\centering\n  \\includegraphics[width=\\linewidth]{%s}\n"+
		"  \\caption{%s}\n  \\label{fig:%s}\n\\end{figure}\n", or(f.File, "figures/"+f.Name),
		latex.Escape(plain(f.Caption)), f.Name)
}

// offered returns the table as CSV and, unless the page is packed, as LaTeX; for a table too long for the page, a link.
func (t *Table) offered(packed bool) ([]fileView, error) {
	if len(t.Rows) > mostRows {
		return []fileView{{Label: "CSV", Name: t.Name + ".csv", URL: template.URL("tables/" + t.Name + ".csv")}}, nil
	}
	var csv, latex bytes.Buffer
	if err := t.WriteCSV(&csv); err != nil {
		return nil, err
	}
	numbers, err := newFileView("CSV", t.Name+".csv", csvKind, csv.Bytes(), packed)
	if err != nil || packed {
		return []fileView{numbers}, err
	}
	if err := t.WriteLaTeX(&latex); err != nil {
		return nil, err
	}
	set, err := newFileView("LaTeX", t.Name+".tex", latexKind, latex.Bytes(), packed)
	return []fileView{numbers, set}, err
}
