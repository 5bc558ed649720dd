package overview

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/internal/atomicfile"
)

// SavePage writes the page to a file and returns its size in bytes.
func (r *Overview) SavePage(path string) (int, error) {
	p, err := r.Page()
	if err != nil {
		return 0, err
	}
	var b bytes.Buffer
	if err := p.WriteHTML(&b); err != nil {
		return 0, err
	}
	return b.Len(), atomicfile.WriteBytes(path, b.Bytes())
}

// SaveIndex writes the results as Markdown: an index to path, and beside it a file of all claims, one file for each
// finding, and one for each paper with its experiments. Links to figures and tables lead to the folder of the results.
// If the index is README.md, the others are claims.md, finding-tables.md, cnfa.md and so on; if it is all.md,
// all-claims.md. Existing files are replaced, the index last.
func (r *Overview) SaveIndex(path string) error {
	anchors := map[string]string{}
	for _, e := range r.Records {
		anchors[anchorInOverview(e, r)] = e.Paper
	}
	var names []string
	for _, paper := range r.Papers {
		if len(r.recordsOf(paper)) > 0 {
			names = append(names, paper)
		}
	}
	found, err := r.findings()
	if err != nil {
		return err
	}
	for _, f := range found {
		names = append(names, findingPrefix+f.name)
	}
	for _, name := range append(names, claimsPage, "") {
		d := &document{r: r, index: path, name: name, anchors: anchors, found: found}
		if err := d.save(); err != nil {
			return err
		}
	}
	return nil
}

// claimsPage is the name of the document of all claims.
const claimsPage = "claims"

// recordsOf returns the records of a paper.
func (r *Overview) recordsOf(paper string) []*study.Record {
	return slices.DeleteFunc(slices.Clone(r.Records), func(e *study.Record) bool { return e.Paper != paper })
}

// paperFile returns the path of a paper's document beside the index.
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
	name    string            // a paper, claims, finding-NAME, or "" for the index
	anchors map[string]string // maps each anchor to the paper whose document contains it
	found   []found
}

// save writes the document to its file.
func (d *document) save() error {
	path, write := d.index, d.writeIndex
	switch d.name {
	case "":
	case claimsPage:
		path, write = paperFile(d.index, d.name), func() error { return d.writeClaims("# Claims", "") }
	default:
		path, write = paperFile(d.index, d.name), d.writePaper
		if strings.HasPrefix(d.name, findingPrefix) {
			write = d.writeFinding
		}
	}
	if err := write(); err != nil {
		return err
	}
	return atomicfile.WriteBytes(path, d.Bytes())
}

// linkTo returns a link to a path, and to an anchor there unless anchor is "".
func linkTo(path, anchor string) string {
	return (&url.URL{Path: path, Fragment: anchor}).String()
}

// linkToAnchor returns a link from this document to an anchor in any document, "" if there is none.
func (d *document) linkToAnchor(anchor string) string {
	switch paper := d.anchors[anchor]; paper {
	case "":
		return ""
	case d.name:
		return linkTo("", anchor)
	default:
		return linkTo(filepath.Base(paperFile(d.index, paper)), anchor)
	}
}

// writeParagraph writes a paragraph.
func (d *document) writeParagraph(format string, args ...any) {
	fmt.Fprintf(d, format+"\n\n", args...)
}

// writeTable writes a table, unless it has no rows.
func (d *document) writeTable(t *report.Table) error {
	if len(t.Rows) == 0 {
		return nil
	}
	if err := t.WriteMarkdownLinks(d, d.linkToAnchor); err != nil {
		return err
	}
	d.WriteString("\n")
	return nil
}

// writeIndex writes the index.
func (d *document) writeIndex() error {
	d.writeParagraph("# Results")
	d.writeParagraph("%s", d.r.Summary())
	if err := d.writeFindings(); err != nil {
		return err
	}
	d.writeParagraph("## Verdicts by paper")
	if err := d.writeTable(d.r.SummaryTable()); err != nil {
		return err
	}
	d.writePapers()
	d.writeParagraph("## Figures and tables")
	if err := d.writeTable(d.r.ExperimentsTable()); err != nil {
		return err
	}
	if t := d.r.MissingTable(); len(t.Rows) > 0 {
		d.writeParagraph("## Not here")
		if err := d.writeTable(t); err != nil {
			return err
		}
	}
	d.writeParagraph("## How these results were made")
	d.writeProvenance()
	return nil
}

// writePapers writes links to the documents of the papers.
func (d *document) writePapers() {
	var lines []string
	for _, paper := range d.r.Papers {
		if len(d.r.recordsOf(paper)) > 0 {
			lines = append(lines, fmt.Sprintf("- [%s](%s)", plainMarkdown(paperTitle(paper)),
				linkTo(filepath.Base(paperFile(d.index, paper)), "")))
		}
	}
	d.writeParagraph("Figures, tables and records are in a file for each paper:")
	d.writeParagraph("%s", strings.Join(lines, "\n"))
	d.writeParagraph("[All claims](%s) are in one table.", linkTo(filepath.Base(paperFile(d.index, claimsPage)), ""))
}

// writeClaims writes the claims of a paper, "" for all, under a heading.
func (d *document) writeClaims(heading, paper string) error {
	d.writeParagraph("%s", heading)
	d.writeParagraph("A claim holds if the whole 95 %% confidence interval of the mean over the seeds is within " +
		"the threshold, which was written before it was measured, and fails if all of it is beyond. Intervals are wider where " +
		"seeds were added until claims were decided (`--until-settled`); the ends of one that is not symmetric stand in " +
		"brackets. Above null is the verdict on the claim's null control.")
	return d.writeTable(d.r.claimsTable(paper))
}

// writeProvenance says when, on which machines and by which versions the results were made, and how to make the index
// again.
func (d *document) writeProvenance() {
	var lines []string
	for _, f := range d.r.provenance() {
		if f.Name != "this page" {
			lines = append(lines, fmt.Sprintf("- %s: %s", f.Name, plainMarkdown(f.Value)))
		}
	}
	d.writeParagraph("%s", strings.Join(lines, "\n"))
	again := "This index is written by `ansatz report`, which judges all claims anew: what a run of an older version did " +
		"not measure is not attempted"
	if _, err := os.Stat(filepath.Join(filepath.Dir(d.index), "NOTES.md")); err == nil {
		again += "; comments on the results are in [NOTES.md](NOTES.md)"
	}
	d.writeParagraph("%s.", again)
}

// plainMarkdown returns a text with all special characters escaped.
func plainMarkdown(s string) string { return report.EscapeMarkdown(s) }
