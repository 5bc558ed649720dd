package table

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// csvFile is a CSV file being read.
type csvFile struct {
	path  string
	text  string // without byte order mark
	start int    // the bytes of the mark
	comma rune
}

// ReadCSV reads a table from text with a header: a line of names, then a line
// for each row, values separated by the comma, semicolon or tab that the
// header has most of, in double quotes where they hold one. Empty, "?", "NA",
// "NaN" and "null", in any case of letters, stand for what is missing. A
// column whose other values are all numbers, as C writes them, is
// numeric; else it is nominal, its names in the order of their bytes. A column
// without a name is called "column" and its number, from 1. Empty lines are
// skipped. Path stands for the file in errors, and gives the table its name.
//
// It returns a [*FormatError] with line and byte when the file is malformed. A
// file cut within its last row may be a smaller table: the format cannot tell
// that.
func ReadCSV(path string, r io.Reader) (*Table, error) {
	text, err := read(path, r)
	if err != nil {
		return nil, err
	}
	for _, mark := range []string{"\xff\xfe", "\xfe\xff"} {
		if strings.HasPrefix(text, mark) {
			return nil, &FormatError{Path: path, Line: 1, Want: "text in UTF-8", Got: "text in UTF-16",
				Hint: "save it as UTF-8, or: iconv -f UTF-16 -t UTF-8"}
		}
	}
	f := &csvFile{path: path, text: strings.TrimPrefix(text, byteOrderMark)}
	f.start = len(text) - len(f.text)
	header, _, _ := strings.Cut(f.text, "\n")
	f.comma = sniffComma(header)
	// a row may be all the file
	if n := strings.Count(f.text, string(f.comma)) + strings.Count(f.text, "\n"); n > 2*maxCells {
		return nil, tooLarge(path, n, 1)
	}
	t := &Table{Name: stem(path)}
	if err := f.kinds(t); err != nil {
		return nil, err
	}
	if err := f.values(t); err != nil {
		return nil, err
	}
	return t, nil
}

// OpenCSV reads the CSV file of that path, as [ReadCSV] does.
func OpenCSV(path string) (*Table, error) { return readPath(path, ReadCSV) }

// sniffComma returns the separator that a header has most of outside quotes:
// a comma where there is none.
func sniffComma(header string) rune {
	count := map[rune]int{}
	quoted := false
	for _, c := range header {
		if c == '"' {
			quoted = !quoted
		}
		if !quoted {
			count[c]++
		}
	}
	best := ','
	for _, c := range ";\t" {
		if count[c] > count[best] {
			best = c
		}
	}
	return best
}

// isMissingText reports whether a value of a CSV file stands for none.
func isMissingText(value string) bool {
	switch len(value) {
	case 0:
		return true
	case 1:
		return value == "?"
	case 2, 3, 4:
		return strings.EqualFold(value, "NA") || strings.EqualFold(value, "NaN") || strings.EqualFold(value, "null")
	}
	return false
}

// csvPlace is where a record of a CSV file begins.
type csvPlace struct {
	line   int
	offset int64 // the byte after the record before
}

// eachRecord calls do with the values of every record, the header among them,
// blanks around them cut off.
func (f *csvFile) eachRecord(do func(n int, at csvPlace, values []string) error) error {
	r := csv.NewReader(strings.NewReader(f.text))
	r.Comma = f.comma
	r.ReuseRecord = true
	r.FieldsPerRecord = -1
	columns := 0
	for n := 0; ; n++ {
		at := csvPlace{offset: r.InputOffset()}
		values, err := r.Read()
		if err == io.EOF {
			return f.checkRecords(n)
		}
		if err != nil {
			return f.malformed(err, at)
		}
		at.line, _ = r.FieldPos(0)
		if n == 0 {
			columns = len(values)
		}
		if len(values) != columns {
			return f.errorAt(at, strconv.Itoa(columns)+" values, as the header has", strconv.Itoa(len(values)))
		}
		for i, v := range values {
			values[i] = strings.TrimSpace(v)
		}
		if err := do(n, at, values); err != nil {
			return err
		}
	}
}

