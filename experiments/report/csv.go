package report

import (
	"encoding/csv"
	"fmt"
	"io"
)

// WriteCSV writes the column names and the rows as comma-separated values
// (RFC 4180, lines ending in \n). Numeric columns hold values with all their
// digits, blank for NaN; other columns hold texts as they are. Marks are left
// out.
func (t *Table) WriteCSV(w io.Writer) error {
	if err := t.Check(); err != nil {
		return fmt.Errorf("report: writing CSV: %w", err)
	}
	c := csv.NewWriter(w)
	if len(t.Columns) > 0 {
		c.Write(t.names())
		for _, row := range t.Rows {
			c.Write(t.record(row))
		}
	}
	c.Flush()
	// The writer keeps its first error, so the calls to Write need no checks.
	if err := c.Error(); err != nil {
		return fmt.Errorf("report: writing table %q as CSV: %w", t.Name, err)
	}
	return nil
}

func (t *Table) names() []string {
	names := make([]string, len(t.Columns))
	for j, c := range t.Columns {
		names[j] = c.Name
	}
	return names
}

func (t *Table) record(row []Cell) []string {
	fields := make([]string, len(row))
	for j, cell := range row {
		if fields[j] = cell.Text; t.Columns[j].Numeric {
			fields[j] = exact(cell.Value)
		}
	}
	return fields
}
