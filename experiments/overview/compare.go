package overview

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/internal/words"
)

// Comparison holds the claims of several experiments, with their verdicts.
type Comparison struct {
	Claims   []ComparedClaim       `json:"claims"`
	Verdicts map[study.Verdict]int `json:"verdicts"` // number of claims by verdict, all claims counted
	// Counts counts the papers' claims and controls separately, each number once.
	Counts study.Tally `json:"counts"`
}

// ComparedClaim is a claim, or a statement, of an experiment with its verdict.
type ComparedClaim struct {
	Experiment string      `json:"experiment"`
	Of         string      `json:"of_paper"` // the paper
	Figure     string      `json:"figure"`
	Statement  string      `json:"statement,omitempty"` // its title, for a statement
	Scale      study.Scale `json:"scale,omitempty"`
	Hash       string      `json:"spec_hash,omitempty"`
	study.Judgement
}

// CompareOptions select claims.
type CompareOptions struct {
	Experiments []*study.Experiment // nil for all; see [study.Catalogue.Select]
	Verdict     study.Verdict       // "" for all
	Scale       study.Scale         // "" for the largest at which an experiment was run
}

// keepLargest returns one record for each experiment among those of [study.Catalogue.Collect]: the one with the
// settings of the largest scale.
func keepLargest(records []*study.Record) []*study.Record {
	var all []*study.Record
	for i, r := range records {
		if i+1 == len(records) || records[i+1].ID != r.ID {
			all = append(all, r)
		}
	}
	return all
}

// Compare returns the selected claims of records, which are in the order of [study.Catalogue.Collect].
func Compare(records []*study.Record, o CompareOptions) *Comparison {
	c := &Comparison{Claims: []ComparedClaim{}, Verdicts: map[study.Verdict]int{}, Counts: study.Tally{}}
	if o.Scale == "" {
		records = keepLargest(records)
	}
	records = slices.DeleteFunc(slices.Clone(records), func(r *study.Record) bool {
		wanted := o.Experiments == nil ||
			slices.ContainsFunc(o.Experiments, func(e *study.Experiment) bool { return e.ID == r.ID })
		return !wanted || o.Scale != "" && r.Scale != o.Scale && r.Absent == ""
	})
	for _, j := range comparedClaims(records) {
		if o.Verdict == "" || j.Verdict == o.Verdict {
			c.Claims = append(c.Claims, j)
			c.Verdicts[j.Verdict]++
			c.Counts.Add(j.Judgement)
		}
	}
	return c
}

// comparedClaims returns the claims and statements of records. A claim about a number that an earlier record claims
// too names that record's experiment.
func comparedClaims(records []*study.Record) []ComparedClaim {
	var all []ComparedClaim
	for i, r := range records {
		for _, c := range claimsIn(r) {
			for _, earlier := range records[:i] {
				if c.Repeats == "" && earlier.ID != r.ID && hasSame(earlier, r, c.Judgement) {
					c.Repeats = earlier.ID
				}
			}
			all = append(all, c)
		}
	}
	return all
}

// hasSame reports whether a record of the same paper has a claim about the same number: the measure has the same name,
// possibly with a panel's name before it, and the same value with every seed. Whole numbers, such as 100 %, may agree
// by chance, and do not count.
func hasSame(earlier, r *study.Record, j study.Judgement) bool {
	if earlier.Paper != r.Paper || j.Ours == nil || !slices.Equal(earlier.Seeds, r.Seeds) {
		return false
	}
	values := r.Values(j.Value)
	if !slices.ContainsFunc(values, func(v float64) bool { return v != math.Trunc(v) }) {
		return false
	}
	return slices.ContainsFunc(earlier.Claims, func(c study.Judgement) bool {
		alike := c.Value == j.Value || strings.HasSuffix(c.Value, "_"+j.Value) || strings.HasSuffix(j.Value, "_"+c.Value)
		return alike && c.Kind == j.Kind && c.Want == j.Want && c.Ours != nil && c.Repeats == "" &&
			slices.Equal(earlier.Values(c.Value), values)
	})
}

