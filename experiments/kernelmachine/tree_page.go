package kernelmachine

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/ansatz-lab/ansatz/experiments/importance"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/internal/words"
)

// TreeRecord is the record of a tree of recursive feature machines, as scripts read it.
type TreeRecord struct {
	Data        string              `json:"data"`
	Kernel      string              `json:"kernel"`
	Train       int                 `json:"train"`
	Validation  int                 `json:"validation"` // rows among the training rows that choose iterations and temperature
	Test        int                 `json:"test"`
	LeafRows    []int               `json:"leaf_rows"`             // that each leaf was fitted to
	LeftOut     int                 `json:"left_out,omitempty"`    // equal rows that no leaf had room for
	Temperature float64             `json:"temperature"`           // of the soft routing
	Importances []importance.Column `json:"importances,omitempty"` // the largest first; none if M is I in all leaves
	testScores
	// Seconds is the time of the fit.
	Seconds     float64        `json:"seconds"`
	Conventions RFMConventions `json:"conventions"`

	page record.PageData
}

// Summary says what the record shows, in a few sentences.
func (r *TreeRecord) Summary() string {
	leaves := "1 leaf"
	if len(r.LeafRows) != 1 {
		leaves = fmt.Sprintf("%d leaves", len(r.LeafRows))
	}
	rows := strconv.Itoa(slices.Min(r.LeafRows))
	if most := slices.Max(r.LeafRows); most > slices.Min(r.LeafRows) {
		rows += fmt.Sprintf(" to %d", most)
	}
	s := fmt.Sprintf("A tree with %s of %s rows, fitted in %s", leaves, rows, record.FormatDuration(r.Seconds))
	switch {
	case len(r.LeafRows) == 1:
	case r.Temperature == 0:
		s += "; each row is predicted by one leaf"
	default:
		s += fmt.Sprintf("; leaves are mixed with temperature %v", r.Temperature)
	}
	if r.Test > 0 {
		s += fmt.Sprintf(": test %s", scoreText(r.Accuracy, r.R2))
	}
	s += "."
	if r.LeftOut > 0 {
		s += " Left out, since equal to others and without room in any leaf: " + words.Count(r.LeftOut, "row") + "."
	}
	return s
}

// Tables returns the measures and the importances.
func (r *TreeRecord) Tables() []*report.Table { return detailTables(&r.Result, r.Importances, nil) }

// RecordKind implements [record.Record].
func (r *TreeRecord) RecordKind() string { return "rfm-tree" }

// PageData returns the machine on which the record was made.
func (r *TreeRecord) PageData() *record.PageData { return &r.page }

// Page returns the report.
func (r *TreeRecord) Page() (*report.Page, error) {
	features := report.Section{Heading: "The leaves' machines", Facts: r.Conventions.facts()}
	if len(r.Importances) > 0 {
		f, err := importance.Figure(featuresName, r.Importances, "The columns that the leaves' machines depend on most: shares of "+
			"the trace of M, averaged over the leaves by their rows.")
		if err != nil {
			return nil, err
		}
		features.Heading = "The features"
		features.Figures, features.Tables = []report.Figure{f}, []report.Table{*importance.Table(r.Importances)}
	}
	p := &report.Page{
		Title:      fmt.Sprintf("A tree of recursive feature machines on %s", r.Data),
		Lead:       r.Summary(),
		Sections:   []report.Section{features},
		Provenance: r.Conventions.Provenance(r.page.Machine, r.Seconds, r.Conventions.Digests()...),
	}
	return p, addMeasures(p, &r.Result)
}
