package kernelmachine

import (
	"fmt"

	"github.com/ansatz-lab/ansatz/experiments/importance"
	"github.com/ansatz-lab/ansatz/experiments/measure"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/search"
	"github.com/ansatz-lab/ansatz/internal/words"
)

// SearchRecord is the record of a search for the settings of a machine, as scripts read it.
type SearchRecord struct {
	Data   string         `json:"data"`
	Train  int            `json:"train"`
	Test   int            `json:"test"`
	Folds  int            `json:"folds"`
	Asked  int            `json:"asked"`                   // trials at most
	Limit  float64        `json:"limit_seconds,omitempty"` // after which trials that had not ended were dropped; 0 is no limit
	Varied string         `json:"varied"`                  // what the trials differ in
	Trials []search.Trial `json:"trials"`                  // in the order in which they were drawn
	Chosen []int          `json:"chosen"`                  // the trials of the result, the best first
	testScores
	// Importances are means over the members that learned an M. Their spread is over the folds of the best trial.
	Importances []importance.Column    `json:"importances,omitempty"`
	Directions  []importance.Direction `json:"directions,omitempty"` // of the best
	// Seconds is the time of this run. It leaves out trials that earlier runs made.
	Seconds     float64        `json:"seconds"`
	Conventions RFMConventions `json:"conventions"`

	page record.PageData
}

// shownTrials is how many of the best trials are in the table.
const shownTrials = 10

// trial returns a trial by its number.
func (r *SearchRecord) trial(number int) search.Trial {
	for _, t := range r.Trials {
		if t.Number == number {
			return t
		}
	}
	return search.Trial{Error: "not made"}
}

// Summary says what the record shows, in a few sentences.
func (r *SearchRecord) Summary() string {
	failed := 0
	for _, t := range r.Trials {
		if t.Error != "" {
			failed++
		}
	}
	s := fmt.Sprintf("%s in %s", words.Count(len(r.Trials), "trial"), record.FormatDuration(r.Seconds))
	if failed > 0 {
		s += fmt.Sprintf(", of which %d failed", failed)
	}
	best, first := r.trial(r.Chosen[0]), r.trial(0)
	s += fmt.Sprintf(". The best by %d-fold cross-validation is trial %d: %s with %s, iteration %d.", r.Folds, best.Number,
		best.ScoreText(), best.Settings, best.Iteration)
	if best.Number != 0 && first.Error == "" {
		s += fmt.Sprintf(" The first trial, %s, has %s.", first.Settings, first.ScoreText())
	}
	if n := len(r.Chosen); n > 1 {
		s += fmt.Sprintf(" The outputs of the best %d are averaged.", n)
	}
	if r.Test > 0 {
		s += fmt.Sprintf(" Fitted to all %d training examples: test %s; the test examples chose nothing.", r.Train,
			scoreText(r.Accuracy, r.R2))
	}
	return s + r.Conventions.TestCopies.Warning()
}

// Table returns the best trials.
func (r *SearchRecord) Table() *report.Table {
	ranked := search.Rank(r.Trials)
	return search.Table("best", "The best trials. Scores are means over the folds, with standard errors; that of the best "+
		"is better than it will be on new examples, since it was chosen.", ranked[:min(shownTrials, len(ranked))], true)
}

// Tables returns the best trials, the importances and the measures.
func (r *SearchRecord) Tables() []*report.Table {
	return append([]*report.Table{r.Table()}, detailTables(&r.Result, r.Importances, r.Directions)...)
}

// RecordKind implements [record.Record].
func (r *SearchRecord) RecordKind() string { return "rfm-search" }

// PageData returns the machine on which the record was made.
func (r *SearchRecord) PageData() *record.PageData { return &r.page }

// Page returns the report.
func (r *SearchRecord) Page() (*report.Page, error) {
	scores, err := search.Figure(r.Trials, r.Folds)
	if err != nil {
		return nil, err
	}
	all := search.Table("trials", "All trials, in the order in which they were drawn.", r.Trials, false)
	p := &report.Page{
		Title: fmt.Sprintf("A search for a recursive feature machine on %s", r.Data),
		Lead:  r.Summary(),
		Sections: []report.Section{{Heading: "The search", Figures: []report.Figure{scores},
			Tables: []report.Table{*r.Table(), *all}, Text: []string{"Varied: " + r.Varied + "."},
			Facts: r.Conventions.facts()}},
		Provenance: r.Conventions.Provenance(r.page.Machine, r.Seconds, r.Conventions.Digests()...),
	}
	if len(r.Importances) > 0 {
		f, err := importance.Figure(featuresName, r.Importances, "Shares of the columns of the trace of M; of an average the mean "+
			"over its members that learned an M. The spread is that over the folds of the best trial.")
		if err != nil {
			return nil, err
		}
		features := report.Section{Heading: "The features", Figures: []report.Figure{f}}
		for _, t := range detailTables(&measure.Result{}, r.Importances, r.Directions) {
			features.Tables = append(features.Tables, *t)
		}
		p.Sections = append(p.Sections, features)
	}
	return p, addMeasures(p, &r.Result)
}
