package study

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Claim is a sentence of a paper made checkable.
type Claim struct {
	Measure  Measure  // what it is about
	Sentence string   // what the paper says
	Paper    string   // its number, or the direction, as printed
	Holds    Interval // where ours has to lie, written before it was measured
	Control  Measure  // see [Claim.WithControl]
}

// Interval is the numbers from Low to High, which may be infinite.
type Interval struct{ Low, High float64 }

// AtLeast returns the interval from v to infinity.
func AtLeast(v float64) Interval { return Interval{v, math.Inf(1)} }

// Above returns the interval of all numbers greater than v.
func Above(v float64) Interval { return Interval{math.Nextafter(v, math.Inf(1)), math.Inf(1)} }

// AtMost returns the interval from minus infinity to v.
func AtMost(v float64) Interval { return Interval{math.Inf(-1), v} }

// Within returns the interval from v − tolerance to v + tolerance.
func Within(v, tolerance float64) Interval { return Interval{v - tolerance, v + tolerance} }

// Contains reports whether [lo, hi] lies inside the interval.
func (i Interval) Contains(lo, hi float64) bool { return lo >= i.Low && hi <= i.High }

// excludes reports whether [lo, hi] lies outside the interval.
func (i Interval) excludes(lo, hi float64) bool { return hi < i.Low || lo > i.High }

// String returns the interval as tables show it: "≥ 0.9", "0.1 to 0.2".
func (i Interval) String() string {
	switch {
	case math.IsInf(i.High, 1):
		if least := math.Nextafter(i.Low, math.Inf(-1)); i == Above(least) &&
			len(shortest(least)) < len(shortest(i.Low)) {
			return "> " + shortest(least)
		}
		return fmt.Sprintf("≥ %.4g", i.Low)
	case math.IsInf(i.Low, -1):
		return fmt.Sprintf("≤ %.4g", i.High)
	}
	return fmt.Sprintf("%.4g to %.4g", i.Low, i.High)
}

// shortest formats v with the fewest digits that identify it.
func shortest(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// Verdict is the result of judging a claim.
type Verdict string

const (
	Holds        Verdict = "holds"         // the whole confidence interval lies where the claim wants it
	Fails        Verdict = "fails"         // the whole interval lies elsewhere
	Inconclusive Verdict = "inconclusive"  // neither, or there are fewer seeds than [MinSeeds], or the scale is [Smoke]
	NotAttempted Verdict = "not attempted" // no seed measured it
)

// Verdicts returns all verdicts, in the order in which they are counted.
func Verdicts() []Verdict { return []Verdict{Holds, Fails, Inconclusive, NotAttempted} }

// CountVerdicts says how many claims have which verdict: "3 holds, 1 fails".
func CountVerdicts(of map[Verdict]int) string {
	var parts []string
	for _, v := range Verdicts() {
		if n := of[v]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	return strings.Join(parts, ", ")
}

// NullTally counts the claims that hold and have a null control, and how many of these controls
// hold too.
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

// MinSeeds is the least number of seeds with which a claim can hold or fail.
const MinSeeds = 3

// Judgement is a claim with what was measured and the verdict.
type Judgement struct {
	Value    string `json:"value"`
	Sentence string `json:"claim"`
	Paper    string `json:"paper"`
	Want     string `json:"want"`
	// Ours is the mean over the seeds, and Error half its 95 % confidence interval by Student's t.
	// They are absent if there are too few seeds.
	Ours    *float64 `json:"ours,omitempty"`
	Error   *float64 `json:"error,omitempty"`
	Seeds   int      `json:"seeds"`
	Verdict Verdict  `json:"verdict"`
	// Control is the null control of an alignment claim: the judgement of its excess over chance,
	// which is a claim of the experiment too.
	Control *Judgement `json:"control,omitempty"`
}

// Judge compares the mean over the seeds with the claim. The claim holds, or fails, if the whole
// confidence interval of the mean lies inside, or outside, of the interval that the claim asks for.
func (c Claim) Judge(outcomes []*Outcome) Judgement {
	j := Judgement{Value: c.Measure.name, Sentence: c.Sentence, Paper: c.Paper, Want: c.Holds.String(),
		Verdict: NotAttempted}
	var x []float64
	for _, o := range outcomes {
		if v, there := o.Values[c.Measure.name]; there && !math.IsNaN(v) {
			x = append(x, v)
		}
	}
	if j.Seeds = len(x); j.Seeds == 0 {
		return j
	}
	mean, half := confidence(x)
	j.Ours, j.Verdict = &mean, Inconclusive
	if !math.IsNaN(half) {
		j.Error = &half
	}
	switch {
	case len(x) < MinSeeds:
	case c.Holds.Contains(mean-half, mean+half):
		j.Verdict = Holds
	case c.Holds.excludes(mean-half, mean+half):
		j.Verdict = Fails
	}
	return j
}

// confidence returns the mean of x and half its 95 % confidence interval, which is NaN for one
// element.
func confidence(x []float64) (mean, half float64) {
	n := float64(len(x))
	mean, sd := stat.MeanStdDev(x, nil)
	if len(x) < 2 {
		return mean, math.NaN()
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(.975)
	return mean, t * sd / math.Sqrt(n)
}
