package tabular

import (
	"fmt"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/data/table"
	"github.com/ansatz-lab/ansatz/experiments/input"
)

// GeneratedTable is a table whose target is a polynomial of its features.
type GeneratedTable struct {
	Polynomial table.Polynomial
	Rows       int
	Seed       uint64
	Nominal    int  // the last Nominal features are cut into three categories each
	Classes    bool // the target is the sign of the polynomial
}

// Member returns the table as a member of a benchmark.
func (g GeneratedTable) Member() Member {
	return Member{Name: g.Polynomial.Name, Open: func() (*table.Table, *table.UCI, error) {
		t, err := g.Generate()
		return t, nil, err
	}}
}

// Generate draws the table.
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
			c = cutIntoCategories(c)
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

// cutIntoCategories replaces numbers by three categories: within half a root mean square of 0, below
// and above.
func cutIntoCategories(c table.Column) table.Column {
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

// RegressionMember returns the member with its table turned into a regression by [RegressionOf].
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

// RegressionOf turns a classification into a regression, whose target is the first numeric column
// without missing values. With nominal, nominal columns and the class become features; otherwise they
// are dropped.
func RegressionOf(t *table.Table, nominal bool) (*table.Table, error) {
	out := &table.Table{Name: t.Name, Rows: t.Rows}
	class, target := t.DefaultTarget(), -1
	for i, c := range t.Columns {
		numeric := c.Kind == table.Numeric
		switch {
		case numeric && target < 0 && i != class && !slices.Contains(c.Missing, true):
			target = i
		case i == class && nominal: // renamed, so that it is not taken for the target
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

// ColumnKinds says which kinds of columns a table has, besides its target and columns that name the
// rows.
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
