package experiments

import (
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/report"
)

// A mark in a table over seeds is one that every seed has.
func TestMarksOverSeeds(t *testing.T) {
	seed := func(marks ...report.Mark) *Outcome {
		table := report.Table{Columns: []report.Column{{Name: "value", Numeric: true}}}
		for i, m := range marks {
			table.Rows = append(table.Rows, []report.Cell{{Text: "1.00", Value: float64(i + 1), Mark: m}})
		}
		return &Outcome{Tables: []report.Table{table}}
	}
	got := tablesOverSeeds([]*Outcome{seed(report.Good, report.Good, report.Unmarked), seed(report.Good, report.Unmarked, report.Good)})[0]
	for i, want := range []report.Mark{report.Good, report.Unmarked, report.Unmarked} {
		if m := got.Rows[i][0].Mark; m != want {
			t.Errorf("row %d has mark %v, want %v", i, m, want)
		}
	}
}
