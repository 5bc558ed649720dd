package kernelmachine

import (
	"fmt"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
)

// Summary says in a sentence what the record shows.
func (r *RFMRecord) Summary() string {
	first, chosen := r.Iterations[0], r.Iterations[r.Selected]
	s := fmt.Sprintf("Iteration 0, the kernel without features learned: %s.", first.say())
	if r.Selected > 0 {
		s += fmt.Sprintf(" Iteration %d, which was selected: %s.", r.Selected, chosen.say())
	} else if len(r.Iterations) > 1 {
		s += " No later iteration did better on the validation examples."
	}
	for _, it := range r.Iterations {
		if it.Solution.Note != "" {
			return fmt.Sprintf("%s Iteration %d: %s.", s, it.Iteration, it.Solution.Note)
		}
	}
	return s
}

func scoreText(accuracy, r2 *float64) string {
	switch {
	case accuracy != nil:
		return fmt.Sprintf("accuracy %.2f %%", 100**accuracy)
	case r2 != nil:
		return fmt.Sprintf("R² %.4f", *r2)
	}
	return "R² not defined"
}

// Table is the record as a table.
func (r *RFMRecord) Table() *report.Table {
	t := iterationsTable("iterations", ConvLayerRecord{Iterations: r.Iterations, Selected: r.Selected})
	t.Caption = "The iterations of the recursive feature machine. Iteration 0 is the kernel with M = I; the one that was selected is marked."
	return t
}

// RecordKind implements [record.Record].
func (r *RFMRecord) RecordKind() string { return "rfm" }

// PageData is where the record was made, and the features of the metrics.
func (r *RFMRecord) PageData() *record.PageData { return &r.page }

// Page is the record as a report with its pictures.
func (r *RFMRecord) Page() (*report.Page, error) {
	curve, err := scoreFigure("iterations", "Iterations", r.Iterations)
	if err != nil {
		return nil, err
	}
	p := &report.Page{
		Title:      fmt.Sprintf("A recursive feature machine on %s", r.Data),
		Lead:       r.Summary(),
		Sections:   []report.Section{{Heading: "Iterations", Figures: []report.Figure{curve}, Tables: []report.Table{*r.Table()}, Facts: r.Conventions.facts()}},
		Provenance: r.provenance(),
	}
	if features := r.page.Named(featuresName); len(features) > 0 {
		p.Sections = append(p.Sections, report.Section{Heading: "The features", Figures: features, Text: []string{
			"M is the average gradient outer product of the predictor of the iteration before. Its diagonal says how much that predictor changes with each input.",
		}})
	}
	return p, nil
}

func (c RFMConventions) facts() []report.Fact {
	return append(report.FactsOf(c), c.Conventions.Facts()...)
}

func (r *RFMRecord) provenance() []report.Fact {
	return r.Conventions.Provenance(r.page.Machine, r.Seconds, r.Conventions.Digests()...)
}
