// Package interval estimates the centre of a few numbers, such as what the seeds of an experiment found, with a confidence
// interval. A confidence is a number between 0 and 1, such as 0.95.
package interval

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Mean returns the mean of x and half its confidence interval, by Student's t, which is NaN for one element.
func Mean(x []float64, confidence float64) (mean, half float64) {
	n := float64(len(x))
	mean, sd := stat.MeanStdDev(x, nil)
	if len(x) < 2 {
		return mean, math.NaN()
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile((1 + confidence) / 2)
	return mean, t * sd / math.Sqrt(n)
}

// Pseudomedian returns the Hodges–Lehmann estimate of the centre of x, which is the median of the means of all pairs, with
// the confidence interval that the signed-rank test gives. The interval is NaN for fewer elements than can reach the
// confidence, 6 for 95 %.
func Pseudomedian(x []float64, confidence float64) (middle, low, high float64) {
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
	cut := signedRankQuantile(n, (1-confidence)/2)
	if cut < 1 {
		return middle, math.NaN(), math.NaN()
	}
	return middle, walsh[cut-1], walsh[len(walsh)-cut]
}

// signedRankQuantile returns the largest k for which the signed-rank statistic of n differences
// around 0 is below k with a probability of at most tail; the k-th smallest and largest means of pairs bound the interval.
func signedRankQuantile(n int, tail float64) int {
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
		if sum += p; sum > tail {
			return k
		}
	}
	return 0
}
