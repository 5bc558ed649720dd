package report

import (
	"math"
	"strconv"
	"strings"
)

// newLogAxis returns an axis of logarithms to a base that holds s, about n steps long, with some room at its ends.
func newLogAxis(s span, n int, base float64) axis {
	a := newAxis(s, n)
	a.base = base
	if !a.within() {
		a.step = max(1, math.Round(a.step)) // 2.5 is none of the steps
	}
	const room = 0.04
	a.lo, a.hi = a.lo-room*(a.hi-a.lo), a.hi+room*(a.hi-a.lo)
	return a
}

// within reports whether the axis spans so few powers that ticks between them are needed.
func (a axis) within() bool { return a.base > 0 && a.hi-a.lo < 1.5 && math.Abs(a.lo) < 12 }

// ticksWithin returns the logarithms of round numbers: of 1, 2 and 5 times powers of ten if three of them are on the
// axis, or else of numbers at even distances.
func (a axis) ticksWithin() []float64 {
	from, to := math.Pow(a.base, a.lo), math.Pow(a.base, a.hi)
	var round []float64
	for k := math.Floor(math.Log10(from)); k <= math.Log10(to); k++ {
		for _, m := range []float64{1, 2, 5} {
			if v := m * math.Pow(10, k); v >= from && v <= to {
				round = append(round, v)
			}
		}
	}
	if len(round) < 3 {
		round = newAxis(span{from, to, true}, 5).ticks()
	}
	for i, v := range round {
		round[i] = math.Log(v) / math.Log(a.base)
	}
	return round
}

// powers returns the texts of the ticks of a logarithmic axis.
func (a axis) powers() []string {
	ticks := a.ticks()
	texts := make([]string, len(ticks))
	far := !a.within() && (a.lo < -4.5 || a.hi > 4.5)
	for i, v := range ticks {
		value := math.Pow(a.base, v)
		switch {
		case far:
			texts[i] = strconv.Itoa(int(a.base)) + raisedDigits.Replace(strconv.Itoa(int(math.Round(v))))
		case a.base == 2 && !a.within() && v < 0:
			texts[i] = "1/" + strconv.Itoa(int(math.Round(1/value)))
		default:
			texts[i] = number(value, 3)
			if value >= 1000 && value < 1e6 {
				texts[i] = fixed(value, 0)
			}
		}
	}
	return texts
}

var raisedDigits = strings.NewReplacer("-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶",
	"7", "⁷", "8", "⁸", "9", "⁹")

// between returns the places of marks without texts between the powers of ten, if the ticks are a power apart.
func (a axis) between() []float64 {
	if a.base != 10 || a.within() || a.step != 1 {
		return nil
	}
	var places []float64
	for k := math.Floor(a.lo); k <= a.hi; k++ {
		for m := 2.; m < 10; m++ {
			if v := k + math.Log10(m); v >= a.lo && v <= a.hi {
				places = append(places, v)
			}
		}
	}
	return places
}
