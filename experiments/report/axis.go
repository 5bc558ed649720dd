package report

import (
	"math"
	"strconv"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/report/draw"
	"gonum.org/v1/plot/vg"
)

// huge is the largest size of a value that is placed on an axis; beyond it,
// differences and squares overflow.
const huge = 1e150

// Present reports whether v is a value that can be shown.
func Present(v float64) bool { return math.Abs(v) <= huge }

// at returns element i of v, NaN if v is nil or the element cannot be shown.
func at(v []float64, i int) float64 {
	if i >= len(v) || !Present(v[i]) {
		return math.NaN()
	}
	return v[i]
}

// Span is a range of values; the zero value is empty.
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

// Axis is a scale from lo to hi with ticks at multiples of step. If it has a base, its values are
// logarithms to that base, and ticks are named by the powers.
type Axis struct {
	Lo, Hi, Step float64
	Base         float64
}

// NewAxis returns an axis that holds s, about n steps long. A span without
// values becomes [0, 1]; one without length gets some.
func NewAxis(s Span, n int) Axis {
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

// Ticks returns the multiples of the step on the axis.
func (a Axis) Ticks() []float64 {
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

// Fraction returns where v lies between the ends of the axis, kept to [0, 1].
func (a Axis) Fraction(v float64) float64 {
	return min(max((v-a.Lo)/(a.Hi-a.Lo), 0), 1)
}

// Labels returns the texts of the ticks, all with the same decimals.
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
		return Number(v, 3)
	}
	return Fixed(v, Decimals(step))
}

// Decimals returns how many Decimals tell multiples of step apart.
func Decimals(step float64) int {
	return max(0, int(-math.Floor(math.Log10(step*(1+1e-9)))))
}

// Fixed returns v with that many decimals. Five or more digits before the point
// are set in groups of three.
func Fixed(v float64, decimals int) string {
	s := strconv.FormatFloat(math.Abs(v), 'f', decimals, 64)
	whole, rest, _ := strings.Cut(s, ".")
	if len(whole) > 4 {
		for i := len(whole) - 3; i > 0; i -= 3 {
			whole = whole[:i] + " " + whole[i:]
		}
	}
	if rest != "" {
		whole += "." + rest
	}
	if v < 0 {
		return Minus("-" + whole)
	}
	return whole
}

// Number returns v with that many significant digits, in exponents if that is shorter.
func Number(v float64, digits int) string {
	s := strconv.FormatFloat(v, 'g', digits, 64)
	s = strings.Replace(s, "e-0", "e-", 1)
	s = strings.Replace(s, "e+0", "e", 1)
	s = strings.Replace(s, "e+", "e", 1)
	return Minus(s)
}

// Minus sets a proper Minus sign, which is as wide as a digit.
func Minus(s string) string { return strings.ReplaceAll(s, "-", "−") }

// frame is the area of a plot with its upright axis.
type frame struct {
	vg.Rectangle
	y Axis
}

// tickGap separates the label of a tick from the plot.
const tickGap vg.Length = 4

// tickRoom returns the width that the labels of an upright axis take.
func tickRoom(a Axis) vg.Length {
	return draw.Regular(smallSize).Widest(a.Labels()) + tickGap
}

// height returns where v lies on the upright axis, in points.
func (f frame) height(v float64) vg.Length {
	return f.Min.Y + vg.Length(f.y.Fraction(v))*(f.Max.Y-f.Min.Y)
}

// drawGrid draws a light line and a label per tick of the upright axis, and
// the line of zero darker if values lie on both sides of it.
func (f frame) drawGrid(d draw.Pen) {
	var light, dark vg.Path
	font := draw.Regular(smallSize)
	labels := f.y.Labels()
	for i, v := range f.y.Ticks() {
		y := f.height(v)
		path := &light
		if f.y.Base == 0 && (v == 0 || i == 0 && v == f.y.Lo && v > 0) {
			path = &dark
		}
		draw.AddSegment(path, vg.Point{X: f.Min.X, Y: y}, vg.Point{X: f.Max.X, Y: y})
		d.Middled(font, soft, vg.Point{X: f.Min.X - tickGap, Y: y}, draw.AtRight, labels[i])
	}
	d.Stroke(rail, fineLine, light)
	d.Stroke(axisIn, fineLine, dark)
}

// drawNote writes a line into the middle of the plot, for one without data.
func (f frame) drawNote(d draw.Pen, note string) {
	at := vg.Point{X: (f.Min.X + f.Max.X) / 2, Y: (f.Min.Y + f.Max.Y) / 2}
	d.Middled(draw.Regular(textSize), soft, at, draw.AtCentre, note)
}
