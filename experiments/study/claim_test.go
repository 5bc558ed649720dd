package study

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/interval"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
)

// outcomesOf returns an outcome for each value of a measure.
func outcomesOf(m Measure, values ...float64) []*Outcome {
	var all []*Outcome
	for _, v := range values {
		o := &Outcome{}
		o.Set(m, v)
		all = append(all, o)
	}
	return all
}

// With InLogs a ratio is judged by its logarithms, so that one large value does not extend the interval below 1.
func TestClaimInLogs(t *testing.T) {
	m := NewMeasure("ratio")
	c := m.Claim("It falls.", "> 1", Above(1))
	seeds := outcomesOf(m, 1.8, 2, 2.2, 5)
	if v := c.Judge(seeds).Verdict; v != Inconclusive {
		t.Errorf("the mean of the ratios %s", v)
	}
	j := c.InLogs().Judge(seeds)
	if want := math.Pow(1.8*2*2.2*5, .25); math.Abs(*j.Ours-want) > 1e-12 || j.Verdict != Holds || j.Method == "" {
		t.Errorf("%v %s, want the geometric mean %v", *j.Ours, j.Verdict, want)
	}
	if j := c.InLogs().Judge(outcomesOf(m, 0, 2, 3)); j.Verdict != Inconclusive {
		t.Errorf("a ratio of 0: %s", j.Verdict)
	}
}

// If a number of the paper is a single draw, the claim fails outside the prediction interval, not already outside the
// interval of the mean. If the prediction interval is too wide, the claim is inconclusive.
func TestClaimAsDraw(t *testing.T) {
	m := NewMeasure("error")
	seeds := outcomesOf(m, .98, 1, 1.02, 1.01, .99)
	_, half := interval.Mean([]float64{.98, 1, 1.02, 1.01, .99}, .95)
	for _, c := range []struct {
		printed   float64
		tolerance float64
		want      Verdict
	}{{1 + 2*half, .2, Holds}, {1 + 3*half, .2, Fails}, {1, .04, Inconclusive}, {.9, .2, Fails}} {
		j := m.Claim("It is as printed.", "", Within(c.printed, c.tolerance)).AsDraw(c.printed).Judge(seeds)
		if j.Verdict != c.want || math.Abs(*j.Error-half*math.Sqrt(6)) > 1e-12 {
			t.Errorf("%+v: %s ± %v", c, j.Verdict, *j.Error)
		}
	}
}

// A claim about several measures is judged by the smallest one of each seed. Seeds without one of the measures are left
// out.
func TestClaimAnd(t *testing.T) {
	a, b := NewMeasure("a"), NewMeasure("b")
	seeds := outcomesOf(a, 1, 3, 2, 4)
	for i, v := range []float64{2, 1, 3, math.NaN()} {
		seeds[i].Set(b, v)
	}
	j := a.Claim("Both are positive.", "", Above(0)).And(b).Judge(seeds)
	if j.Seeds != 3 || math.Abs(*j.Ours-4./3) > 1e-12 {
		t.Errorf("%v over %d seeds, want 4/3 over 3", *j.Ours, j.Seeds)
	}
}

// signFlips returns the two-sided p-value of the exact signed-rank test of a centre. It is the share of all changes of
// sign of the differences from the centre for which the sum of ranks is at least as far from its mean as for the
// differences themselves.
func signFlips(x []float64, centre float64) float64 {
	size := make([]float64, len(x))
	for i, v := range x {
		size[i] = math.Abs(v - centre)
	}
	rank := func(i int) (r float64) {
		for _, s := range size {
			if s <= size[i] {
				r++
			}
		}
		return r
	}
	off := func(positive func(i int) bool) float64 {
		sum := 0.
		for i := range x {
			if positive(i) {
				sum += rank(i)
			}
		}
		return math.Abs(sum - float64(len(x)*(len(x)+1))/4)
	}
	found, as := off(func(i int) bool { return x[i] > centre }), 0
	for signs := range 1 << len(x) {
		if off(func(i int) bool { return signs>>i&1 == 1 }) >= found-1e-9 {
			as++
		}
	}
	return float64(as) / float64(int(1)<<len(x))
}

