package energypaper

import (
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"gonum.org/v1/gonum/floats"
)

// addResults adds the values of the claims, the tables and the charts of the pairs.
func (s *LinearTableSpec) addResults(all []*linearCurves, o *study.Outcome) {
	least, centred := make([]float64, len(linearTimes())), 0.
	for _, c := range all {
		o.Set(likeRandom.Of(c.key), c.atPaper[linearRandom])
		o.Set(likeOptimum.Of(c.key), c.atPaper[linearOptimum])
		o.Set(likeInitial.Of(c.key), c.atPaper[linearInit])
		centred += c.atPaper[linearCentred] / float64(len(all))
		floats.AddScaled(least, 1/float64(len(all)), c.measures[linearRandom])
	}
	o.Set(randomCentred, centred)
	o.Set(randomAnyTime, floats.Min(least))
	o.Tables = append(o.Tables, linearTable(all), timesTable(all))
	for _, c := range []struct {
		name, title string
		measure     int
		paper       func(linearPair) float64
	}{
		{"time-random", "True and random labels", linearRandom, func(p linearPair) float64 { return p.rand }},
		{"time-optimum", "True labels and the optimum", linearOptimum, func(p linearPair) float64 { return p.optimum }},
		{"time-initial", "True labels and the initial filters", linearInit,
			func(p linearPair) float64 { return p.init }},
	} {
		o.Charts = append(o.Charts, timeChart(all, c.name, c.title, c.measure, c.paper))
	}
	o.Charts = append(o.Charts, controlChart(all))
}

// timeChart draws a measure of all pairs by ηT/width, with the paper's numbers as dots.
func timeChart(all []*linearCurves, name, title string, measure int, paper func(linearPair) float64) study.Chart {
	c := study.Chart{Name: name, Title: title, XLabel: "log₁₀ ηT/width", YLabel: "Pearson correlation of profiles",
		Caption: fmt.Sprintf("By the closed form. Dots are Table 3's numbers, at %.3g, where the paper would be with "+
			"our number of filters.", all[0].paperTime)}
	dots := report.Series{Label: "Table 3", Dots: true}
	for _, p := range all {
		c.Series = append(c.Series, report.Series{Label: p.name, X: logarithms(p.time), Y: p.measures[measure]})
		dots.X, dots.Y = append(dots.X, math.Log10(p.paperTime)), append(dots.Y, paper(p.linearPair))
	}
	c.Series = append(c.Series, dots)
	return c
}

// controlChart draws the measures that are controls, as means over the pairs.
func controlChart(all []*linearCurves) study.Chart {
	c := study.Chart{Name: "time-controls", Title: "What makes them alike", XLabel: "log₁₀ ηT/width",
		YLabel: "Pearson correlation, mean over pairs",
		Caption: "Profiles with true labels against those with random ones, from random filters, for infinitely many " +
			"of them (Theorem 4.2), and from 0; with labels ±½; and against the label 1 for all images, and 0 and 1 " +
			"exchanged. The null, one of two filter banks rotated at random, has mean 0."}
	for _, m := range []struct {
		label   string
		measure int
	}{{"random labels", linearRandom}, {"infinite width", linearWide}, {"from 0", linearFromZero},
		{"labels ±½", linearCentred}, {"label 1 for all", linearConstant}, {"0 and 1 exchanged", linearSwapped}} {
		y := make([]float64, len(all[0].time))
		for _, p := range all {
			floats.AddScaled(y, 1/float64(len(all)), p.measures[m.measure])
		}
		c.Series = append(c.Series, report.Series{Label: m.label, X: logarithms(all[0].time), Y: y})
	}
	return c
}

func logarithms(x []float64) []float64 {
	var out []float64
	for _, v := range x {
		out = append(out, math.Log10(v))
	}
	return out
}

// linearTable is Table 3, with the paper's numbers and the controls.
func linearTable(all []*linearCurves) report.Table {
	t := report.Table{
		Name: "table3", Caption: fmt.Sprintf("Table 3: Pearson correlations of energy profiles at ηT/width = %.3g; "+
			"in brackets the paper's.", all[0].paperTime),
		Columns: []report.Column{{Name: "classes"}, {Name: "optimum", Numeric: true}, {Name: "(paper)"},
			{Name: "initial", Numeric: true}, {Name: "(paper)"}, {Name: "random labels", Numeric: true},
			{Name: "(paper)"},
			{Name: "infinite width", Numeric: true, Help: "of true and random labels, √(μ² + σ²) of Theorem 4.2"},
			{Name: "from 0", Numeric: true}, {Name: "labels ±½", Numeric: true}, {Name: "label 1", Numeric: true},
			{Name: "exchanged", Numeric: true}},
	}
	cell := func(v float64) report.Cell { return report.Cell{Text: fmt.Sprintf("%.3f", v), Value: v} }
	paper := func(v float64) report.Cell { return report.Cell{Text: fmt.Sprintf("(%.2f)", v), Mark: report.Muted} }
	for _, c := range all {
		m := c.atPaper
		t.Rows = append(t.Rows, []report.Cell{{Text: c.name}, cell(m[linearOptimum]), paper(c.optimum),
			cell(m[linearInit]), paper(c.init), cell(m[linearRandom]), paper(c.rand),
			cell(m[linearWide]), cell(m[linearFromZero]), cell(m[linearCentred]), cell(m[linearConstant]),
			cell(m[linearSwapped])})
	}
	return t
}

// timesTable lists how true and random labels agree at some ηT/width.
func timesTable(all []*linearCurves) report.Table {
	t := report.Table{Name: "times", Caption: "True and random labels by ηT/width.",
		Columns: []report.Column{{Name: "classes"}}}
	var shown []int
	for k := 0; k < len(all[0].time); k += 5 {
		shown = append(shown, k)
		t.Columns = append(t.Columns, report.Column{Name: fmt.Sprintf("%.0f", all[0].time[k]), Numeric: true})
	}
	for _, c := range all {
		row := []report.Cell{{Text: c.name}}
		for _, k := range shown {
			v := c.measures[linearRandom][k]
			row = append(row, report.Cell{Text: fmt.Sprintf("%.3f", v), Value: v})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
