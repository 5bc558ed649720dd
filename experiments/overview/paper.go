package overview

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/internal/words"
)

// writePaper writes the document of a paper: contents, claims, and experiments with their figures, tables
// and records.
func (d *document) writePaper() error {
	d.writeParagraph("# %s", plainMarkdown(paperTitle(d.name)))
	d.writeParagraph("%s", d.r.tally(d.name).summary())
	d.writeParagraph("Back to [all results](%s).", linkTo(filepath.Base(d.index), ""))
	records := d.r.recordsOf(d.name)
	d.writeContents(records)
	if err := d.writeClaims("## Claims", d.name); err != nil {
		return err
	}
	d.writeParagraph("## Experiments")
	for _, e := range records {
		if err := d.writeExperiment(e); err != nil {
			return fmt.Errorf("%s: %w", e.ID, err)
		}
	}
	return nil
}

// writeContents writes links to the experiments, with the numbers of claims that hold.
func (d *document) writeContents(records []*study.Record) {
	d.writeParagraph("## Contents")
	var lines []string
	for _, e := range records {
		line := fmt.Sprintf("- [%s: %s](#%s)", plainMarkdown(e.Figure), plainMarkdown(e.Title),
			anchorInOverview(e, d.r))
		if anchorInOverview(e, d.r) != anchorOf(e.ID) {
			line += fmt.Sprintf(" (scale %s)", e.Scale)
		}
		lines = append(lines, line+": "+noteInOverview(e))
	}
	d.writeParagraph("%s", strings.Join(lines, "\n"))
}

// writeExperiment writes an experiment with its claims, tables, figures and record.
func (d *document) writeExperiment(e *study.Record) error {
	d.writeParagraph("<a id=\"%s\"></a>", anchorInOverview(e, d.r))
	d.writeParagraph("### %s: %s (`%s`)", plainMarkdown(e.Figure), plainMarkdown(e.Title), e.ID)
	if e.Absent != "" {
		d.writeParagraph("Not attempted: %s", plainMarkdown(e.Absent))
		return nil
	}
	d.writeParagraph("    %s", e.Command())
	for _, t := range e.Text() {
		d.writeParagraph("%s", plainMarkdown(t))
	}
	for _, part := range e.Folded() {
		var lines []string
		for _, item := range part.List {
			lines = append(lines, "- "+plainMarkdown(item))
		}
		d.writeParagraph("<details><summary>%s</summary>\n\n%s\n\n</details>", part.Summary,
			strings.Join(lines, "\n"))
	}
	for _, t := range e.JudgedTables() {
		if len(e.Statements) == 0 {
			t.Caption = ""
		}
		if err := d.writeTable(t.WithoutEmpty()); err != nil {
			return err
		}
	}
	if err := d.writeTables(e); err != nil {
		return err
	}
	if err := d.writeFigures(e); err != nil {
		return err
	}
	d.writeRecord(e)
	return nil
}

// A table with more rows than largestTable, or more columns than widestTable, is a link.
const largestTable, widestTable = 24, 12

// writeTables writes the tables of an experiment, or links to them.
func (d *document) writeTables(e *study.Record) error {
	for i := range e.Tables {
		t := e.Tables[i].WithoutEmpty()
		if len(t.Rows) <= largestTable && len(t.Columns) <= widestTable {
			if err := d.writeTable(t); err != nil {
				return err
			}
			continue
		}
		if link := d.link(e, "tables", t.Name, ".csv"); link != "" {
			d.writeParagraph("[%s](%s): %s. %s", plainMarkdown(t.Name), link, words.Count(len(t.Rows), "row"),
				plainMarkdown(t.Caption))
		}
	}
	return nil
}

// writeFigures writes an experiment's figures with their captions, and a link to the paper's panels in one figure.
func (d *document) writeFigures(e *study.Record) error {
	figures, err := e.Figures()
	if err != nil {
		return err
	}
	for _, f := range figures {
		link := d.link(e, "figures", f.Name, ".png", ".svg")
		if link == "" {
			d.writeParagraph("The figure %s is drawn by `ansatz run %s --resume`.", plainMarkdown(f.Name), e.ID)
			continue
		}
		caption := plainMarkdown(f.Caption)
		if numbers := d.link(e, "figures", f.Name, ".csv"); numbers != "" {
			caption = strings.TrimSpace(caption + fmt.Sprintf(" [Numbers](%s).", numbers))
		}
		d.writeParagraph("![%s](%s)", plainMarkdown(f.Alt), link)
		d.writeParagraph("%s", caption)
	}
	if link := d.link(e, "figures", report.Assembled, ".png", ".svg"); link != "" {
		d.writeParagraph("[The panels of %s as one figure, with letters](%s).", plainMarkdown(e.Figure), link)
	}
	return nil
}

// link returns a link from the document to a file of an experiment, or of the experiment whose run it shows a part of.
// Of the suffixes it uses the one with the smallest file; the link is "" if no file exists.
func (d *document) link(e *study.Record, folder, name string, suffixes ...string) string {
	for _, id := range []string{e.ID, e.RunID()} {
		best, size := "", int64(0)
		for _, suffix := range suffixes {
			path := filepath.Join(d.r.Dir, filepath.FromSlash(id), e.Hash, folder, name+suffix)
			if info, err := os.Stat(path); err == nil && (best == "" || info.Size() < size) {
				best, size = path, info.Size()
			}
		}
		if best == "" {
			continue
		}
		if link, err := filepath.Rel(filepath.Dir(d.index), best); err == nil {
			return linkTo(filepath.ToSlash(link), "")
		}
	}
	return ""
}

// writeRecord says how the numbers were made, in a part that some Markdown viewers fold.
func (d *document) writeRecord(e *study.Record) {
	first, last := study.Times([]*study.Record{e})
	var lines []string
	for _, f := range e.RecordFacts() {
		if f.Name != "command" {
			lines = append(lines, fmt.Sprintf("- %s: %s", f.Name, plainMarkdown(f.Value)))
		}
	}
	d.writeParagraph("<details><summary>Record: scale %s, made %s</summary>\n\n%s\n\n</details>", e.Scale,
		study.Span(first, last, time.DateOnly), strings.Join(lines, "\n"))
}
