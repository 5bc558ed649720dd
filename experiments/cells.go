package experiments

import (
	"fmt"
	"math"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/report"
	"gonum.org/v1/gonum/stat"
)

// numberCell shows a number; a dash for nil.
func numberCell(v *float64, format string) report.Cell {
	if v == nil {
		return report.Cell{Text: "–", Value: math.NaN(), Mark: report.Muted}
	}
	return report.Cell{Text: fmt.Sprintf(format, *v), Value: *v}
}

// definedCell shows a number; a dash where it is not finite.
func definedCell(v float64, format string) report.Cell { return numberCell(definedOrNil(v), format) }

// percentCell shows a share in percent, in a column that says so.
func percentCell(v float64) report.Cell { return definedCell(100*v, "%.2f") }

// wholePercentCell shows a share in whole percent, with the sign of percent.
func wholePercentCell(v float64) report.Cell {
	return report.Cell{Text: fmt.Sprintf("%.0f %%", 100*v), Value: v}
}

// signedPercentCell shows a relative change in whole percent, with its sign.
func signedPercentCell(v float64) report.Cell {
	return report.Cell{Text: strings.Replace(fmt.Sprintf("%+.0f %%", 100*v), "-", "−", 1), Value: v}
}

// correlationCell shows a correlation; a dash for that of a vector that does not vary.
func correlationCell(v float64) report.Cell { return definedCell(v, "%.3f") }

// aboveNullCell shows a correlation, marked where it lies above a null with mean 0 and this
// standard deviation.
func aboveNullCell(v, sd float64) report.Cell {
	if v > aboveNull*sd {
		return markedCell(correlationCell(v), report.Good)
	}
	return markedCell(correlationCell(v), report.Muted)
}

// meanCell shows the mean and the standard deviation of numbers.
func meanCell(x []float64, format string) report.Cell {
	mean, sd := stat.MeanStdDev(x, nil)
	if math.IsNaN(mean) {
		return numberCell(nil, format)
	}
	return report.Cell{Text: fmt.Sprintf(format+" ± "+format, mean, sd), Value: mean}
}

// plusMinusCell shows a mean with its standard deviation; without it for nil.
func plusMinusCell(mean, sd *float64, format string) report.Cell {
	c := numberCell(mean, format)
	if sd != nil {
		c.Text += " ± " + fmt.Sprintf(format, *sd)
	}
	return c
}

// countCell shows how many there are of something; a dash for none.
func countCell(n int) report.Cell {
	if n == 0 {
		return numberCell(nil, "")
	}
	return report.Cell{Text: fmt.Sprint(n), Value: float64(n)}
}

// plainCell holds a number that the table formats; nothing for nil.
func plainCell(v *float64) report.Cell {
	if v == nil {
		return report.Cell{Value: math.NaN()}
	}
	return report.Cell{Value: *v}
}

// textCells shows texts, a cell each.
func textCells(texts ...string) []report.Cell {
	var row []report.Cell
	for _, t := range texts {
		row = append(row, report.Cell{Text: t})
	}
	return row
}

// markedCell returns the cell with a mark.
func markedCell(c report.Cell, m report.Mark) report.Cell {
	c.Mark = m
	return c
}

// textColumns names columns of text.
func textColumns(names ...string) []report.Column {
	var columns []report.Column
	for _, n := range names {
		columns = append(columns, report.Column{Name: n})
	}
	return columns
}

// numericColumns names columns of numbers, after a first one of text.
func numericColumns(first string, names ...string) []report.Column {
	columns := []report.Column{{Name: first}}
	for _, n := range names {
		columns = append(columns, report.Column{Name: n, Numeric: true})
	}
	return columns
}

// valueOrNaN returns *v, or NaN for nil.
func valueOrNaN(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}

// definedOrNil returns a pointer to v, or nil where v is not finite.
func definedOrNil(v float64) *float64 {
	if v-v != 0 {
		return nil
	}
	return &v
}
