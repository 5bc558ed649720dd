package datasets

import (
	"context"
	"path/filepath"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/data/catalogue"
	"github.com/ansatz-lab/ansatz/data/table"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
)

// CollectionCheck is the result of checking a collection of tables.
type CollectionCheck struct {
	Dataset string        `json:"dataset"`
	OK      bool          `json:"ok"`
	Tables  []MemberCheck `json:"tables"`
	Receipt *ReceiptCheck `json:"receipt,omitempty"` // see [Check]
}

// MemberCheck is the result of checking a table of a collection.
type MemberCheck struct {
	Table    string `json:"table"`
	Rows     int    `json:"rows"`
	Columns  int    `json:"columns"`  // without the target
	Features int    `json:"features"` // of the matrix
	Classes  int    `json:"classes,omitempty"`
	Missing  int    `json:"missing,omitempty"` // values
	Problem  string `json:"problem,omitempty"`
}

// IsCollection says whether the dataset of that name is a collection of tables.
func IsCollection(name string) bool {
	e, ok := catalogue.Find(name)
	return ok && e.Kind == catalogue.Tables
}

// CheckCollection reads every table of a collection. If one cannot be read, its Problem says why.
func CheckCollection(ctx context.Context, s CheckSpec) (*CollectionCheck, error) {
	if err := s.noImageFlags(); err != nil {
		return nil, err
	}
	if s.Target != "" || s.Classify {
		return nil, input.Errorf("--target and --classify are for one table: %s has several", s.Data)
	}
	names, err := data.TablesOf(s.Data, s.Dir)
	if err != nil {
		return nil, err
	}
	c := &CollectionCheck{Dataset: s.Data, OK: true}
	for i, name := range names {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		m := checkMember(name, s)
		c.OK = c.OK && m.Problem == ""
		c.Tables = append(c.Tables, m)
		if s.Progress != nil {
			s.Progress("reading", i+1, len(names))
		}
	}
	c.Receipt, err = checkReceipt(ctx, s)
	c.OK = c.OK && c.Receipt.ok()
	return c, err
}

// checkMember reads a table.
func checkMember(name string, s CheckSpec) MemberCheck {
	m := MemberCheck{Table: name}
	t, err := data.OpenTable(name, s.Dir)
	if err == nil {
		m.Rows = t.Rows
		keepLabelled(t, "")
		var set *table.Set
		var k table.Conventions
		if set, k, err = t.Encode(table.EncodeOptions{Ordinal: s.Ordinal}); err == nil {
			m.Columns, m.Features, m.Classes, m.Missing = k.Columns, k.Features, len(set.Classes), k.Imputed
		}
	}
	if err != nil {
		m.Problem = err.Error()
	}
	return m
}

// Table returns a row for each table.
func (c *CollectionCheck) Table() *report.Table {
	t := &report.Table{Name: "tables", Columns: []report.Column{
		{Name: "table"}, {Name: "rows", Numeric: true}, {Name: "columns", Numeric: true},
		{Name: "features", Numeric: true},
		{Name: "classes", Numeric: true}, {Name: "missing", Numeric: true}, {Name: "found"},
	}}
	for _, m := range c.Tables {
		found := report.Cell{Text: "whole", Mark: report.Good}
		if m.Problem != "" {
			found = report.Cell{Text: m.Problem, Mark: report.Bad}
		}
		t.Rows = append(t.Rows, []report.Cell{
			{Text: filepath.ToSlash(m.Table)}, record.CountCell(m.Rows), record.CountCell(m.Columns),
			record.CountCell(m.Features), record.CountCell(m.Classes), record.CountCell(m.Missing), found,
		})
	}
	return t.WithoutEmpty()
}

// Save writes the report into a folder and returns its path.
func (c *CollectionCheck) Save(dir string) (string, error) { return record.SaveRecord(dir, c) }

// RecordKind implements [record.Record].
func (c *CollectionCheck) RecordKind() string { return "data-collection" }

// Page returns the report.
func (c *CollectionCheck) Page() (*report.Page, error) {
	return tablePage("The tables of "+c.Dataset, c.Summary(), c.Table()), nil
}

// Summary says whether the collection is complete and unchanged.
func (c *CollectionCheck) Summary() string { return c.Receipt.verdict(c.Dataset, c.OK) }
