package rfm

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// TicketThreshold is the threshold for [Metric.Above] of paper rfm (Appendix D).
const TicketThreshold = .05

// Above scales the diagonal to the range from 0 to 1 and returns the features, in ascending order, whose elements are then
// larger than a threshold (paper rfm, Appendix D). If all elements are equal, it returns all features.
func (m *Metric) Above(threshold float64) []int {
	diagonal := m.Diagonal()
	least, most := slices.Min(diagonal), slices.Max(diagonal)
	var kept []int
	for i, v := range diagonal {
		if most == least || (v-least)/(most-least) > threshold {
			kept = append(kept, i)
		}
	}
	return kept
}

// Selection returns the metric with 1 at the given features on its diagonal, and 0 elsewhere. With this metric, a kernel
// depends on these features alone.
func Selection(d int, features []int) *Metric {
	m := make([]float64, d)
	for _, i := range features {
		m[i] = 1
	}
	return DiagonalMetric(m)
}

// FitOn fits the machine's kernel to the given features of the examples, without learning features. With the
// features that are [Metric.Above] a threshold, this is RFM-T (paper rfm, Fig. 6). The model reads examples with
// all features, and ignores those not given. FitOn holds out the same examples as Fit.
func (m *Machine) FitOn(ctx context.Context, x, y *mat.Dense, features []int) (*Model, error) {
	if x == nil || x.IsEmpty() {
		return nil, errNoExamples
	}
	_, d := x.Dims()
	for _, i := range features {
		if i < 0 || i >= d {
			return nil, badInput("feature %d of examples of %d", i, d)
		}
	}
	if len(features) == 0 {
		return nil, badInput("no features to fit: take a lower threshold")
	}
	t := *m
	t.Metric, t.Iterations = Selection(d, features), 0
	return t.Fit(ctx, x, y)
}
