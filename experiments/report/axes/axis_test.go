package axes

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestAxis(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		n      int
		want   []string
	}{
		{0, 1, 5, []string{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"}},
		{0.49, 1, 6, []string{"0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1.0"}},
		{-0.13, 1, 6, []string{"−0.2", "0.0", "0.2", "0.4", "0.6", "0.8", "1.0"}},
		{0, 16000, 4, []string{"0", "5000", "10 000", "15 000", "20 000"}},
		{-3e6, 1e6, 4, []string{"−3e6", "−2e6", "−1e6", "0", "1e6"}},
		{0, 3e-7, 3, []string{"0", "1e−7", "2e−7", "3e−7"}},
		{0.985, 1, 5, []string{"0.985", "0.990", "0.995", "1.000"}},
		{5, 5, 5, []string{"2", "3", "4", "5", "6", "7", "8"}},
		{0, 0, 4, []string{"−1.0", "−0.5", "0.0", "0.5", "1.0"}},
	} {
		a := New(Span{c.lo, c.hi, true}, c.n).Rounded()
		if got := a.Labels(); !slices.Equal(got, c.want) {
			t.Errorf("axis of %g to %g: %q, want %q", c.lo, c.hi, got, c.want)
		}
	}
}

// For any values, the axis contains them, has 2 to 25 ticks, and gives each value a position between its ends.
func TestAxisHoldsAll(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 5000 {
		lo := (r.Float64() - 0.5) * math.Pow(10, 300*(r.Float64()-0.5))
		hi := lo + r.Float64()*math.Pow(10, 300*(r.Float64()-0.5))
		if r.IntN(5) == 0 {
			hi = math.Nextafter(lo, math.Inf(1))
		}
		var s Span
		s.Add(lo, hi)
		a := New(s, 1+r.IntN(8)).Rounded()
		if !s.Some {
			continue // beyond what charts show
		}
		if !(a.Lo <= lo || a.Fraction(lo) < 1e-6) || !(a.Hi >= hi || a.Fraction(hi) > 1-1e-6) || !(a.Lo < a.Hi) {
			t.Fatalf("axis of %g to %g ends at %g and %g", lo, hi, a.Lo, a.Hi)
		}
		if n := len(a.Ticks()); n < 2 || n > 25 {
			t.Fatalf("axis of %g to %g has %d ticks", lo, hi, n)
		}
		for _, v := range []float64{lo, hi, (lo + hi) / 2} {
			if f := a.Fraction(v); !(f >= 0 && f <= 1) {
				t.Fatalf("%g is at %g of %g to %g", v, f, lo, hi)
			}
		}
	}
}

// TestThousandOnLogAxis checks that a tick at 1000 is not 1e3, although its logarithm is rounded.
func TestThousandOnLogAxis(t *testing.T) {
	a := NewLog(Span{math.Log10(100), math.Log10(1000), true}, 5, 10)
	if got, want := a.Labels(), []string{"100", "200", "500", "1000"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestSpanIgnoresAbsent(t *testing.T) {
	var s Span
	s.Add(math.NaN(), math.Inf(1), 1e200)
	if s.Some {
		t.Errorf("span %+v of absent values", s)
	}
	s.Add(3, math.NaN(), -1)
	if s != (Span{-1, 3, true}) {
		t.Errorf("span %+v, want −1 to 3", s)
	}
}

func TestNumber(t *testing.T) {
	for _, c := range []struct {
		v    float64
		want string
	}{
		{0.01234, "0.0123"}, {-4.79e-6, "−4.79e−6"}, {1.2e12, "1.2e12"}, {0, "0"}, {123456, "1.23e5"},
	} {
		if got := Number(c.v, 3); got != c.want {
			t.Errorf("number(%g) = %q, want %q", c.v, got, c.want)
		}
	}
}

func TestFixed(t *testing.T) {
	for _, c := range []struct {
		v        float64
		decimals int
		want     string
	}{
		{1234, 0, "1234"}, {12345.67, 1, "12 345.7"}, {-1234567, 0, "−1 234 567"}, {0.5, 2, "0.50"}, {-0.25, 1, "−0.2"},
	} {
		if got := Fixed(c.v, c.decimals); got != c.want {
			t.Errorf("fixed(%g, %d) = %q, want %q", c.v, c.decimals, got, c.want)
		}
	}
}

func TestBegins(t *testing.T) {
	for _, c := range []struct {
		text string
		v    float64
		want bool
	}{{"0.724 ± 0.197", 0.72412, true}, {"−0.72", -0.7201, true}, {"+0.194 ✓", 0.1941, true}, {"12", 12, true},
		{"45.2 %", 0.452, false}, {"4.041e+07", 4.041e7, false}, {"61 706", 61706, false}, {"–", math.NaN(), false}} {
		if Begins(c.text, c.v) != c.want {
			t.Errorf("%q begins with %g: want %v", c.text, c.v, c.want)
		}
	}
	for text, want := range map[string]bool{"0.7829": true, "0.05567": true, "1.099": true, "-4.041e+07": true, "0.825": false,
		"0.001": false, "1234": false, "6": false} {
		if Rounded(text) != want {
			t.Errorf("%s has four digits: want %v", text, want)
		}
	}
}

// The labels of neighbouring ticks differ: on logarithmic axes of one and a half powers, which room at the ends makes wider,
// and where steps are small or large beside the numbers.
func TestLabelsDiffer(t *testing.T) {
	for what, a := range map[string]Axis{
		"one and a half powers":         NewLog(Span{7.05, 8.5, true}, 5, 10),
		"one and a half powers, near 1": NewLog(Span{-.1, 1.35, true}, 5, 10),
		"small steps":                   New(Span{.5, .50005, true}, 5).Rounded(),
		"large numbers":                 New(Span{1e8, 1.005e8, true}, 5).Rounded(),
	} {
		labels := a.Labels()
		for i := 1; i < len(labels); i++ {
			if labels[i] == labels[i-1] {
				t.Errorf("%s: the labels %q", what, labels)
				break
			}
		}
	}
}
