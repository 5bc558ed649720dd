package table

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/ansatz-lab/ansatz/data/array"
)

// EncodeOptions says how to make a matrix from a table. The zero value uses the default target, encodes nominal columns
// one-hot, and imputes missing values from all rows.
type EncodeOptions struct {
	// Target is the name of the column to predict; "" means [Table.DefaultTarget].
	Target string

	// Ignore names columns that are not features, such as the number of a row.
	Ignore []string

	// Ordinal encodes a nominal column as one feature, the index of the category, instead of a feature of 0 and 1 for
	// each category.
	Ordinal bool

	// Rows are the training rows, from which missing values are imputed, so that nothing leaks from test rows. Nil means
	// all rows.
	Rows []int

	// Classify treats the values of a numeric target, at most 1000 different integers, as classes. A nominal target
	// always has classes.
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
	Columns  int      `json:"columns"`  // number of columns encoded: without the target and Dropped
	Features int      `json:"features"` // number of columns of the matrix
	Dropped  []string `json:"dropped,omitempty"`

	// Imputed is the number of missing values. The mean of a numeric column replaces them, or the most frequent category
	// of a nominal one (the first if several are), both over FittedRows rows; 0 or no category if these rows have no
	// values.
	Imputed    int `json:"imputed"`
	FittedRows int `json:"fitted_rows"`

	// Numeric holds the indices of the features from numeric columns, for [Selected].
	Numeric []int `json:"-"`
}

// Encode fits an [Encoder] to the table and encodes the table with it: a matrix of rows × features without missing
// values, not scaled, and the targets. The features of a nominal column are called "column=category". It returns the
// errors of [NewEncoder].
func (t *Table) Encode(o EncodeOptions) (*Set, Conventions, error) {
	e, err := NewEncoder(t, o)
	if err != nil {
		return nil, Conventions{}, err
	}
	s, match, err := e.Encode(t)
	if err != nil {
		return nil, Conventions{}, err
	}
	c := Conventions{Target: s.Target, Task: Regression, Encoding: OneHot, Columns: len(e.Columns),
		Features: len(s.Features), Dropped: e.Dropped, Imputed: match.CountMissing(), FittedRows: t.Rows}
	if len(s.Classes) > 0 {
		c.Task = Classification
	}
	if o.Ordinal {
		c.Encoding = Ordinal
	}
	if o.Rows != nil {
		c.FittedRows = len(o.Rows)
	}
	first := 0
	for i := range e.Columns {
		if e.Columns[i].Kind == Numeric {
			c.Numeric = append(c.Numeric, first)
		}
		first += e.Columns[i].features(o.Ordinal)
	}
	return s, c, nil
}

// unfit returns an error that says what is wrong with a table.
func (t *Table) unfit(want, got string) *FormatError {
	return &FormatError{Path: "table " + t.Name, Offset: array.NoOffset, Want: want, Got: got}
}

// unfitAt returns an error that says what is wrong with a row, with its line of the file if that is known.
func (t *Table) unfitAt(row int, want, got string) *FormatError {
	e := t.unfit(want, fmt.Sprintf("%s in row %d", got, row+1))
	e.Line = t.Line(row)
	if e.Line > 0 {
		e.Hint = "lines are lines of the file; rows count from 1, without the header"
	}
	return e
}

// choose returns the indices of the target and of the columns that become features.
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
	isFeature := make(map[string]bool, len(t.Columns)) // by the name of a column that is not the target
	for i, c := range t.Columns {
		if i != target {
			isFeature[c.Name] = true
		}
	}
	for _, name := range o.Ignore {
		if _, is := isFeature[name]; !is {
			return 0, nil, array.OptionError("ignore", "the name of a column of "+t.Name+" that is not the target",
				show(name))
		}
		isFeature[name] = false
	}
	if err := checkRows("rows", o.Rows, t.Rows); err != nil {
		return 0, nil, err
	}
	for i, c := range t.Columns {
		if i != target && isFeature[c.Name] {
			columns = append(columns, i)
		}
	}
	return target, columns, nil
}

// checkRows fails unless rows is nil, or holds at least one index and only indices below n.
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

// maxClasses bounds the classes of a numeric target: more different values are measurements.
const maxClasses = 1000

// newTarget makes the target from a column, which must have a value in every row.
func (t *Table) newTarget(c *Column, classify bool) (EncoderTarget, error) {
	target := EncoderTarget{Name: c.Name}
	if i := slices.Index(c.Missing, true); i >= 0 {
		e := t.unfitAt(i, "a target in each row", "none in column "+show(c.Name))
		e.Hint = "take the rows without target out of the file"
		return target, e
	}
	var err error
	if c.Kind == Nominal {
		target.Classes = slices.Clone(c.Categories)
	} else if classify {
		target.Classes, err = t.classesOf(c)
	}
	return target, err
}

// classesOf returns the different values of a numeric target, in ascending order, as the names of classes.
func (t *Table) classesOf(c *Column) ([]string, error) {
	seen := map[float64]bool{}
	for row, y := range c.Values {
		if y != math.Trunc(y) || math.Abs(y) > 1<<53 {
			return nil, t.unfitAt(row, "integers as classes in column "+show(c.Name), strconv.FormatFloat(y, 'g', -1, 64))
		}
		if seen[y] = true; len(seen) > maxClasses {
			return nil, t.unfit("at most "+strconv.Itoa(maxClasses)+" classes in column "+show(c.Name), "more")
		}
	}
	var names []string
	for _, y := range slices.Sorted(maps.Keys(seen)) {
		names = append(names, formatNumber(y))
	}
	return names, nil
}
