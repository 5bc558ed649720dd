package experiments

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/internal/whole"
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

// SaveIndex writes the results as a Markdown document, with links to the figures and
// tables that are in the folder of the results.
func (r *Overview) SaveIndex(path string) error {
	d := &document{at: filepath.Dir(path)}
	if err := d.write(r); err != nil {
		return err
	}
	return writeBytes(path, d.Bytes())
}

func writeBytes(path string, data []byte) error {
	return whole.WriteFile(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// document is the Markdown index, in the folder at.
type document struct {
	bytes.Buffer
	at string
}

// say writes a paragraph.
func (d *document) say(format string, args ...any) {
	fmt.Fprintf(d, format+"\n\n", args...)
}

func (d *document) table(t *report.Table) error {
	if len(t.Rows) == 0 {
		return nil
	}
	if err := t.WriteMarkdown(d); err != nil {
		return err
	}
	d.WriteString("\n")
	return nil
}

func (d *document) write(r *Overview) error {
	d.say("# Results")
	d.say("%s", r.Summary())
	d.provenance(r)
	d.say("## Verdicts by paper")
	if err := d.table(r.SummaryTable()); err != nil {
		return err
	}
	d.say("## Claims")
	d.say("A claim holds, or fails, where the whole 95 %% confidence interval of the mean over the seeds lies inside, or outside, of what was asked for before it was measured. Above null is the verdict on the excess over what chance gives, for claims of alignment.")
	if err := d.table(r.ClaimsTable()); err != nil {
		return err
	}
	for _, paper := range Papers() {
		if err := d.paper(r, paper); err != nil {
			return err
		}
	}
	if t := r.MissingTable(); len(t.Rows) > 0 {
		d.say("## Not here")
		return d.table(t)
	}
	return nil
}

// provenance says when, on what machine and by which version, and what would make
// the index again.
func (d *document) provenance(r *Overview) {
	var lines []string
	for _, f := range r.provenance() {
		if f.Name != "this page" {
			lines = append(lines, fmt.Sprintf("- %s: %s", f.Name, plainMarkdown(f.Value)))
		}
	}
	d.say("%s", strings.Join(lines, "\n"))
	again := "This index is written by `ansatz report`"
	if _, err := os.Stat(filepath.Join(d.at, "NOTES.md")); err == nil {
		again += "; what people have to say about the results is in [NOTES.md](NOTES.md)"
	}
	d.say("%s.", again)
}

// paper writes the experiments of a paper under its heading.
func (d *document) paper(r *Overview, paper string) error {
	records := slices.DeleteFunc(slices.Clone(r.Records), func(e *ExperimentRecord) bool { return e.Paper != paper })
	if len(records) == 0 {
		return nil
	}
	d.say("## %s", plainMarkdown(paperTitle(paper)))
	for _, e := range records {
		if err := d.experiment(r, e); err != nil {
			return fmt.Errorf("%s: %w", e.ID, err)
		}
	}
	return nil
}

func (d *document) experiment(r *Overview, e *ExperimentRecord) error {
	d.say("<a id=\"%s\"></a>", e.anchor(r))
	d.say("### %s: %s (`%s`)", plainMarkdown(e.Figure), plainMarkdown(e.Title), e.ID)
	if e.Absent != "" {
		d.say("Not attempted: %s", plainMarkdown(e.Absent))
		return nil
	}
	d.say("    %s", e.Command())
	for _, t := range e.text() {
		d.say("%s", plainMarkdown(t))
	}
	for _, t := range e.judged() {
		if len(e.Statements) == 0 {
			t.Caption = ""
		}
		if err := d.table(t.WithoutEmpty()); err != nil {
			return err
		}
	}
	if err := d.tables(r, e); err != nil {
		return err
	}
	if err := d.figures(r, e); err != nil {
		return err
	}
	d.record(e)
	return nil
}

// largestTable is how many rows and columns a table has at most that is shown in the
// index; others are linked to.
const largestTable, widestTable = 24, 12

func (d *document) tables(r *Overview, e *ExperimentRecord) error {
	for i := range e.Tables {
		t := e.Tables[i].WithoutEmpty()
		if len(t.Rows) <= largestTable && len(t.Columns) <= widestTable {
			if err := d.table(t); err != nil {
				return err
			}
			continue
		}
		if link := d.link(r.Dir, e, "tables", t.Name, ".csv"); link != "" {
			d.say("[%s](%s): %d rows. %s", plainMarkdown(t.Name), link, len(t.Rows), plainMarkdown(t.Caption))
		}
	}
	return nil
}

func (d *document) figures(r *Overview, e *ExperimentRecord) error {
	figures, err := e.figures()
	if err != nil {
		return err
	}
	for _, f := range figures {
		link := d.link(r.Dir, e, "figures", f.Name, ".png", ".svg")
		if link == "" {
			d.say("The figure %s is drawn by `ansatz run %s --resume`.", plainMarkdown(f.Name), e.ID)
			continue
		}
		caption := plainMarkdown(f.Caption)
		if numbers := d.link(r.Dir, e, "figures", f.Name, ".csv"); numbers != "" {
			caption = strings.TrimSpace(caption + fmt.Sprintf(" [Numbers](%s).", numbers))
		}
		d.say("![%s](%s)", plainMarkdown(f.Alt), link)
		d.say("%s", caption)
	}
	return nil
}

// link is the way from the index to a file of an experiment, or of that whose run it
// shows a part of: with the first of the suffixes that is there, "" for none.
func (d *document) link(dir string, e *ExperimentRecord, folder, name string, suffixes ...string) string {
	for _, of := range []string{e.ID, e.experiment.source().ID} {
		for _, suffix := range suffixes {
			path := filepath.Join(dir, filepath.FromSlash(of), e.Hash, folder, name+suffix)
			if _, err := os.Stat(path); err != nil {
				continue
			}
			if link, err := filepath.Rel(d.at, path); err == nil {
				return filepath.ToSlash(link)
			}
		}
	}
	return ""
}

// record writes how the numbers were made, folded away where a reader of Markdown
// can do that.
func (d *document) record(e *ExperimentRecord) {
	first, last := times([]*ExperimentRecord{e})
	var lines []string
	for _, f := range e.recordFacts() {
		if f.Name != "command" {
			lines = append(lines, fmt.Sprintf("- %s: %s", f.Name, plainMarkdown(f.Value)))
		}
	}
	d.say("<details><summary>Record: scale %s, made %s</summary>\n\n%s\n\n</details>", e.Scale, span(first, last, time.DateOnly), strings.Join(lines, "\n"))
}

// plainMarkdown is a text none of whose characters mean anything.
func plainMarkdown(s string) string { return report.EscapeMarkdown(s) }
