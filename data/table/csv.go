package table

import (
	"cmp"
	"encoding/csv"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/ansatz-lab/ansatz/data/array"
	"github.com/ansatz-lab/ansatz/data/table/dialect"
)

// csvFile is a CSV file being read.
type csvFile struct {
	path    string
	text    string // in UTF-8, without byte order mark
	shift   int64  // bytes of the file before the text; array.NoOffset when the file is not in UTF-8
	dialect dialect.Dialect
}

// ReadCSV reads a table from text: a line for each row, perhaps under a line with the names of the columns. It detects
// the dialect; see [ReadCSVAs].
func ReadCSV(path string, r io.Reader) (*Table, error) { return ReadCSVAs(path, r, dialect.Dialect{}) }

// ReadCSVAs reads a table from text in a dialect. It detects what the dialect leaves empty:
//
//   - the encoding: UTF-8, UTF-16 or, if the text is neither, windows-1252;
//   - the separator: the comma, semicolon, tab or | that gives the first lines equally many values;
//   - the header: the first line names the columns, unless it holds only numbers, or has numbers over all numeric
//     columns and a text that its column repeats below. An unclear case is an error;
//   - the decimal comma: if the separator is no comma, and more columns are numeric with a decimal comma than a point.
//
// [Table.ReadAs] records the result. Values in double quotes may hold separators and line breaks. Missing values are
// empty, "?", "NA", "N/A", "#N/A", "<NA>", "NaN" and "null", in any case of letters, and in a column whose other values
// are numbers also "-", "--", ".", "n.a." and "None". A column is numeric if all its other values are numbers, as C writes
// them or with thousands separators and one sign of a unit, such as $1,234.50. Other columns are nominal, and so are whole
// numbers of which one has leading zeros, such as 007; categories are in the order of their bytes. A column without a name
// is called "column" and its number, from 1. Empty lines are skipped, and so are separators at the ends of all lines. A
// first line such as sep=; (for Excel) sets the separator. A file may be compressed with gzip. Path names the file in
// errors, and gives the table its name.
//
// It returns a [*FormatError] with the line when the file is malformed, and with the byte if the encoding is UTF-8. A
// file cut within its last row may be read as a smaller table: the format does not show the cut.
func ReadCSVAs(path string, r io.Reader, d dialect.Dialect) (*Table, error) {
	if err := d.Check(); err != nil {
		return nil, err
	}
	text, err := read(path, r)
	if err != nil {
		return nil, err
	}
	most, _ := mostBytes()
	decoded, err := d.Encoding.Decode(path, text, most)
	if err != nil {
		return nil, err
	}
	f := &csvFile{path, decoded.Text, decoded.Shift, d}
	if !strings.Contains(f.text, "\n") { // some programs end lines with a carriage return alone
		f.text = strings.ReplaceAll(f.text, "\r", "\n")
	}
	f.dialect.Encoding = decoded.Encoding
	if named, end := dialect.SeparatorLine(f.text); end > 0 {
		f.dialect.Separator = cmp.Or(d.Separator, named)
		if f.text = f.text[end:]; f.shift != array.NoOffset { // keep the line break, so that lines keep their numbers
			f.shift += int64(end)
		}
	}
	if f.dialect.Separator == 0 {
		f.dialect.Separator = dialect.DetectSeparator(f.text)
	}
	if err := f.checkSize(); err != nil {
		return nil, err
	}
	t := &Table{Name: stem(path)}
	number, err := f.columns(t)
	if err != nil {
		return nil, err
	}
	if err := f.values(t, number); err != nil {
		return nil, err
	}
	t.ReadAs = f.dialect.String()
	return t, nil
}

