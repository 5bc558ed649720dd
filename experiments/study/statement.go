package study

import (
	"fmt"

	"github.com/ansatz-lab/ansatz/experiments/report"
)

// Statement is a statement of a paper that is checked against a number.
type Statement struct {
	Paper string `json:"paper"`
	Name  string `json:"statement"` // as the paper calls it
	Says  string `json:"says"`
	Kind  Kind   `json:"kind"`
	// Measure says what Value is.
	Measure string  `json:"measure"`
	Value   float64 `json:"value"`
	Want    string  `json:"want"` // where Value has to lie
	Verdict Verdict `json:"verdict"`
	// Note says what is neglected, or what is wrong with the printed statement.
	Note string `json:"note,omitempty"`
}

// Kind is where a statement comes from.
type Kind string

const (
	AsPrinted Kind = "as printed" // as the paper states it
	PutRight  Kind = "put right"  // corrects a false printed statement
	Besides   Kind = "besides"    // not in the paper: a sharper form, or the need of an assumption
)

// Line returns the statement on one line, which ends in its verdict.
func (s Statement) Line() string {
	return fmt.Sprintf("%-7s %s: %s. %s %.3g (%s)  %s", s.Paper, s.Title(), s.Says, s.Measure, s.Value,
		s.Want, s.Verdict)
}

// Corrected ends the titles of statements that are put right.
const Corrected = ", corrected"

// Title returns the name of the statement, followed by "corrected" or "added" unless it is as printed.
func (s Statement) Title() string {
	switch s.Kind {
	case PutRight:
		return s.Name + Corrected
	case Besides:
		return s.Name + ", added"
	}
	return s.Name
}

// StatementsOverSeeds combines the statements of several seeds. A statement holds, or fails, if it
// does with every seed. Its value is that of a seed with which it does not hold, if there is one.
func StatementsOverSeeds(outcomes []*Outcome) []Statement {
	all := append([]Statement(nil), outcomes[0].Statements...)
	for _, o := range outcomes[1:] {
		for i := range min(len(all), len(o.Statements)) {
			switch s := o.Statements[i]; {
			case s.Verdict == all[i].Verdict:
			case all[i].Verdict == Holds:
				all[i] = s
				all[i].Verdict = Inconclusive
			default:
				all[i].Verdict = Inconclusive
			}
		}
	}
	return all
}

// statementsTables returns the statements with their verdicts, a table for each paper.
func (e *Record) statementsTables() []report.Table {
	var all []report.Table
	marks := map[Verdict]report.Mark{Holds: report.Good, Fails: report.Bad}
	for _, s := range e.Statements {
		if len(all) == 0 || all[len(all)-1].Name != "statements-"+s.Paper {
			all = append(all, report.Table{
				Name: "statements-" + s.Paper,
				Caption: fmt.Sprintf("Statements of %s. A statement holds if its number is within the threshold; a "+
					"slope is that of log error against log width. A corrected statement follows one that is false "+
					"as printed; an added one is not in the paper.", s.Paper),
				Columns: []report.Column{{Name: "verdict"}, {Name: "says", Sentences: true},
					{Name: "number", Numeric: true}, {Name: "threshold"}, {Name: "statement"},
					{Name: "the number is", Sentences: true}, {Name: "note", Sentences: true}},
			})
		}
		t := &all[len(all)-1]
		t.Rows = append(t.Rows, []report.Cell{
			{Text: string(s.Verdict), Mark: marks[s.Verdict]}, {Text: s.Says},
			{Text: fmt.Sprintf("%.3g", s.Value), Value: s.Value}, {Text: s.Want},
			{Text: s.Title()}, {Text: s.Measure}, {Text: s.Note},
		})
	}
	return all
}

// Lines returns the statements, one a line, for scripts that count verdicts.
func (e *Record) Lines() []string {
	var lines []string
	for _, s := range e.Statements {
		lines = append(lines, s.Line())
	}
	return lines
}

// statementSummary counts the verdicts in one sentence.
func (e *Record) statementSummary() string {
	all, held := map[Kind]int{}, map[Kind]int{}
	for _, s := range e.Statements {
		all[s.Kind]++
		if s.Verdict == Holds {
			held[s.Kind]++
		}
	}
	return fmt.Sprintf("%s at scale %s, seeds %v. %d of %d statements hold as printed, %d of %d corrected "+
		"ones, and %d of %d that were added.",
		e.ID, e.Scale, e.Seeds, held[AsPrinted], all[AsPrinted], held[PutRight], all[PutRight], held[Besides],
		all[Besides])
}
