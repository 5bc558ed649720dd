package verify

import (
	"fmt"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
)

// RecordKind implements [record.Record].
func (r *CheckpointsRecord) RecordKind() string { return "verify-checkpoints" }

// PageData returns the explorer of the checkpoints.
func (r *CheckpointsRecord) PageData() *record.PageData { return &r.page }

// Save writes the report into a folder and returns its path, as [Verified.Save] does.
func (r *CheckpointsRecord) Save(dir string) (string, error) { return record.SaveRecord(dir, r) }

// verification returns a checkpoint as a separate verification.
func (r *CheckpointsRecord) verification(i int) *Record {
	c := r.Checkpoints[i]
	return &Record{Arch: r.Arch, Form: r.Form, Data: r.Data, Images: r.Images, Accuracy: c.Correct, Seconds: c.Seconds,
		Conventions: r.Conventions, Layers: c.Layers}
}

// Summary describes the first and the last checkpoint.
func (r *CheckpointsRecord) Summary() string {
	last := len(r.Checkpoints) - 1
	text := fmt.Sprintf("%s: %s", r.Checkpoints[last].Name, r.verification(last).Summary())
	if last == 0 {
		return text
	}
	return fmt.Sprintf("%d checkpoints. %s: %s %s", last+1, r.Checkpoints[0].Name,
		r.verification(0).Summary(), text)
}

// Tables returns a row for each checkpoint, and the layers of the last.
func (r *CheckpointsRecord) Tables() []*report.Table {
	rows := make([]int, len(r.Checkpoints))
	totals := make([]Totals, len(rows))
	for i := range rows {
		rows[i], totals[i] = i, r.verification(i).Overall()
	}
	fields := []record.Field[int]{
		record.TextField("weights", func(i int) string { return r.Checkpoints[i].Name }),
		record.NumberField(r.By, "%.10g", func(i int) float64 { return r.Checkpoints[i].At }),
	}
	if r.Checkpoints[0].Correct != nil {
		fields = append(fields, record.PercentField("accuracy", func(i int) float64 {
			return record.ValueOrNaN(r.Checkpoints[i].Correct)
		}))
	}
	fields = append(fields,
		record.NumberField("Pearson", "%.3f", func(i int) float64 { return totals[i].Pearson }),
		record.NumberField("null", "%.3f", func(i int) float64 { return totals[i].Null }),
		record.NumberField("excess", "%+.3f", func(i int) float64 { return totals[i].Excess() }),
		record.TextField("above null", func(i int) string { return fmt.Sprintf("%d of %d", totals[i].Above, totals[i].Judged) }))
	t := record.TableOf("checkpoints", fmt.Sprintf("Similarity of CNFM and AGOP by checkpoint, means over the layers that can be "+
		"judged; layers above their null by %d standard deviations.", similarity.NullDeviations), rows, fields...)
	last := r.verification(len(rows) - 1).Table()
	last.Name, last.Caption = "layers-last", "The last checkpoint. "+last.Caption
	return []*report.Table{&t, last}
}

// course returns the measurements over the checkpoints.
func (r *CheckpointsRecord) course() *similarity.Course {
	c := &similarity.Course{Unit: r.By, During: "over the checkpoints",
		Alignments: func(i, layer int) []similarity.AlignmentRecord { return r.Checkpoints[i].Layers[layer].Alignments }}
	for _, p := range r.Checkpoints {
		c.Times, c.Names = append(c.Times, p.At), append(c.Names, p.Name)
	}
	for _, l := range r.Checkpoints[0].Layers {
		c.Layers = append(c.Layers, l.Layer)
	}
	c.CNFMs = []similarity.CourseCNFM{{Name: "w", Label: "W",
		At: func(i, layer int) similarity.AnsatzRecord { return r.Checkpoints[i].Layers[layer].AnsatzRecord }}}
	return c
}

// Page returns the record as a report.
func (r *CheckpointsRecord) Page() (*report.Page, error) {
	figures, err := r.course().Figures()
	if err != nil {
		return nil, err
	}
	seconds := 0.
	for _, c := range r.Checkpoints {
		seconds += c.Seconds
	}
	section := report.Section{
		Heading: "The ansatz over the checkpoints",
		Text: []string{WhatTheNullIs + " The nulls of all checkpoints have the same random rotations, so that a curve shows " +
			"changes of the network."},
		Figures: figures,
		Facts:   report.FactsOf(r.Conventions),
	}
	for _, t := range r.Tables() {
		section.Tables = append(section.Tables, *t)
	}
	p := &report.Page{
		Title: fmt.Sprintf("The neural feature ansatz in checkpoints of %s on %s", r.Arch, r.Data), Lead: r.Summary(),
		Sections: []report.Section{section}, Provenance: r.Conventions.Provenance(r.page.Machine, seconds),
	}
	statements, ok, err := r.course().StatementSection()
	if err != nil {
		return nil, err
	}
	if ok {
		p.Sections = append(p.Sections, statements)
	}
	if r.page.Explorer != nil {
		p.Sections = append(p.Sections, similarity.ExplorerSection(r.page.Explorer))
	}
	return p, nil
}
