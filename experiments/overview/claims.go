package overview

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/internal/words"
)

// ClaimsTable returns a row for each claim, with its verdict, that of its null control, and a link to
// the experiment.
func (r *Overview) ClaimsTable() *report.Table { return r.claimsTable("") }

// claimsTable returns the claims of a paper, "" for all.
func (r *Overview) claimsTable(paper string) *report.Table {
	t := claimsTableOf(r.claims(paper))
	t.Caption = fmt.Sprintf("All %d claims. If an experiment was run with several settings, those "+
		"of the largest scale count.", len(t.Rows))
	return t
}

// claimsTableOf returns a table with a row for each of the claims.
func claimsTableOf(claims []ComparedClaim) *report.Table {
	t := &report.Table{
		Name: "all-claims",
		Columns: []report.Column{
			{Name: "verdict", Filter: true}, {Name: "kind", Filter: true, Help: "paper: a paper states it; control: " +
				"a check of ours that no paper states"}, {Name: "claim", Sentences: true},
			{Name: "ours", Numeric: true, Help: "mean over the seeds ± half its 95 % confidence interval, or " +
				"an estimate with the ends of its interval; wider where seeds were added until claims were decided"},
			{Name: "threshold", Help: "where the whole interval has to lie, written before it was measured"},
			{Name: "paper's value", Help: "the number or direction that the paper gives"},
			{Name: "in"}, {Name: "above null", Filter: true, Help: "the verdict on the claim's null control"},
			{Name: study.NullControl, Numeric: true, Help: study.NullControlHelp}, {Name: "paper", Filter: true}, {Name: "scale", Filter: true},
		},
	}
	for _, c := range claims {
		t.Rows = append(t.Rows, c.row())
	}
	return t
}

// titled returns the text of the claim, after the title of its statement if it is one.
func (c ComparedClaim) titled() string {
	if c.Statement == "" {
		return c.TextWithReason()
	}
	return c.Statement + ": " + c.TextWithReason()
}

// row returns the claim as a row of the table of claims.
func (c ComparedClaim) row() []report.Cell {
	sentence := c.titled()
	if c.Repeats != "" {
		sentence += " (The number of " + c.Repeats + ", counted there.)"
	}
	above, excess := report.Cell{}, report.Cell{Value: math.NaN()}
	if c.Control != nil {
		above, excess = c.Control.Verdict.Cell(), c.Control.Cell()
	}
	return []report.Cell{
		c.Verdict.Cell(), {Text: string(c.Kind)}, {Text: sentence}, c.Judgement.Cell(), {Text: c.Want}, {Text: c.PaperText()},
		{Text: c.Experiment, Link: anchorOf(c.Experiment)}, above, excess, {Text: c.Of}, {Text: string(c.Scale)},
	}
}

// claims returns the claims of a paper, "" for all.
func (r *Overview) claims(paper string) []ComparedClaim {
	records := slices.DeleteFunc(append(r.judgedRecords(), r.absentRecords()...), func(e *study.Record) bool {
		return cmp.Or(paper, e.Paper) != e.Paper
	})
	return comparedClaims(records)
}

// tally holds counts of experiments and verdicts.
type tally struct {
	run, notRun, absent int                   // experiments
	verdicts            map[study.Verdict]int // of all claims
	controls            map[study.Verdict]int // of the null controls
	counts              study.Tally           // the papers' claims and controls separately, each number once
	nulls               study.NullTally
}

// tally counts the claims of a paper, "" for all.
func (r *Overview) tally(paper string) tally {
	t := tally{verdicts: map[study.Verdict]int{}, controls: map[study.Verdict]int{}, counts: study.Tally{}}
	ofPaper := func(p string) bool { return cmp.Or(paper, p) == p }
	for _, e := range append(r.judgedRecords(), r.absentRecords()...) {
		switch {
		case !ofPaper(e.Paper):
		case e.Absent != "":
			t.absent++
		default:
			t.run++
		}
	}
	for _, e := range r.Missing {
		if ofPaper(e.Paper) {
			t.notRun++
		}
	}
	for _, c := range r.claims(paper) {
		t.verdicts[c.Verdict]++
		t.counts.Add(c.Judgement)
		t.nulls.Add(c.Judgement)
		if c.Control != nil {
			t.controls[c.Control.Verdict]++
		}
	}
	return t
}

