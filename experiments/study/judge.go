package study

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/interval"
	"github.com/ansatz-lab/ansatz/internal/words"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// MinSeeds is the least number of seeds with which a claim can hold or fail.
const MinSeeds = 3

// Judgement is a claim with its measurement and verdict.
type Judgement struct {
	Value    string `json:"value"`
	Sentence string `json:"claim"`
	Kind     Origin `json:"kind"`
	Paper    string `json:"paper"`
	Want     string `json:"want"`
	// Ours is the mean over the seeds, and Error half its 95 % confidence interval by Student's t, unless Method says
	// otherwise, as it does where seeds were added until all claims were decided. They are absent if there are too few seeds.
	Ours  *float64 `json:"ours,omitempty"`
	Error *float64 `json:"error,omitempty"`
	// Low and High are the ends of the interval, which is not symmetric about Ours by every Method.
	Low     *float64 `json:"low,omitempty"`
	High    *float64 `json:"high,omitempty"`
	Seeds   int      `json:"seeds"`
	Verdict Verdict  `json:"verdict"`
	// Method says what Ours and Error are if they are not a mean and its confidence interval.
	Method string `json:"method,omitempty"`
	// Why says why the scale cannot decide the claim.
	Why string `json:"why,omitempty"`
	// Diagnosis says why the claim fails or is undecided, as far as is known; see [Claim.Diagnosed].
	Diagnosis string `json:"diagnosis,omitempty"`
	// StandIn names the data that the claim was measured on in place of the paper's: "glyphs for SVHN".
	StandIn string `json:"stand_in,omitempty"`
	// Repeats is the experiment that claims the same number, which is counted there.
	Repeats string `json:"repeats,omitempty"`
	// Control is the null control of an alignment claim: the judgement of its excess over the null,
	// which is a claim of the experiment too.
	Control *Judgement `json:"control,omitempty"`
}

// Text returns the sentence, with the data that stand in for the paper's.
func (j Judgement) Text() string {
	if j.StandIn == "" {
		return j.Sentence
	}
	return fmt.Sprintf("%s [%s]", j.Sentence, j.StandIn)
}

// TextWithReason returns the text with the reason why the claim is not attempted, where the scale cannot decide it.
func (j Judgement) TextWithReason() string {
	switch {
	case j.Why == "":
		return j.Text()
	case j.Ours == nil:
		return fmt.Sprintf("%s (Not attempted at this scale: %s)", j.Text(), j.Why)
	}
	return fmt.Sprintf("%s (Measured, but this scale cannot decide: %s)", j.Text(), j.Why)
}

// Judge compares what the seeds found with the claim. The claim holds, or fails, if the whole
// 95 % confidence interval lies inside, or outside, of the interval that the claim asks for.
func (c Claim) Judge(outcomes []*Outcome) Judgement { return c.judgeWith(outcomes, usualConfidence) }

// judgeWith is Judge with intervals of another confidence.
func (c Claim) judgeWith(outcomes []*Outcome, confidence float64) Judgement {
	j := Judgement{Value: c.Measure.name, Sentence: c.Sentence, Kind: c.Origin, Paper: c.Paper,
		Want: c.Holds.String(), Verdict: NotAttempted}
	x := c.values(outcomes)
	if c.estimate == wilcoxonOverUnits {
		j.Seeds = len(c.Measure.unitValues(outcomes))
	} else {
		j.Seeds = len(x)
	}
	if j.Seeds == 0 {
		return j
	}
	e := c.estimate.compute(c, outcomes, x, confidence)
	if math.IsNaN(e.mean) {
		return j // the seeds have no unit in common, or a ratio is not positive
	}
	j.Ours, j.Method, j.Verdict = &e.mean, e.method, Inconclusive
	if !math.IsNaN(e.half) {
		j.Error, j.Low, j.High = &e.half, &e.low, &e.high
	}
	switch {
	case j.Seeds < MinSeeds || math.IsNaN(e.low) || math.IsNaN(e.high):
	case c.estimate == predictionInterval && (c.printed < e.low || c.printed > e.high):
		j.Verdict = Fails
	case c.Holds.Contains(e.low, e.high):
		j.Verdict = Holds
	case c.Holds.excludes(e.low, e.high):
		j.Verdict = Fails
	}
	return j
}

