package study

import (
	"math"
	"slices"
)

// Measure is a number that an experiment finds with each seed and that claims are about. An experiment declares it
// once, as a variable of its package; its claims are made by [Measure.Claim] and [Measure.Check], and its seeds set it
// by [Outcome.Set]. All name the variable, so that a misspelt name does not compile. A measure of a claim that no seed
// sets is an error at scale [Smoke].
type Measure struct{ name string }

// NewMeasure returns a measure. Records and tables call it by its name, which is unique within an experiment.
func NewMeasure(name string) Measure { return Measure{name} }

// Of returns the measure of a part of the experiment, such as a task, a network or a panel. Its
// name begins with that of the part. Of("") returns the measure itself.
func (m Measure) Of(part string) Measure {
	if part == "" {
		return m
	}
	return Measure{part + "_" + m.name}
}

// Name returns the name that records and tables call the measure by.
func (m Measure) Name() string { return m.name }

// Claim returns a claim of the paper about the measure: a sentence, the number or the direction that
// is expected, as printed, and the interval in which the mean over the seeds has to lie.
func (m Measure) Claim(sentence, expected string, holds Interval) Claim {
	return Claim{Measure: m, Sentence: sentence, Paper: expected, Holds: holds, Origin: OfPaper}
}

// Check returns a claim about the measure that no paper makes, such as a null control. Counts keep
// it apart from the papers' claims.
func (m Measure) Check(sentence string, holds Interval) Claim {
	return Claim{Measure: m, Sentence: sentence, Paper: notAsked, Holds: holds, Origin: OfControl}
}

// notAsked takes the place of the paper's number in a claim that no paper makes.
const notAsked = "not in the paper"

// WithControl sets the measure of the claim's null control: the excess over the null, which another claim of the
// experiment is about. Tables show both verdicts.
func (c Claim) WithControl(control Measure) Claim {
	c.Control = control
	return c
}

// On says which dataset the claim is about, by the paper's name for it. If other data stand in for it, every count and
// page names them: see [Substituter].
func (c Claim) On(dataset string) Claim {
	c.dataset = dataset
	return c
}

// From says that scales smaller than from cannot decide the claim. It is not attempted there; why is a sentence that
// says what these scales lack.
func (c Claim) From(from Scale, why string) Claim {
	c.from, c.why = from, why
	return c
}

// UpTo says that the claim's correlation cannot exceed a bound, such as a noise ceiling; name is the bound's name in
// texts. If the bound's whole confidence interval lies below what the claim asks for, even a true claim could fail, so
// it is not attempted, unless it holds all the same, or fails as a share of the bound too.
func (c Claim) UpTo(bound Measure, name string) Claim {
	c.bound, c.boundName = bound, name
	return c
}

// Diagnosed records what is known of why the claim fails or is undecided: what was tried, what would decide it, and at
// what cost. Pages show it with these verdicts.
func (c Claim) Diagnosed(known string) Claim {
	c.known = known
	return c
}

// Diagnose sets this diagnosis on every claim that has none, and returns the claims; see [Claim.Diagnosed].
func Diagnose(known string, claims ...Claim) []Claim {
	all := slices.Clone(claims)
	for i := range all {
		if all[i].known == "" {
			all[i].known = known
		}
	}
	return all
}

// InLogs makes the claim one about a ratio: the mean and its interval are computed from logarithms, so that a few
// large ratios do not decide it.
func (c Claim) InLogs() Claim {
	c.estimate = logMeanOverSeeds
	return c
}

// And extends the claim to several measures: in each seed, its number is the smallest of them.
func (c Claim) And(others ...Measure) Claim {
	c.besides = others
	return c
}

// AsDraw compares the claim's mean with a single draw printed in the paper, such as the error on one random dataset.
// The claim fails if the printed number lies outside of the 95 % prediction interval of one more seed. It holds if the
// number lies inside and the whole prediction interval lies inside the interval that the claim asks for, so that the
// comparison is sharp enough. If single draws vary too much for any number of seeds to decide, the claim is not
// attempted.
func (c Claim) AsDraw(printed float64) Claim {
	c.printed, c.estimate = printed, predictionInterval
	return c
}

// OverUnits makes the claim one about units such as tables, which [Outcome.SetUnits] sets. Each unit is averaged over
// the seeds; the interval is that of Wilcoxon's signed-rank test on these means.
func (c Claim) OverUnits() Claim {
	c.estimate = wilcoxonOverUnits
	return c
}

// Set records what a seed found. NaN says that it could not be measured.
func (o *Outcome) Set(m Measure, v float64) {
	if o.Values == nil {
		o.Values = map[string]float64{}
	}
	o.Values[m.name] = v
}

// SetUnits records what a seed found for each of several units, by their names. A number that is not finite says that
// a unit could not be measured.
func (o *Outcome) SetUnits(m Measure, units map[string]float64) {
	if o.Units == nil {
		o.Units = map[string]map[string]float64{}
	}
	known := map[string]float64{}
	for name, v := range units {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			known[name] = v
		}
	}
	o.Units[m.name] = known
}

// Value returns what a seed found, NaN if it has not been set.
func (o *Outcome) Value(m Measure) float64 {
	if v, set := o.Values[m.name]; set {
		return v
	}
	return math.NaN()
}
