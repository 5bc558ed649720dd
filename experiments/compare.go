package experiments

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/report"
)

// Comparison is claims of several experiments beside what the papers say.
type Comparison struct {
	Claims   []ComparedClaim `json:"claims"`
	Verdicts map[Verdict]int `json:"verdicts"` // how many
}

// ComparedClaim is a claim, or a statement, of an experiment and what became of it.
type ComparedClaim struct {
	Experiment string `json:"experiment"`
	Of         string `json:"of_paper"` // its paper
	Figure     string `json:"figure"`
	Statement  string `json:"statement,omitempty"` // as the paper calls it, if it is one
	Scale      Scale  `json:"scale,omitempty"`
	Hash       string `json:"spec_hash,omitempty"`
	Judgement
}

// CompareOptions say which claims are wanted.
type CompareOptions struct {
	Experiments []*Experiment // nil for all; see [Catalogue.Select]
	Verdict     Verdict       // "" for all
	Scale       Scale         // "" for the largest at which an experiment was run
}

// counting are the records that count, of those that [Catalogue.Collect] has: of each
// experiment that with the settings of the largest scale.
func counting(records []*ExperimentRecord) []*ExperimentRecord {
	var all []*ExperimentRecord
	for i, r := range records {
		if i+1 == len(records) || records[i+1].ID != r.ID {
			all = append(all, r)
		}
	}
	return all
}

// Compare puts the claims of records, as [Catalogue.Collect] has them, side by side.
func Compare(records []*ExperimentRecord, o CompareOptions) *Comparison {
	c := &Comparison{Claims: []ComparedClaim{}, Verdicts: map[Verdict]int{}}
	if o.Scale == "" {
		records = counting(records)
	}
	for _, r := range records {
		wanted := o.Experiments == nil || slices.ContainsFunc(o.Experiments, func(e *Experiment) bool { return e.ID == r.ID })
		if !wanted || o.Scale != "" && r.Scale != o.Scale && r.Absent == "" {
			continue
		}
		for _, j := range r.compared() {
			if o.Verdict == "" || j.Verdict == o.Verdict {
				c.Claims = append(c.Claims, j)
				c.Verdicts[j.Verdict]++
			}
		}
	}
	return c
}

// compared are the claims, or the statements, of an experiment.
func (e *ExperimentRecord) compared() []ComparedClaim {
	var all []ComparedClaim
	for _, j := range e.Claims {
		all = append(all, ComparedClaim{e.ID, e.Paper, e.Figure, "", e.Scale, e.Hash, j})
	}
	for _, s := range e.Statements {
		value := s.Value
		all = append(all, ComparedClaim{e.ID, s.Paper, e.Figure, s.title(), e.Scale, e.Hash, Judgement{
			Value: s.Measure, Sentence: s.Says, Want: s.Want, Ours: &value, Seeds: len(e.Seeds), Verdict: s.Verdict,
		}})
	}
	return all
}

// Table has a line for each claim.
func (c *Comparison) Table() *report.Table {
	t := &report.Table{
		Name: "claims", Caption: "Claims of the papers beside what was found: the mean over the seeds with its 95 % confidence interval. A claim holds, or fails, where the whole interval lies inside, or outside, of what is asked for; above null is the verdict on the excess over what chance gives.",
		Columns: []report.Column{
			{Name: "experiment"}, {Name: "claim", Sentences: true}, {Name: "scale"}, {Name: "verdict"}, {Name: "ours", Numeric: true}, {Name: "±", Numeric: true},
			{Name: "asked for"}, {Name: "above null"}, {Name: "excess", Numeric: true}, {Name: "paper"},
		},
	}
	scales, controlled := map[Scale]bool{}, false
	for _, j := range c.Claims {
		control, excess := report.Cell{}, report.Cell{Value: math.NaN()}
		if j.Control != nil {
			controlled = true
			control, excess = j.Control.Verdict.cell(), numberCell(j.Control.Ours, "%.3g")
		}
		if j.Scale != "" {
			scales[j.Scale] = true
		}
		claim := j.Sentence
		if j.Statement != "" {
			claim = fmt.Sprintf("%s, %s: %s", j.Of, j.Statement, claim)
		}
		t.Rows = append(t.Rows, []report.Cell{
			{Text: j.Experiment}, {Text: claim}, {Text: string(j.Scale)}, j.Verdict.cell(), numberCell(j.Ours, "%.3g"), numberCell(j.Error, "%.2g"),
			{Text: j.Want}, control, excess, {Text: j.Paper},
		})
	}
	if len(scales) < 2 {
		t.Drop("scale")
	}
	if !controlled {
		t.Drop("above null", "excess")
	}
	return t
}

// Summary counts the verdicts.
func (c *Comparison) Summary() string {
	if len(c.Claims) == 0 {
		return "No claims."
	}
	var seen []string
	var nulls nullTally
	for _, j := range c.Claims {
		nulls.add(j.Judgement)
		if !slices.Contains(seen, j.Experiment) {
			seen = append(seen, j.Experiment)
		}
	}
	text := fmt.Sprintf("%s of %s: %s", counted(len(c.Claims), "claim"), counted(len(seen), "experiment"), counts(c.Verdicts))
	if nulls.held > 0 {
		text += fmt.Sprintf("; of %d that hold and have a null control, %d are above it", nulls.held, nulls.above)
	}
	return text + "."
}

// ParseVerdict reads a verdict.
func ParseVerdict(text string) (Verdict, error) {
	if v := Verdict(strings.ReplaceAll(text, "-", " ")); slices.Contains(verdicts(), v) {
		return v, nil
	}
	return "", badInput("there is no verdict %q: want holds, fails, inconclusive or not-attempted", text)
}
