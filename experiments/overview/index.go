package overview

import (
	"bytes"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/internal/atomicfile"
)

// SavePage writes the page to a file, and returns how many bytes it has.
func (r *Overview) SavePage(path string) (int, error) {
	p, err := r.Page()
	if err != nil {
		return 0, err
	}
	var b bytes.Buffer
	if err := p.WriteHTML(&b); err != nil {
		return 0, err
	}
	return b.Len(), writeBytes(path, b.Bytes())
}

// SaveIndex writes the results as Markdown: an index of all claims to path, and beside
// it a file for each paper with its experiments, whose links to figures and tables go
// to the folder of the results. README.md has its papers in cnfa.md, rfm.md and so on,
// an index of another name, all.md, in all-cnfa.md. What is there is replaced, the
// index last.
func (r *Overview) SaveIndex(path string) error {
	anchors := map[string]string{}
	for _, e := range r.Records {
		anchors[anchorInOverview(e, r)] = e.Paper
	}
	for _, paper := range append(slices.Clone(r.Papers), "") {
		if paper != "" && len(r.recordsOf(paper)) == 0 {
			continue
		}
		d := &document{r: r, index: path, paper: paper, anchors: anchors}
		if err := d.save(); err != nil {
			return err
		}
	}
	return nil
}

// recordsOf returns the records of a paper.
func (r *Overview) recordsOf(paper string) []*study.Record {
	return slices.DeleteFunc(slices.Clone(r.Records), func(e *study.Record) bool { return e.Paper != paper })
}

func writeBytes(path string, data []byte) error {
	return atomicfile.WriteFile(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// paperFile is where an index has a paper.
func paperFile(index, paper string) string {
	folder, name := filepath.Split(index)
	suffix := filepath.Ext(name)
	if stem := strings.TrimSuffix(name, suffix); stem != "README" {
		paper = stem + "-" + paper
	}
	return folder + paper + suffix
}

// document is a Markdown document, in the folder of the index.
type document struct {
	bytes.Buffer
	r       *Overview
	index   string            // its path
	paper   string            // recordsOf which the document is, "" for the index
	anchors map[string]string // the papers in whose documents they are
}

func (d *document) save() error {
	path, write := d.index, d.writeIndex
	if d.paper != "" {
		path, write = paperFile(d.index, d.paper), d.writePaper
	}
	if err := write(); err != nil {
		return err
	}
	return writeBytes(path, d.Bytes())
}

// address is a path, and an anchor, "" for none, in the document there, as a link has
// them.
func address(path, anchor string) string {
	return (&url.URL{Path: path, Fragment: anchor}).String()
}

// address is where an anchor is, seen from the document, "" if it is nowhere.
func (d *document) address(anchor string) string {
	switch paper := d.anchors[anchor]; paper {
	case "":
		return ""
	case d.paper:
		return address("", anchor)
	default:
		return address(filepath.Base(paperFile(d.index, paper)), anchor)
	}
}

// paragraph writes a paragraph.
func (d *document) paragraph(format string, args ...any) {
	fmt.Fprintf(d, format+"\n\n", args...)
}

func (d *document) table(t *report.Table) error {
	if len(t.Rows) == 0 {
		return nil
	}
	if err := t.WriteMarkdownLinks(d, d.address); err != nil {
		return err
	}
	d.WriteString("\n")
	return nil
}

func (d *document) writeIndex() error {
	d.paragraph("# Results")
	d.paragraph("%s", d.r.Summary())
	d.provenance()
	d.paragraph("## Verdicts by paper")
	if err := d.table(d.r.SummaryTable()); err != nil {
		return err
	}
	d.papers()
	if err := d.claims(); err != nil {
		return err
	}
	if t := d.r.MissingTable(); len(t.Rows) > 0 {
		d.paragraph("## Not here")
		return d.table(t)
	}
	return nil
}

// papers writes links to the documents of the papers.
func (d *document) papers() {
	var lines []string
	for _, paper := range d.r.Papers {
		if len(d.r.recordsOf(paper)) > 0 {
			lines = append(lines, fmt.Sprintf("- [%s](%s)", plainMarkdown(paperTitle(paper)),
				address(filepath.Base(paperFile(d.index, paper)), "")))
		}
	}
	d.paragraph("Figures, tables and records are in a file for each paper:")
	d.paragraph("%s", strings.Join(lines, "\n"))
}

// claims writes the claims of the document's paper, in the index all.
func (d *document) claims() error {
	d.paragraph("## Claims")
	d.paragraph("A claim holds, or fails, where the whole 95 %% confidence interval of the mean over the seeds lies " +
		"inside, or outside, of what was asked for before it was measured. Above null is the verdict on the excess " +
		"over what chance gives, for claims of alignment.")
	return d.table(d.r.claimsTable(d.paper))
}

// provenance says when, on what machine and by which version, and what would make
// the index again.
func (d *document) provenance() {
	var lines []string
	for _, f := range d.r.provenance() {
		if f.Name != "this page" {
			lines = append(lines, fmt.Sprintf("- %s: %s", f.Name, plainMarkdown(f.Value)))
		}
	}
	d.paragraph("%s", strings.Join(lines, "\n"))
	again := "This index is written by `ansatz report`"
	if _, err := os.Stat(filepath.Join(filepath.Dir(d.index), "NOTES.md")); err == nil {
		again += "; what people have to say about the results is in [NOTES.md](NOTES.md)"
	}
	d.paragraph("%s.", again)
}

// plainMarkdown is a text none of whose characters mean anything.
func plainMarkdown(s string) string { return report.EscapeMarkdown(s) }
