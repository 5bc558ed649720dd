// Package axes computes the axes of charts, linear or logarithmic: their ends, their ticks and the texts of these. It also
// formats numbers. It draws nothing.
package axes

import "math"

// huge is the largest absolute value that is placed on an axis; beyond it, differences
// and squares overflow.
const huge = 1e150

// Present reports whether v can be shown: it is neither NaN nor beyond ±1e150.
func Present(v float64) bool { return math.Abs(v) <= huge }

// Span is a range of values. It is empty if Some is false, as in the zero value.
type Span struct {
	Lo, Hi float64
	Some   bool
}

// Add widens the span to hold every value that is present.
func (s *Span) Add(values ...float64) {
	for _, v := range values {
		switch {
		case !Present(v):
		case !s.Some:
			*s = Span{v, v, true}
		default:
			s.Lo, s.Hi = min(s.Lo, v), max(s.Hi, v)
		}
	}
}

// Axis is a scale from Lo to Hi with ticks at multiples of Step. If Base is above 0, its values are
// logarithms to that base, and the texts of ticks are the powers.
type Axis struct {
	Lo, Hi, Step float64
	Base         float64
	At           []float64 // the places of the ticks; nil for the multiples of Step
}

// New returns an axis from s.Lo to s.Hi, about n steps long. A span without values
// becomes [0, 1], and a span without length is widened.
func New(s Span, n int) Axis {
	if !s.Some {
		s = Span{0, 1, true}
	}
	size := max(math.Abs(s.Lo), math.Abs(s.Hi))
	switch {
	case size < 1/huge:
		s.Lo, s.Hi = -1, 1
	case s.Hi-s.Lo <= 1e-9*size:
		s.Lo, s.Hi = s.Lo-size/2, s.Hi+size/2
	}
	return Axis{Lo: s.Lo, Hi: s.Hi, Step: niceStep((s.Hi - s.Lo) / float64(n))}
}

// Rounded returns the axis with its ends moved outwards to ticks.
func (a Axis) Rounded() Axis {
	a.Lo = math.Floor(a.Lo/a.Step+1e-9) * a.Step
	a.Hi = math.Ceil(a.Hi/a.Step-1e-9) * a.Step
	return a
}

// niceStep returns the least of 1, 2 and 5 times a power of ten that is not
// below v, which is positive.
func niceStep(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= v*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// Ticks returns the places of the ticks, in ascending order.
func (a Axis) Ticks() []float64 {
	if a.At != nil {
		return a.At
	}
	if a.within() {
		return a.ticksWithin()
	}
	var ticks []float64
	first := math.Ceil(a.Lo/a.Step - 1e-6)
	last := math.Floor(a.Hi/a.Step + 1e-6)
	for k := first; k <= last && len(ticks) < 100; k++ {
		ticks = append(ticks, k*a.Step+0) // + 0 turns −0 into 0
	}
	return ticks
}

// LeastGap returns the least distance between two ticks, as a share of the axis.
func (a Axis) LeastGap() float64 {
	least, ticks := 1., a.Ticks()
	for i := 1; i < len(ticks); i++ {
		least = min(least, (ticks[i]-ticks[i-1])/(a.Hi-a.Lo))
	}
	return least
}

// Fraction returns the place of v between Lo (0) and Hi (1), clipped to [0, 1].
func (a Axis) Fraction(v float64) float64 {
	return min(max((v-a.Lo)/(a.Hi-a.Lo), 0), 1)
}

// Labels returns the texts of the ticks. On a linear axis all have the same number of decimals.
func (a Axis) Labels() []string {
	if a.Base > 0 {
		return a.powers()
	}
	ticks := a.Ticks()
	labels := make([]string, len(ticks))
	for i, v := range ticks {
		labels[i] = tickText(v, a.Step)
	}
	return labels
}

func tickText(v, step float64) string {
	if step >= 1e5 || step < 1e-4 {
		digits := 3
		if v != 0 { // so many that neighbours differ
			digits = max(digits, 1+power(math.Abs(v))-power(step))
		}
		return Number(v, digits)
	}
	return Fixed(v, Decimals(step))
}

// power returns the power of ten of the first digit of v.
func power(v float64) int { return int(math.Floor(math.Log10(v * (1 + 1e-9)))) }
