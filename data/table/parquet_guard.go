package table

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const parquetMagic = "PAR1"

// maxFooter bounds the description at the end of a file. What it describes
// takes some hundred times the memory.
const maxFooter = 16 << 20

// maxParquetColumns is how many columns the library can count.
const maxParquetColumns = 1<<16 - 2

// parquetGuard checks a file before the library reads it, which allocates
// what the file speaks of and panics on some that is wrong. Its rules are
// those of tables: a flat schema, and the encodings and compressions that the
// usual writers use.
type parquetGuard struct {
	path string
	text string
	data int // the bytes before the footer

	columns []parquetColumn
	rows    int64
}

func (g *parquetGuard) errorAt(offset int, want, got string) *FormatError {
	return &FormatError{Path: g.path, Offset: int64(offset), Want: want, Got: got}
}

// check fails unless the file may be read.
func (g *parquetGuard) check() error {
	footer, err := g.footer()
	if err != nil {
		return err
	}
	if err := g.schema(footer); err != nil {
		return err
	}
	groups, _ := footer.records(4)
	for _, group := range groups {
		if err := g.group(group); err != nil {
			return err
		}
	}
	if g.rows == 0 || g.rows != footer.number(3) {
		return g.errorAt(g.data, "row groups of rows, as many as the footer says", fmt.Sprintf("%d rows in %d groups",
			g.rows, len(groups)))
	}
	return nil
}

// footer finds and reads the description of the file.
func (g *parquetGuard) footer() (thriftStruct, error) {
	const least = len(parquetMagic) + 4 + len(parquetMagic)
	if len(g.text) < least || !strings.HasPrefix(g.text, parquetMagic) || !strings.HasSuffix(g.text, parquetMagic) {
		e := g.errorAt(max(len(g.text)-len(parquetMagic), 0), parquetMagic+" at both ends of the file", "another")
		e.Hint = "the file is cut short, encrypted or not in Parquet format"
		return nil, e
	}
	at := len(g.text) - len(parquetMagic) - 4
	size := int64(uint32At(g.text, at))
	if size > maxFooter || size > int64(at-len(parquetMagic)) {
		return nil, g.errorAt(at, fmt.Sprintf("a footer of at most %d bytes", min(maxFooter, at-len(parquetMagic))),
			fmt.Sprintf("%d bytes", size))
	}
	g.data = at - int(size)
	r := thriftReader{text: g.text[:at], at: g.data}
	footer := r.record(0)
	if r.bad || r.at != at {
		return nil, g.errorAt(g.data, "a footer in Thrift's compact protocol", "another")
	}
	return footer, nil
}

// schema reads the columns.
func (g *parquetGuard) schema(footer thriftStruct) error {
	elements, _ := footer.records(2)
	if len(elements) < 2 || elements[0].number(5) != int64(len(elements)-1) {
		return g.errorAt(g.data, "a flat schema", "a nested one, or no columns")
	}
	if len(elements)-1 > maxParquetColumns {
		return g.errorAt(g.data, fmt.Sprintf("at most %d columns", maxParquetColumns), fmt.Sprint(len(elements)-1))
	}
	for _, e := range elements[1:] {
		c := parquetColumn{kind: e.number(1), optional: e.number(3) == 1}
		c.name, _ = e[4].(string)
		if !utf8.ValidString(c.name) {
			return g.errorAt(g.data, "names of columns in UTF-8", show(c.name))
		}
		if e.has(5) && e.number(5) != 0 || !e.has(1) || e.number(3) < 0 || e.number(3) > 1 {
			return g.errorAt(g.data, "a single value for each row in column "+show(c.name), "a list or a record")
		}
		if !c.setType(e) {
			e := g.errorAt(g.data, "numbers, booleans or strings in column "+show(c.name), "another type, such as a date or decimals")
			e.Hint = "write dates as texts, and decimals as doubles"
			return e
		}
		g.columns = append(g.columns, c)
	}
	return nil
}

// group checks a row group.
func (g *parquetGuard) group(group thriftStruct) error {
	chunks, _ := group.records(1)
	if len(chunks) != len(g.columns) {
		return g.errorAt(g.data, fmt.Sprintf("%d columns in each row group", len(g.columns)), fmt.Sprint(len(chunks)))
	}
	rows := group.number(3)
	if rows < 0 || rows > maxCells || !fits(int(g.rows+rows), len(g.columns)) {
		return tooLarge(g.path, int(g.rows+max(rows, 0)), len(g.columns))
	}
	g.rows += rows
	for i, c := range chunks {
		meta := c.record(3)
		_, elsewhere := c[1].(string)
		if elsewhere || c.has(8) || c.has(9) || len(meta) == 0 {
			return g.errorAt(g.data, "the values of column "+show(g.columns[i].name)+" in the file, not encrypted",
				"others")
		}
		if meta.number(1) != g.columns[i].kind || meta.number(5) != rows {
			return g.errorAt(g.data, fmt.Sprintf("%d values of column %s, of its type", rows, show(g.columns[i].name)),
				fmt.Sprint(meta.number(5)))
		}
		if err := g.chunk(g.columns[i], meta); err != nil {
			return err
		}
	}
	return nil
}

// chunk checks the pages of a column in a row group.
func (g *parquetGuard) chunk(c parquetColumn, meta thriftStruct) error {
	start, size := meta.number(9), meta.number(7)
	if at := meta.number(11); at != 0 {
		start = at
	}
	if start < int64(len(parquetMagic)) || size < 0 || start > int64(g.data) || size > int64(g.data)-start {
		return g.errorAt(g.data, "the pages of column "+show(c.name)+" before the footer",
			fmt.Sprintf("%d bytes from byte %d", size, start))
	}
	at, end := int(start), int(start+size)
	values := int64(0)
	dictionary := false
	for at < end {
		p := parquetPage{parquetGuard: g, column: c, codec: meta.number(4), dictionary: dictionary, start: at}
		r := thriftReader{text: g.text[:end], at: at}
		p.header = r.record(0)
		stored := p.header.number(3)
		if r.bad || stored < 0 || stored > int64(end-r.at) {
			return g.errorAt(at, "a page of column "+show(c.name), "another, or its beginning only")
		}
		at = r.at + int(stored)
		n, err := p.check(g.text[r.at:at])
		if err != nil {
			return err
		}
		dictionary = dictionary || p.header.number(1) == dictionaryPage
		if values += n; values > meta.number(5) {
			break
		}
	}
	if values != meta.number(5) {
		return g.errorAt(at, fmt.Sprintf("pages of %d values of column %s", meta.number(5), show(c.name)),
			fmt.Sprintf("of %d", values))
	}
	return nil
}
