package record

import (
	"math"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/report"
)

// A cell shows its number, or a dash if there is none.
func TestCells(t *testing.T) {
	nan, half := math.NaN(), .5
	for i, c := range []struct {
		cell  report.Cell
		text  string
		value float64
	}{
		{NumberCell(&half, "%.2f"), "0.50", .5}, {NumberCell(nil, "%.2f"), "–", nan},
		{DefinedCell(half, "%.1f"), "0.5", .5}, {DefinedCell(nan, "%.1f"), "–", nan},
		{DefinedCell(math.Inf(1), "%.1f"), "–", nan},
		{PercentCell(half), "50.00", 50}, {PercentCell(nan), "–", nan}, {CorrelationCell(-half), "-0.500", -.5},
		{CorrelationCell(nan), "–", nan},
		{WholePercentCell(half), "50 %", .5}, {SignedPercentCell(-half), "−50 %", -.5},
		{SignedPercentCell(half), "+50 %", .5},
		{CountCell(3), "3", 3}, {CountCell(0), "–", nan}, {PlainCell(&half), "", .5}, {PlainCell(nil), "", nan},
		{MeanCell([]float64{1, 3}, "%.1f"), "2.0 ± 1.4", 2}, {MeanCell(nil, "%.1f"), "–", nan},
		{PlusMinusCell(&half, nil, "%.1f"), "0.5", .5}, {PlusMinusCell(&half, &half, "%.1f"), "0.5 ± 0.5", .5},
	} {
		if same := c.cell.Value == c.value || math.IsNaN(c.cell.Value) &&
			math.IsNaN(c.value); c.cell.Text != c.text || !same {
			t.Errorf("cell %d is %+v, want %q of %v", i, c.cell, c.text, c.value)
		}
	}
	if MarkedCell(report.Cell{}, report.Good).Mark != report.Good {
		t.Error("cells are marked otherwise than their numbers say")
	}
	if v := DefinedOrNil(half); *v != half || DefinedOrNil(nan) != nil || ValueOrNaN(v) != half ||
		!math.IsNaN(ValueOrNaN(nil)) {
		t.Error("a number is lost between a pointer and a value")
	}
}
