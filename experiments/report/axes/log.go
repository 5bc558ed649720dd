package axes

import (
	"math"
	"strconv"
	"strings"
)

// NewLog returns an axis of logarithms to a base that contains s, about n steps long, with some room at its ends.
func NewLog(s Span, n int, base float64) Axis {
	a := New(s, n)
	a.Base = base
	a.Step = max(1, math.Round(a.Step)) // a whole number of powers; ticks between powers do not use it
	const room = 0.04
	a.Lo, a.Hi = a.Lo-room*(a.Hi-a.Lo), a.Hi+room*(a.Hi-a.Lo)
	return a
}

// within reports whether the axis spans so few powers that it needs ticks between them.
func (a Axis) within() bool { return a.Base > 0 && a.Hi-a.Lo < 1.5 && math.Abs(a.Lo) < 12 }

// ticksWithin returns the logarithms of round numbers: of 1, 2 and 5 times powers of ten if at least three of these lie on
// the axis, or else of equidistant numbers.
func (a Axis) ticksWithin() []float64 {
	from, to := math.Pow(a.Base, a.Lo), math.Pow(a.Base, a.Hi)
	var round []float64
	for k := math.Floor(math.Log10(from)); k <= math.Log10(to); k++ {
		for _, m := range []float64{1, 2, 5} {
			if v := m * math.Pow(10, k); v >= from && v <= to {
				round = append(round, v)
			}
		}
	}
	if len(round) < 3 {
		round = New(Span{from, to, true}, 5).Ticks()
	}
	for i, v := range round {
		round[i] = math.Log(v) / math.Log(a.Base)
	}
	return round
}

// powers returns the texts of the ticks of a logarithmic axis.
func (a Axis) powers() []string {
	ticks := a.Ticks()
	texts := make([]string, len(ticks))
	most := 4.5 // the largest power of which the text is the number itself
	if a.Base == 2 {
		most = 12.5
	}
	far := !a.within() && (a.Lo < -most || a.Hi > most)
	for i, v := range ticks {
		value := math.Pow(a.Base, v)
		switch {
		case far && v == math.Trunc(v):
			texts[i] = strconv.Itoa(int(a.Base)) + raisedDigits.Replace(strconv.Itoa(int(math.Round(v))))
		case a.Base == 2 && !a.within() && v < 0 && v == math.Trunc(v):
			texts[i] = "1/" + strconv.Itoa(int(math.Round(1/value)))
		default:
			texts[i] = Number(value, 3)
			if math.Round(value) >= 1000 && value < 1e6 {
				texts[i] = Fixed(value, 0)
			}
		}
	}
	return texts
}

var raisedDigits = strings.NewReplacer("-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶",
	"7", "⁷", "8", "⁸", "9", "⁹")

// Between returns the places of marks without texts between the powers of ten, or nil unless ticks are one power apart.
func (a Axis) Between() []float64 {
	if a.Base != 10 || a.within() || a.Step != 1 || a.At != nil {
		return nil
	}
	var places []float64
	for k := math.Floor(a.Lo); k <= a.Hi; k++ {
		for m := 2.; m < 10; m++ {
			if v := k + math.Log10(m); v >= a.Lo && v <= a.Hi {
				places = append(places, v)
			}
		}
	}
	return places
}
