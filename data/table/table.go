// Package table reads tables for classification and regression, generates others, and turns them into matrices for a
// learner.
//
// # Where to begin
//
// [Open] reads a [Table] from an ARFF, CSV or Parquet file, or from a folder of the 121 UCI sets. [Table.Encode] turns
// it into a [Set]: the targets, and a matrix of features with missing values imputed and nominal columns encoded. The
// [Encoder] behind it, which is saved with a model, encodes any other table with the same columns in the same way.
// [Set.Split] divides the rows into training, validation and test rows; a [Transform] such as [Standard] or [Quantile]
// learns from the training rows. [Polynomials] lists the generated regression problems of paper rfm.
package table

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/data/array"
	"gonum.org/v1/gonum/mat"
)

// Kind is the type of the values of a column.
type Kind uint8

// The kinds of columns.
const (
	Numeric Kind = iota // numbers
	Nominal             // categories: names from a list
)

// String returns "numeric" or "nominal".
func (k Kind) String() string {
	if k == Nominal {
		return "nominal"
	}
	return "numeric"
}

// noCode is the code of a missing value.
const noCode = -1

// Column is a column of a table, with a value for each row unless it is missing.
type Column struct {
	Name string
	Kind Kind

	// Values are the values of a numeric column by row: finite, and 0 where missing.
	Values []float64

	// Codes are the values of a nominal column by row: indices into Categories, and -1 where missing.
	Codes      []int32
	Categories []string // distinct names; there may be some that no row has

	Missing []bool // by row; nil when no value is missing
}

// IsMissing reports whether the value of a row is missing.
func (c *Column) IsMissing(row int) bool { return c.Missing != nil && c.Missing[row] }

// CountMissing returns how many values are missing.
func (c *Column) CountMissing() int {
	n := 0
	for _, m := range c.Missing {
		if m {
			n++
		}
	}
	return n
}

// Len returns the number of rows.
func (c *Column) Len() int {
	if c.Kind == Nominal {
		return len(c.Codes)
	}
	return len(c.Values)
}

// addNumber appends a value.
func (c *Column) addNumber(v float64) {
	c.Values = append(c.Values, v)
	if c.Missing != nil {
		c.Missing = append(c.Missing, false)
	}
}

// addCode appends the index of a category.
func (c *Column) addCode(code int32) {
	c.Codes = append(c.Codes, code)
	if c.Missing != nil {
		c.Missing = append(c.Missing, false)
	}
}

// addMissing appends a value that is missing.
func (c *Column) addMissing() {
	if c.Missing == nil {
		c.Missing = make([]bool, c.Len(), c.Len()+1)
	}
	c.Missing = append(c.Missing, true)
	if c.Kind == Nominal {
		c.Codes = append(c.Codes, noCode)
	} else {
		c.Values = append(c.Values, 0)
	}
}

// Table holds the rows and named columns of a file.
type Table struct {
	Name    string
	Rows    int
	Columns []Column // each with Rows values and its own name

	// ReadAs says how a CSV file was read, as "semicolons, header, decimal comma, windows-1252"; "" for other tables.
	ReadAs string

	Notes []Note // on columns of a CSV file that can be read in two ways

	// verbatim holds the cells of some columns as the file writes them, by name of the column and row.
	verbatim  map[string][]string
	firstLine int     // the line of the file where the first row begins; 0 if it is not known
	lines     []int32 // the line where each row begins; nil if every row takes one line
}

// Note says how a column was read that can be read in two ways. Notes of the same Kind differ only in column and number.
type Note struct{ Column, Kind, Text string }

// setLine records the line of the file where a row begins. Call it for row 0, 1, 2 and so on.
func (t *Table) setLine(row, line int) {
	switch {
	case row == 0:
		t.firstLine = line
	case t.lines == nil && line != t.firstLine+row:
		t.lines = make([]int32, row, max(row+1, t.Rows))
		for i := range t.lines {
			t.lines[i] = int32(t.firstLine + i)
		}
		fallthrough
	case t.lines != nil:
		t.lines = append(t.lines, int32(line))
	}
}

// Line returns the line of the file where a row begins, from 1; 0 if it is not known.
func (t *Table) Line(row int) int {
	switch {
	case t.firstLine == 0:
		return 0
	case t.lines != nil:
		return int(t.lines[row])
	}
	return t.firstLine + row
}