// row returns the tally as a row of the summary.
func (t tally) row(name report.Cell) []report.Cell {
	count := func(n int) report.Cell { return report.Cell{Value: float64(n)} }
	row := []report.Cell{name, count(t.run), count(t.notRun), count(t.absent), count(t.counts.Sum(study.OfPaper))}
	for _, v := range study.Verdicts() {
		row = append(row, count(t.counts[study.OfPaper][v]))
	}
	above := report.Cell{Text: "–", Value: math.NaN(), Mark: report.Muted}
	if t.nulls.Held > 0 {
		above = report.Cell{Text: fmt.Sprintf("%d of %d", t.nulls.Above, t.nulls.Held), Value: float64(t.nulls.Above)}
	}
	return append(row, above)
}

// SummaryTable counts verdicts by paper.
func (r *Overview) SummaryTable() *report.Table {
	t := &report.Table{
		Name: "papers", Caption: "Verdicts by paper on its claims, each number once. Controls, which no " +
			"paper states, are not among them.",
		Columns: []report.Column{
			{Name: "paper"}, {Name: "run", Numeric: true, Help: "experiments: figures, tables and others"},
			{Name: "not run", Numeric: true}, {Name: "cannot be run", Numeric: true}, {Name: "claims", Numeric: true},
		},
	}
	for _, v := range study.Verdicts() {
		t.Columns = append(t.Columns, report.Column{Name: string(v), Numeric: true})
	}
	t.Columns = append(t.Columns, report.Column{Name: "above null", Numeric: true,
		Help: "claims whose excess over the null holds too, among those that hold and have a null control"})
	for _, p := range r.Papers {
		t.Rows = append(t.Rows, r.tally(p).row(report.Cell{Text: p}))
	}
	t.Rows = append(t.Rows, r.tally("").row(report.Cell{Text: "all"}))
	return t
}

// ExperimentsTable returns the figures and tables of the papers, with the verdicts on the papers' claims.
func (r *Overview) ExperimentsTable() *report.Table {
	t := &report.Table{
		Name: "experiments", Caption: "The papers' figures and tables, with the verdicts on the papers' claims. If an " +
			"experiment was run with several settings, those of the largest scale count.",
		Columns: []report.Column{{Name: "experiment"}, {Name: "of the paper"}, {Name: "title", Sentences: true}},
	}
	for _, v := range study.Verdicts() {
		t.Columns = append(t.Columns, report.Column{Name: string(v), Numeric: true})
	}
	for _, e := range append(r.judgedRecords(), r.absentRecords()...) {
		row := []report.Cell{{Text: e.ID, Link: anchorOf(e.ID)}, {Text: e.Figure}, {Text: e.Title}}
		counts := study.Tally{}
		for _, c := range comparedClaims([]*study.Record{e}) {
			counts.Add(c.Judgement)
		}
		for _, v := range study.Verdicts() {
			row = append(row, report.Cell{Value: float64(counts[study.OfPaper][v])})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// MissingTable returns the experiments that were not run, or cannot be run, with the reasons.
func (r *Overview) MissingTable() *report.Table {
	t := &report.Table{
		Name: "missing", Caption: "Experiments without results.",
		Columns: []report.Column{{Name: "experiment"}, {Name: "of the paper"}, {Name: "title"},
			{Name: "why", Filter: true}, {Name: "reason, or the command that runs it"}},
	}
	for _, e := range r.Missing {
		t.Rows = append(t.Rows, []report.Cell{{Text: e.ID}, {Text: e.Figure}, {Text: e.Title}, {Text: "not run"},
			{Text: "ansatz run " + e.ID}})
	}
	for _, e := range r.absentRecords() {
		t.Rows = append(t.Rows, []report.Cell{{Text: e.ID, Link: anchorOf(e.ID)}, {Text: e.Figure}, {Text: e.Title},
			{Text: string(study.NotAttempted), Mark: report.Muted}, {Text: e.Absent}})
	}
	return t
}

// Summary returns the counts in a sentence or two.
func (r *Overview) Summary() string { return r.tally("").summary() }

// summary returns the counts in a sentence or two.
func (t tally) summary() string {
	s := words.Of(t.run, t.run+t.notRun+t.absent, "experiment", "was", "were") + " run."
	for _, o := range study.Origins() {
		if n := t.counts.Sum(o); n > 0 {
			v := t.counts[o]
			s += fmt.Sprintf(" Of %s %d hold, %d fail, %d are inconclusive and %d were not attempted.",
				map[study.Origin]string{study.OfPaper: words.Count(n, "claim") + " of the papers",
					study.OfControl: words.Count(n, "control") + ", which no paper states,"}[o], v[study.Holds], v[study.Fails], v[study.Inconclusive], v[study.NotAttempted])
		}
	}
	if t.nulls.Held > 0 {
		s += fmt.Sprintf(" Of %d that hold and have a null control, %d hold for the excess over the null too.",
			t.nulls.Held, t.nulls.Above)
	}
	return s
}