// claimsIn returns the claims and statements of an experiment.
func claimsIn(e *study.Record) []ComparedClaim {
	var all []ComparedClaim
	for _, j := range e.Claims {
		all = append(all, ComparedClaim{e.ID, e.Paper, e.Figure, "", e.Scale, e.Hash, j})
	}
	for _, s := range e.Statements {
		value, kind, known := s.Value, study.OfControl, ""
		if s.Kind == study.AsPrinted {
			kind = study.OfPaper
		}
		if s.Verdict != study.Holds {
			known = s.Note // it says what is wrong with the statement
		}
		all = append(all, ComparedClaim{e.ID, s.Paper, e.Figure, s.Title(), e.Scale, e.Hash, study.Judgement{
			Value: s.Measure, Sentence: s.Says, Kind: kind, Want: s.Want, Ours: &value, Seeds: len(e.Seeds),
			Verdict: s.Verdict, Diagnosis: known,
		}})
	}
	return all
}

// Table returns a row for each claim.
func (c *Comparison) Table() *report.Table {
	t := &report.Table{
		Name: "claims", Caption: "Claims of the papers beside the results: the mean over the seeds with its 95 % " +
			"confidence interval, wider where seeds were added until claims were decided. A claim holds if the whole " +
			"interval is within the threshold, and fails if all of it is beyond; above null is the verdict on the claim's null control.",
		Columns: []report.Column{
			{Name: "experiment"}, {Name: "kind"}, {Name: "claim", Sentences: true}, {Name: "scale"}, {Name: "verdict"},
			{Name: "ours", Numeric: true}, {Name: "±", Numeric: true},
			{Name: "threshold"}, {Name: "above null"}, {Name: study.NullControl, Numeric: true, Help: study.NullControlHelp}, {Name: "paper"},
		},
	}
	scales, controlled := map[study.Scale]bool{}, false
	for _, j := range c.Claims {
		control, excess := report.Cell{}, report.Cell{Value: math.NaN()}
		if j.Control != nil {
			controlled = true
			control, excess = j.Control.Verdict.Cell(), record.NumberCell(j.Control.Ours, "%.3g")
		}
		if j.Scale != "" {
			scales[j.Scale] = true
		}
		claim := j.TextWithReason()
		if j.Statement != "" {
			claim = fmt.Sprintf("%s, %s: %s", j.Of, j.Statement, claim)
		}
		t.Rows = append(t.Rows, []report.Cell{
			{Text: j.Experiment}, {Text: string(j.Kind)}, {Text: claim}, {Text: string(j.Scale)}, j.Verdict.Cell(),
			j.muted(record.NumberCell(j.Ours, "%.3g")), j.muted(j.ErrorCell()),
			{Text: j.Want}, control, excess, {Text: j.PaperText()},
		})
	}
	if len(scales) < 2 {
		t.Drop("scale")
	}
	if !controlled {
		t.Drop("above null", study.NullControl)
	}
	return t
}

// muted returns a cell, in grey if the scale cannot decide the claim.
func (c ComparedClaim) muted(cell report.Cell) report.Cell {
	if c.Why != "" {
		cell.Mark = report.Muted
	}
	return cell
}

// Summary counts the verdicts.
func (c *Comparison) Summary() string {
	if len(c.Claims) == 0 {
		return "No claims."
	}
	var seen []string
	var nulls study.NullTally
	repeated := 0
	for _, j := range c.Claims {
		nulls.Add(j.Judgement)
		if j.Repeats != "" {
			repeated++
		}
		if !slices.Contains(seen, j.Experiment) {
			seen = append(seen, j.Experiment)
		}
	}
	text := fmt.Sprintf("%s: %s", words.Count(len(seen), "experiment"), c.Counts)
	if repeated > 0 {
		text += fmt.Sprintf("; %d more repeat the number of another", repeated)
	}
	if nulls.Held > 0 {
		text += fmt.Sprintf("; of %d that hold and have a null control, %d are above it", nulls.Held, nulls.Above)
	}
	return text + "."
}

// ParseVerdict parses a verdict; its words may be joined by hyphens.
func ParseVerdict(text string) (study.Verdict, error) {
	if v := study.Verdict(strings.ReplaceAll(text, "-", " ")); slices.Contains(study.Verdicts(), v) {
		return v, nil
	}
	return "", input.Errorf("there is no verdict %q: want holds, fails, inconclusive or not attempted", text)
}
