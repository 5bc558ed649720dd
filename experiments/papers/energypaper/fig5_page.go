package energypaper

import (
	"fmt"

	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// labelChart is the correlations of tasks by component, with the range of the null
// of the first.
func labelChart(name, title string, tasks []*labelTask) study.Chart {
	c := study.Chart{Name: name, Title: title, XLabel: "principal component", YLabel: "correlation with the label",
		Caption: "Correlation of the average patch's projection with the label. Between the lines ±null lie, with " +
			"permuted labels, 95 % of the largest of all components."}
	if len(tasks) == 0 {
		return c
	}
	for _, t := range tasks {
		s := report.Series{Label: t.name}
		for i, r := range t.correlations {
			s.X, s.Y = append(s.X, float64(i+1)), append(s.Y, r)
		}
		c.Series = append(c.Series, s)
	}
	for _, sign := range []float64{1, -1} {
		s := report.Series{Label: map[float64]string{1: "null", -1: "−null"}[sign]}
		for i := range tasks[0].correlations {
			s.X, s.Y = append(s.X, float64(i+1)), append(s.Y, sign*tasks[0].null)
		}
		c.Series = append(c.Series, s)
	}
	return c
}

// labelTable has the largest correlation of each task beside its null.
func labelTable(name, caption string, tasks []*labelTask) report.Table {
	t := report.Table{
		Name: name, Caption: caption + " The largest correlation over the components in absolute value, the " +
			"component, and the 95 % quantile of the same with permuted labels.",
		Columns: []report.Column{{Name: "classes"}, {Name: "largest", Numeric: true}, {Name: "component"},
			{Name: "null", Numeric: true}, {Name: "of components 1, 2, 3"}},
	}
	for _, k := range tasks {
		at := 0
		for i, r := range k.correlations {
			if r == k.largest || -r == k.largest {
				at = i
			}
		}
		text := ""
		for _, r := range k.correlations[:min(3, len(k.correlations))] {
			text += fmt.Sprintf("%+.2f ", r)
		}
		t.Rows = append(t.Rows, []report.Cell{{Text: k.name}, {Text: fmt.Sprintf("%.3f", k.largest), Value: k.largest},
			{Text: fmt.Sprint(at + 1)},
			{Text: fmt.Sprintf("%.3f", k.null), Value: k.null}, {Text: text}})
	}
	return t
}
