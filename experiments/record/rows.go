package record

import (
	"math"

	"github.com/ansatz-lab/ansatz/experiments/report"
)

// Field is a column of a table whose rows show values of type R.
type Field[R any] struct {
	report.Column
	Cell func(R) report.Cell
}

// TextField returns a column of texts.
func TextField[R any](name string, text func(R) string) Field[R] {
	return Field[R]{report.Column{Name: name}, func(r R) report.Cell { return report.Cell{Text: text(r)} }}
}

// CountField returns a column of counts, with dashes for 0.
func CountField[R any](name string, count func(R) int) Field[R] {
	return Field[R]{report.Column{Name: name, Numeric: true}, func(r R) report.Cell { return CountCell(count(r)) }}
}

// NumberField returns a column of numbers, with dashes for those that are not finite.
func NumberField[R any](name, format string, number func(R) float64) Field[R] {
	return Field[R]{report.Column{Name: name, Numeric: true},
		func(r R) report.Cell { return DefinedCell(number(r), format) }}
}

// PercentField returns a column of shares in percent; see [PercentCell].
func PercentField[R any](name string, share func(R) float64) Field[R] {
	return Field[R]{report.Column{Name: name, Numeric: true}, func(r R) report.Cell { return PercentCell(share(r)) }}
}

// CellField returns a column of numbers whose cells are made by a function, for example with marks.
func CellField[R any](name string, cell func(R) report.Cell) Field[R] {
	return Field[R]{report.Column{Name: name, Numeric: true}, cell}
}

// WithHelp returns the column with a text that explains it.
func (f Field[R]) WithHelp(help string) Field[R] {
	f.Help = help
	return f
}

// NumberedSeries returns a curve through the values y at 1, 2, ….
func NumberedSeries(label string, y []float64) report.Series {
	s := report.Series{Label: label, Y: y}
	for i := range y {
		s.X = append(s.X, float64(i+1))
	}
	return s
}

// TableOf returns a table with a row for every element of rows.
func TableOf[R any](name, caption string, rows []R, fields ...Field[R]) report.Table {
	t := report.Table{Name: name, Caption: caption}
	for _, f := range fields {
		t.Columns = append(t.Columns, f.Column)
	}
	for _, r := range rows {
		var cells []report.Cell
		for _, f := range fields {
			cells = append(cells, f.Cell(r))
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// MeanOf returns the mean of a number over rows, NaN if there are none.
func MeanOf[R any](rows []R, number func(R) float64) float64 {
	sum := 0.
	for _, r := range rows {
		sum += number(r)
	}
	return sum / float64(len(rows))
}

// LeastOf returns the least value of a number over rows, infinity if there are none.
func LeastOf[R any](rows []R, number func(R) float64) float64 {
	least := math.Inf(1)
	for _, r := range rows {
		least = min(least, number(r))
	}
	return least
}

// SeriesOf returns a curve with a point for every element of rows.
func SeriesOf[R any](label string, rows []R, x, y func(R) float64) report.Series {
	s := report.Series{Label: label}
	for _, r := range rows {
		s.X, s.Y = append(s.X, x(r)), append(s.Y, y(r))
	}
	return s
}

// BarsOf returns a bar for every element of rows, at the places 0, 1, … of X.
func BarsOf[R any](label string, rows []R, y func(R) float64) report.Series {
	s := report.Series{Label: label}
	for i, r := range rows {
		s.X, s.Y = append(s.X, float64(i)), append(s.Y, y(r))
	}
	return s
}
