package report

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"html/template"
)

// fileView is a file that a page offers: a link to it, or its content.
type fileView struct {
	Label, Name string
	URL         template.URL
	// Gzip is the compressed content in base64, which the page's script unpacks when the link is used; "" where URL has
	// all.
	Gzip string
}

// plainFile is the size up to which a file stands in the page as it is, so that its link works without a script.
const plainFile = 2 << 10

// newFileView returns the view of a file with the given content.
func newFileView(label, name, kind string, content []byte) (fileView, error) {
	v := fileView{Label: label, Name: name}
	if len(content) <= plainFile {
		v.URL = dataURL(kind, content)
		return v, nil
	}
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return v, err
	}
	if _, err := w.Write(content); err != nil {
		return v, err
	}
	if err := w.Close(); err != nil {
		return v, err
	}
	v.URL, v.Gzip = "#", base64.StdEncoding.EncodeToString(b.Bytes())
	return v, nil
}

const (
	csvKind   = "text/csv;charset=utf-8"
	latexKind = "application/x-tex;charset=utf-8"
)

// offered returns what the page offers of a figure besides its picture: its numbers, and LaTeX that includes it.
func (f *Figure) offered() ([]fileView, error) {
	var all []fileView
	if len(f.CSV) > 0 {
		v, err := newFileView("CSV", f.Name+".csv", csvKind, f.CSV)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	v, err := newFileView("LaTeX", f.Name+".tex", latexKind, []byte(f.LaTeX()))
	return append(all, v), err
}

// LaTeX returns the figure as LaTeX includes it, for a document with \usepackage{graphicx} beside the report.
func (f *Figure) LaTeX() string {
	return fmt.Sprintf("\\begin{figure}\n  \\centering\n  \\includegraphics[width=\\linewidth]{%s}\n"+
		"  \\caption{%s}\n  \\label{fig:%s}\n\\end{figure}\n", or(f.File, "figures/"+f.Name),
		escapeLaTeX(plain(f.Caption)), f.Name)
}

// offered returns the table as CSV and as LaTeX. One with rows that the page does not show is a link to its file.
func (t *Table) offered() ([]fileView, error) {
	if len(t.Rows) > mostRows {
		return []fileView{{Label: "CSV", Name: t.Name + ".csv", URL: template.URL("tables/" + t.Name + ".csv")}}, nil
	}
	var csv, latex bytes.Buffer
	if err := t.WriteCSV(&csv); err != nil {
		return nil, err
	}
	if err := t.WriteLaTeX(&latex); err != nil {
		return nil, err
	}
	numbers, err := newFileView("CSV", t.Name+".csv", csvKind, csv.Bytes())
	if err != nil {
		return nil, err
	}
	set, err := newFileView("LaTeX", t.Name+".tex", latexKind, latex.Bytes())
	return []fileView{numbers, set}, err
}
