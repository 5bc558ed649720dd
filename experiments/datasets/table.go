package datasets

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/data/catalogue"
	"github.com/ansatz-lab/ansatz/data/table"
	"github.com/ansatz-lab/ansatz/experiments/examples"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/internal/words"
)

// findTables looks for a collection of tables in the data folder.
func findTables(e *catalogue.Entry, dir string) (path string, there bool, err error) {
	path, err = data.FindTables(e.Name, dir)
	if err == nil {
		_, err = data.TablesOf(e.Name, dir)
	}
	var missing *data.NotFoundError
	if errors.As(err, &missing) {
		return "", false, nil
	}
	return path, err == nil, err
}

// TableCheck is the result of checking a table.
type TableCheck struct {
	Dataset     string            `json:"dataset"`
	Rows        int               `json:"rows"`
	Columns     []ColumnCheck     `json:"columns"`
	Classes     []string          `json:"classes,omitempty"`
	PerClass    []int             `json:"per_class,omitempty"` // rows
	Conventions table.Conventions `json:"conventions"`         // of the encoded matrix
	// LeftOut lists the columns that can be no features, and Refused says why no machine can be fitted to the table.
	LeftOut []examples.DroppedColumn `json:"left_out,omitempty"`
	Refused string                   `json:"refused,omitempty"`
}

// ColumnCheck describes a column.
type ColumnCheck struct {
	Column     string   `json:"column"`
	Kind       string   `json:"kind"` // numeric or nominal
	Missing    int      `json:"missing"`
	Mean       *float64 `json:"mean,omitempty"` // of a numeric column, without missing values
	Least      *float64 `json:"least,omitempty"`
	Greatest   *float64 `json:"greatest,omitempty"`
	Categories []string `json:"categories,omitempty"` // of a nominal one
}

// CheckTable reads a table and encodes it as a matrix. All its errors are input errors.
func CheckTable(s CheckSpec) (*TableCheck, error) {
	if err := s.noImageFlags(); err != nil {
		return nil, err
	}
	if p, ok := input.FindPolynomial(s.Data); ok {
		return checkPolynomial(s, p)
	}
	if name, _, _ := strings.Cut(s.Data, ":"); name == input.Polynomials {
		var all []string
		for _, p := range table.Polynomials() {
			all = append(all, input.Polynomials+":"+p.Name)
		}
		return nil, input.Errorf("%q: want one of %s", s.Data, strings.Join(all, ", "))
	}
	t, err := data.OpenTable(s.Data, s.Dir)
	if err != nil {
		return nil, &input.Error{Err: err}
	}
	c := &TableCheck{Dataset: s.Data, Rows: t.Rows}
	for i := range t.Columns {
		c.Columns = append(c.Columns, checkColumn(&t.Columns[i]))
	}
	o := table.EncodeOptions{Target: s.Target, Ordinal: s.Ordinal, Classify: s.Classify}
	if c.LeftOut, err = examples.DropColumns(t, &o); err != nil {
		c.LeftOut, c.Refused, o.Ignore = nil, err.Error(), nil
		keepLabelled(t, s.Target)
	}
	set, conventions, err := t.Encode(o)
	if err != nil {
		return nil, &input.Error{Err: fmt.Errorf("%s: %w", s.Data, err)}
	}
	c.Conventions, c.Refused = conventions, cmp.Or(c.Refused, examples.RefusalText(set))
	c.countClasses(set)
	return c, nil
}

// noImageFlags returns an input error for flags that have no effect on tables.
func (s CheckSpec) noImageFlags() error {
	if s.Size != 0 || s.Fit != "" {
		return input.Errorf("--size and --fit are for images: %s has tables", s.Data)
	}
	return nil
}

// keepLabelled takes out the rows without a target, as a fit does, unless no row has one.
func keepLabelled(t *table.Table, target string) {
	if len(t.Columns) == 0 || target != "" && t.Find(target) < 0 {
		return // Encode returns the error
	}
	i := t.DefaultTarget()
	if target != "" {
		i = t.Find(target)
	}
	if rows := t.RowsWith(i); len(rows) > 0 {
		t.Keep(rows)
	}
}

