package study

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// estimate is how a claim sums up what the seeds found.
type estimate int

const (
	meanOverSeeds      estimate = iota // the mean, with its confidence interval by Student's t
	logMeanOverSeeds                   // the geometric mean, by the mean of logarithms
	predictionInterval                 // where a further seed would lie
	wilcoxonOverUnits                  // the pseudomedian over units, each the mean over the seeds
)

// estimated is an estimate with its 95 % interval from low to high; half is half its width. These
// are NaN if there are too few values.
type estimated struct {
	mean, half, low, high float64
	method                string
}

// of estimates the claim's measure from its values x, one for each seed.
func (k estimate) of(c Claim, outcomes []*Outcome, x []float64) estimated {
	switch k {
	case logMeanOverSeeds:
		logs := make([]float64, len(x))
		for i, v := range x {
			logs[i] = math.Log(v)
		}
		mean, half := confidence(logs)
		e := estimated{mean: math.Exp(mean), low: math.Exp(mean - half), high: math.Exp(mean + half),
			method: "geometric mean with its 95 % confidence interval, by Student's t of the logarithms"}
		e.half = (e.high - e.low) / 2
		return e
	case predictionInterval:
		mean, half := confidence(x)
		half *= math.Sqrt(float64(len(x)) + 1)
		return estimated{mean, half, mean - half, mean + half, fmt.Sprintf(
			"mean with the 95 %% prediction interval of one more seed, which has to contain the paper's value "+
				"%.4g", c.printed)}
	case wilcoxonOverUnits:
		units := c.Measure.unitMeans(outcomes)
		middle, low, high := pseudomedian(units)
		return estimated{middle, (high - low) / 2, low, high, fmt.Sprintf(
			"pseudomedian over %d units, each the mean over the seeds, with its 95 %% interval by Wilcoxon's "+
				"signed-rank test", len(units))}
	}
	mean, half := confidence(x)
	return estimated{mean: mean, half: half, low: mean - half, high: mean + half}
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

// pseudomedian returns the Hodges–Lehmann estimate of the centre of x, which is the median of the
// means of all pairs, with the 95 % confidence interval that the signed-rank test gives. The
// interval is NaN for fewer than 6 elements, which cannot reach that level.
func pseudomedian(x []float64) (middle, low, high float64) {
	n := len(x)
	var walsh []float64
	for i := range x {
		for k := range i + 1 {
			walsh = append(walsh, (x[i]+x[k])/2)
		}
	}
	slices.Sort(walsh)
	if n == 0 {
		return math.NaN(), math.NaN(), math.NaN()
	}
	middle = (walsh[(len(walsh)-1)/2] + walsh[len(walsh)/2]) / 2
	cut := signedRankQuantile(n)
	if cut < 1 {
		return middle, math.NaN(), math.NaN()
	}
	return middle, walsh[cut-1], walsh[len(walsh)-cut]
}

// signedRankQuantile returns the largest k for which the signed-rank statistic of n differences
// around 0 is below k with a probability of at most 2.5 %; the k-th smallest and largest means of
// pairs bound the interval.
func signedRankQuantile(n int) int {
	top := n * (n + 1) / 2
	ways := make([]float64, top+1) // of the sums of ranks, as probabilities
	ways[0] = 1
	for rank := 1; rank <= n; rank++ {
		for s := top; s >= 0; s-- {
			ways[s] /= 2
			if s >= rank {
				ways[s] += ways[s-rank] / 2
			}
		}
	}
	sum := 0.
	for k, p := range ways {
		if sum += p; sum > .025 {
			return k
		}
	}
	return 0
}

// values returns the measure as the seeds found it, without those that lack it.
func (m Measure) values(outcomes []*Outcome) []float64 {
	var x []float64
	for _, o := range outcomes {
		if v := o.Value(m); !math.IsNaN(v) {
			x = append(x, v)
		}
	}
	return x
}

// unitValues returns the measure of every unit as the seeds found it, without the seeds that lack it.
func (m Measure) unitValues(outcomes []*Outcome) []map[string]float64 {
	var all []map[string]float64
	for _, o := range outcomes {
		if units := o.Units[m.name]; len(units) > 0 {
			all = append(all, units)
		}
	}
	return all
}

// unitMeans returns the means over the seeds of the units that every seed has, in the order of
// their names.
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
