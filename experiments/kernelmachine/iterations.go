package kernelmachine

import (
	"fmt"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
)

// iterationsTable shows the iterations of layers; layer 0 is one that needs no
// number.
func iterationsTable(name string, layers ...ConvLayerRecord) *report.Table {
	t := &report.Table{
		Name: name,
		Columns: []report.Column{
			{Name: "layer", Numeric: true}, {Name: "iteration", Numeric: true},
			{Name: "train_accuracy", Numeric: true}, {Name: "validation_accuracy", Numeric: true}, {Name: "test_accuracy", Numeric: true},
			{Name: "train_r2", Numeric: true}, {Name: "validation_r2", Numeric: true}, {Name: "test_r2", Numeric: true},
			{Name: "test_mse", Numeric: true}, {Name: "trace", Numeric: true, Help: "of the M that the kernel had"},
			{Name: "ridge", Numeric: true, Help: "the λ that was chosen"},
			{Name: "solved by"}, {Name: "seconds", Numeric: true, Help: "without the test"},
		},
	}
	for _, l := range layers {
		for i, it := range l.Iterations {
			t.Rows = append(t.Rows, it.cells(l.Layer, i == l.Selected && len(l.Iterations) > 1))
		}
	}
	return t.WithoutEmpty()
}

// cells are the row of an iteration.
func (it IterationRecord) cells(layer int, selected bool) []report.Cell {
	mark := report.Unmarked
	if selected {
		mark = report.Good
	}
	row := []report.Cell{record.NumberCell(nil, "")}
	if layer > 0 {
		row[0] = report.Cell{Value: float64(layer), Text: fmt.Sprint(layer)}
	}
	return append(row,
		report.Cell{Value: float64(it.Iteration), Text: fmt.Sprint(it.Iteration)},
		record.NumberCell(it.TrainAccuracy, "%.4f"), record.NumberCell(it.ValidationAccuracy, "%.4f"), record.MarkedCell(record.NumberCell(it.TestAccuracy, "%.4f"), mark),
		record.NumberCell(it.TrainR2, "%.4f"), record.NumberCell(it.ValidationR2, "%.4f"), record.MarkedCell(record.NumberCell(it.TestR2, "%.4f"), mark),
		record.NumberCell(it.TestMSE, "%.4g"), record.NumberCell(&it.Trace, "%.4g"), record.NumberCell(it.Ridge, "%.3g"),
		report.Cell{Text: it.Solution.Method}, record.NumberCell(&it.Seconds, "%.2f"),
	)
}

// say tells the test score of an iteration, or that of training where there is
// none.
func (it IterationRecord) say() string {
	if it.TestR2 != nil || it.TestAccuracy != nil {
		return "test " + scoreText(it.TestAccuracy, it.TestR2)
	}
	return "training " + scoreText(it.TrainAccuracy, it.TrainR2)
}

// scoreFigure is accuracy, or R² of regressions, over iterations.
func scoreFigure(name, title string, iterations []IterationRecord) (report.Figure, error) {
	label := "accuracy"
	pick := func(accuracy, r2 *float64) *float64 { return accuracy }
	if len(iterations) > 0 && iterations[0].TrainAccuracy == nil {
		label, pick = "R²", func(accuracy, r2 *float64) *float64 { return r2 }
	}
	var series []report.Series
	for _, c := range []struct {
		name string
		of   func(IterationRecord) *float64
	}{
		{"training", func(i IterationRecord) *float64 { return pick(i.TrainAccuracy, i.TrainR2) }},
		{"validation", func(i IterationRecord) *float64 { return pick(i.ValidationAccuracy, i.ValidationR2) }},
		{"test", func(i IterationRecord) *float64 { return pick(i.TestAccuracy, i.TestR2) }},
	} {
		s := report.Series{Label: c.name}
		for _, it := range iterations {
			if v := c.of(it); v != nil {
				s.X, s.Y = append(s.X, float64(it.Iteration)), append(s.Y, *v)
			}
		}
		if len(s.X) > 0 {
			series = append(series, s)
		}
	}
	f, err := report.LineChart(name, title, "iteration", label, series)
	f.Caption = "Iteration 0 is the kernel with M = I; every later one has the AGOP of the one before as its M."
	return f, err
}