// Keep reduces the table to the given rows, in the given order. It keeps all categories, even those of no row.
func (t *Table) Keep(rows []int) {
	lines := make([]int32, len(rows))
	for i, row := range rows {
		lines[i] = int32(t.Line(row))
	}
	if t.firstLine > 0 {
		t.lines = lines
	}
	t.Rows = len(rows)
	for name, texts := range t.verbatim {
		t.verbatim[name] = pick(texts, rows)
	}
	for i := range t.Columns {
		c := &t.Columns[i]
		c.Values, c.Codes, c.Missing = pick(c.Values, rows), pick(c.Codes, rows), pick(c.Missing, rows)
	}
}

// RowsWith returns the rows in which a column has a value; nil if all rows have one, or none has.
func (t *Table) RowsWith(column int) (rows []int) {
	c := &t.Columns[column]
	if c.CountMissing() == 0 {
		return nil
	}
	for row := range t.Rows {
		if !c.IsMissing(row) {
			rows = append(rows, row)
		}
	}
	return rows
}

// pick returns the values at the given indices; nil if values is nil.
func pick[T any](values []T, at []int) []T {
	if values == nil {
		return nil
	}
	picked := make([]T, len(at))
	for i, k := range at {
		picked[i] = values[k]
	}
	return picked
}

// Find returns the index of the column with that name, or -1.
func (t *Table) Find(name string) int {
	return slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name })
}

// DefaultTarget returns the index of the default column to predict: the last one named "class", in any case of letters,
// as in many ARFF files, or else the last column. It is -1 if the table has no columns.
func (t *Table) DefaultTarget() int {
	for i, c := range slices.Backward(t.Columns) {
		if strings.EqualFold(c.Name, "class") {
			return i
		}
	}
	return len(t.Columns) - 1
}

// sameName finds two columns with the same name.
func sameName(columns []Column) (first, second int, found bool) {
	seen := make(map[string]int, len(columns))
	for i, c := range columns {
		if first, again := seen[c.Name]; again {
			return first, i, true
		}
		seen[c.Name] = i
	}
	return 0, 0, false
}

// maxCells bounds the cells of a table, and of the matrix made from it: a gigabyte of float64. Parsers check it wherever a
// few bytes of a file can stand for many cells.
const maxCells = 1 << 27

// maxColumns bounds the columns of a table.
const maxColumns = 1 << 20

// tooManyColumns returns the error of a table with more than maxColumns columns.
func tooManyColumns(path string, n int) *FormatError {
	return &FormatError{Path: path, Offset: array.NoOffset, Want: fmt.Sprintf("at most %d columns", maxColumns),
		Got: fmt.Sprint(n)}
}

// tooLarge returns the error of a table with more than maxCells cells.
func tooLarge(path string, rows, columns int) *FormatError {
	return &FormatError{
		Path:   path,
		Offset: array.NoOffset,
		Want:   fmt.Sprintf("at most %d cells", maxCells),
		Got:    fmt.Sprintf("%d rows of %d columns", rows, columns),
		Hint:   "leave columns out, or take rows out of the file",
	}
}

// fits reports whether a table of that size has at most maxCells cells.
func fits(rows, columns int) bool {
	return columns == 0 || rows <= maxCells/columns
}

// Set is a table as a matrix of features and a vector of targets, for a learner.
type Set struct {
	Name     string
	Features []string   // names of the columns of X
	X        *mat.Dense // rows × features

	// Y holds the target of each row: its value for regression, the index of its class for classification.
	Y       []float64
	Target  string   // the name of the target
	Classes []string // names by index; empty for a regression
}

// Texts returns the values of a column as texts: as the file writes them if dialect.Dialect.Verbatim names the column, else
// formatted, with "" for missing ones. A [*FormatError] says that the column is unknown or a number is above 2^53, not exact.
func (t *Table) Texts(column string) ([]string, error) {
	i := t.Find(column)
	if i < 0 {
		return nil, t.unfit("a column called "+show(column), "none")
	}
	if texts, kept := t.verbatim[column]; kept {
		return texts, nil
	}
	c := &t.Columns[i]
	texts := make([]string, t.Rows)
	for row := range texts {
		switch {
		case c.IsMissing(row):
		case c.Kind == Nominal:
			texts[row] = c.Categories[c.Codes[row]]
		case math.Abs(c.Values[row]) > 1<<53:
			return nil, t.unfitAt(row, "texts, or numbers up to 2^53, in column "+show(column), fmt.Sprint(c.Values[row]))
		default:
			texts[row] = formatNumber(c.Values[row])
		}
	}
	return texts, nil
}
