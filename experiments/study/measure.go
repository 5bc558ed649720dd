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

// notAsked stands where a claim of a paper has the paper's number.
const notAsked = "not in the paper"

// WithControl returns the claim with the measure of its null control: the excess over the null, which
// another claim of the experiment is about. Both verdicts are shown.
func (c Claim) WithControl(control Measure) Claim {
	c.Control = control
	return c
}

// On returns the claim as one about a dataset, by the name that the paper has for it. If other data
// stand in for it, every count and page names them: see [Substituter].
func (c Claim) On(dataset string) Claim {
	c.dataset = dataset
	return c
}

// From returns the claim as one that scales below from cannot decide. It is not attempted there, and
// why is a sentence that says what they lack.
func (c Claim) From(from Scale, why string) Claim {
	c.from, c.why = from, why
	return c
}

// UpTo returns the claim as one about a correlation that the bound, a measure with a name, keeps from being larger, such as a
// noise ceiling. Where the bound's whole confidence interval lies below what the claim asks for, the claim can fail although it
// is true, and is not attempted: unless it holds all the same, or fails as a share of the bound too.
func (c Claim) UpTo(bound Measure, name string) Claim {
	c.bound, c.boundName = bound, name
	return c
}

// Diagnosed returns the claim with what is known of why it fails, or is undecided: what was tried, what would decide it and
// at what cost. Pages show it with these verdicts.
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

// InLogs returns the claim as one about a ratio: its mean and its interval are those of the
// logarithms, so that a few large ratios do not decide it.
func (c Claim) InLogs() Claim {
	c.estimate = logMeanOverSeeds
	return c
}

// And returns the claim as one that says the same of several measures: its number is the smallest of them, seed by seed.
func (c Claim) And(others ...Measure) Claim {
	c.besides = others
	return c
}

// AsDraw returns the claim as one about a number of the paper that is a single draw, such as the error
// on one random dataset. It fails if that number lies outside of the 95 % prediction interval of one
// more seed, and holds if, besides, the interval that the claim asks for contains all of that
// interval, so that the comparison is sharp enough to mean something. Where single draws differ by more than it asks for, so
// that no number of seeds decides it, it is not attempted.
func (c Claim) AsDraw(printed float64) Claim {
	c.printed, c.estimate = printed, predictionInterval
	return c
}

// OverUnits returns the claim as one about units such as tables, which [Outcome.SetUnits] sets: the
// mean of each over the seeds, and Wilcoxon's signed-rank interval of these.
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

// SetUnits records what a seed found for each of several units, by their names. NaN says that a unit
// could not be measured.
func (o *Outcome) SetUnits(m Measure, units map[string]float64) {
	if o.Units == nil {
		o.Units = map[string]map[string]float64{}
	}
	known := map[string]float64{}
	for name, v := range units {
		if !math.IsNaN(v) {
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
