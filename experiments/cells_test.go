package experiments

import (
	"math"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/report"
)

// A cell shows its number, and a dash where there is none.
func TestCells(t *testing.T) {
	nan, half := math.NaN(), .5
	for i, c := range []struct {
		cell  report.Cell
		text  string
		value float64
	}{
		{numberCell(&half, "%.2f"), "0.50", .5}, {numberCell(nil, "%.2f"), "–", nan},
		{definedCell(half, "%.1f"), "0.5", .5}, {definedCell(nan, "%.1f"), "–", nan}, {definedCell(math.Inf(1), "%.1f"), "–", nan},
		{percentCell(half), "50.00", 50}, {percentCell(nan), "–", nan}, {correlationCell(-half), "-0.500", -.5}, {correlationCell(nan), "–", nan},
		{wholePercentCell(half), "50 %", .5}, {signedPercentCell(-half), "−50 %", -.5}, {signedPercentCell(half), "+50 %", .5},
		{countCell(3), "3", 3}, {countCell(0), "–", nan}, {plainCell(&half), "", .5}, {plainCell(nil), "", nan},
		{meanCell([]float64{1, 3}, "%.1f"), "2.0 ± 1.4", 2}, {meanCell(nil, "%.1f"), "–", nan},
		{plusMinusCell(&half, nil, "%.1f"), "0.5", .5}, {plusMinusCell(&half, &half, "%.1f"), "0.5 ± 0.5", .5},
	} {
		if same := c.cell.Value == c.value || math.IsNaN(c.cell.Value) && math.IsNaN(c.value); c.cell.Text != c.text || !same {
			t.Errorf("cell %d is %+v, want %q of %v", i, c.cell, c.text, c.value)
		}
	}
	if markedCell(report.Cell{}, report.Good).Mark != report.Good {
		t.Error("cells are marked otherwise than their numbers say")
	}
	if v := definedOrNil(half); *v != half || definedOrNil(nan) != nil || valueOrNaN(v) != half || !math.IsNaN(valueOrNaN(nil)) {
		t.Error("a number is lost between a pointer and a value")
	}
}