// With OverUnits the units are the sample. The ends of the interval are where the exact test begins to reject.
func TestClaimOverUnits(t *testing.T) {
	m := NewMeasure("gain")
	c := m.Claim("It gains.", "", Above(0)).OverUnits()
	x := []float64{1.13, .31, 2.24, .72, 1.95, .26, -.47, 1.58}
	var all []*Outcome
	for _, shift := range []float64{-.1, 0, .1} {
		o, units := &Outcome{}, map[string]float64{"seen once": 9, "never": math.NaN(), "overflows": math.Inf(1)}
		if shift != 0 {
			delete(units, "seen once")
		}
		for i, v := range x {
			units[string(rune('a'+i))] = v + shift
		}
		o.SetUnits(m, units)
		all = append(all, o)
	}
	j := c.Judge(all)
	if j.Verdict != Holds || !strings.Contains(j.Method, "8 units") {
		t.Errorf("%+v", j)
	}
	middle, low, high := interval.Pseudomedian(x, .95)
	if math.Abs(*j.Ours-middle) > 1e-9 || math.Abs(*j.Error-(high-low)/2) > 1e-9 {
		t.Errorf("%v ± %v: want %v, %v to %v", *j.Ours, *j.Error, middle, low, high)
	}
	const step = 1e-6
	for _, end := range []struct{ inside, outside float64 }{{low + step, low - step}, {high - step, high + step}} {
		if in, out := signFlips(x, end.inside), signFlips(x, end.outside); in <= .05 || out > .05 {
			t.Errorf("p = %v at %v and %v at %v", in, end.inside, out, end.outside)
		}
	}
	if p := signFlips(x, middle); p < .9 {
		t.Errorf("p = %v at the pseudomedian", p)
	}
	if j := c.Judge(all[:2]); j.Verdict != Inconclusive {
		t.Errorf("two seeds: %s", j.Verdict)
	}
	if got := NewMeasure("other").Claim("", "", Above(0)).OverUnits().Judge(all); got.Verdict != NotAttempted {
		t.Errorf("%+v", got)
	}
	all[0].SetUnits(m, map[string]float64{"of its own": 1})
	if got := c.Judge(all); got.Verdict != NotAttempted || got.Ours != nil {
		t.Errorf("no unit is common to the seeds: %+v", got)
	}
}

// substituted is a spec with a stand-in for SVHN.
type substituted struct {
	Data string `json:"data" toml:"data"`
}

func (s *substituted) Run(context.Context, Setting) (*Outcome, error) { return &Outcome{}, nil }

func (s *substituted) StandIns() map[string]string {
	if s.Data == "svhn" {
		return nil
	}
	return map[string]string{"SVHN": s.Data}
}

// A claim names the data that stand in for the paper's, at the scales where they do. A claim that a scale cannot decide
// is not attempted at that scale. The summary counts controls apart from the claims of the paper.
func TestClaimAtScale(t *testing.T) {
	m, null := NewMeasure("accuracy"), NewMeasure("excess")
	e := &Experiment{ID: "toys/one", Paper: "toys", Title: "One", Claims: []Claim{
		m.Claim("It is accurate (SVHN).", "95 %", AtLeast(.9)).On("SVHN").WithControl(null).
			From(PaperScale, "The network is too narrow."),
		null.Check("It is above chance.", Above(0)).On("SVHN"),
	}, Specs: map[Scale]Spec{Small: &substituted{"glyphs"}, PaperScale: &substituted{"svhn"}}}
	if err := (Catalogue{e}).Check(); err != nil {
		t.Fatal(err)
	}
	all := outcomesOf(m, 1, 1, 1)
	for _, o := range all {
		o.Set(null, .5)
	}
	at := func(s Scale) *Record {
		settings, _ := json.Marshal(e.Specs[s])
		r := e.record(s, settings, "hash")
		for seed, o := range all {
			r.add(&seedRecord{Seed: uint64(seed), outcome: o})
		}
		r.conclude()
		return r
	}
	small, paper := at(Small), at(PaperScale)
	if j := small.Claims[0]; j.Verdict != NotAttempted || j.StandIn != "glyphs for SVHN" || j.Why == "" ||
		!strings.Contains(j.Text(), "[glyphs for SVHN]") || j.Kind != OfPaper || *j.Ours != 1 {
		t.Errorf("%+v", j)
	}
	if j := paper.Claims[0]; j.Verdict != Holds || j.StandIn != "" || j.Why != "" || j.Control.Kind != OfControl {
		t.Errorf("%+v", j)
	}
	if s := small.Summary(); !strings.HasSuffix(s, "1 claim: 1 was not attempted; 1 control: 1 holds.") {
		t.Error(s)
	}
	row := small.ClaimsTable().Rows[0]
	if !strings.Contains(row[2].Text, "this scale cannot decide: The network is too narrow.") || row[3].Text != "1 (cannot decide)" &&
		row[3].Text != "1, every seed (cannot decide)" {
		t.Errorf("%+v", row)
	}
}

