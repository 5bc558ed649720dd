package study

import "math"

// Measure is a number that an experiment finds with each seed and that claims are about. An
// experiment declares it once, as a variable of its package; its claims are made by
// [Measure.Claim] and its seeds set it by [Outcome.Set]. Both name the variable, so that a
// misspelt name does not compile. A measure of a claim that no seed sets is an error at scale
// [Smoke].
type Measure struct{ name string }

// NewMeasure returns a measure. Records and tables call it by its name, which is unique
// within an experiment.
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

// Claim returns a claim about the measure: a sentence, the number or the direction that is
// expected, as printed, and the interval in which the mean over the seeds has to lie.
func (m Measure) Claim(sentence, expected string, holds Interval) Claim {
	return Claim{Measure: m, Sentence: sentence, Paper: expected, Holds: holds}
}

// WithControl returns the claim with the measure of its null control: the excess over chance, which
// another claim of the experiment is about. Both verdicts are shown.
func (c Claim) WithControl(control Measure) Claim {
	c.Control = control
	return c
}

// Set records what a seed found. NaN says that it could not be measured.
func (o *Outcome) Set(m Measure, v float64) {
	if o.Values == nil {
		o.Values = map[string]float64{}
	}
	o.Values[m.name] = v
}

// Value returns what a seed found, NaN if it has not been set.
func (o *Outcome) Value(m Measure) float64 {
	if v, set := o.Values[m.name]; set {
		return v
	}
	return math.NaN()
}