// checkPolynomial generates a table with as many rows as the training set of the polynomial's paper.
func checkPolynomial(s CheckSpec, p table.Polynomial) (*TableCheck, error) {
	if s.Target != "" || s.Ordinal || s.Classify {
		return nil, input.Errorf("%s is generated: it takes neither --target, --ordinal nor --classify", s.Data)
	}
	set, err := p.Generate(p.Train, s.Seed, "train")
	if err != nil {
		return nil, &input.Error{Err: err}
	}
	c := &TableCheck{Dataset: s.Data, Rows: p.Train}
	c.Conventions = table.Conventions{
		Target: p.Formula, Task: table.Regression, Columns: p.Features, Features: p.Features,
	}
	rows := make([]float64, p.Train)
	for k, name := range set.Features {
		for i := range rows {
			rows[i] = set.X.At(i, k)
		}
		c.Columns = append(c.Columns, checkColumn(&table.Column{Name: name, Values: rows}))
	}
	c.Columns = append(c.Columns, checkColumn(&table.Column{Name: set.Target, Values: set.Y}))
	return c, nil
}

// countClasses counts the rows of each class.
func (c *TableCheck) countClasses(s *table.Set) {
	c.Classes = s.Classes
	c.PerClass = make([]int, len(s.Classes))
	if len(s.Classes) == 0 {
		return
	}
	for _, y := range s.Y {
		c.PerClass[int(y)]++
	}
}

// checkColumn describes a column.
func checkColumn(c *table.Column) ColumnCheck {
	found := ColumnCheck{Column: c.Name, Kind: c.Kind.String(), Missing: c.CountMissing(), Categories: c.Categories}
	var values []float64
	for i, v := range c.Values {
		if !c.IsMissing(i) {
			values = append(values, v)
		}
	}
	if len(values) > 0 {
		mean, least, greatest := meanOf(values), slices.Min(values), slices.Max(values)
		found.Mean, found.Least, found.Greatest = &mean, &least, &greatest
	}
	return found
}

// meanOf returns the mean. It divides before it adds, since the sum of large values could be infinite.
func meanOf(v []float64) float64 {
	mean := 0.
	for _, x := range v {
		mean += x / float64(len(v))
	}
	return mean
}

// Table returns a row for each column.
func (c *TableCheck) Table() *report.Table {
	type row = ColumnCheck
	t := record.TableOf("columns", "", c.Columns,
		record.TextField("column", func(f row) string { return f.Column }),
		record.TextField("kind", func(f row) string { return f.Kind }),
		record.CountField("missing", func(f row) int { return f.Missing }),
		record.CellField("mean", func(f row) report.Cell { return record.NumberCell(f.Mean, "%.4g") }),
		record.CellField("least", func(f row) report.Cell { return record.NumberCell(f.Least, "%.4g") }),
		record.CellField("greatest", func(f row) report.Cell { return record.NumberCell(f.Greatest, "%.4g") }),
		record.TextField("categories", func(f row) string { return words.Some(f.Categories, shownNames) }))
	return t.WithoutEmpty()
}

// shownNames is how many categories, or classes, a list names.
const shownNames = 6

// Save writes the report into a folder and returns its path.
func (c *TableCheck) Save(dir string) (string, error) { return record.SaveRecord(dir, c) }

// RecordKind implements [record.Record].
func (c *TableCheck) RecordKind() string { return "data-table" }

// Page returns the report.
func (c *TableCheck) Page() (*report.Page, error) {
	return tablePage("The table "+c.Dataset, c.Summary(), c.Table()), nil
}

// tablePage returns a report with one table.
func tablePage(title, lead string, t *report.Table) *report.Page {
	return &report.Page{
		Title: title, Lead: lead, Sections: []report.Section{{Heading: title, Tables: []report.Table{*t}}},
	}
}

// Summary describes the encoded matrix.
func (c *TableCheck) Summary() string {
	k := c.Conventions
	text := fmt.Sprintf("%s: %s, %s that become %s, %s of %s", c.Dataset, words.Count(c.Rows, "row"),
		words.Count(k.Columns, "column"), words.Count(k.Features, "feature"), k.Task, k.Target)
	if len(c.Classes) > 0 {
		var sizes []string
		for i, name := range c.Classes {
			sizes = append(sizes, fmt.Sprintf("%s %d", name, c.PerClass[i]))
		}
		text += " (" + words.Some(sizes, shownNames) + ")"
	}
	for _, f := range c.Columns {
		if f.Column == k.Target && f.Missing > 0 {
			text += "; " + words.Count(f.Missing, "row") + " without a target left out"
		}
	}
	var left []string
	for _, d := range c.LeftOut {
		left = append(left, fmt.Sprintf("%s (%s)", d.Column, d.Reason))
	}
	if left != nil {
		text += "; left out: " + words.Some(left, shownNames)
	}
	if k.Imputed > 0 {
		text += "; " + words.Count(k.Imputed, "missing value") + " imputed by the mean or the mode"
	}
	if c.Refused != "" {
		text += "; a fit would refuse it: " + c.Refused
	}
	return text + "."
}