// checkSize returns an error if there are too many cells, in all or in a row, before package csv takes 150 bytes for each
// cell of a row.
func (f *csvFile) checkSize() error {
	cells, columns, quoted := 0, 0, false
	for _, c := range f.text {
		switch {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '\n':
			cells, columns = cells+1, 0
		case c == rune(f.dialect.Separator):
			cells, columns = cells+1, columns+1
		}
		if columns >= maxColumns {
			return tooManyColumns(f.path, columns+1)
		}
	}
	if cells > 2*maxCells {
		return tooLarge(f.path, cells, 1)
	}
	return nil
}

// csvPlace is where a record of a CSV file begins.
type csvPlace struct {
	line   int
	offset int64 // the byte after the previous record
}

// eachRecord calls do with the values of every record, the header included, without blanks around the values.
func (f *csvFile) eachRecord(do func(n int, at csvPlace, values []string) error) error {
	r := csv.NewReader(strings.NewReader(f.text))
	r.Comma = rune(f.dialect.Separator)
	r.ReuseRecord = true
	r.FieldsPerRecord = -1
	columns := 0
	for n := 0; ; n++ {
		at := csvPlace{offset: r.InputOffset()}
		values, err := r.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return f.malformed(err, at)
		}
		at.line, _ = r.FieldPos(0)
		if n == 0 {
			columns = len(values)
		}
		if len(values) == columns+1 && strings.TrimSpace(values[columns]) == "" {
			values = values[:columns] // a separator ends the line
		}
		if len(values) != columns {
			want := strconv.Itoa(columns) + " values, as the first line has"
			if columns == 1 {
				want = "1 value, as the first line has"
			}
			e := f.errorAt(at, want, strconv.Itoa(len(values)))
			e.Hint = "values are separated by " + strconv.QuoteRune(r.Comma) + " here"
			return e
		}
		for i, v := range values {
			values[i] = strings.TrimSpace(v)
		}
		if err := do(n, at, values); err != nil {
			return err
		}
	}
}

func (f *csvFile) errorAt(at csvPlace, want, got string) *FormatError {
	e := &FormatError{Path: f.path, Line: at.line, Offset: array.NoOffset, Want: want, Got: got}
	if f.shift != array.NoOffset {
		e.Offset = f.shift + at.offset
	}
	return e
}

// malformed turns an error of package csv, about the quotes of a record, into a FormatError.
func (f *csvFile) malformed(err error, at csvPlace) error {
	want := "values separated by " + strconv.QuoteRune(rune(f.dialect.Separator)) + ", quotes in pairs"
	e := f.errorAt(at, want, "a stray or unpaired quote")
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		e.Line, e.Err = parse.Line, parse.Err
	}
	return e
}

// values reads the values of the columns, whose kinds are known by now.
func (f *csvFile) values(t *Table, number func(text string) (float64, bool)) error {
	names := make([]categories, len(t.Columns))
	verbatim := make([][]string, len(t.Columns))
	for _, name := range f.dialect.Verbatim {
		if i := t.Find(name); i >= 0 {
			verbatim[i] = make([]string, 0, t.Rows)
		}
	}
	header := 0
	if f.dialect.Header == dialect.Names {
		header = 1
	}
	err := f.eachRecord(func(n int, at csvPlace, values []string) error {
		if n < header {
			return nil
		}
		t.setLine(n-header, at.line)
		for i := range t.Columns {
			c, v := &t.Columns[i], values[i]
			if verbatim[i] != nil {
				verbatim[i] = append(verbatim[i], strings.Clone(v))
			}
			switch {
			case dialect.IsMissing(v), c.Kind == Numeric && dialect.MayBeMissing(v):
				c.addMissing()
			case c.Kind == Numeric:
				v, _ := number(v)
				c.addNumber(v)
			case !names[i].add(c, v):
				return tooManyNames(f.path, c.Name)
			}
		}
		return nil
	})
	t.verbatim = map[string][]string{}
	for i := range t.Columns {
		if verbatim[i] != nil {
			t.verbatim[t.Columns[i].Name] = verbatim[i]
		}
		if t.Columns[i].Kind == Nominal {
			names[i].sortInto(&t.Columns[i])
		}
	}
	return err
}
