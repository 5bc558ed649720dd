package axes

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Quantity is what an axis measures, read from its label. With a label such as "log₁₀ seconds" or "log2 of the width", values
// are logarithms: the axis shows the quantity itself, with ticks at powers. With a label such as "iteration, from M = I", the
// text after "from" replaces the number at 0.
type Quantity struct {
	Label  string  // without the logarithm
	start  string  // the text of the tick at 0; "" for the number
	Base   float64 // the base of the logarithms, 0 if values are not logarithms
	lo, hi float64 // the least and the largest possible value
}

var logarithm = regexp.MustCompile(`^log(₁₀|10|₂|2) (?:of )?(?:the )?(.+)$`)

// bounded has the words in labels that tell quantities with bounds, and these bounds.
var bounded = []struct {
	words  []string
	lo, hi float64
}{
	{[]string{"correlation", "pearson", "cosine", "similarity"}, -1, 1},
	{[]string{"accuracy", "share", "fraction"}, 0, 1},
	{[]string{"r²"}, math.Inf(-1), 1},
	{[]string{"percent wrong", "percent right", "error (%)"}, 0, 100},
}

// QuantityOf returns the quantity that an axis with the given label measures.
func QuantityOf(label string) Quantity {
	q := Quantity{Label: label, lo: math.Inf(-1), hi: math.Inf(1)}
	if before, start, named := strings.Cut(label, ", from "); named {
		q.Label, q.start = before, start
		return q
	}
	if m := logarithm.FindStringSubmatch(strings.TrimSpace(label)); m != nil {
		q.Label, q.Base = m[2], 10
		if m[1] == "2" || m[1] == "₂" {
			q.Base = 2
		}
		return q
	}
	for _, b := range bounded {
		for _, word := range b.words {
			if strings.Contains(strings.ToLower(label), word) {
				q.lo, q.hi = b.lo, b.hi
				return q
			}
		}
	}
	return q
}

// Clip cuts the span of everything shown, with bands and error bars, to the bounds of the quantity. If a value itself lies
// beyond the bounds, the label means something else, and Clip cuts nothing.
func (q Quantity) Clip(values, shown Span) Span {
	if values.Some && (values.Lo < q.lo || values.Hi > q.hi) {
		return shown
	}
	shown.Lo, shown.Hi = max(shown.Lo, q.lo), min(shown.Hi, q.hi)
	return shown
}

// Bound cuts off what rounding added to the axis of values beyond the bounds, unless values lie there, as in Clip.
func (q Quantity) Bound(a Axis, values Span) Axis {
	const rounding = 1e-6
	if values.Some && (values.Lo < q.lo-rounding || values.Hi > q.hi+rounding) {
		return a
	}
	if a.Lo < q.lo && q.lo < a.Hi {
		a.Lo = q.lo
	}
	if a.Hi > q.hi && q.hi > a.Lo {
		a.Hi = q.hi
	}
	return a
}

// Value returns the quantity that a value of the axis stands for. It rounds powers to twelve digits, which removes the
// error of computing them.
func (q Quantity) Value(v float64) float64 {
	if q.Base == 0 || math.IsNaN(v) {
		return v
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(math.Pow(q.Base, v), 'g', 12, 64), 64) // no error is possible
	return rounded
}

// Labels returns the texts of the ticks of an axis of the quantity.
func (q Quantity) Labels(a Axis) []string {
	labels := a.Labels()
	if i := slices.Index(a.Ticks(), 0); i >= 0 && q.start != "" {
		labels[i] = q.start
	}
	return labels
}
