package record

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/report"
	"gonum.org/v1/gonum/stat"
)

// NumberCell returns a cell with a number, or a dash for nil.
func NumberCell(v *float64, format string) report.Cell {
	if v == nil {
		return report.Cell{Text: "–", Value: math.NaN(), Mark: report.Muted}
	}
	return report.Cell{Text: fmt.Sprintf(format, *v), Value: *v}
}

// DefinedCell returns a cell with a number, or a dash if the number is not finite.
func DefinedCell(v float64, format string) report.Cell { return NumberCell(DefinedOrNil(v), format) }

// PercentCell returns a share in percent, without the sign: the column's name has it.
func PercentCell(v float64) report.Cell { return DefinedCell(100*v, "%.2f") }

// WholePercentCell returns a share in whole percent, with the sign.
func WholePercentCell(v float64) report.Cell {
	return report.Cell{Text: fmt.Sprintf("%.0f %%", 100*v), Value: v}
}

// SignedPercentCell returns a relative change in whole percent, with + or −.
func SignedPercentCell(v float64) report.Cell {
	return report.Cell{Text: strings.Replace(fmt.Sprintf("%+.0f %%", 100*v), "-", "−", 1), Value: v}
}

// CorrelationCell returns a correlation, or a dash if it is not defined.
func CorrelationCell(v float64) report.Cell { return DefinedCell(v, "%.3f") }

// MeanCell returns the mean and standard deviation of numbers.
func MeanCell(x []float64, format string) report.Cell {
	mean, sd := stat.MeanStdDev(x, nil)
	if math.IsNaN(mean) {
		return NumberCell(nil, format)
	}
	return report.Cell{Text: fmt.Sprintf(format+" ± "+format, mean, sd), Value: mean}
}

// PlusMinusCell returns a mean with its standard deviation, which is left out if it is nil.
func PlusMinusCell(mean, sd *float64, format string) report.Cell {
	c := NumberCell(mean, format)
	if sd != nil {
		c.Text += " ± " + fmt.Sprintf(format, *sd)
	}
	return c
}

// CountCell returns a count, or a dash for 0.
func CountCell(n int) report.Cell {
	if n == 0 {
		return NumberCell(nil, "")
	}
	return report.Cell{Text: fmt.Sprint(n), Value: float64(n)}
}

// PlainCell returns a cell with a number that the table formats; it is empty for nil.
func PlainCell(v *float64) report.Cell {
	if v == nil {
		return report.Cell{Value: math.NaN()}
	}
	return report.Cell{Value: *v}
}

// TextCells returns a cell for each text.
func TextCells(texts ...string) []report.Cell {
	var row []report.Cell
	for _, t := range texts {
		row = append(row, report.Cell{Text: t})
	}
	return row
}

// MarkedCell returns the cell with a mark.
func MarkedCell(c report.Cell, m report.Mark) report.Cell {
	c.Mark = m
	return c
}

// TextColumns returns columns of text.
func TextColumns(names ...string) []report.Column {
	var columns []report.Column
	for _, n := range names {
		columns = append(columns, report.Column{Name: n})
	}
	return columns
}

// NumericColumns returns a column of text followed by columns of numbers.
func NumericColumns(first string, names ...string) []report.Column {
	columns := []report.Column{{Name: first}}
	for _, n := range names {
		columns = append(columns, report.Column{Name: n, Numeric: true})
	}
	return columns
}

// ValueOrNaN returns *v, or NaN for nil.
func ValueOrNaN(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}

// DefinedOrNil returns a pointer to v, or nil where v is not finite.
func DefinedOrNil(v float64) *float64 {
	if v-v != 0 {
		return nil
	}
	return &v
}

// Ptr returns a pointer to a copy of v.
func Ptr(v float64) *float64 { return &v }

// CircularMean returns the mean, from 0 to the period, of angles with that period, and their circular standard
// deviation in the same unit: √(−2 log R), with R the length of the mean of the angles as unit vectors.
func CircularMean(x []float64, period float64) (mean, sd float64) {
	angles := make([]float64, len(x))
	for i, v := range x {
		angles[i] = 2 * math.Pi * v / period
	}
	var sin, cos float64
	for _, a := range angles {
		sin, cos = sin+math.Sin(a), cos+math.Cos(a)
	}
	length := math.Hypot(sin, cos) / float64(len(x))
	scale := period / (2 * math.Pi)
	mean = math.Mod(math.Atan2(sin, cos)*scale+period, period)
	return mean, scale * math.Sqrt(-2*math.Log(min(1, length)))
}

// SixDigits rounds a number that is not whole to six significant digits.
func SixDigits(v float64) float64 {
	if v == math.Trunc(v) {
		return v
	}
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64)
	return v
}

// FiniteValues returns the finite values; JSON cannot encode others.
func FiniteValues(values map[string]float64) map[string]float64 {
	out := map[string]float64{}
	for name, v := range values {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			out[name] = v
		}
	}
	return out
}