// checkRecords fails unless n records are a header and a row at least.
func (f *csvFile) checkRecords(n int) error {
	if n < 2 {
		at := csvPlace{offset: int64(len(f.text))}
		return f.errorAt(at, "a header and a row at least", strconv.Itoa(n)+" lines")
	}
	return nil
}

func (f *csvFile) errorAt(at csvPlace, want, got string) *FormatError {
	return &FormatError{Path: f.path, Line: at.line, Offset: int64(f.start) + at.offset, Want: want, Got: got}
}

// malformed makes a FormatError of an error in the quotes of a record.
func (f *csvFile) malformed(err error, at csvPlace) error {
	e := f.errorAt(at, "values separated by "+strconv.QuoteRune(f.comma)+", quotes in pairs", "others")
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		e.Line, e.Err = parse.Line, parse.Err
	}
	return e
}

// kinds makes the columns of a table without their values.
func (f *csvFile) kinds(t *Table) error {
	var infinite []*FormatError // the first number of each column that is too large
	err := f.eachRecord(func(n int, at csvPlace, values []string) error {
		if n == 0 {
			infinite = make([]*FormatError, len(values))
			return f.header(t, at, values)
		}
		t.Rows++
		if !fits(t.Rows, len(t.Columns)) {
			return tooLarge(f.path, t.Rows, len(t.Columns))
		}
		for i, v := range values {
			c := &t.Columns[i]
			if c.Kind == Nominal || isMissingText(v) {
				continue
			}
			switch _, ok := parseNumber(v); {
			case ok:
			case !isTooLarge(v):
				c.Kind = Nominal
			case infinite[i] == nil:
				infinite[i] = f.errorAt(at, "a finite number in column "+show(c.Name), show(v))
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i, e := range infinite {
		if e != nil && t.Columns[i].Kind == Numeric {
			return e
		}
	}
	return nil
}

// header names the columns of a table.
func (f *csvFile) header(t *Table, at csvPlace, names []string) error {
	if len(names) > maxColumns {
		return tooManyColumns(f.path, len(names))
	}
	t.Columns = make([]Column, len(names))
	for i, name := range names {
		t.Columns[i].Name = strings.Clone(name)
		if name == "" {
			t.Columns[i].Name = fmt.Sprintf("column %d", i+1)
		}
	}
	if name := numberAsName(names); name != "" {
		e := f.errorAt(at, "a line with the names of the columns", "the number "+name+" in the place of a name")
		e.Hint = "put a line of names first: without it the first row of numbers would be lost"
		return e
	}
	if first, second, found := sameName(t.Columns); found {
		return f.errorAt(at, "another name for each column",
			fmt.Sprintf("%s for columns %d and %d", show(t.Columns[second].Name), first+1, second+1))
	}
	return nil
}

// numberAsName returns a number that stands in the place of a column's name in a file without a header:
// one with a fraction, or any if all names are numbers; "" if there is none. Columns may be named by
// years, for example.
func numberAsName(names []string) string {
	numbers := 0
	for _, name := range names {
		if _, is := parseNumber(name); !is {
			continue
		}
		if numbers++; strings.ContainsAny(name, ".eE") || numbers == len(names) {
			return name
		}
	}
	return ""
}

// values reads what the columns hold, of which the kinds are known.
func (f *csvFile) values(t *Table) error {
	names := make([]categories, len(t.Columns))
	err := f.eachRecord(func(n int, _ csvPlace, values []string) error {
		if n == 0 {
			return nil
		}
		for i, v := range values {
			c := &t.Columns[i]
			switch {
			case isMissingText(v):
				c.addMissing()
			case c.Kind == Numeric:
				number, _ := parseNumber(v)
				c.addNumber(number)
			case !names[i].add(c, v):
				return tooManyNames(f.path, c.Name)
			}
		}
		return nil
	})
	for i := range t.Columns {
		if t.Columns[i].Kind == Nominal {
			names[i].sortInto(&t.Columns[i])
		}
	}
	return err
}
