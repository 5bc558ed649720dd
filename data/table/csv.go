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
	shift   int64  // bytes of the file before the text; array.NoOffset where the bytes are others
	dialect dialect.Dialect
}

// ReadCSV reads a table from text: a line for each row, under a line with the names of the columns if there is one. How
// it is written is detected, see [ReadCSVAs].
func ReadCSV(path string, r io.Reader) (*Table, error) { return ReadCSVAs(path, r, dialect.Dialect{}) }

// ReadCSVAs reads a table from text in a dialect. What the dialect does not say is detected:
//
//   - the encoding: UTF-8, UTF-16 or, for what is neither, windows-1252;
//   - the separator: the comma, semicolon, tab or | with which the first lines have equally many values;
//   - the header: the first line names the columns, unless it is of numbers only, or has numbers over all columns of
//     numbers and a text that stands in its column below too. Where that is not clear there is an error;
//   - the decimal comma, where commas do not separate values and more columns are of numbers with it than with a point.
//
// [Table.ReadAs] says what it was. Values in double quotes may hold separators and line breaks. Empty, "?", "NA", "N/A",
// "#N/A", "<NA>", "NaN" and "null", in any case of letters, stand for what is missing, and so do "-", "--", ".", "n.a." and
// "None" in a column whose other values are numbers. A column whose other values are all numbers, as C writes them or with
// separators of thousands and one sign of a unit, as $1,234.50, is numeric, unless they are whole and one has leading
// zeros, as 007; else it is nominal, its names in the order of their bytes. A column without a name is called "column" and
// its number, from 1. Empty lines are skipped, separators at the ends of all lines, and a first line as sep=; for Excel,
// which gives the separator. What gzip has compressed is read too. Path stands for the file in errors, and gives the table
// its name.
//
// It returns a [*FormatError] with line and, unless the encoding is another than UTF-8, byte when the file is malformed.
// A file cut within its last row may be a smaller table: the format cannot tell that.
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
	if !strings.Contains(f.text, "\n") { // a return alone ends the lines of some programs
		f.text = strings.ReplaceAll(f.text, "\r", "\n")
	}
	f.dialect.Encoding = decoded.Encoding
	if named, end := dialect.SeparatorLine(f.text); end > 0 {
		f.dialect.Separator = cmp.Or(d.Separator, named)
		if f.text = f.text[end:]; f.shift != array.NoOffset { // with the line's end, so that lines keep their numbers
			f.shift += int64(end)
		}
	}
	if f.dialect.Separator == 0 {
		f.dialect.Separator = dialect.DetectSeparator(f.text)
	}
	// a row may be all the file
	if n := strings.Count(f.text, string(rune(f.dialect.Separator))) + strings.Count(f.text, "\n"); n > 2*maxCells {
		return nil, tooLarge(path, n, 1)
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

// csvPlace is where a record of a CSV file begins.
type csvPlace struct {
	line   int
	offset int64 // the byte after the record before
}

// eachRecord calls do with the values of every record, the header among them, blanks around them cut off.
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

// malformed makes a FormatError of an error in the quotes of a record.
func (f *csvFile) malformed(err error, at csvPlace) error {
	e := f.errorAt(at, "values separated by "+strconv.QuoteRune(rune(f.dialect.Separator))+", quotes in pairs", "others")
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		e.Line, e.Err = parse.Line, parse.Err
	}
	return e
}

// values reads what the columns hold, of which the kinds are known.
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
