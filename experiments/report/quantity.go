package report

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/report/axes"
)

// quantity is what an axis measures, as its label says. Values of a label such as "log₁₀ seconds" or "log2 of the
// width" are logarithms: the axis shows the quantity itself, with ticks at its powers.
type quantity struct {
	label  string  // without the logarithm
	base   float64 // of the logarithms that the values are, 0 if they are none
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
	{[]string{"percent wrong", "percent right"}, 0, 100},
}

func quantityOf(label string) quantity {
	q := quantity{label, 0, math.Inf(-1), math.Inf(1)}
	if m := logarithm.FindStringSubmatch(plain(label)); m != nil {
		q.label, q.base = m[2], 10
		if m[1] == "2" || m[1] == "₂" {
			q.base = 2
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

// clip returns the span of what is shown, which holds bands and error bars, cut to the bounds of the quantity. Where a
// value itself lies beyond them, the label means something else, and nothing is cut.
func (q quantity) clip(values, shown axes.Span) axes.Span {
	if values.Some && (values.Lo < q.lo || values.Hi > q.hi) {
		return shown
	}
	shown.Lo, shown.Hi = max(shown.Lo, q.lo), min(shown.Hi, q.hi)
	return shown
}

// bound returns the axis without what rounding added to it beyond the bounds.
func (q quantity) bound(a axes.Axis) axes.Axis {
	if a.Lo < q.lo && q.lo < a.Hi {
		a.Lo = q.lo
	}
	if a.Hi > q.hi && q.hi > a.Lo {
		a.Hi = q.hi
	}
	return a
}

// value returns the quantity that a value stands for. Of logarithms it has twelve digits, which are not those of
// rounding.
func (q quantity) value(v float64) float64 {
	if q.base == 0 || math.IsNaN(v) {
		return v
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(math.Pow(q.base, v), 'g', 12, 64), 64) // what was just written
	return rounded
}