// If the noise ceiling of a correlation is below what a claim asks for, a low correlation does not refute the claim,
// unless it is far below the ceiling too. The claim holds if the correlation is high enough even so.
func TestClaimUpTo(t *testing.T) {
	m, ceiling := NewMeasure("correlation"), NewMeasure("ceiling")
	c := m.Claim("They are similar.", "> .9", AtLeast(.9)).UpTo(ceiling, "the noise ceiling").Diagnosed("Few filters.")
	for _, test := range []struct {
		ours, bound float64
		want        Verdict
	}{{.7, .75, NotAttempted}, {.7, .95, Fails}, {.5, .75, Fails}, {.93, .85, Holds}} {
		all := outcomesOf(m, test.ours-.01, test.ours, test.ours+.01)
		for i, o := range all {
			o.Set(ceiling, test.bound+.01*float64(i-1))
		}
		j := c.judgeAt(Small, nil, all, usualConfidence)
		if j.Verdict != test.want || (j.Why != "") != (test.want == NotAttempted) ||
			(j.Diagnosis != "") != (test.want == Fails) {
			t.Errorf("%v beside a ceiling of %v: %+v", test.ours, test.bound, j)
		}
	}
}

// A number of the paper that is a single draw cannot decide a claim if single draws differ by more than the claim
// allows. Ten seeds show that, fewer do not. The claim holds if draws differ by less, and fails if the number is
// outside the prediction interval. More seeds may decide it if the interval of infinitely many would not contain the number.
func TestClaimBlurred(t *testing.T) {
	m := NewMeasure("error")
	draws := func(n int, spread float64) (all []float64) {
		for i := range n {
			all = append(all, 1+spread*float64(1-2*(i%2)))
		}
		return all
	}
	for _, test := range []struct {
		printed float64
		seeds   int
		spread  float64
		want    Verdict
	}{{1.1, 10, .2, NotAttempted}, {1.1, 8, .2, Inconclusive}, {1.1, 10, .1, Inconclusive}, {1.1, 10, .07, Holds},
		{2, 10, .2, Fails}, {1.45, 10, .2, Inconclusive}} {
		c := m.Claim("It is the paper's.", "", Within(1.02, .25)).AsDraw(test.printed)
		j := c.judgeAt(Small, nil, outcomesOf(m, draws(test.seeds, test.spread)...), usualConfidence)
		if j.Verdict != test.want || (j.Why != "") != (test.want == NotAttempted) {
			t.Errorf("%+v: %s, %q", test, j.Verdict, j.Why)
		}
	}
}

// Check refuses a control that is a claim of the paper, and a claim without an origin.
func TestCheckRefusesOrigins(t *testing.T) {
	m, null := NewMeasure("a"), NewMeasure("b")
	e := &Experiment{ID: "toys/one", Paper: "toys", Title: "One", Specs: map[Scale]Spec{Small: &substituted{}}}
	for _, claims := range [][]Claim{
		{m.Claim("A.", "", Above(0)).WithControl(null), null.Claim("B.", "", Above(0))},
		{{Measure: m, Sentence: "A.", Holds: Above(0)}},
	} {
		e.Claims = claims
		if err := (Catalogue{e}).Check(); err == nil {
			t.Errorf("%+v is accepted", claims)
		}
	}
}

// Angles of 179° and 1° are 2° apart: their mean is 0° and not 90°.
func TestCircularMeanOverSeeds(t *testing.T) {
	if mean, sd := record.CircularMean([]float64{10, 20, 30}, 180); math.Abs(mean-20) > 1e-9 || math.Abs(sd-8.2) > .1 {
		t.Errorf("%v ± %v", mean, sd)
	}
	var all []*Outcome
	for _, v := range []float64{179, 1} {
		all = append(all, &Outcome{Tables: []report.Table{{Name: "angles",
			Columns: []report.Column{{Name: "angle", Numeric: true, Period: 180}},
			Rows:    [][]report.Cell{{{Text: "0.0", Value: v}}}}}})
	}
	if c := tablesOverSeeds(all)[0].Rows[0][0]; math.Min(c.Value, 180-c.Value) > 1e-9 ||
		!strings.HasSuffix(c.Text, "± 1.0") {
		t.Errorf("%+v", c)
	}
}
