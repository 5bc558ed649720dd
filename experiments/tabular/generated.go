package tabular

import (
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/data/table"
	"github.com/ansatz-lab/ansatz/experiments/input"
)

// GeneratedTable says which table to make of a polynomial: of its rows, drawn by a
// seed, some features cut into categories, and the sign of the target for a class.
type GeneratedTable struct {
	Polynomial table.Polynomial
	Rows       int
	Seed       uint64
	Nominal    int // so many features, the last ones, are three categories each
	Classes    bool
}

// Member is the table among others.
func (g GeneratedTable) Member() Member {
	return Member{Name: g.Polynomial.Name, Open: func() (*table.Table, *table.UCI, error) {
		t, err := g.Generate()
		return t, nil, err
	}}
}

// Generate makes the table.
func (g GeneratedTable) Generate() (*table.Table, error) {
	set, err := g.Polynomial.Generate(g.Rows, g.Seed, "table")
	if err != nil {
		return nil, &input.Error{Err: err}
	}
	t := &table.Table{Name: g.Polynomial.Name, Rows: g.Rows}
	for j, name := range set.Features {
		c := table.Column{Name: name}
		for i := range g.Rows {
			c.Values = append(c.Values, set.X.At(i, j))
		}
		if j >= len(set.Features)-g.Nominal {
			c = categoriesOfColumn(c)
		}
		t.Columns = append(t.Columns, c)
	}
	target := table.Column{Name: "class", Values: set.Y}
	if g.Classes {
		target = table.Column{Name: "class", Kind: table.Nominal, Categories: []string{"negative", "positive"}}
		for _, y := range set.Y {
			code := int32(0)
			if y > 0 {
				code = 1
			}
			target.Codes = append(target.Codes, code)
		}
	}
	t.Columns = append(t.Columns, target)
	return t, nil
}

// categoriesOfColumn divides numbers into three categories: within half a root mean square of 0,
// below and above.
func categoriesOfColumn(c table.Column) table.Column {
	square := 0.
	for _, v := range c.Values {
		square += v * v / float64(len(c.Values))
	}
	out := table.Column{Name: c.Name, Kind: table.Nominal, Categories: []string{"low", "middle", "high"}}
	for _, v := range c.Values {
		code := int32(1)
		switch half := math.Sqrt(square) / 2; {
		case v < -half:
			code = 0
		case v > half:
			code = 2
		}
		out.Codes = append(out.Codes, code)
	}
	return out
}

// RegressionMember makes of a table the regression of its first numeric column
// without missing values on the others, without the class and all nominal columns
// unless nominal says to keep them.
func RegressionMember(m Member, nominal bool) Member {
	return Member{Name: m.Name, Open: func() (*table.Table, *table.UCI, error) {
		t, _, err := m.Open()
		if err != nil {
			return nil, nil, err
		}
		r, err := RegressionOf(t, nominal)
		return r, nil, err
	}}
}

// RegressionOf returns a regression made of a table for classification: its target is a numeric
// column, and with nominal columns the class becomes a feature.
func RegressionOf(t *table.Table, nominal bool) (*table.Table, error) {
	out := &table.Table{Name: t.Name, Rows: t.Rows}
	class, target := t.DefaultTarget(), -1
	for i, c := range t.Columns {
		numeric := c.Kind == table.Numeric
		switch {
		case numeric && target < 0 && i != class && complete(c):
			target = i
		case i == class && nominal: // a feature now, which must not be taken for the target
			c.Name = "was " + c.Name
			out.Columns = append(out.Columns, c)
		case i != class && (numeric || nominal):
			out.Columns = append(out.Columns, c)
		}
	}
	if target < 0 || len(out.Columns) == 0 {
		return nil, fmt.Errorf("%s has no numeric column without missing values, or nothing besides it", t.Name)
	}
	out.Columns = append(out.Columns, t.Columns[target])
	return out, nil
}

// complete says whether no value is missing.
func complete(c table.Column) bool {
	for _, missing := range c.Missing {
		if missing {
			return false
		}
	}
	return true
}

// ColumnKinds says which kinds of columns a table has besides its target, names of the
// rows aside.
func ColumnKinds(t *table.Table) (numeric, nominal bool) {
	target := t.DefaultTarget()
	for i, c := range t.Columns {
		switch {
		case i == target || c.Kind == table.Nominal && 2*len(c.Categories) > t.Rows:
		case c.Kind == table.Nominal:
			nominal = true
		default:
			numeric = true
		}
	}
	return numeric, nominal
}
