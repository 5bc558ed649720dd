package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ansatz-lab/ansatz/experiments/report/axes"
)

// The views of a table hold what the template shows.
type (
	tableView struct {
		ID, Name, Caption string
		Number            int
		Long              bool
		Hidden            int // the number of rows that only the CSV file has
		Columns           []columnView
		Rows              [][]cellView
		Files             []fileView
	}
	columnView struct {
		Name, Help, Class string
		Filter            bool
	}
	cellView struct {
		Text, Class string
		Signed      bool   // whether the column has signs, for which the cell must leave room
		Sign, Word  string // the cell's mark
		Key         string // the value, for sorting; "" if there is none
		Link        string // the ID of a section; "" if there is none
	}
)

// mostRows is the largest number of rows that a page shows of a table. The file tables/NAME.csv has them all: a table
// with a row for each of a million columns or classes would make a page of hundreds of megabytes.
const mostRows = 2000

// longTable is the least number of rows with which a table scrolls in a box of its
// own, under a header that stays in place.
const longTable = 40

func newTableView(t *Table, number int, packed bool) (tableView, error) {
	rows := t.Rows[:min(len(t.Rows), mostRows)]
	v := tableView{
		ID: "table-" + t.Name, Name: t.Name, Caption: t.Caption, Number: number,
		Long: len(rows) >= longTable, Hidden: len(t.Rows) - len(rows),
	}
	var err error
	if v.Files, err = t.offered(packed); err != nil {
		return tableView{}, err
	}
	v.Rows = make([][]cellView, len(rows))
	for j, c := range t.Columns {
		signed := t.signed(j)
		v.Columns = append(v.Columns, columnView{c.Name, c.Help, classes(c.Numeric, signed, ""), c.Filter})
		measured := slices.ContainsFunc(rows, func(row []Cell) bool { return row[j].Text == "" && axes.Rounded(c.shown(row[j])) })
		for i, row := range rows {
			cell := newCellView(c, row[j], signed)
			if measured && row[j].Text == "" && row[j].Value != math.Trunc(row[j].Value) && !math.IsNaN(row[j].Value) {
				cell.Text = axes.Minus(fmt.Sprintf("%#.4g", row[j].Value))
			}
			if packed && axes.Begins(cell.Text, row[j].Value) {
				cell.Key = ""
			}
			v.Rows[i] = append(v.Rows[i], cell)
		}
	}
	return v, nil
}

func newCellView(c Column, cell Cell, signed bool) cellView {
	v := cellView{
		Text: c.shown(cell), Class: classes(c.Numeric, false, cell.Mark.word()),
		Signed: signed, Sign: cell.Mark.sign(), Word: cell.Mark.word(), Link: cell.Link,
	}
	switch {
	case c.Numeric:
		v.Text = axes.Minus(v.Text)
	case c.Sentences:
		v.Class = strings.TrimSpace("prose sentences " + v.Class)
	case utf8.RuneCountInString(v.Text) > longCell:
		v.Class = strings.TrimSpace("prose " + v.Class)
	}
	if c.Numeric && !math.IsNaN(cell.Value) {
		v.Key = axes.Exact(cell.Value)
	}
	return v
}

// longCell is the largest number of characters of a cell's text that must stay on
// one line. A longer text may take several.
const longCell = 36

// classes returns the CSS classes of a cell, which the style sheet and the script
// use.
func classes(numeric, signed bool, word string) string {
	var class []string
	if numeric {
		class = append(class, "number")
	}
	if signed {
		class = append(class, "signed")
	}
	if word != "" {
		class = append(class, word)
	}
	return strings.Join(class, " ")
}

// Helped returns the columns that the page explains below the table, each explanation once.
func (t tableView) Helped() []columnView {
	var helped []columnView
	for _, c := range t.Columns {
		said := func(h columnView) bool { return h.Name == c.Name && h.Help == c.Help }
		if plain(c.Help) != "" && !slices.ContainsFunc(helped, said) {
			helped = append(helped, c)
		}
	}
	return helped
}