// judgeAt judges the claim at a scale, with the data that stand in for the paper's by their names and intervals of a
// confidence.
func (c Claim) judgeAt(scale Scale, standIns map[string]string, outcomes []*Outcome, confidence float64) Judgement {
	j := c.judgeWith(outcomes, confidence)
	if scale == Smoke && (j.Verdict == Holds || j.Verdict == Fails) {
		j.Verdict = Inconclusive // a smoke test only shows that the experiment runs
	}
	if at := slices.Index(Scales, scale); at >= 0 && at < slices.Index(Scales, c.from) {
		j.Verdict, j.Why = NotAttempted, c.why
	}
	if j.Verdict == Fails || j.Verdict == Inconclusive {
		j.Diagnosis = c.known
		if why := c.outOfReach(j, outcomes, confidence); why != "" {
			j.Verdict, j.Why, j.Diagnosis = NotAttempted, why, ""
		}
	}
	if used := standIns[c.dataset]; used != "" {
		j.StandIn = used + " for " + c.dataset
	}
	return j
}

// outOfReach says why more seeds cannot decide a claim that fails or is undecided; "" if they may.
func (c Claim) outOfReach(j Judgement, outcomes []*Outcome, confidence float64) string {
	if c.estimate == predictionInterval {
		return c.blurred(j, c.values(outcomes), confidence)
	}
	x := Claim{Measure: c.bound}.values(outcomes)
	mean, half := interval.Mean(x, confidence)
	if c.boundName == "" || j.Error == nil || len(x) < MinSeeds || mean+half >= c.Holds.Low ||
		*j.Ours+*j.Error < c.Holds.Low*mean {
		return ""
	}
	return fmt.Sprintf("The claim asks for %v, but %s is %.3f ± %.3f at this scale.", c.Holds, c.boundName, mean, half)
}

// spreadSeeds is the least number of seeds that estimates the spread of single draws.
const spreadSeeds = 10

// blurred returns why no number of seeds decides an undecided claim about a single draw of the paper: even with
// infinitely many seeds of the same spread, the prediction interval would contain the paper's number, and would not lie
// inside c.Holds. It is "" otherwise.
func (c Claim) blurred(j Judgement, x []float64, confidence float64) string {
	mean, spread := stat.MeanStdDev(x, nil)
	half := spread * distuv.UnitNormal.Quantile((1+confidence)/2)
	if j.Verdict != Inconclusive || len(x) < spreadSeeds || math.Abs(c.printed-mean) > half ||
		c.Holds.Contains(mean-half, mean+half) {
		return ""
	}
	return fmt.Sprintf("The paper's number is a single draw. Single draws lie within %.3g ± %.2g here, which contains it but also "+
		"numbers outside of %v, and more seeds do not make the spread of draws smaller.", mean, half, c.Holds)
}

// NullTally counts the claims that hold and have a null control, and how many of these controls hold too.
type NullTally struct{ Held, Above int }

// Add counts a claim.
func (n *NullTally) Add(j Judgement) {
	if j.Control == nil || j.Verdict != Holds {
		return
	}
	if n.Held++; j.Control.Verdict == Holds {
		n.Above++
	}
}

// Tally counts verdicts: those on the papers' claims apart from those on controls. A claim that
// repeats another's number is not counted.
type Tally map[Origin]map[Verdict]int

// Add counts a claim.
func (t Tally) Add(j Judgement) {
	if j.Repeats != "" {
		return
	}
	if t[j.Kind] == nil {
		t[j.Kind] = map[Verdict]int{}
	}
	t[j.Kind][j.Verdict]++
}

// Sum returns how many claims of an origin were counted.
func (t Tally) Sum(o Origin) int {
	n := 0
	for _, k := range t[o] {
		n += k
	}
	return n
}

// String returns the counts in words: "3 paper claims: 2 hold, 1 fails; 1 control: 1 holds".
func (t Tally) String() string {
	names := map[Origin]string{OfPaper: "paper claim", OfControl: "control"}
	var parts []string
	for _, o := range Origins() {
		if n := t.Sum(o); n > 0 {
			parts = append(parts, words.Count(n, names[o])+": "+countVerdicts(t[o]))
		}
	}
	return strings.Join(parts, "; ")
}

// countVerdicts says how many claims have which verdict: "3 hold, 1 fails, 2 are inconclusive".
func countVerdicts(of map[Verdict]int) string {
	verbs := map[Verdict][2]string{Holds: {"holds", "hold"}, Fails: {"fails", "fail"},
		Inconclusive: {"is inconclusive", "are inconclusive"}, NotAttempted: {"was not attempted", "were not attempted"}}
	var parts []string
	for _, v := range Verdicts() {
		if n := of[v]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, verbs[v][min(n, 2)-1]))
		}
	}
	return strings.Join(parts, ", ")
}
