package table

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ansatz-lab/ansatz/data/table/dialect"
)

// csvColumns finds what the columns of a CSV file hold, in one pass over its lines.
type csvColumns struct {
	file     *csvFile
	first    []string // the values of the first line
	at       csvPlace // of the first line
	again    []bool   // by column: whether a later line repeats the value of the first line
	readings []csvReading
	rows     int // without the first line
}

// csvReading describes the columns when numbers are read with one decimal mark.
type csvReading struct {
	decimal dialect.Decimal
	columns []csvColumn
}

// csvColumn describes a column when numbers are read with one decimal mark.
type csvColumn struct {
	text, number, dash bool         // whether there are texts, numbers, and dashes that may be missing values
	filled             bool         // whether a cell is not empty
	marked, unit       string       // the first number with thousands separators or a unit, and the sign of the unit
	infinite           *FormatError // the error of the first number that is too large
	digits             dialect.Digits
}

// isNumeric reports whether the column is numeric: it has no text, it is not dashes alone, and it does not look like codes
// with leading zeros.
func (c *csvColumn) isNumeric() bool {
	return !c.text && (c.number || !c.dash) && (c.marked != "" || c.digits.LeadingZeros() == "")
}

// columns makes the columns of a table without their values, and fills in the detected header and decimal mark of the
// dialect. The function number parses a number of the file.
func (f *csvFile) columns(t *Table) (number func(text string) (float64, bool), err error) {
	k := &csvColumns{file: f}
	if err := f.eachRecord(k.line); err != nil {
		return nil, err
	}
	r := k.choose()
	number = r.number
	if f.dialect.Header == "" {
		if f.dialect.Header, err = k.header(r); err != nil {
			return nil, err
		}
	}
	t.Rows = k.rows
	if f.dialect.Header == dialect.NoNames && k.first != nil {
		t.Rows++
		k.observe(r, k.at, k.first)
	}
	if t.Rows == 0 {
		return nil, k.tooFew()
	}
	if t.Columns, err = k.names(); err != nil {
		return nil, err
	}
	if last := len(t.Columns) - 1; last > 0 && k.first[last] == "" && !r.columns[last].filled {
		t.Columns = t.Columns[:last] // a separator ends every line
	}
	if !fits(t.Rows, len(t.Columns)) {
		return nil, tooLarge(f.path, t.Rows, len(t.Columns))
	}
	for i := range t.Columns {
		c, column := &r.columns[i], &t.Columns[i]
		switch {
		case !c.isNumeric():
			column.Kind, column.Codes = Nominal, make([]int32, 0, t.Rows)
		case c.infinite != nil:
			c.infinite.Want += " " + show(column.Name)
			return nil, c.infinite
		default:
			column.Values = make([]float64, 0, t.Rows)
		}
		t.noteDigits(c, column.Name, r)
	}
	return number, nil
}

// noteDigits adds a note if the digits of a column can be read in two ways.
func (t *Table) noteDigits(c *csvColumn, column string, r *csvReading) {
	if c.text {
		return
	}
	if c.marked != "" {
		read, _ := r.number(c.marked)
		t.Notes = append(t.Notes, Note{column, "marks", c.marked + " is read as " + formatNumber(read)})
	} else if number := c.digits.LeadingZeros(); number != "" {
		t.Notes = append(t.Notes, Note{column, "leading zeros", "read as categories, since " + number + " has leading zeros"})
	}
	if number := c.digits.Grouped(); number != "" && c.marked == "" {
		read, _ := r.number(number)
		t.Notes = append(t.Notes, Note{column, "thousands", fmt.Sprintf("%s is read as %s, with a decimal %s; if that separates "+
			"thousands, take it out of the file", number, formatNumber(read), r.decimal)})
	}
}

// tooFew returns the error of a file without rows.
func (k *csvColumns) tooFew() error {
	want, got := "a header and at least one row", "0 lines"
	if k.file.dialect.Header == dialect.NoNames {
		want = "at least one row"
	}
	if k.first != nil {
		got = "1 line"
	}
	return k.file.errorAt(csvPlace{offset: int64(len(k.file.text))}, want, got)
}

// line records the values of line n of the file, from 0.
func (k *csvColumns) line(n int, at csvPlace, values []string) error {
	if n == 0 {
		if len(values) > maxColumns {
			return tooManyColumns(k.file.path, len(values))
		}
		k.begin(at, values)
		return nil
	}
	if k.rows++; !fits(k.rows, len(values)) {
		return tooLarge(k.file.path, k.rows, len(values))
	}
	if k.file.dialect.Header == "" {
		for i, v := range values {
			k.again[i] = k.again[i] || v == k.first[i]
		}
	}
	for i := range k.readings {
		k.observe(&k.readings[i], at, values)
	}
	return nil
}

// begin records the values of the first line, and chooses the decimal marks to try.
func (k *csvColumns) begin(at csvPlace, values []string) {
	k.at, k.again = at, make([]bool, len(values))
	for _, v := range values {
		k.first = append(k.first, strings.Clone(v))
	}
	marks := []dialect.Decimal{k.file.dialect.Decimal}
	if marks[0] == "" {
		marks[0] = dialect.DecimalPoint
		if k.file.dialect.Separator != dialect.Comma {
			marks = append(marks, dialect.DecimalComma)
		}
	}
	for _, mark := range marks {
		k.readings = append(k.readings, csvReading{mark, make([]csvColumn, len(values))})
	}
}

