package report

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/plot/vg"
)

// Labels at the ends of curves keep apart and keep their order.
func TestSpreadEnds(t *testing.T) {
	r := random(3)
	for range 500 {
		ends := make([]curveEnd, r.IntN(20))
		for i := range ends {
			y := vg.Length(r.Float64()) * linePlot
			ends[i] = curveEnd{end: y, at: y}
		}
		if !spreadEnds(ends, linePlot) {
			if vg.Length(len(ends)-1)*endLine <= linePlot {
				t.Fatalf("%d labels do not fit", len(ends))
			}
			continue
		}
		for i := 1; i < len(ends); i++ {
			if ends[i].end < ends[i-1].end || ends[i].at-ends[i-1].at < endLine-1e-9 || ends[i-1].at < 0 ||
				ends[i].at > linePlot+1e-9 {
				t.Fatalf("labels %d and %d are at %.1f and %.1f", i-1, i, ends[i-1].at, ends[i].at)
			}
		}
	}
}

// Labels that do not overlap stay at their curves. Two that overlap are moved by the same distance, unless one of them
// would leave the plot.
func TestSpreadEndsLittle(t *testing.T) {
	for _, c := range []struct{ ends, want []vg.Length }{
		{[]vg.Length{10, 60, 190}, []vg.Length{10, 60, 190}},
		{[]vg.Length{100, 100}, []vg.Length{100 - endLine/2, 100 + endLine/2}},
		{[]vg.Length{0, 0}, []vg.Length{0, endLine}},
		{[]vg.Length{linePlot, linePlot}, []vg.Length{linePlot - endLine, linePlot}},
	} {
		ends := make([]curveEnd, len(c.ends))
		for i, y := range c.ends {
			ends[i].end = y
		}
		if !spreadEnds(ends, linePlot) {
			t.Fatalf("%v do not fit", c.ends)
		}
		for i, want := range c.want {
			if math.Abs(float64(ends[i].at-want)) > 1e-9 {
				t.Errorf("%v: label %d is at %v, want %v", c.ends, i, ends[i].at, want)
			}
		}
	}
}

// Labels move from the ends of the curves to a legend if a curve ends early, a label is too long, or there are too
// many.
func TestLineLabels(t *testing.T) {
	x := []float64{0, 1, 2, 3}
	full := Series{Label: "full", X: x, Y: x}
	for _, c := range []struct {
		name   string
		series []Series
		ends   int // labels at the curves
		lines  int // of the legend
	}{
		{"none", nil, 0, 0},
		{"one", []Series{full}, 1, 0},
		{"without a label", []Series{{X: x, Y: x}}, 0, 0},
		{"early end", []Series{full, {Label: "early", X: x[:2], Y: x[:2]}}, 0, 1},
		{"long", []Series{full, {Label: "a label that is much too long for the right edge", X: x, Y: x}}, 0, 1},
		{"many", slices.Repeat([]Series{full}, 40), 0, 4},
	} {
		l := newLineChart(&Description{Lines: c.series}, onPage)
		if len(l.ends) != c.ends || len(l.legend.lines) != c.lines {
			t.Errorf("%s: %d labels at curves, %d lines of legend; want %d, %d", c.name, len(l.ends),
				len(l.legend.lines), c.ends, c.lines)
		}
	}
}

func TestRuns(t *testing.T) {
	ok := []bool{true, true, false, false, true, false, true}
	got := runs(len(ok), func(i int) bool { return ok[i] })
	if want := []run{{0, 2}, {4, 5}, {6, 7}}; !slices.Equal(got, want) {
		t.Errorf("runs %v, want %v", got, want)
	}
}

// Dots are not joined to a curve, and the description calls them points.
func TestLineDots(t *testing.T) {
	x := []float64{1, 2, 3}
	joined, err := LineChart("f", "", "x", "y", []Series{{Label: "a table", X: x, Y: x}})
	if err != nil {
		t.Fatal(err)
	}
	apart, err := LineChart("f", "", "x", "y", []Series{{Label: "a table", X: x, Y: x, Dots: true}})
	if err != nil {
		t.Fatal(err)
	}
	if slices.Equal(joined.SVG, apart.SVG) || apart.Alt != "Chart of y by x, 1 curve. a table: 3 points." {
		t.Errorf("dots are drawn as a curve, or called %q", apart.Alt)
	}
}
