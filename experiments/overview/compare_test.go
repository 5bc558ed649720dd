package overview

import (
	"bytes"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// recordOf returns the record of an experiment over three seeds. The measures of its first two claims are value, plus
// 1e-6 for each further seed.
func recordOf(t *testing.T, id string, value float64, statements ...study.Statement) *study.Record {
	t.Helper()
	e, err := experiments.All().Find(id)
	if err != nil {
		t.Fatal(err)
	}
	var all []*study.Outcome
	for seed := range 3 {
		o := &study.Outcome{Values: map[string]float64{}, Statements: statements}
		for _, c := range e.Claims[:min(2, len(e.Claims))] {
			o.Values[c.Measure.Name()] = value + float64(seed)/1e6
		}
		all = append(all, o)
	}
	return e.Judge(study.Small, all)
}

func TestCompare(t *testing.T) {
	says := study.Statement{Paper: "cnfa", Name: "Prop. 1", Says: "It is so.", Kind: study.AsPrinted, Measure: "error",
		Value: .5, Want: "≤ 1", Verdict: study.Holds, Note: "Up to O(1/n)."}
	misprint := study.Statement{Paper: "cnfa", Name: "Prop. 2", Says: "It is so.", Kind: study.AsPrinted, Measure: "error",
		Value: .5, Want: "≤ 0", Verdict: study.Fails, Note: "A factor is missing."}
	records := []*study.Record{recordOf(t, "rfm/fig9", 2), recordOf(t, "ntk/table1", 2), recordOf(t, "theory", 0, misprint, says)}
	all := Compare(records, CompareOptions{})
	n := 0
	for _, r := range records {
		n += len(r.Claims) + len(r.Statements)
	}
	sum := 0
	for _, k := range all.Verdicts {
		sum += k
	}
	if len(all.Claims) != n || sum != n || all.Verdicts[study.NotAttempted] == 0 || all.Verdicts[study.Holds] == 0 {
		t.Errorf("%d claims of %d: %v", len(all.Claims), n, all.Verdicts)
	}
	last := all.Claims[n-1]
	if last.Experiment != "theory" || last.Of != "cnfa" || last.Statement != "Prop. 1" || *last.Ours != .5 ||
		last.Verdict != study.Holds || last.Value != "error" || last.Diagnosis != "" {
		t.Errorf("a statement: %+v", last)
	}
	if wrong := all.Claims[n-2]; wrong.Diagnosis != misprint.Note {
		t.Errorf("a false statement: %+v", wrong)
	}
	if s := all.Summary(); !strings.Contains(s, "3 experiments: 13 paper claims") || !strings.Contains(s, "not attempted") {
		t.Error(s)
	}
	held := Compare(records, CompareOptions{Experiments: selected(t, "rfm"), Verdict: study.Holds})
	if len(held.Claims) == 0 || held.Verdicts[study.Holds] != len(held.Claims) ||
		held.Claims[len(held.Claims)-1].Experiment != "rfm/fig9" {
		t.Errorf("%+v", held)
	}
	for _, o := range []CompareOptions{{Scale: study.PaperScale}, {Experiments: []*study.Experiment{}}} {
		if none := Compare(records, o); len(none.Claims) != 0 || none.Summary() != "No claims." {
			t.Errorf("%+v: %+v", o, none)
		}
	}
}

// selected returns the experiments that a name selects.
func selected(t *testing.T, name string) []*study.Experiment {
	t.Helper()
	all, _, err := experiments.All().Select(study.Selection{Names: []string{name}})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// If an experiment was run at several scales, its largest scale counts, as in the report, unless another one is asked
// for.
func TestCompareScales(t *testing.T) {
	small := recordOf(t, "rfm/fig9", 2)
	smoke := *small
	smoke.Scale = study.Smoke
	records := []*study.Record{&smoke, small, recordOf(t, "ntk/table1", 2)}
	for scale, want := range map[study.Scale][]study.Scale{
		"": {study.Small}, study.Smoke: {study.Smoke}, study.PaperScale: nil,
	} {
		c := Compare(records, CompareOptions{Scale: scale, Experiments: selected(t, "rfm/fig9")})
		if len(c.Claims) != len(want)*len(small.Claims) || len(want) > 0 && c.Claims[0].Scale != want[0] {
			t.Errorf("%q: %d claims", scale, len(c.Claims))
		}
	}
}

// A claim with a null control shows both verdicts, and the summary counts the claims that are above their null.
func TestCompareControls(t *testing.T) {
	excess, ours := .2, .9
	j := study.Judgement{Sentence: "They are alike.", Kind: study.OfPaper, Verdict: study.Holds, Ours: &ours, Control: &study.Judgement{
		Verdict: study.Fails, Ours: &excess,
	}}
	c := &Comparison{
		Claims: []ComparedClaim{
			{Experiment: "cnfa/fig1", Judgement: j},
			{Experiment: "cnfa/fig1", Judgement: study.Judgement{Verdict: study.Holds, Kind: study.OfControl}},
		}, Counts: study.Tally{study.OfPaper: {study.Holds: 1}, study.OfControl: {study.Holds: 1}},
	}
	if s := c.Summary(); s != "1 experiment: 1 paper claim: 1 holds; 1 control: 1 holds; of 1 that hold and "+
		"have a null control, 0 are above it." {
		t.Error(s)
	}
	var b bytes.Buffer
	if err := c.Table().WriteText(&b); err != nil || !strings.Contains(b.String(), "fails ✗") ||
		!strings.Contains(b.String(), "above null") || strings.Contains(b.String(), "scale") {
		t.Errorf("%v\n%s", err, &b)
	}
}

// Every claim can be written in LaTeX without unknown characters.
func TestClaimsInLaTeX(t *testing.T) {
	c := &Comparison{}
	for _, e := range experiments.All() {
		for _, claim := range e.Claims {
			c.Claims = append(c.Claims, ComparedClaim{Experiment: e.ID, Figure: e.Figure, Judgement: claim.Judge(nil)})
		}
	}
	var b bytes.Buffer
	if err := c.Table().WriteLaTeX(&b); err != nil || strings.Contains(b.String(), "U+") {
		i := strings.Index(b.String(), "U+")
		t.Errorf("%v: …%s…", err, b.String()[max(0, i-60):min(b.Len(), i+60)])
	}
}

func TestParseVerdict(t *testing.T) {
	for text, want := range map[string]study.Verdict{
		"holds": study.Holds, "not-attempted": study.NotAttempted, "not attempted": study.NotAttempted,
	} {
		if v, err := ParseVerdict(text); err != nil || v != want {
			t.Errorf("%s: %s, %v", text, v, err)
		}
	}
	if _, err := ParseVerdict("true"); !input.IsError(err) {
		t.Error(err)
	}
}

// If two experiments of a paper claim the same number, it is counted once, with the first of them.
func TestCompareRepeats(t *testing.T) {
	repeats := func(value float64) (n int) {
		records := []*study.Record{recordOf(t, "cnfa/fig3", value), recordOf(t, "cnfa/fig11", value)}
		c := Compare(records, CompareOptions{})
		for _, j := range c.Claims {
			if j.Repeats != "" {
				n++
			}
		}
		if counted := c.Counts.Sum(study.OfPaper) + c.Counts.Sum(study.OfControl); counted != len(c.Claims)-n {
			t.Errorf("%d counted of %d, of which %d repeat others", counted, len(c.Claims), n)
		}
		return n
	}
	if repeats(2.5) == 0 {
		t.Error("no claim repeats another's number")
	}
	two := []*study.Record{recordOf(t, "cnfa/fig3", 2.5), recordOf(t, "cnfa/fig11", 3.5)}
	for _, j := range Compare(two, CompareOptions{}).Claims {
		if j.Repeats != "" {
			t.Errorf("%s of %s: other numbers are no repetition", j.Value, j.Experiment)
		}
	}
}
