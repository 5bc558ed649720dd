package study

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/interval"
)

// estimate is the way in which a claim's number is estimated from the seeds' values.
type estimate int

const (
	meanOverSeeds      estimate = iota // the mean, with its confidence interval by Student's t
	logMeanOverSeeds                   // the geometric mean, by the mean of logarithms
	predictionInterval                 // the mean, with the interval in which a further seed would lie
	wilcoxonOverUnits                  // the pseudomedian over units, each the mean over the seeds
)

// estimated is an estimate with its interval from low to high; half is half its width. These
// are NaN if there are too few values.
type estimated struct {
	mean, half, low, high float64
	method                string
}

// compute estimates the claim's number from x, its value for each seed, with an interval of the given confidence.
func (k estimate) compute(c Claim, outcomes []*Outcome, x []float64, confidence float64) estimated {
	percent := fmt.Sprintf("%.4g %%", 100*confidence)
	switch k {
	case logMeanOverSeeds:
		logs := make([]float64, len(x))
		for i, v := range x {
			logs[i] = math.Log(v)
		}
		mean, half := interval.Mean(logs, confidence)
		e := estimated{mean: math.Exp(mean), low: math.Exp(mean - half), high: math.Exp(mean + half),
			method: "geometric mean with its " + percent + " confidence interval, by Student's t of the logarithms"}
		e.half = (e.high - e.low) / 2
		return e
	case predictionInterval:
		mean, half := interval.Mean(x, confidence)
		half *= math.Sqrt(float64(len(x)) + 1)
		return estimated{mean, half, mean - half, mean + half, fmt.Sprintf(
			"mean with the %s prediction interval of one more seed, which has to contain the paper's value %.4g",
			percent, c.printed)}
	case wilcoxonOverUnits:
		units := c.Measure.unitMeans(outcomes)
		middle, low, high := interval.Pseudomedian(units, confidence)
		return estimated{middle, (high - low) / 2, low, high, fmt.Sprintf(
			"pseudomedian over %d units, each the mean over the seeds, with its %s interval by Wilcoxon's "+
				"signed-rank test", len(units), percent)}
	}
	mean, half := interval.Mean(x, confidence)
	e := estimated{mean: mean, half: half, low: mean - half, high: mean + half}
	if confidence != usualConfidence {
		e.method = "mean with its " + percent + " confidence interval by Student's t"
	}
	return e
}

// values returns the claim's number for each seed, without the seeds that lack it.
func (c Claim) values(outcomes []*Outcome) []float64 {
	var x []float64
	for _, o := range outcomes {
		v := o.Value(c.Measure)
		for _, m := range c.besides {
			v = min(v, o.Value(m))
		}
		if !math.IsNaN(v) {
			x = append(x, v)
		}
	}
	return x
}

// unitValues returns the measure's values by unit, for each seed that has any.
func (m Measure) unitValues(outcomes []*Outcome) []map[string]float64 {
	var all []map[string]float64
	for _, o := range outcomes {
		if units := o.Units[m.name]; len(units) > 0 {
			all = append(all, units)
		}
	}
	return all
}

// unitMeans returns the means over the seeds of the units that every seed has, ordered by the units' names.
func (m Measure) unitMeans(outcomes []*Outcome) []float64 {
	seeds := m.unitValues(outcomes)
	var all []float64
	if len(seeds) == 0 {
		return nil
	}
	for _, unit := range slices.Sorted(maps.Keys(seeds[0])) {
		sum := 0.
		for _, s := range seeds {
			v, there := s[unit]
			if !there {
				v = math.NaN()
			}
			sum += v
		}
		if mean := sum / float64(len(seeds)); !math.IsNaN(mean) {
			all = append(all, mean)
		}
	}
	return all
}
