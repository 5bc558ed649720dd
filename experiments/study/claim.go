package study

import (
	"fmt"
	"math"
	"strconv"
)

// Claim is a sentence made checkable: a statement of a paper, or a check of ours that no paper states.
// Make it by [Measure.Claim] or [Measure.Check].
type Claim struct {
	Measure  Measure  // what it is about
	Sentence string   // what the paper says, or what is checked
	Paper    string   // the paper's number, or the direction, as printed
	Holds    Interval // where our number has to lie, fixed before measuring
	Origin   Origin   // whose statement it is
	Control  Measure  // see [Claim.WithControl]

	dataset  string    // see [Claim.On]
	from     Scale     // see [Claim.From]
	why      string    // why a smaller scale cannot decide it
	printed  float64   // see [Claim.AsDraw]
	besides  []Measure // see [Claim.And]
	known    string    // see [Claim.Diagnosed]
	estimate estimate

	bound     Measure // see [Claim.UpTo]
	boundName string
}

// Origin says whose statement a claim is. Counts keep the two apart.
type Origin string

const (
	OfPaper   Origin = "paper"   // the paper states it
	OfControl Origin = "control" // no paper states it: a null control, or another check of ours
)

// Origins lists both.
func Origins() []Origin { return []Origin{OfPaper, OfControl} }

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
	Holds        Verdict = "holds"         // the whole confidence interval lies inside Claim.Holds
	Fails        Verdict = "fails"         // the whole interval lies outside of Claim.Holds
	Inconclusive Verdict = "inconclusive"  // neither, or there are fewer seeds than [MinSeeds], or the scale is [Smoke]
	NotAttempted Verdict = "not attempted" // no seed measured it, or the scale cannot decide it
)

// Verdicts returns all verdicts, in the order in which they are counted.
func Verdicts() []Verdict { return []Verdict{Holds, Fails, Inconclusive, NotAttempted} }
