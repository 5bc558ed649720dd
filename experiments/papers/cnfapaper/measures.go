package cnfapaper

import (
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// Measures of several figures.
var (
	pearson = study.NewMeasure("pearson") // correlation of two feature matrices
	excess  = study.NewMeasure("excess")  // over its null
	// normalised is the normalised excess, see [similarity.NormaliseExcess].
	normalised = study.NewMeasure("normalised")

	// The correlation of the responses of two feature matrices to images, its excess over that with M = I, and the
	// excess of the correlation of their gains over that with a rotated matrix.
	alike           = study.NewMeasure("alike")
	overIdentity    = study.NewMeasure("over_identity")
	gainOverRotated = study.NewMeasure("gain_over_rotated")
	overPlain       = study.NewMeasure("over_plain") // the excess over a machine with M = I in all layers

	accuracyOverChance = study.NewMeasure("accuracy_over_chance") // of networks on test images, mean
)

// control returns the check that a measure is above 0. The paper makes no such claim; most of these checks are null
// controls of claims.
func control(m study.Measure, sentence string) study.Claim {
	return m.Check(sentence, study.Above(0))
}

// column returns the numbers of all rows.
func column[R any](rows []R, number func(R) float64) []float64 {
	var v []float64
	for _, r := range rows {
		v = append(v, number(r))
	}
	return v
}

// meanOf returns the mean of numbers: NaN if one of them is NaN, or if there is none.
func meanOf[R any](rows []R, number func(R) float64) float64 {
	return stat.Mean(column(rows, number), nil)
}

// dropUndefined returns the numbers that are not NaN.
func dropUndefined(v []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(v), math.IsNaN)
}

// meanOfDefined returns the mean of the numbers that are not NaN, or NaN if there is none.
func meanOfDefined[R any](rows []R, number func(R) float64) float64 {
	return stat.Mean(dropUndefined(column(rows, number)), nil)
}

// normalisedMean returns the normalised excess of a mean similarity over its mean null, over the rows in which both
// are defined: the mean excess divided by the mean room above the null.
func normalisedMean[R any](rows []R, value, null func(R) float64) float64 {
	rows = slices.DeleteFunc(slices.Clone(rows),
		func(r R) bool { return math.IsNaN(value(r)) || math.IsNaN(null(r)) })
	return similarity.NormaliseExcess(meanOf(rows, value), meanOf(rows, null))
}

// leastDefined returns the least of the numbers that are not NaN, or NaN if there is none.
func leastDefined(v []float64) float64 {
	if v = dropUndefined(v); len(v) == 0 {
		return math.NaN()
	}
	return slices.Min(v)
}

// shareAbove returns the share of the numbers that are above a limit, of those that are not NaN, or
// NaN if there is none.
func shareAbove(v []float64, limit float64) float64 {
	v = dropUndefined(v)
	return float64(floats.Count(func(x float64) bool { return x > limit }, v)) / float64(len(v))
}
