package axes

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Quantity is what an axis measures, as its label says. Values of a label such as "log₁₀ seconds" or "log2 of the
// width" are logarithms: the axis shows the quantity itself, with ticks at its powers. One such as "iteration, from M = I" says
// what is at 0, which stands there in place of the number.
type Quantity struct {
	Label  string  // without the logarithm
	start  string  // stands at 0 in place of the number; "" for that
	Base   float64 // of the logarithms that the values are, 0 if they are none
	lo, hi float64 // the least and the largest value that there can be
}

var logarithm = regexp.MustCompile(`^log(₁₀|10|₂|2) (?:of )?(?:the )?(.+)$`)

// bounded are words in labels of quantities that have bounds.
var bounded = []struct {
	words  []string
	lo, hi float64
}{
	{[]string{"correlation", "pearson", "cosine", "similarity"}, -1, 1},
	{[]string{"accuracy", "share", "fraction"}, 0, 1},
	{[]string{"r²"}, math.Inf(-1), 1},
	{[]string{"percent wrong", "percent right", "error (%)"}, 0, 100},
}

// QuantityOf returns what the axis with a label measures.
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

// Clip returns the span of what is shown, which holds bands and error bars, cut to the bounds of the quantity. Where a
// value itself lies beyond them, the label means something else, and nothing is cut.
func (q Quantity) Clip(values, shown Span) Span {
	if values.Some && (values.Lo < q.lo || values.Hi > q.hi) {
		return shown
	}
	shown.Lo, shown.Hi = max(shown.Lo, q.lo), min(shown.Hi, q.hi)
	return shown
}

// Bound returns the axis without what rounding added to it beyond the bounds.
func (q Quantity) Bound(a Axis) Axis {
	if a.Lo < q.lo && q.lo < a.Hi {
		a.Lo = q.lo
	}
	if a.Hi > q.hi && q.hi > a.Lo {
		a.Hi = q.hi
	}
	return a
}

// Value returns the quantity that a value stands for. Of logarithms it has twelve digits, which are not those of
// rounding.
func (q Quantity) Value(v float64) float64 {
	if q.Base == 0 || math.IsNaN(v) {
		return v
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(math.Pow(q.Base, v), 'g', 12, 64), 64) // what was just written
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
