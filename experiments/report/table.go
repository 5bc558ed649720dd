package report

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Table is a table of a report. Name is a file stem as in [Figure]; every row
// has one cell per column.
type Table struct {
	Name    string   `json:"name"`
	Caption string   `json:"caption"`
	Columns []Column `json:"columns"`
	Rows    [][]Cell `json:"rows"`
}

// Column heads a column of a table.
type Column struct {
	Name    string `json:"name"`
	Help    string `json:"help,omitempty"`    // what the column holds, for those who do not know it
	Numeric bool   `json:"numeric,omitempty"` // right-aligned; sorted, and written to CSV, by Cell.Value
	// Period is the period of numbers that are angles, such as 180 for directions in degrees, and else
	// 0; means of angles over seeds are circular.
	Period float64 `json:"period,omitempty"`
	Filter bool    `json:"filter,omitempty"` // whether a page lets its reader filter rows by their texts in this column

	// Sentences says that texts may take several lines. In plain text they take one, and the
	// column stands last, so that it pushes no other column out of sight.
	Sentences bool `json:"sentences,omitempty"`
}

// Cell is one entry of a table.
//
// Text is what a reader sees. In a numeric column, rows are sorted by Value, and the
// CSV file has Value, blank for NaN. If Text is empty in a numeric column, Value is
// shown with up to four digits. Link, if not "", is the ID of a section of the page,
// or of an anchor of the Markdown documents, to which the text links; other formats
// leave it out.
type Cell struct {
	Text  string
	Value float64
	Mark  Mark
	Link  string
}

// Mark rates a cell. A mark is a sign beside the text, so that it does not depend on
// colour alone.
type Mark int

// The marks of a cell.
const (
	Unmarked Mark = iota
	Good          // ✓
	Bad           // ✗
	Muted         // of less importance
)

// sign returns the character that shows the mark in text, or "".
func (m Mark) sign() string {
	switch m {
	case Good:
		return "✓"
	case Bad:
		return "✗"
	}
	return ""
}

// word returns the mark's name, for CSS classes and screen readers.
func (m Mark) word() string {
	switch m {
	case Good:
		return "good"
	case Bad:
		return "bad"
	case Muted:
		return "muted"
	}
	return ""
}

// Check returns an error for the first row that does not have a cell for each column.
func (t *Table) Check() error {
	for i, row := range t.Rows {
		if len(row) != len(t.Columns) {
			return fmt.Errorf("table %q: row %d has %d cells for %d columns", t.Name, i+1, len(row), len(t.Columns))
		}
	}
	return nil
}

// checkIn checks a table of a page, which must have a name that is not in seen.
func (t *Table) checkIn(seen map[string]bool) error {
	if err := claimName(t.Name, seen); err != nil {
		return fmt.Errorf("table %q: %w", t.Name, err)
	}
	return t.Check()
}

// WithoutEmpty returns the table without the numeric columns whose values are all NaN.
func (t *Table) WithoutEmpty() *Table {
	kept := *t
	kept.Columns, kept.Rows = nil, make([][]Cell, len(t.Rows))
	for j, c := range t.Columns {
		if c.Numeric && !slices.ContainsFunc(t.Rows, func(row []Cell) bool { return !math.IsNaN(row[j].Value) }) {
			continue
		}
		kept.Columns = append(kept.Columns, c)
		for i, row := range t.Rows {
			kept.Rows[i] = append(kept.Rows[i], row[j])
		}
	}
	return &kept
}

// Drop removes the columns with the given names. It ignores names that no column has.
func (t *Table) Drop(names ...string) {
	for _, name := range names {
		j := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name })
		if j < 0 {
			continue
		}
		t.Columns = slices.Delete(t.Columns, j, j+1)
		for i := range t.Rows {
			t.Rows[i] = slices.Delete(t.Rows[i], j, j+1)
		}
	}
}

// sentencesLast returns the table with its columns of sentences after all others.
func (t *Table) sentencesLast() *Table {
	var order, last []int
	for j, c := range t.Columns {
		if c.Sentences {
			last = append(last, j)
		} else {
			order = append(order, j)
		}
	}
	moved := &Table{Name: t.Name, Caption: t.Caption, Rows: make([][]Cell, len(t.Rows))}
	for _, j := range append(order, last...) {
		moved.Columns = append(moved.Columns, t.Columns[j])
		for i, row := range t.Rows {
			moved.Rows[i] = append(moved.Rows[i], row[j])
		}
	}
	return moved
}

// shown returns the text of a cell in the column.
func (c Column) shown(cell Cell) string {
	if c.Numeric && cell.Text == "" && !math.IsNaN(cell.Value) {
		return strconv.FormatFloat(cell.Value, 'g', 4, 64)
	}
	return plain(cell.Text)
}

// signed reports whether a cell of column j has a sign. Then every cell of the column
// must leave room for one.
func (t *Table) signed(j int) bool {
	for _, row := range t.Rows {
		if row[j].Mark.sign() != "" {
			return true
		}
	}
	return false
}

// cellJSON is a cell in JSON, which has no NaN.
type cellJSON struct {
	Text  string   `json:"text,omitempty"`
	Value *float64 `json:"value,omitempty"`
	Mark  Mark     `json:"mark,omitempty"`
}

// MarshalJSON leaves out a value that is NaN or infinite.
func (c Cell) MarshalJSON() ([]byte, error) {
	j := cellJSON{Text: c.Text, Mark: c.Mark}
	if !math.IsNaN(c.Value) && !math.IsInf(c.Value, 0) {
		j.Value = &c.Value
	}
	return json.Marshal(j)
}

// UnmarshalJSON reads what MarshalJSON wrote. A value that is left out is NaN.
func (c *Cell) UnmarshalJSON(text []byte) error {
	var j cellJSON
	if err := json.Unmarshal(text, &j); err != nil {
		return err
	}
	*c = Cell{Text: j.Text, Value: math.NaN(), Mark: j.Mark}
	if j.Value != nil {
		c.Value = *j.Value
	}
	return nil
}
