package study

import (
	"math"

	"github.com/ansatz-lab/ansatz/experiments/report"
)

// draw draws series as curves, or as bars if the chart has labels.
func (c Chart) draw(series []report.Series) (report.Figure, error) {
	if len(c.Labels) == 0 {
		if c.XLabel == "iteration" {
			c.XLabel += ", from M = I" // every machine that learns M starts there
		}
		return report.LineChart(c.Name, c.Title, c.XLabel, c.YLabel, series)
	}
	var groups []report.Bars
	for _, s := range series {
		groups = append(groups, c.bars(s))
	}
	return report.BarChart(c.Name, c.Title, c.YLabel, c.Labels, groups)
}

// bars returns a series as bars at the labels, NaN where the series has no point.
func (c Chart) bars(s report.Series) report.Bars {
	absent := func() []float64 {
		v := make([]float64, len(c.Labels))
		for i := range v {
			v[i] = math.NaN()
		}
		return v
	}
	g := report.Bars{Label: s.Label, Values: absent()}
	if len(s.High) > 0 {
		g.Errors = absent()
	}
	for i, x := range s.X {
		if k := int(x); k >= 0 && k < len(c.Labels) {
			if g.Values[k] = s.Y[i]; len(s.High) > 0 {
				g.Errors[k] = s.High[i] - s.Y[i]
			}
		}
	}
	return g
}

// Places returns 0, 1, …, n−1, the x coordinates of bars.
func Places(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i)
	}
	return x
}
