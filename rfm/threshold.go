package rfm

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// TicketThreshold is the threshold that paper rfm takes (Appendix D).
const TicketThreshold = .05

// Above returns the features, in their order, whose elements on the diagonal are
// larger than a threshold when the diagonal is scaled from its least element, 0,
// to its greatest, 1 (paper rfm, Appendix D). All are where all are equal.
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

// Selection is the metric of d features that sees some of them as they are and
// the others not at all: a kernel of it is the kernel on those features.
func Selection(d int, features []int) *Metric {
	m := make([]float64, d)
	for _, i := range features {
		m[i] = 1
	}
	return DiagonalMetric(m)
}

// FitOn fits the machine's kernel, without learning features, to some features
// of the examples: an RFM-T (paper rfm, Fig. 6) where they are [Metric.Above] a
// threshold. The model takes examples of all features, and is saved as any
// other; it does not look at those left out. Examples are held out as Fit does,
// so that the models of both have learned from the same.
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
