package axes

import (
	"math"
	"slices"
	"testing"
)

func TestQuantity(t *testing.T) {
	for _, c := range []struct {
		label, shown string
		base, hi     float64
	}{
		{"accuracy", "accuracy", 0, 1}, {"Pearson similarity of CNFM and AGOP", "Pearson similarity of CNFM and AGOP", 0, 1},
		{"test R²", "test R²", 0, 1}, {"seconds", "seconds", 0, math.Inf(1)}, {"percent wrong", "percent wrong", 0, 100},
		{"log₁₀ ηT/width", "ηT/width", 10, math.Inf(1)}, {"log2 of the width factor", "width factor", 2, math.Inf(1)},
		{"log10 of the norm", "norm", 10, math.Inf(1)}, {"logarithm", "logarithm", 0, math.Inf(1)},
	} {
		if q := QuantityOf(c.label); q.Label != c.shown || q.Base != c.base || q.hi != c.hi {
			t.Errorf("%q is %+v", c.label, q)
		}
	}
	if got := QuantityOf("log10 n").Value(math.Log10(300)); got != 300 {
		t.Errorf("300 comes back as %v", got)
	}
	q := QuantityOf("iteration, from M = I")
	if got := q.Labels(New(Span{0, 2, true}, 2)); q.Label != "iteration" || !slices.Equal(got, []string{"M = I", "1", "2"}) {
		t.Errorf("%+v has ticks %q", q, got)
	}
}

// An axis of widths can have the widths themselves as ticks, and powers of two are written out.
func TestWidths(t *testing.T) {
	a := NewLog(Span{-2, math.Log2(60), true}, 6, 2)
	a.At = []float64{-2, 0, math.Log2(5), math.Log2(60)}
	if got := a.Labels(); !slices.Equal(got, []string{"1/4", "1", "5", "60"}) {
		t.Errorf("%q", got)
	}
	if got, want := a.LeastGap(), 2/(a.Hi-a.Lo); math.Abs(got-want) > 1e-9 {
		t.Errorf("least gap %g, want %g", got, want)
	}
	if got := NewLog(Span{0, 6, true}, 6, 2).Labels(); got[len(got)-1] != "64" {
		t.Errorf("%q", got)
	}
}
