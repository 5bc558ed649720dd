package table

import (
	"fmt"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/data/array"
)

// FromArrays makes a table from x, of shape n×d (or n, for one column), and the targets y: n numbers in any shape, or
// nil for none. The columns are x1 to xd and y, all numeric; [EncodeOptions] says whether the values of y are classes.
// NaN is a missing value.
//
// It returns a [*FormatError] when the shapes do not fit, an array has too few or too many bytes for its shape, or a
// number is infinite.
func FromArrays(name string, x, y *array.Array) (*Table, error) {
	if x == nil || len(x.Shape) < 1 || len(x.Shape) > 2 {
		return nil, arrayError(name, "an array of rows and columns", "another")
	}
	values, err := numbers(name, x)
	if err != nil {
		return nil, err
	}
	rows, columns := x.Shape[0], 1
	if len(x.Shape) == 2 {
		columns = x.Shape[1]
	}
	if rows == 0 || columns == 0 {
		return nil, arrayError(name, "an array with rows and columns", fmt.Sprintf("%d×%d", rows, columns))
	}
	t := &Table{Name: name, Rows: rows}
	byRow, byColumn := columns, 1 // elements from a row to the next, and from a column to the next
	if x.Fortran {
		byRow, byColumn = 1, rows
	}
	for j := range columns {
		c := Column{Name: fmt.Sprintf("x%d", j+1), Values: make([]float64, 0, rows)}
		for i := range rows {
			c.addNumberOrNaN(values[i*byRow+j*byColumn])
		}
		t.Columns = append(t.Columns, c)
	}
	if err := t.addTargets(y); err != nil {
		return nil, err
	}
	return t, nil
}

// addTargets appends the column y, if there is one.
func (t *Table) addTargets(y *array.Array) error {
	if y == nil {
		return nil
	}
	values, err := numbers(t.Name, y)
	if err != nil {
		return err
	}
	if len(values) != t.Rows {
		return arrayError(t.Name, fmt.Sprintf("%d targets, one for each row", t.Rows), fmt.Sprint(len(values)))
	}
	c := Column{Name: "y", Values: make([]float64, 0, t.Rows)}
	for _, v := range values {
		c.addNumberOrNaN(v)
	}
	t.Columns = append(t.Columns, c)
	return nil
}

// addNumberOrNaN appends a value, which is missing if it is NaN.
func (c *Column) addNumberOrNaN(v float64) {
	if math.IsNaN(v) {
		c.addMissing()
	} else {
		c.addNumber(v)
	}
}

func arrayError(name, want, got string) *FormatError {
	return &FormatError{Path: name, Offset: array.NoOffset, Want: want, Got: got}
}

// numbers returns the elements of an array in the order of its bytes.
func numbers(name string, a *array.Array) ([]float64, error) {
	size, count := a.Type.Size(), 1
	for _, n := range a.Shape {
		if n < 0 || n > 0 && count > maxCells/n {
			return nil, arrayError(name, fmt.Sprintf("an array of at most %d elements", maxCells),
				fmt.Sprintf("one of shape %v", a.Shape))
		}
		count *= n
	}
	if size == 0 || len(a.Bytes) != count*size {
		return nil, arrayError(name, fmt.Sprintf("the elements of an array of %v of shape %v", a.Type, a.Shape),
			fmt.Sprintf("%d bytes", len(a.Bytes)))
	}
	values := a.Float64s()
	if i := slices.IndexFunc(values, func(v float64) bool { return math.IsInf(v, 0) }); i >= 0 {
		return nil, arrayError(name, "finite numbers", fmt.Sprintf("%v as element %d", values[i], i))
	}
	return values, nil
}
