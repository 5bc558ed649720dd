package overview

import (
	"cmp"
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// ClaimsTable returns a row for each claim, with its verdict, that of its null control, and a link to
// the experiment.
func (r *Overview) ClaimsTable() *report.Table { return r.claimsTable("") }

// claimsTable returns the claims of a paper, "" for all.
func (r *Overview) claimsTable(paper string) *report.Table {
	t := &report.Table{
		Name: "all-claims",
		Columns: []report.Column{
			{Name: "verdict", Filter: true}, {Name: "claim", Sentences: true},
			{Name: "ours", Numeric: true, Help: "mean over the seeds ± half its 95 % confidence interval"},
			{Name: "asked for", Help: "where the whole interval has to lie, written before it was measured"},
			{Name: "printed", Help: "the paper's number or direction"},
			{Name: "in"}, {Name: "above null", Filter: true, Help: "of a claim of alignment: the verdict on its " +
				"excess over what chance gives"},
			{Name: "excess", Numeric: true}, {Name: "paper", Filter: true}, {Name: "scale", Filter: true},
		},
	}
	for _, e := range append(r.judgedRecords(), r.absentRecords()...) {
		if cmp.Or(paper, e.Paper) != e.Paper {
			continue
		}
		for _, c := range comparedClaims(e) {
			t.Rows = append(t.Rows, c.row())
		}
	}
	t.Caption = fmt.Sprintf("All %d claims. Of an experiment that was run with several settings, those of the "+
		"largest scale count.", len(t.Rows))
	return t
}

// row returns the claim as a row of that table.
func (c ComparedClaim) row() []report.Cell {
	sentence := c.Sentence
	if c.Statement != "" {
		sentence = c.Statement + ": " + sentence
	}
	above, excess := report.Cell{}, report.Cell{Value: math.NaN()}
	if c.Control != nil {
		above, excess = c.Control.Verdict.Cell(), c.Control.Cell()
	}
	return []report.Cell{
		c.Verdict.Cell(), {Text: sentence}, c.Judgement.Cell(), {Text: c.Want}, {Text: c.Judgement.Paper},
		{Text: c.Experiment, Link: anchorOf(c.Experiment)}, above, excess, {Text: c.Of}, {Text: string(c.Scale)},
	}
}

// tally counts verdicts.
type tally struct {
	run, notRun, absent int // experiments
	verdicts            map[study.Verdict]int
	controls            map[study.Verdict]int // of the null controls
	nulls               study.NullTally
}

// add counts the claims of an experiment.
func (t *tally) add(e *study.Record) {
	if e.Absent != "" {
		t.absent++
	} else {
		t.run++
	}
	for _, c := range comparedClaims(e) {
		t.verdicts[c.Verdict]++
		t.nulls.Add(c.Judgement)
		if c.Control != nil {
			t.controls[c.Control.Verdict]++
		}
	}
}

// tally counts the claims of a paper, "" for all.
func (r *Overview) tally(paper string) tally {
	t := tally{verdicts: map[study.Verdict]int{}, controls: map[study.Verdict]int{}}
	for _, e := range append(r.judgedRecords(), r.absentRecords()...) {
		if cmp.Or(paper, e.Paper) == e.Paper {
			t.add(e)
		}
	}
	for _, e := range r.Missing {
		if cmp.Or(paper, e.Paper) == e.Paper {
			t.notRun++
		}
	}
	return t
}

// row returns the tally as a row of the summary.
func (t tally) row(name report.Cell) []report.Cell {
	count := func(n int) report.Cell { return report.Cell{Value: float64(n)} }
	row := []report.Cell{name, count(t.run), count(t.notRun), count(t.absent), count(t.claims())}
	for _, v := range study.Verdicts() {
		row = append(row, count(t.verdicts[v]))
	}
	above := report.Cell{Text: "–", Value: math.NaN(), Mark: report.Muted}
	if t.nulls.Held > 0 {
		above = report.Cell{Text: fmt.Sprintf("%d of %d", t.nulls.Above, t.nulls.Held), Value: float64(t.nulls.Above)}
	}
	return append(row, above)
}

// claims returns the number of claims.
func (t tally) claims() int {
	n := 0
	for _, k := range t.verdicts {
		n += k
	}
	return n
}

// SummaryTable counts verdicts by paper.
func (r *Overview) SummaryTable() *report.Table {
	t := &report.Table{
		Name: "papers", Caption: "Verdicts by paper.",
		Columns: []report.Column{
			{Name: "paper"}, {Name: "run", Numeric: true, Help: "experiments: figures, tables and others"},
			{Name: "not run", Numeric: true}, {Name: "cannot be run", Numeric: true}, {Name: "claims", Numeric: true},
		},
	}
	for _, v := range study.Verdicts() {
		t.Columns = append(t.Columns, report.Column{Name: string(v), Numeric: true})
	}
	t.Columns = append(t.Columns, report.Column{Name: "above null", Numeric: true,
		Help: "claims whose excess over chance holds too, of those that hold and have a null control"})
	for _, p := range r.Papers {
		t.Rows = append(t.Rows, r.tally(p).row(report.Cell{Text: p}))
	}
	t.Rows = append(t.Rows, r.tally("").row(report.Cell{Text: "all"}))
	return t
}

// MissingTable returns the experiments that were not run, or cannot be run, with the reasons.
func (r *Overview) MissingTable() *report.Table {
	t := &report.Table{
		Name: "missing", Caption: "Experiments that are not here.",
		Columns: []report.Column{{Name: "experiment"}, {Name: "of the paper"}, {Name: "title"},
			{Name: "why", Filter: true}, {Name: "reason, or what would run it"}},
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
	s := fmt.Sprintf("Of %d experiments %d were run. Of %d claims %d hold, %d fail, %d are inconclusive and %d "+
		"were not attempted.",
		t.run+t.notRun+t.absent, t.run, t.claims(), t.verdicts[study.Holds], t.verdicts[study.Fails],
		t.verdicts[study.Inconclusive], t.verdicts[study.NotAttempted])
	if t.nulls.Held > 0 {
		s += fmt.Sprintf(" Of %d that hold and have a null control, %d hold for the excess over chance too.",
			t.nulls.Held, t.nulls.Above)
	}
	return s
}
