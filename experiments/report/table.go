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
	// Period is that of the numbers if they are angles, such as 180 of directions in degrees; their
	// means over seeds are circular.
	Period float64 `json:"period,omitempty"`
	Filter bool    `json:"filter,omitempty"` // a page lets its reader choose the rows by their texts here

	// Sentences take several lines but in plain text, where the column stands last, so
	// that it puts no other one out of sight.
	Sentences bool `json:"sentences,omitempty"`
}

// Cell is one entry of a table.
//
// Text is what a reader sees. In a numeric column, Value is what sorts and what
// goes to the CSV file; NaN is blank there. If Text is empty in a numeric
// column, Value is shown with up to four digits. Link, if not "", is the ID of a
// section of the page, or of an anchor of the Markdown documents, to which the text
// leads; other formats leave it out.
type Cell struct {
	Text  string
	Value float64
	Mark  Mark
	Link  string
}

// Mark tells a reader how to take a cell. Marks show as a sign beside the text
// and not by colour alone.
type Mark int

// The marks of a cell.
const (
	Unmarked Mark = iota
	Good          // ✓
	Bad           // ✗
	Muted         // of less importance
)

// sign returns the character that stands for the mark in text, or "".
func (m Mark) sign() string {
	switch m {
	case Good:
		return "✓"
	case Bad:
		return "✗"
	}
	return ""
}

// word returns the mark's name, for class names and readers of the screen.
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

// Check reports the first row that does not fit the columns.
func (t *Table) Check() error {
	for i, row := range t.Rows {
		if len(row) != len(t.Columns) {
			return fmt.Errorf("table %q: row %d has %d cells for %d columns", t.Name, i+1, len(row), len(t.Columns))
		}
	}
	return nil
}

// checkIn checks a table that is part of a page, where it needs a name.
func (t *Table) checkIn(seen map[string]bool) error {
	if err := claimName(t.Name, seen); err != nil {
		return fmt.Errorf("table %q: %w", t.Name, err)
	}
	return t.Check()
}

// WithoutEmpty returns the table without the numeric columns that hold nothing.
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

// Drop takes columns out, by name.
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

// sentencesLast returns the table with its columns of sentences behind all others.
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

// signed reports whether a cell of column j has a sign, so that every cell of
// the column must leave room for one.
func (t *Table) signed(j int) bool {
	for _, row := range t.Rows {
		if row[j].Mark.sign() != "" {
			return true
		}
	}
	return false
}

// cellJSON is a cell as JSON has it, which knows no NaN.
type cellJSON struct {
	Text  string   `json:"text,omitempty"`
	Value *float64 `json:"value,omitempty"`
	Mark  Mark     `json:"mark,omitempty"`
}

// MarshalJSON leaves a value out that is absent or infinite.
func (c Cell) MarshalJSON() ([]byte, error) {
	j := cellJSON{Text: c.Text, Mark: c.Mark}
	if !math.IsNaN(c.Value) && !math.IsInf(c.Value, 0) {
		j.Value = &c.Value
	}
	return json.Marshal(j)
}

// UnmarshalJSON reads what MarshalJSON wrote.
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
