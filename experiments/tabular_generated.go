package experiments

import (
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/data/table"
)

// generatedTable says which table to make of a polynomial: of its rows, drawn by a
// seed, some features cut into categories, and the sign of the target for a class.
type generatedTable struct {
	polynomial table.Polynomial
	rows       int
	seed       uint64
	nominal    int // so many features, the last ones, are three categories each
	classes    bool
}

// member is the table among others.
func (g generatedTable) member() tabularMember {
	return tabularMember{name: g.polynomial.Name, open: func() (*table.Table, *table.UCI, error) {
		t, err := g.generate()
		return t, nil, err
	}}
}

// generate makes the table.
func (g generatedTable) generate() (*table.Table, error) {
	set, err := g.polynomial.Generate(g.rows, g.seed, "table")
	if err != nil {
		return nil, &InputError{err}
	}
	t := &table.Table{Name: g.polynomial.Name, Rows: g.rows}
	for j, name := range set.Features {
		c := table.Column{Name: name}
		for i := range g.rows {
			c.Values = append(c.Values, set.X.At(i, j))
		}
		if j >= len(set.Features)-g.nominal {
			c = cut(c)
		}
		t.Columns = append(t.Columns, c)
	}
	target := table.Column{Name: "class", Values: set.Y}
	if g.classes {
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

// cut makes three categories of numbers: those of less than half a standard deviation
// in size, and those below and above.
func cut(c table.Column) table.Column {
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

// regressionMember makes of a table the regression of its first numeric column
// without missing values on the others, without the class and all nominal columns
// unless nominal says to keep them.
func regressionMember(m tabularMember, nominal bool) tabularMember {
	return tabularMember{name: m.name, open: func() (*table.Table, *table.UCI, error) {
		t, _, err := m.open()
		if err != nil {
			return nil, nil, err
		}
		r, err := regressionOf(t, nominal)
		return r, nil, err
	}}
}

func regressionOf(t *table.Table, nominal bool) (*table.Table, error) {
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

// complete says that no value is missing.
func complete(c table.Column) bool {
	for _, missing := range c.Missing {
		if missing {
			return false
		}
	}
	return true
}

// columnKinds says which kinds of columns a table has besides its target, names of the
// rows aside.
func columnKinds(t *table.Table) (numeric, nominal bool) {
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
