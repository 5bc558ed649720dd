package study

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
)

// save writes the page over the seeds, and the record, beside their folders.
func (r Run) save(e *Record) error {
	if r.Out == "" {
		return nil
	}
	kept := *e
	kept.Report = "" // which would say where the folder was when it was written
	path, err := record.SaveRecord(r.dir(r.Experiment, e.Hash), &kept)
	e.Report = path
	return err
}

// RecordKind implements [record.Record].
func (e *Record) RecordKind() string { return "experiment" }

// Summary counts the verdicts.
func (e *Record) Summary() string {
	if len(e.Statements) > 0 {
		return e.statementSummary()
	}
	count := map[Verdict]int{}
	for _, c := range e.Claims {
		count[c.Verdict]++
	}
	if e.Absent != "" {
		return fmt.Sprintf("%s, %s of the paper, was not attempted: %s", e.ID, e.Figure, e.Absent)
	}
	seeds := "one seed"
	if n := len(e.Seeds); n > 1 {
		seeds = fmt.Sprintf("%d seeds", n)
	}
	return fmt.Sprintf("%s, %s of the paper, at scale %s over %s. Claims: %s.", e.ID, e.Figure, e.Scale, seeds, CountVerdicts(count))
}

// ClaimsTable is the claims with their verdicts. A claim of alignment has that of
// its null control beside it.
func (e *Record) ClaimsTable() *report.Table {
	t := &report.Table{
		Name: "claims", Caption: "Claims of the paper. Ours is the mean over the seeds with its 95 % confidence interval; a claim holds, or fails, where the whole interval lies inside, or outside, of what it asks for.",
		Columns: []report.Column{{Name: "verdict"}, {Name: "claim", Sentences: true}, {Name: "ours", Numeric: true}, {Name: "asked for"}, {Name: "paper"}, {Name: "seeds", Numeric: true}},
	}
	controlled := slices.ContainsFunc(e.Claims, func(c Judgement) bool { return c.Control != nil })
	if controlled {
		t.Columns = append(t.Columns, report.Column{Name: "above null", Help: "the verdict on the excess over what chance gives, and the excess"}, report.Column{Name: "excess", Numeric: true})
	}
	for _, c := range e.Claims {
		row := []report.Cell{c.Verdict.Cell(), {Text: c.Sentence}, c.Cell(), {Text: c.Want}, {Text: c.Paper}, {Value: float64(c.Seeds)}}
		switch {
		case c.Control != nil:
			row = append(row, c.Control.Verdict.Cell(), c.Control.Cell())
		case controlled:
			row = append(row, report.Cell{}, report.Cell{Value: math.NaN()})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// Cell is a verdict with its mark.
func (v Verdict) Cell() report.Cell {
	marks := map[Verdict]report.Mark{Holds: report.Good, Fails: report.Bad, NotAttempted: report.Muted}
	return report.Cell{Text: string(v), Mark: marks[v]}
}

// Cell is the number that was found.
func (j Judgement) Cell() report.Cell {
	switch {
	case j.Ours == nil:
		return report.Cell{Text: "–", Value: math.NaN(), Mark: report.Muted}
	case j.Error == nil:
		return report.Cell{Text: fmt.Sprintf("%.4g", *j.Ours), Value: *j.Ours}
	case *j.Error == 0: // a count, or what does not depend on the seed: no interval
		return report.Cell{Text: fmt.Sprintf("%.4g, every seed", *j.Ours), Value: *j.Ours}
	}
	d := max(0, min(4, 2-int(math.Floor(math.Log10(math.Abs(*j.Ours)+1e-9)))))
	return report.Cell{Text: fmt.Sprintf("%.*f ± %.*f", d, *j.Ours, d, *j.Error), Value: *j.Ours}
}

// AllTables are the claims and the experiment's own tables.
func (e *Record) AllTables() []*report.Table {
	all := []*report.Table{e.ClaimsTable()}
	for i := range e.Tables {
		all = append(all, &e.Tables[i])
	}
	return all
}

// Judged are the tables of the claims, or of the statements.
func (e *Record) Judged() []report.Table {
	if len(e.Statements) > 0 {
		return e.statementsTables()
	}
	return []report.Table{*e.ClaimsTable()}
}

// Page is the experiment as a report: claims, or statements, first.
func (e *Record) Page() (*report.Page, error) {
	figures, err := e.Figures()
	if err != nil {
		return nil, err
	}
	found := report.Section{Heading: e.Figure + ": " + e.Title, Text: e.Text(), Figures: figures, Tables: e.Tables}
	return &report.Page{
		Title: e.Title, Lead: e.Summary(),
		Sections:   []report.Section{{Heading: e.heading(), Tables: e.Judged()}, found},
		Provenance: e.RecordFacts(),
	}, nil
}

// Figures are the charts over the seeds, and the pictures of the first.
func (e *Record) Figures() ([]report.Figure, error) {
	if e.drawn == nil && len(e.seeds) > 0 {
		charts, err := ChartsOverSeeds(e.outcomes())
		if err != nil {
			return nil, err
		}
		e.drawn = append(charts, e.pictures()...)
	}
	return slices.Clone(e.drawn), nil
}

// pictures are the figures of the first seed, as far as they are there: in its
// folder, or in that of the page over the seeds where version control leaves those
// of every seed out.
func (e *Record) pictures() []report.Figure {
	var all []report.Figure
	first := e.seeds[0]
	for _, f := range first.outcome.Figures {
		if f.Empty() && first.folder != "" {
			readPicture(&f, filepath.Dir(string(first.folder)))
		}
		if f.Empty() {
			continue
		}
		f.Description = nil // the folder of the seed has it, and its array
		if len(e.seeds) > 1 {
			f.Caption = strings.TrimSpace(fmt.Sprintf("%s Seed %d.", f.Caption, e.Seeds[0]))
		}
		all = append(all, f)
	}
	return all
}

// Text is what is done, and what a reader has to know.
func (e *Record) Text() []string {
	about := []string{}
	if e.experiment == nil {
		return e.Notes
	}
	for _, t := range []string{e.experiment.About, e.experiment.Source().About} {
		if t != "" && !slices.Contains(about, t) {
			about = append(about, t)
		}
	}
	return append(about, e.Notes...)
}

// heading is that of what is judged.
func (e *Record) heading() string {
	if len(e.Statements) > 0 {
		return "Statements"
	}
	return "Claims"
}
