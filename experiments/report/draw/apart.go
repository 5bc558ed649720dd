package draw

import (
	"slices"

	"gonum.org/v1/plot/vg"
)

// Apart moves rising heights until each is at least gap above the one before and all lie between 0 and height, by as little
// as can be (in the sum of squares). It reports false if they do not all fit.
func Apart(at []vg.Length, gap, height vg.Length) ([]vg.Length, bool) {
	room := height - vg.Length(len(at)-1)*gap
	if room < 0 {
		return nil, false
	}
	// Less the room of those below it, none may be lower than the one before.
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

// nearestRising returns the sequence nearest to v that never falls: means over
// runs of v, which join where one would be below the one before it.
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
