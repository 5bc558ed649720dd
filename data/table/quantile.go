package table

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Quantile replaces each number of a column by the fraction of training rows with smaller numbers, or by the standard
// normal quantile of that fraction. It interpolates between the quantiles that Fit learns. It is scikit-learn's
// QuantileTransformer, except that it uses all training rows instead of 10 000 random ones.
type Quantile struct {
	// Count is the number of quantiles, at most the number of training rows; 0 means 1000.
	Count int

	// Normal makes the numbers normally distributed instead of uniform in [0, 1].
	Normal bool

	levels    []float64   // from 0 to 1
	quantiles [][]float64 // by column, then by level
}

var _ Inverse = (*Quantile)(nil)

// defaultQuantiles is the number of quantiles for a Count of 0.
const defaultQuantiles = 1000

// Fit learns the quantiles of each column.
func (t *Quantile) Fit(x mat.Matrix, rows []int) error {
	_, columns := x.Dims()
	var levels []float64
	quantiles := make([][]float64, columns)
	err := fitColumns(x, rows, func(j int, values []float64) error {
		if levels == nil {
			levels = t.newLevels(len(values))
		}
		slices.Sort(values)
		if !isFinite(values[0]) || !isFinite(values[len(values)-1]) { // NaN comes first
			return notFinite(j, "minimum and maximum")
		}
		quantiles[j] = make([]float64, len(levels))
		for i, level := range levels {
			quantiles[j][i] = quantileOf(values, level)
			if i > 0 { // rounding may have made it less
				quantiles[j][i] = max(quantiles[j][i], quantiles[j][i-1])
			}
		}
		return nil
	})
	if err == nil {
		t.levels, t.quantiles = levels, quantiles
	}
	return err
}

// newLevels returns the levels whose quantiles Fit learns from n rows: evenly spaced from 0 to 1.
func (t *Quantile) newLevels(n int) []float64 {
	count := t.Count
	if count <= 0 {
		count = defaultQuantiles
	}
	levels := make([]float64, min(count, n))
	step := 1 / float64(max(len(levels)-1, 1))
	for i := range levels {
		levels[i] = float64(i) * step
	}
	if len(levels) > 1 {
		levels[len(levels)-1] = 1
	}
	return levels
}

// quantileOf returns a quantile of sorted values, linearly interpolated. It rounds where scikit-learn and NumPy do, which
// compute in per cent: Apply treats a value that many rows share differently if a quantile equals it or is off by the
// last bit.
func quantileOf(sorted []float64, level float64) float64 {
	at := level * 100 / 100 * float64(len(sorted)-1)
	below := int(at)
	if below >= len(sorted)-1 {
		return sorted[len(sorted)-1]
	}
	a, b, share := sorted[below], sorted[below+1], at-float64(below)
	switch d := b - a; {
	case math.IsInf(d, 0):
		return between(a, b, share)
	case share >= 0.5:
		return b - float64(d*(1-share)) // not fused, on any machine
	default:
		return a + float64(d*share)
	}
}

// Apply replaces the numbers of x, in place, by fractions in [0, 1], or by normal quantiles if t.Normal is set.
func (t *Quantile) Apply(x *mat.Dense) {
	mapColumns(x, len(t.quantiles), func(j int, v float64) float64 {
		share := t.share(t.quantiles[j], v)
		if !t.Normal {
			return share
		}
		return normalQuantile(share)
	})
}

// share returns the level of a number, interpolated between the quantiles: 0 and 1 at the ends, and the mean of the least
// and greatest level if several quantiles equal the number.
func (t *Quantile) share(q []float64, v float64) float64 {
	low, high := q[0], q[len(q)-1]
	switch {
	case v <= low, t.Normal && v-tail < low:
		return 0
	case v == high, t.Normal && v+tail > high:
		return 1
	case v > high:
		return t.levels[len(q)-1] // 1, or 0 if there was a single training row
	}
	above, _ := slices.BinarySearchFunc(q, v, func(a, v float64) int { // the first greater than v
		if a > v {
			return 1
		}
		return -1
	})
	from, _ := slices.BinarySearch(q, v) // the first not less than v
	return (t.levelFrom(q, v, above-1, above) + t.levelFrom(q, v, from-1, from)) / 2
}

// levelFrom returns the level of v by interpolation between the adjacent quantiles i and j.
func (t *Quantile) levelFrom(q []float64, v float64, i, j int) float64 {
	return between(t.levels[i], t.levels[j], fraction(v, q[i], q[j]))
}

// Invert undoes Apply in place. Fractions 0 and 1 become the least and the greatest number of the training rows.
func (t *Quantile) Invert(x *mat.Dense) {
	last := len(t.levels) - 1
	mapColumns(x, len(t.quantiles), func(j int, v float64) float64 {
		q := t.quantiles[j]
		margin := 0.0
		if t.Normal {
			v, margin = normalShare(v), tail
		}
		switch {
		case v <= 0, v-margin < 0:
			return q[0]
		case v >= 1, v+margin > 1:
			return q[last]
		}
		i, exact := slices.BinarySearch(t.levels, v)
		if exact {
			return q[i]
		}
		if i > last { // there is one level
			return q[last]
		}
		return between(q[i-1], q[i], fraction(v, t.levels[i-1], t.levels[i]))
	})
}

// between interpolates linearly from a (share 0) to b (share 1).
func between(a, b, share float64) float64 {
	if share == 1 || a == b {
		return b
	}
	return float64(a*(1-share)) + float64(b*share) // not fused: the same on every machine
}

// fraction returns (v-a)/(b-a), for a < b, without overflow.
func fraction(v, a, b float64) float64 {
	if d := b - a; !math.IsInf(d, 0) {
		return (v - a) / d
	}
	return (float64(v/2) - float64(a/2)) / (float64(b/2) - float64(a/2))
}

// tail is the fraction at each end that scikit-learn's QuantileTransformer rounds to 0 or 1.
const tail = 1e-7

// normalQuantile returns the standard normal quantile of a share, which it first clips to about tail from 0 and 1.
func normalQuantile(share float64) float64 {
	const end = tail - 0x1p-52
	return distuv.UnitNormal.Quantile(min(max(share, end), 1-end))
}

// normalShare returns the standard normal distribution function at v.
func normalShare(v float64) float64 { return math.Erfc(-v/math.Sqrt2) / 2 }
