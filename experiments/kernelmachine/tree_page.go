package kernelmachine

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
)

// TreeRecord is the record of a tree of recursive feature machines, as scripts read it.
type TreeRecord struct {
	Data        string       `json:"data"`
	Kernel      string       `json:"kernel"`
	Train       int          `json:"train"`
	Validation  int          `json:"validation"` // rows among the training rows that choose iterations and temperature
	Test        int          `json:"test"`
	LeafRows    []int        `json:"leaf_rows"`          // that each leaf was fitted to
	LeftOut     int          `json:"left_out,omitempty"` // equal rows that no leaf had room for
	Temperature float64      `json:"temperature"`        // of the soft routing
	Importances []Importance `json:"importances"`        // the largest first
	Accuracy    *float64     `json:"test_accuracy,omitempty"`
	MSE         *float64     `json:"test_mse,omitempty"`
	R2          *float64     `json:"test_r2,omitempty"`
	// Seconds is the time of the fit.
	Seconds     float64        `json:"seconds"`
	Conventions RFMConventions `json:"conventions"`

	page record.PageData
}

// Importance is the share of a feature of the trace of M, averaged over the leaves by their rows.
type Importance struct {
	Feature string  `json:"feature"`
	Share   float64 `json:"share"`
}

// newImportances returns the shares of the features, the largest first.
func newImportances(features []string, shares []float64) []Importance {
	var all []Importance
	for i, v := range shares {
		all = append(all, Importance{features[i], v})
	}
	slices.SortStableFunc(all, func(a, b Importance) int { return cmp.Compare(b.Share, a.Share) })
	return all
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
		s += fmt.Sprintf(" %d rows were left out, because they are equal to others and no leaf had room for them.",
			r.LeftOut)
	}
	return s
}

// Table returns the features with the largest shares.
func (r *TreeRecord) Table() *report.Table {
	return importanceTable(r.Importances, "Shares of the features of the trace of M, averaged over the leaves by their rows.")
}

// importanceTable returns the features with the largest shares.
func importanceTable(all []Importance, caption string) *report.Table {
	t := &report.Table{Name: "importances", Columns: append(record.TextColumns("feature"),
		record.NumericColumns("share")...), Caption: caption}
	for _, v := range all[:min(shownFeatures, len(all))] {
		t.Rows = append(t.Rows, append(record.TextCells(v.Feature), record.DefinedCell(v.Share, "%.4f")))
	}
	return t
}

// importanceFigure draws the features with the largest shares; label names those whose shares they are.
func importanceFigure(all []Importance, label, caption string) (report.Figure, error) {
	var labels []string
	bars := report.Bars{Label: label}
	for _, v := range all[:min(shownFeatures, len(all))] {
		labels, bars.Values = append(labels, v.Feature), append(bars.Values, v.Share)
	}
	f, err := report.BarChart(featuresName, "The features on which the predictor depends", "share of the trace of M",
		labels, []report.Bars{bars})
	f.Caption = caption
	return f, err
}

// RecordKind implements [record.Record].
func (r *TreeRecord) RecordKind() string { return "rfm-tree" }

// PageData returns the machine on which the record was made.
func (r *TreeRecord) PageData() *record.PageData { return &r.page }

// Page returns the report.
func (r *TreeRecord) Page() (*report.Page, error) {
	f, err := importanceFigure(r.Importances, "all leaves", "The features that the leaves' machines depend on most: shares "+
		"of the trace of M, averaged over the leaves by their rows.")
	if err != nil {
		return nil, err
	}
	return &report.Page{
		Title: fmt.Sprintf("A tree of recursive feature machines on %s", r.Data),
		Lead:  r.Summary(),
		Sections: []report.Section{{Heading: "The features", Figures: []report.Figure{f},
			Tables: []report.Table{*r.Table()}, Facts: r.Conventions.facts()}},
		Provenance: r.Conventions.Provenance(r.page.Machine, r.Seconds, r.Conventions.Digests()...),
	}, nil
}
