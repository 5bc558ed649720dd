package ntkpaper

import (
	"fmt"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// addTaskResults adds the table, the charts and the values of the claims of a task.
func (s *GapSpec) addTaskResults(t GapTask, points []gapPoint, o *study.Outcome) {
	o.Tables = append(o.Tables, s.gapTable(t, points))
	accuracy := study.Chart{
		Name: t.Name + "-accuracy", Title: t.Name + ": accuracy by width", XLabel: widthLabel, YLabel: "fraction right",
		Caption: "Training images are scored during the last epoch, before each step.",
		Series: []report.Series{
			gapSeries(s.Arch+", test", points, func(p gapPoint) float64 { return p.network.test }),
			gapSeries(s.Arch+", training", points, func(p gapPoint) float64 { return p.network.train }),
		},
	}
	gaps := study.Chart{
		Name: t.Name + "-gap", Title: t.Name + ": how far the network is ahead", XLabel: widthLabel,
		YLabel:  "percentage points",
		Caption: "Accuracy of the network less that of its linearization.",
	}
	for k := range s.Linear {
		name := s.linearName(k)
		accuracy.Series = append(accuracy.Series,
			gapSeries(name+", test", points, func(p gapPoint) float64 { return p.linear[k].test }),
			gapSeries(name+", training", points, func(p gapPoint) float64 { return p.linear[k].train }))
		gaps.Series = append(gaps.Series,
			gapSeries(name+", test", points, func(p gapPoint) float64 { return p.gap(k) }),
			gapSeries(name+", training", points, func(p gapPoint) float64 { return p.trainGap(k) }))
	}
	o.Charts = append(o.Charts, accuracy, gaps)
	setGapValues(t.Name, points, o.Values)
}

// setGapValues sets the values of the claims about a task, for its first linearization.
func setGapValues(task string, points []gapPoint, values map[string]float64) {
	first, last := points[0], points[len(points)-1]
	values[task+"_gap_first"], values[task+"_gap_last"] = first.gap(0), last.gap(0)
	values[task+"_train_gap_first"] = first.trainGap(0)
	values[task+"_gap_shrinks"] = first.gap(0) - last.gap(0)
	values[task+"_network_gains"] = 100 * (last.network.test - first.network.test)
	values[task+"_linear_gains"] = 100 * (last.linear[0].test - first.linear[0].test)
	values[task+"_wide_linear_over_network"] = 100 * (last.linear[0].test - first.network.test)
	values[task+"_linear_train_gains"] = 100 * (last.linear[0].train - first.linear[0].train)
	if len(first.linear) < 2 {
		return
	}
	least := first.gap(1)
	for _, p := range points {
		least = min(least, p.gap(1))
	}
	values[task+"_second_gap_least"] = least
	values[task+"_rate_helps"] = 100 * (last.linear[0].test - last.linear[1].test)
}

// setTaskDifferences sets how much larger the gaps of the first task are than those of the others,
// at the smallest and at the largest width.
func (s *GapSpec) setTaskDifferences(o *study.Outcome) {
	first := s.Tasks[0].Name
	for _, t := range s.Tasks[1:] {
		o.Values["gap_over_"+t.Name] = o.Values[first+"_gap_first"] - o.Values[t.Name+"_gap_first"]
		o.Values["wide_gap_over_"+t.Name] = o.Values[first+"_gap_last"] - o.Values[t.Name+"_gap_last"]
	}
}

// gapTable has a row for every width.
func (s *GapSpec) gapTable(t GapTask, points []gapPoint) report.Table {
	out := report.Table{
		Name: t.Name, Caption: fmt.Sprintf("%s: accuracy in percent after the last epoch, by width.", t.Name),
		Columns: record.NumericColumns("width", s.Arch+" train", s.Arch+" test"),
	}
	for k := range s.Linear {
		name := s.linearName(k)
		for _, c := range []string{" train", " test", ", gap train", ", gap test"} {
			out.Columns = append(out.Columns, report.Column{Name: name + c, Numeric: true})
		}
	}
	for _, p := range points {
		row := []report.Cell{{Text: fmt.Sprintf("×%g", p.width)}, record.PercentCell(p.network.train),
			record.PercentCell(p.network.test)}
		for k, l := range p.linear {
			row = append(row, record.PercentCell(l.train), record.PercentCell(l.test),
				record.PercentCell(p.trainGap(k)/100), record.PercentCell(p.gap(k)/100))
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}
