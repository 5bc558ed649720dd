package experiments

import "github.com/ansatz-lab/ansatz/experiments/report"

// draw draws a chart with curves, or bars, that stand for several seeds.
func (c Chart) draw(series []report.Series) (report.Figure, error) {
	if len(c.Labels) == 0 {
		return report.LineChart(c.Name, c.Title, c.XLabel, c.YLabel, series)
	}
	var groups []report.Bars
	for _, s := range series {
		g := report.Bars{Label: s.Label, Values: s.Y}
		for i := range s.High {
			g.Errors = append(g.Errors, s.High[i]-s.Y[i])
		}
		groups = append(groups, g)
	}
	return report.BarChart(c.Name, c.Title, c.YLabel, c.Labels, groups)
}

// spread is what shows the standard deviation over the seeds.
func (c Chart) spread() string {
	if len(c.Labels) == 0 {
		return "bands"
	}
	return "whiskers"
}

// places are 0 to n−1, the X of bars.
func places(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i)
	}
	return x
}