// observe records in r what kinds of values a row has.
func (k *csvColumns) observe(r *csvReading, at csvPlace, values []string) {
	for i, v := range values {
		c := &r.columns[i]
		c.filled = c.filled || v != ""
		if c.text || dialect.IsMissing(v) {
			continue
		}
		if _, plain := r.plain(v); plain {
			c.text = c.text || c.unit != ""
			c.number = true
			c.digits.Add(v)
			continue
		}
		number, unit := r.decimal.Plain(v)
		switch _, ok := parseNumber(number); {
		case ok && (!c.number || unit == c.unit):
			if c.number, c.unit = true, unit; c.marked == "" {
				c.marked = strings.Clone(v)
			}
		case !ok && dialect.MayBeMissing(v):
			c.dash = true
		case !isTooLarge(number):
			c.text = true
		case c.infinite == nil:
			c.infinite = k.file.errorAt(at, "a finite number in column", show(v))
			c.infinite.Hint = "leave the cell empty where the number is not known"
		}
	}
}

// plain parses a number with the decimal mark of the reading, without thousands separators and unit.
func (r *csvReading) plain(text string) (float64, bool) {
	if r.decimal == dialect.DecimalComma {
		if strings.Contains(text, ".") {
			return 0, false
		}
		text = strings.Replace(text, ",", ".", 1)
	}
	return parseNumber(text)
}

// number parses a number with the decimal mark of the reading, perhaps with thousands separators and the sign of a unit.
func (r *csvReading) number(text string) (float64, bool) {
	if v, ok := r.plain(text); ok {
		return v, ok
	}
	number, _ := r.decimal.Plain(text)
	return parseNumber(number)
}

// choose returns the reading with the most numeric columns, where a column of plain numbers counts twice, and sets its
// decimal mark in the dialect.
func (k *csvColumns) choose() *csvReading {
	if len(k.readings) == 0 {
		return &csvReading{}
	}
	best, most := 0, -1
	for i := range k.readings {
		n := 0
		for _, c := range k.readings[i].columns {
			switch {
			case !c.text && c.marked == "":
				n += 2
			case !c.text:
				n++
			}
		}
		if n > most {
			best, most = i, n
		}
	}
	k.file.dialect.Decimal = k.readings[best].decimal
	return &k.readings[best]
}

// header says whether the first line names the columns; see [ReadCSVAs].
func (k *csvColumns) header(r *csvReading) (dialect.Header, error) {
	numbers, over, texts, again := 0, 0, 0, 0 // numbers, numbers over numeric columns; texts, texts that come again below
	var number, text string                   // examples for errors: a number, with a fraction if any has one, and a text
	for i, v := range k.first {
		_, isNumber := r.number(v)
		column := r.columns[i].number && !r.columns[i].text
		switch {
		case dialect.IsMissing(v), column && dialect.MayBeMissing(v):
		case isNumber:
			if numbers++; column {
				over++
			}
			if !isFraction(number) {
				number = v
			}
		case column:
			return dialect.Names, nil // a text over numbers
		default:
			if texts++; k.again[i] {
				again++
			}
			text = v
		}
	}
	onlyNumbers := numbers > 0 && texts == 0
	switch {
	case onlyNumbers && (k.rows == 0 || over > 0 && !countsUp(k.first)), over > 0 && again > 0:
		return dialect.NoNames, nil
	case onlyNumbers, isFraction(number):
		return "", k.unclear("the number " + number + " in the place of a name")
	case again == texts && texts > 1:
		return "", k.unclear("texts that stand in their columns below too, such as " + show(text))
	}
	return dialect.Names, nil
}

// isFraction reports whether a number has a fraction or an exponent. Unlike a year, it cannot be the name of a column.
func isFraction(number string) bool { return strings.ContainsAny(number, ".,eE") }

// countsUp reports whether the values are whole numbers, each greater by one than the previous: pandas names columns so
// if they have no names. Two such values may be chance, so there must be three.
func countsUp(values []string) bool {
	for i, v := range values {
		n, err := strconv.Atoi(v)
		if err != nil || i > 0 && strconv.Itoa(n-1) != values[i-1] {
			return false
		}
	}
	return len(values) > 2
}

// unclear returns the error of a first line that may be a row or the names of the columns.
func (k *csvColumns) unclear(got string) error {
	e := k.file.errorAt(k.at, "a line with the names of the columns", got)
	e.Hint = "say whether the first line is a header (--header yes or no): a row in its place would be lost"
	return e
}

// names returns the columns with names from the first line, if it is a header, or else with "column" and a number.
func (k *csvColumns) names() ([]Column, error) {
	columns := make([]Column, len(k.first))
	for i, name := range k.first {
		if columns[i].Name = name; name == "" || k.file.dialect.Header == dialect.NoNames {
			columns[i].Name = fmt.Sprintf("column %d", i+1)
		}
	}
	if first, second, found := sameName(columns); found {
		e := k.file.errorAt(k.at, "a different name for each column",
			fmt.Sprintf("%s for columns %d and %d", show(columns[second].Name), first+1, second+1))
		e.Hint = "give them different names; if the first line is a row, say that there is no header (--header no)"
		return nil, e
	}
	return columns, nil
}
