package table

import (
	"fmt"
	"io"
	"strings"
)

// arff is an ARFF file being read.
type arff struct {
	lines
	table      *Table
	attributes []arffAttribute // one for each column of the table
	names      map[string]bool // the names of the attributes read so far
}

// ReadARFF reads a table in Weka's ARFF format, with dense or sparse rows; "?" is a missing value. Attributes are
// numeric, nominal, string or date. String values and dates, as they are written, become categories in the order of
// their bytes. A value that a sparse row omits is 0, or the first category of a nominal attribute. ReadARFF refuses
// relational attributes, rows whose weight is not 1, and numbers that are not finite. Path names the file in errors; it
// gives the table its name if @relation does not.
//
// It returns a [*FormatError] with line and byte when the file is malformed or cut short. It cannot notice a cut at the
// end of a row or within the last number of a row.
func ReadARFF(path string, r io.Reader) (*Table, error) {
	text, err := read(path, r)
	if err != nil {
		return nil, err
	}
	a := &arff{lines: newLines(path, text), table: &Table{Name: stem(path)}, names: map[string]bool{}}
	if err := a.header(); err != nil {
		return nil, err
	}
	if err := a.rows(); err != nil {
		return nil, err
	}
	for i := range a.attributes {
		if a.attributes[i].isString {
			a.attributes[i].values.sortInto(&a.table.Columns[i])
		}
	}
	return a.table, nil
}

// line returns the next line that is neither empty nor a comment.
func (a *arff) line() (*arffLine, bool) {
	for {
		text, ok := a.scan()
		if !ok {
			return nil, false
		}
		if l := (&arffLine{lines: &a.lines, text: text}); l.peek() != lineEnd {
			return l, true
		}
	}
}

// header reads the lines up to @data.
func (a *arff) header() error {
	for {
		l, ok := a.line()
		if !ok {
			return a.errorAtEnd("@relation, @attribute lines and @data", "the file is cut short or not in ARFF format")
		}
		start := l.at
		word, err := l.token("@relation, @attribute or @data", false)
		if err != nil {
			return err
		}
		switch strings.ToLower(word.text) {
		case "@relation":
			err = a.relation(l)
		case "@attribute":
			err = a.attribute(l)
		case "@data":
			if len(a.attributes) == 0 {
				return l.errorAt(start, "an @attribute before @data", "none")
			}
			return l.end()
		default:
			err = l.errorAt(start, "@relation, @attribute or @data", show(word.text))
		}
		if err != nil {
			return err
		}
	}
}

// relation reads the name of the table. Weka quotes a name with blanks; other programs do not.
func (a *arff) relation(l *arffLine) error {
	if c := l.peek(); c != '\'' && c != '"' {
		if name := strings.TrimSpace(l.text[l.at:]); name != "" {
			a.table.Name = strings.Clone(name)
		}
		return nil
	}
	name, err := l.token("the name of the relation", false)
	if err != nil {
		return err
	}
	if name.text != "" {
		a.table.Name = strings.Clone(name.text)
	}
	return l.end()
}

// rows reads the lines after @data.
func (a *arff) rows() error {
	for {
		l, ok := a.line()
		if !ok {
			break
		}
		if !fits(a.table.Rows+1, len(a.table.Columns)) {
			return tooLarge(a.path, a.table.Rows+1, len(a.table.Columns))
		}
		var err error
		if l.accept('{') {
			err = a.sparseRow(l)
		} else {
			err = a.denseRow(l)
		}
		if err != nil {
			return err
		}
		a.table.setLine(a.table.Rows, a.number)
		a.table.Rows++
	}
	if a.table.Rows == 0 {
		return a.errorAtEnd("rows after @data", "the file is cut short or has no data")
	}
	return nil
}

// arffAttribute is what the reader knows about a column beyond its [Column].
type arffAttribute struct {
	isString bool       // whether each new value becomes a category
	values   categories // by name
}

// attribute adds the column that a line declares.
func (a *arff) attribute(l *arffLine) error {
	if len(a.attributes) == maxColumns {
		return tooManyColumns(a.path, maxColumns+1)
	}
	name, err := l.token("the name of the attribute", false)
	if err != nil {
		return err
	}
	if a.names[name.text] {
		return l.errorAt(name.at, "a different name for each attribute", "a second "+show(name.text))
	}
	a.names[name.text] = true
	column := Column{Name: strings.Clone(name.text)}
	var attribute arffAttribute
	if l.accept('{') {
		column.Kind = Nominal
		err = attribute.values.declare(l)
		column.Categories = attribute.values.names
	} else {
		attribute.isString, err = l.attributeType()
		if attribute.isString {
			column.Kind = Nominal
		}
	}
	a.table.Columns = append(a.table.Columns, column)
	a.attributes = append(a.attributes, attribute)
	return err
}

// attributeType reads the type of an attribute that is not nominal.
func (l *arffLine) attributeType() (isString bool, err error) {
	const want = "numeric, real, integer, string, date or names in braces"
	word, err := l.token(want, false)
	if err != nil {
		return false, err
	}
	switch strings.ToLower(word.text) {
	case "numeric", "real", "integer":
		if l.peek() == '[' { // the range of the values: ignored, as Weka does
			return false, nil
		}
		return false, l.end()
	case "date": // kept as text; a format may follow
		if l.peek() == lineEnd {
			return true, nil
		}
		if _, err := l.token("the format of the dates", false); err != nil {
			return false, err
		}
		return true, l.end()
	case "string":
		return true, l.end()
	case "relational":
		e := l.errorAt(word.at, want, show(word.text))
		e.Hint = "take the attribute out of the file, or write it as a number"
		return false, e
	}
	return false, l.errorAt(word.at, want, show(word.text))
}

// declare reads the categories of a nominal attribute, after the opening brace.
func (c *categories) declare(l *arffLine) error {
	for {
		name, err := l.token("a name, or the brace } after the last", true)
		if err != nil {
			return err
		}
		if _, known := c.index[name.text]; known {
			return l.errorAt(name.at, "each name once", "a second "+show(name.text))
		}
		if _, ok := c.code(strings.Clone(name.text)); !ok {
			return l.errorAt(name.at, fmt.Sprintf("at most %d names", maxCategories), "more")
		}
		comma := l.accept(',')
		if !comma && l.accept('}') {
			return l.end()
		}
	}
}
