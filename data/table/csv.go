package table

import (
	"encoding/csv"
	"errors"
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
