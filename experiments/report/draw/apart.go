package draw

import (
	"slices"

	"gonum.org/v1/plot/vg"
)

// Apart moves heights, in ascending order, until each is at least gap above the one before and all lie between 0 and height,
// with the least sum of squared moves. It reports false if they do not all fit.
func Apart(at []vg.Length, gap, height vg.Length) ([]vg.Length, bool) {
	room := height - vg.Length(len(at)-1)*gap
	if room < 0 {
		return nil, false
	}
	// Without the gaps below it, a height may not be lower than the one before.
	free := make([]vg.Length, len(at))
	for i, y := range at {
		free[i] = y - vg.Length(i)*gap
	}
	moved := nearestRising(free)
	for i, y := range moved {
		moved[i] = min(max(y, 0), room) + vg.Length(i)*gap
	}
	return moved, true
}

// nearestRising returns the non-decreasing sequence nearest to v: means over runs of
// v. It merges a run with the one before if its mean is lower.
func nearestRising(v []vg.Length) []vg.Length {
	type mean struct {
		sum vg.Length
		n   int
	}
	below := func(a, b mean) bool { return a.sum*vg.Length(b.n) < b.sum*vg.Length(a.n) }
	var means []mean
	for _, x := range v {
		next := mean{x, 1}
		for len(means) > 0 && below(next, means[len(means)-1]) {
			last := means[len(means)-1]
			means = means[:len(means)-1]
			next = mean{last.sum + next.sum, last.n + next.n}
		}
		means = append(means, next)
	}
	rising := make([]vg.Length, 0, len(v))
	for _, m := range means {
		rising = append(rising, slices.Repeat([]vg.Length{m.sum / vg.Length(m.n)}, m.n)...)
	}
	return rising
}
