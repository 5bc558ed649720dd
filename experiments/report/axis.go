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

// present reports whether v is a value that can be shown.
func present(v float64) bool { return math.Abs(v) <= huge }

// at returns element i of v, NaN if v is nil or the element cannot be shown.
func at(v []float64, i int) float64 {
	if i >= len(v) || !present(v[i]) {
		return math.NaN()
	}
	return v[i]
}

// span is a range of values; the zero value is empty.
type span struct {
	lo, hi float64
	some   bool
}

// add widens the span to hold every value that is present.
func (s *span) add(values ...float64) {
	for _, v := range values {
		switch {
		case !present(v):
		case !s.some:
			*s = span{v, v, true}
		default:
			s.lo, s.hi = min(s.lo, v), max(s.hi, v)
		}
	}
}

// axis is a scale from lo to hi with ticks at multiples of step. If it has a base, its values are
// logarithms to that base, and ticks are named by the powers.
type axis struct {
	lo, hi, step float64
	base         float64
}

// newAxis returns an axis that holds s, about n steps long. A span without
// values becomes [0, 1]; one without length gets some.
func newAxis(s span, n int) axis {
	if !s.some {
		s = span{0, 1, true}
	}
	size := max(math.Abs(s.lo), math.Abs(s.hi))
	switch {
	case size < 1/huge:
		s.lo, s.hi = -1, 1
	case s.hi-s.lo <= 1e-9*size:
		s.lo, s.hi = s.lo-size/2, s.hi+size/2
	}
	return axis{lo: s.lo, hi: s.hi, step: niceStep((s.hi - s.lo) / float64(n))}
}

// rounded returns the axis with its ends moved outwards to ticks.
func (a axis) rounded() axis {
	a.lo = math.Floor(a.lo/a.step+1e-9) * a.step
	a.hi = math.Ceil(a.hi/a.step-1e-9) * a.step
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

// ticks returns the multiples of the step on the axis.
func (a axis) ticks() []float64 {
	if a.within() {
		return a.ticksWithin()
	}
	var ticks []float64
	first := math.Ceil(a.lo/a.step - 1e-6)
	last := math.Floor(a.hi/a.step + 1e-6)
	for k := first; k <= last && len(ticks) < 100; k++ {
		ticks = append(ticks, k*a.step+0) // + 0 turns −0 into 0
	}
	return ticks
}

// fraction returns where v lies between the ends of the axis, kept to [0, 1].
func (a axis) fraction(v float64) float64 {
	return min(max((v-a.lo)/(a.hi-a.lo), 0), 1)
}

// labels returns the texts of the ticks, all with the same decimals.
func (a axis) labels() []string {
	if a.base > 0 {
		return a.powers()
	}
	ticks := a.ticks()
	labels := make([]string, len(ticks))
	for i, v := range ticks {
		labels[i] = tickText(v, a.step)
	}
	return labels
}

func tickText(v, step float64) string {
	if step >= 1e5 || step < 1e-4 {
		return number(v, 3)
	}
	return fixed(v, decimals(step))
}

// decimals returns how many decimals tell multiples of step apart.
func decimals(step float64) int {
	return max(0, int(-math.Floor(math.Log10(step*(1+1e-9)))))
}

// fixed returns v with that many decimals. Five or more digits before the point
// are set in groups of three.
func fixed(v float64, decimals int) string {
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
		return minus("-" + whole)
	}
	return whole
}

// number returns v with that many significant digits, in exponents if that is shorter.
func number(v float64, digits int) string {
	s := strconv.FormatFloat(v, 'g', digits, 64)
	s = strings.Replace(s, "e-0", "e-", 1)
	s = strings.Replace(s, "e+0", "e", 1)
	s = strings.Replace(s, "e+", "e", 1)
	return minus(s)
}

// minus sets a proper minus sign, which is as wide as a digit.
func minus(s string) string { return strings.ReplaceAll(s, "-", "−") }

// frame is the area of a plot with its upright axis.
type frame struct {
	vg.Rectangle
	y axis
}

// tickGap separates the label of a tick from the plot.
const tickGap vg.Length = 4

// tickRoom returns the width that the labels of an upright axis take.
func tickRoom(a axis) vg.Length {
	return draw.Regular(smallSize).Widest(a.labels()) + tickGap
}

// height returns where v lies on the upright axis, in points.
func (f frame) height(v float64) vg.Length {
	return f.Min.Y + vg.Length(f.y.fraction(v))*(f.Max.Y-f.Min.Y)
}

// drawGrid draws a light line and a label per tick of the upright axis, and
// the line of zero darker if values lie on both sides of it.
func (f frame) drawGrid(d draw.Pen) {
	var light, dark vg.Path
	font := draw.Regular(smallSize)
	labels := f.y.labels()
	for i, v := range f.y.ticks() {
		y := f.height(v)
		path := &light
		if f.y.base == 0 && (v == 0 || i == 0 && v == f.y.lo && v > 0) {
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
