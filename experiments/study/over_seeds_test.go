package study

import (
	"math"
	"slices"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/report"
)

// A cell of a table over seeds has a mark only if it has this mark in every seed.
func TestMarksOverSeeds(t *testing.T) {
	seed := func(marks ...report.Mark) *Outcome {
		table := report.Table{Columns: []report.Column{{Name: "value", Numeric: true}}}
		for i, m := range marks {
			table.Rows = append(table.Rows, []report.Cell{{Text: "1.00", Value: float64(i + 1), Mark: m}})
		}
		return &Outcome{Tables: []report.Table{table}}
	}
	got := tablesOverSeeds([]*Outcome{seed(report.Good, report.Good, report.Unmarked),
		seed(report.Good, report.Unmarked, report.Good)})[0]
	for i, want := range []report.Mark{report.Good, report.Unmarked, report.Unmarked} {
		if m := got.Rows[i][0].Mark; m != want {
			t.Errorf("row %d has mark %v, want %v", i, m, want)
		}
	}
}

// A curve over seeds has the points that all seeds have. Each is the mean of the values at the same place, even if a
// seed lacks an earlier point.
func TestSeriesOverSeeds(t *testing.T) {
	seed := func(labels []string, x, y []float64) *Outcome {
		return &Outcome{Charts: []Chart{{Name: "c", Labels: labels, Series: []report.Series{{Label: "s", X: x, Y: y}}}}}
	}
	other := &Outcome{Charts: []Chart{{Name: "new"},
		{Name: "c", Series: []report.Series{{Label: "new"},
			{Label: "s", X: []float64{1, 2, 4}, Y: []float64{30, 40, 50}}}}}}
	for _, c := range []struct {
		what     string
		outcomes []*Outcome
		x, y     []float64
	}{
		{"a training diverged at 2", []*Outcome{seed(nil, []float64{1, 2, 4}, []float64{1, 2, 3}),
			seed(nil, []float64{1, 4}, []float64{3, 5})}, []float64{1, 4}, []float64{2, 4}},
		{"one did in either seed", []*Outcome{seed(nil, []float64{1, 2}, []float64{1, 2}),
			seed(nil, []float64{1, 4}, []float64{3, 5})}, []float64{1}, []float64{2}},
		{"another version has more", []*Outcome{seed(nil, []float64{1, 2, 4}, []float64{10, 20, 30}), other},
			[]float64{1, 2, 4}, []float64{20, 30, 40}},
		{"bars of other layers", []*Outcome{seed([]string{"a", "c"}, []float64{0, 1}, []float64{1, 2}),
			seed([]string{"a", "b", "c"}, []float64{0, 1, 2}, []float64{3, 9, 6})}, []float64{0, 1}, []float64{2, 4}},
		{"two points at one place", []*Outcome{seed(nil, []float64{1, 1}, []float64{1, 2}),
			seed(nil, []float64{1, 1}, []float64{3, 6})}, []float64{1, 1}, []float64{2, 4}},
	} {
		if s := seriesOverSeeds(c.outcomes, 0, 0); !slices.Equal(s.X, c.x) || !slices.Equal(s.Y, c.y) ||
			len(s.Low) != len(s.X) {
			t.Errorf("%s: %+v", c.what, s)
		}
	}
	dots := seed(nil, []float64{.1, .2}, []float64{1, 2})
	elsewhere := seed(nil, []float64{.15, .25}, []float64{3, 4})
	dots.Charts[0].Series[0].Dots, elsewhere.Charts[0].Series[0].Dots = true, true
	if s := seriesOverSeeds([]*Outcome{dots, elsewhere}, 0, 0); !slices.Equal(s.Y, []float64{2, 3}) {
		t.Errorf("dots: %+v", s)
	}
}

// A bar without a value is left out, and the others keep their places.
func TestBarsWithoutAll(t *testing.T) {
	c := Chart{Name: "c", Labels: []string{"a", "b", "c"}}
	g := c.bars(report.Series{X: []float64{0, 2}, Y: []float64{1, 3}, High: []float64{1.5, 4}})
	if g.Values[0] != 1 || !math.IsNaN(g.Values[1]) || g.Values[2] != 3 || g.Errors[0] != .5 ||
		!math.IsNaN(g.Errors[1]) || g.Errors[2] != 1 {
		t.Errorf("%+v", g)
	}
	if _, err := c.draw([]report.Series{{Label: "s", X: []float64{0, 2}, Y: []float64{1, 3}}}); err != nil {
		t.Error(err)
	}
}

// A cell that the first seed lacks is the mean of the seeds that have it, with their decimals.
func TestCellThatASeedLacks(t *testing.T) {
	seed := func(text string, v float64) *Outcome {
		return &Outcome{Tables: []report.Table{{Columns: []report.Column{{Name: "v", Numeric: true}},
			Rows: [][]report.Cell{{{Text: text, Value: v}}}}}}
	}
	none, one, other := seed("–", math.NaN()), seed("0.873", .873), seed("0.881", .881)
	for _, c := range []struct {
		seeds []*Outcome
		want  string
	}{{[]*Outcome{none, one, other}, "0.877 ± 0.006"}, {[]*Outcome{none, one}, "0.873"}, {[]*Outcome{none, none}, "–"}} {
		if got := tablesOverSeeds(c.seeds)[0].Rows[0][0].Text; got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// A table that another version renamed, or gave other columns, does not enter the mean.
func TestTablesOfVersions(t *testing.T) {
	seed := func(name, column string, v float64) *Outcome {
		return &Outcome{Tables: []report.Table{{Name: "first"},
			{Name: name, Columns: []report.Column{{Name: column, Numeric: true}},
				Rows: [][]report.Cell{{{Text: "1.0", Value: v}}}}}}
	}
	mean := func(all ...*Outcome) float64 { return tablesOverSeeds(all)[1].Rows[0][0].Value }
	same, renamed, changed := seed("t", "v", 3), seed("u", "v", 3), seed("t", "w", 3)
	moved := &Outcome{Tables: same.Tables[1:]}
	for _, c := range []struct {
		other *Outcome
		want  float64
	}{{same, 2}, {moved, 2}, {renamed, 1}, {changed, 1}} {
		if got := mean(seed("t", "v", 1), c.other); got != c.want {
			t.Errorf("%+v: %g, want %g", c.other.Tables, got, c.want)
		}
	}
}

// A note that only some seeds have is kept, with the numbers of these seeds.
func TestNotesOverSeeds(t *testing.T) {
	r := &Record{experiment: &Experiment{}}
	for k, notes := range [][]string{{"all"}, {"it diverged", "all", "all"}, {"all", "two", "it diverged"}} {
		r.add(&seedRecord{Seed: uint64(k), outcome: &Outcome{Notes: notes}})
	}
	if got := r.notesOverSeeds(); !slices.Equal(got, []string{"all", "it diverged (seeds 1 2)", "two (seed 2)"}) {
		t.Errorf("%q", got)
	}
}
