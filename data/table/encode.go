package table

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/ansatz-lab/ansatz/data/array"
	"gonum.org/v1/gonum/mat"
)

// EncodeOptions says how to make a matrix from a table. The zero value takes the default target, encodes nominal
// columns one-hot, and imputes missing values from all rows.
type EncodeOptions struct {
	// Target is the name of the column to predict; "" means
	// [Table.DefaultTarget].
	Target string

	// Drop are the names of columns to leave out, such as the number of a row.
	Drop []string

	// Ordinal encodes a nominal column as one column, the index of the category, instead of a column of 0 and 1 for
	// each category.
	Ordinal bool

	// Rows are the training rows. Missing values are imputed from these rows, so that nothing leaks from test rows. Nil
	// means all rows.
	Rows []int

	// Classify takes the values of a numeric target, at most 1000 different integers, as classes. The values of a
	// nominal target are always classes.
	Classify bool
}

// The values of Conventions.Task and Conventions.Encoding.
const (
	Classification = "classification"
	Regression     = "regression"
	OneHot         = "one-hot"
	Ordinal        = "ordinal"
)

// Conventions says how [Table.Encode] made a matrix from a table, for records.
type Conventions struct {
	Target   string   `json:"target"`   // the name of the column
	Task     string   `json:"task"`     // Classification or Regression
	Encoding string   `json:"encoding"` // of nominal columns, OneHot or Ordinal
	Columns  int      `json:"columns"`  // of the table, without the target and those dropped
	Features int      `json:"features"` // of the matrix
	Dropped  []string `json:"dropped,omitempty"`

	// Imputed is the number of values that were missing. They are replaced by the mean of a numeric column, and by the
	// most frequent category of a nominal one (the first of several), both over FittedRows rows; by 0 and no category
	// if these rows have no values.
	Imputed    int `json:"imputed"`
	FittedRows int `json:"fittedRows"`

	// Numeric are the indices of the features from numeric columns, for [Selected].
	Numeric []int `json:"-"`
}

// Encode makes a matrix without missing values from a table, with a row for each row and at least a column for each
// column but the target, and the targets. The task is a classification where the target is nominal or o.Classify is
// set, else a regression. The features of a nominal column are called "column=category".
//
// It returns a [*FormatError] when an option does not fit the table, a target
// is missing, there are no features, or the matrix would be too large.
func (t *Table) Encode(o EncodeOptions) (*Set, Conventions, error) {
	target, columns, err := t.choose(o)
	if err != nil {
		return nil, Conventions{}, err
	}
	c := Conventions{Encoding: OneHot, Columns: len(columns), Dropped: slices.Clone(o.Drop), FittedRows: t.Rows}
	if o.Ordinal {
		c.Encoding = Ordinal
	}
	if o.Rows != nil {
		c.FittedRows = len(o.Rows)
	}
	s := &Set{Name: t.Name}
	if err := t.encodeTarget(s, &t.Columns[target], o.Classify); err != nil {
		return nil, Conventions{}, err
	}
	c.Target, c.Task = s.Target, Regression
	if s.Classes != nil {
		c.Task = Classification
	}
	for _, i := range columns {
		c.Features += t.Columns[i].features(o.Ordinal)
	}
	if c.Features == 0 {
		return nil, Conventions{}, t.unfit("a feature at least", "none besides the target")
	}
	if !fits(t.Rows, c.Features) {
		return nil, Conventions{}, tooLarge(t.Name, t.Rows, c.Features)
	}
	s.X = mat.NewDense(t.Rows, c.Features, nil)
	for _, i := range columns {
		t.Columns[i].encode(s, &c, o)
	}
	return s, c, nil
}

// unfit says what is wrong with a table.
func (t *Table) unfit(want, got string) *FormatError {
	return &FormatError{Path: "table " + t.Name, Offset: array.NoOffset, Want: want, Got: got}
}

// choose returns the indices of the target and of the columns that features
// are made of.
func (t *Table) choose(o EncodeOptions) (target int, columns []int, err error) {
	if t.Rows == 0 || len(t.Columns) == 0 {
		return 0, nil, t.unfit("rows and columns", fmt.Sprintf("%d and %d", t.Rows, len(t.Columns)))
	}
	target = t.DefaultTarget()
	if o.Target != "" {
		if target = t.Find(o.Target); target < 0 {
			return 0, nil, array.OptionError("target", "the name of a column of "+t.Name, show(o.Target))
		}
	}
	for _, name := range o.Drop {
		if i := t.Find(name); i < 0 || i == target {
			return 0, nil, array.OptionError("drop", "the name of a column of "+t.Name+" that is not the target",
				show(name))
		}
	}
	if err := checkRows("rows", o.Rows, t.Rows); err != nil {
		return 0, nil, err
	}
	for i, c := range t.Columns {
		if i != target && !slices.Contains(o.Drop, c.Name) {
			columns = append(columns, i)
		}
	}
	return target, columns, nil
}

// checkRows fails unless rows are nil, or some of n rows.
func checkRows(option string, rows []int, n int) error {
	if rows != nil && len(rows) == 0 {
		return array.OptionError(option, "rows, or nil for all", "none")
	}
	for _, r := range rows {
		if r < 0 || r >= n {
			return array.OptionError(option, fmt.Sprintf("rows from 0 to %d", n-1), fmt.Sprint(r))
		}
	}
	return nil
}

// maxClasses bounds the classes that a numeric target may have: more of them
// are measurements.
const maxClasses = 1000

// encodeTarget makes the targets of a set of a column.
func (t *Table) encodeTarget(s *Set, c *Column, classify bool) error {
	s.Target = c.Name
	if i := slices.Index(c.Missing, true); i >= 0 {
		e := t.unfit("a target in each row", "none in row "+strconv.Itoa(i)+" of column "+show(c.Name))
		e.Hint = "take the rows without target out of the file"
		return e
	}
	if c.Kind == Nominal {
		s.Y = make([]float64, t.Rows)
		for i, code := range c.Codes {
			s.Y[i] = float64(code)
		}
		s.Classes = slices.Clone(c.Categories)
		return nil
	}
	s.Y = slices.Clone(c.Values)
	if !classify {
		return nil
	}
	return t.classify(s)
}

// classify makes classes of the values of a numeric target, in their order.
func (t *Table) classify(s *Set) error {
	index := map[float64]int{}
	for _, y := range s.Y {
		if y != math.Trunc(y) || math.Abs(y) > 1<<53 {
			return t.unfit("integers as classes in column "+show(s.Target), strconv.FormatFloat(y, 'g', -1, 64))
		}
		if index[y] = 0; len(index) > maxClasses {
			return t.unfit("at most "+strconv.Itoa(maxClasses)+" classes in column "+show(s.Target), "more")
		}
	}
	values := make([]float64, 0, len(index))
	for y := range index {
		values = append(values, y)
	}
	slices.Sort(values)
	for i, y := range values {
		index[y] = i
		s.Classes = append(s.Classes, strconv.FormatFloat(y+0, 'f', -1, 64)) // -0 is 0
	}
	for i, y := range s.Y {
		s.Y[i] = float64(index[y])
	}
	return nil
}
