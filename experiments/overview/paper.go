package overview

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ansatz-lab/ansatz/experiments/study"
)

// writePaper writes a paper: contents, claims, and experiments with their figures,
// tables and records.
func (d *document) writePaper() error {
	d.paragraph("# %s", plainMarkdown(paperTitle(d.paper)))
	d.paragraph("%s", d.r.tally(d.paper).summary())
	d.paragraph("Back to [all results](%s).", address(filepath.Base(d.index), ""))
	records := d.r.recordsOf(d.paper)
	d.contents(records)
	if err := d.claims(); err != nil {
		return err
	}
	d.paragraph("## Experiments")
	for _, e := range records {
		if err := d.experiment(e); err != nil {
			return fmt.Errorf("%s: %w", e.ID, err)
		}
	}
	return nil
}

// contents leads to the experiments, and says how many of their claims hold.
func (d *document) contents(records []*study.Record) {
	d.paragraph("## Contents")
	var lines []string
	for _, e := range records {
		line := fmt.Sprintf("- [%s: %s](#%s)", plainMarkdown(e.Figure), plainMarkdown(e.Title),
			anchorInOverview(e, d.r))
		if anchorInOverview(e, d.r) != anchorOf(e.ID) {
			line += fmt.Sprintf(" (scale %s)", e.Scale)
		}
		lines = append(lines, line+": "+noteInOverview(e))
	}
	d.paragraph("%s", strings.Join(lines, "\n"))
}

func (d *document) experiment(e *study.Record) error {
	d.paragraph("<a id=\"%s\"></a>", anchorInOverview(e, d.r))
	d.paragraph("### %s: %s (`%s`)", plainMarkdown(e.Figure), plainMarkdown(e.Title), e.ID)
	if e.Absent != "" {
		d.paragraph("Not attempted: %s", plainMarkdown(e.Absent))
		return nil
	}
	d.paragraph("    %s", e.Command())
	for _, t := range e.Text() {
		d.paragraph("%s", plainMarkdown(t))
	}
	for _, t := range e.JudgedTables() {
		if len(e.Statements) == 0 {
			t.Caption = ""
		}
		if err := d.table(t.WithoutEmpty()); err != nil {
			return err
		}
	}
	if err := d.tables(e); err != nil {
		return err
	}
	if err := d.figures(e); err != nil {
		return err
	}
	d.record(e)
	return nil
}

// largestTable is how many rows and columns a table has at most that is shown;
// others are linked to.
const largestTable, widestTable = 24, 12

func (d *document) tables(e *study.Record) error {
	for i := range e.Tables {
		t := e.Tables[i].WithoutEmpty()
		if len(t.Rows) <= largestTable && len(t.Columns) <= widestTable {
			if err := d.table(t); err != nil {
				return err
			}
			continue
		}
		if link := d.link(e, "tables", t.Name, ".csv"); link != "" {
			d.paragraph("[%s](%s): %d rows. %s", plainMarkdown(t.Name), link, len(t.Rows), plainMarkdown(t.Caption))
		}
	}
	return nil
}

func (d *document) figures(e *study.Record) error {
	figures, err := e.Figures()
	if err != nil {
		return err
	}
	for _, f := range figures {
		link := d.link(e, "figures", f.Name, ".png", ".svg")
		if link == "" {
			d.paragraph("The figure %s is drawn by `ansatz run %s --resume`.", plainMarkdown(f.Name), e.ID)
			continue
		}
		caption := plainMarkdown(f.Caption)
		if numbers := d.link(e, "figures", f.Name, ".csv"); numbers != "" {
			caption = strings.TrimSpace(caption + fmt.Sprintf(" [Numbers](%s).", numbers))
		}
		d.paragraph("![%s](%s)", plainMarkdown(f.Alt), link)
		d.paragraph("%s", caption)
	}
	return nil
}

// link is the way from the document to a file of an experiment, or of that whose run it
// shows a part of: with the first of the suffixes that is there, "" for none.
func (d *document) link(e *study.Record, folder, name string, suffixes ...string) string {
	for _, of := range []string{e.ID, e.RunID()} {
		for _, suffix := range suffixes {
			path := filepath.Join(d.r.Dir, filepath.FromSlash(of), e.Hash, folder, name+suffix)
			if _, err := os.Stat(path); err != nil {
				continue
			}
			if link, err := filepath.Rel(filepath.Dir(d.index), path); err == nil {
				return address(filepath.ToSlash(link), "")
			}
		}
	}
	return ""
}

// record writes how the numbers were made, folded away where a reader of Markdown
// can do that.
func (d *document) record(e *study.Record) {
	first, last := study.Times([]*study.Record{e})
	var lines []string
	for _, f := range e.RecordFacts() {
		if f.Name != "command" {
			lines = append(lines, fmt.Sprintf("- %s: %s", f.Name, plainMarkdown(f.Value)))
		}
	}
	d.paragraph("<details><summary>Record: scale %s, made %s</summary>\n\n%s\n\n</details>", e.Scale,
		study.Span(first, last, time.DateOnly), strings.Join(lines, "\n"))
}
