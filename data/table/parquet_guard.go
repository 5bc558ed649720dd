package table

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/ansatz-lab/ansatz/data/table/thrift"
)

const parquetMagic = "PAR1"

const (
	// maxFooter bounds the bytes of the footer, which describes the file, and maxHeader those of the header of a page, which
	// usually has less than a hundred. Decoded, they take up to a hundred times the memory.
	maxFooter = 16 << 20
	maxHeader = 1 << 20

	// maxInflated bounds the bytes of all pages after decompression. A column may name pages that another names too, so that a
	// small file could state any number of large pages.
	maxInflated = 16 << 30
)

// maxParquetColumns is the largest number of columns that the library can handle.
const maxParquetColumns = 1<<16 - 2

// parquetGuard checks a file before the library reads it, since the library allocates whatever sizes the file states, and
// panics on some malformed files. The guard accepts only tables: a flat schema, with the encodings and compressions that
// the usual writers use.
type parquetGuard struct {
	path string
	text string
	data int // the number of bytes before the footer

	inflated int64 // the bytes of the pages that were checked, after decompression

	columns []parquetColumn
	rows    int64
}

func (g *parquetGuard) errorAt(offset int, want, got string) *FormatError {
	return &FormatError{Path: g.path, Offset: int64(offset), Want: want, Got: got}
}

// check fails unless the library can safely read the file.
func (g *parquetGuard) check() error {
	footer, err := g.footer()
	if err != nil {
		return err
	}
	if err := g.schema(footer); err != nil {
		return err
	}
	groups, _ := footer.Records(4)
	for _, group := range groups {
		if err := g.group(group); err != nil {
			return err
		}
	}
	if g.rows == 0 || g.rows != footer.Number(3) {
		return g.errorAt(g.data, "row groups with as many rows as the footer says", fmt.Sprintf("%d rows in %d groups",
			g.rows, len(groups)))
	}
	return nil
}

// footer finds and reads the description of the file.
func (g *parquetGuard) footer() (thrift.Struct, error) {
	const least = len(parquetMagic) + 4 + len(parquetMagic)
	if len(g.text) < least || !strings.HasPrefix(g.text, parquetMagic) || !strings.HasSuffix(g.text, parquetMagic) {
		e := g.errorAt(max(len(g.text)-len(parquetMagic), 0), parquetMagic+" at both ends of the file", "other bytes")
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
	footer, end, ok := thrift.Read(g.text[:at], g.data)
	if !ok || end != at {
		return nil, g.errorAt(g.data, "a footer in Thrift's compact protocol", "a malformed one")
	}
	return footer, nil
}

// schema reads the columns.
func (g *parquetGuard) schema(footer thrift.Struct) error {
	elements, _ := footer.Records(2)
	if len(elements) < 2 || elements[0].Number(5) != int64(len(elements)-1) {
		return g.errorAt(g.data, "a flat schema", "a nested one, or no columns")
	}
	if len(elements)-1 > maxParquetColumns {
		return g.errorAt(g.data, fmt.Sprintf("at most %d columns", maxParquetColumns), fmt.Sprint(len(elements)-1))
	}
	for _, e := range elements[1:] {
		c := parquetColumn{kind: e.Number(1), optional: e.Number(3) == 1}
		c.name, _ = e[4].(string)
		if !utf8.ValidString(c.name) {
			return g.errorAt(g.data, "names of columns in UTF-8", show(c.name))
		}
		if e.Has(5) && e.Number(5) != 0 || !e.Has(1) || e.Number(3) < 0 || e.Number(3) > 1 {
			return g.errorAt(g.data, "a single value for each row in column "+show(c.name), "a list or a record")
		}
		if !c.setType(e) {
			e := g.errorAt(g.data, "numbers, booleans, strings or times in column "+show(c.name), "another type")
			e.Hint = "leave the column out, or write its values as texts or doubles"
			return e
		}
		g.columns = append(g.columns, c)
	}
	return nil
}

// group checks a row group.
func (g *parquetGuard) group(group thrift.Struct) error {
	chunks, _ := group.Records(1)
	if len(chunks) != len(g.columns) {
		return g.errorAt(g.data, fmt.Sprintf("%d columns in each row group", len(g.columns)), fmt.Sprint(len(chunks)))
	}
	rows := group.Number(3)
	if rows < 0 || rows > maxCells || !fits(int(g.rows+rows), len(g.columns)) {
		return tooLarge(g.path, int(g.rows+max(rows, 0)), len(g.columns))
	}
	g.rows += rows
	for i, c := range chunks {
		meta := c.Record(3)
		_, elsewhere := c[1].(string)
		if elsewhere || c.Has(8) || c.Has(9) || len(meta) == 0 {
			return g.errorAt(g.data, "the values of column "+show(g.columns[i].name)+" in the file, not encrypted",
				"encrypted values, or values elsewhere")
		}
		if meta.Number(1) != g.columns[i].kind || meta.Number(5) != rows {
			return g.errorAt(g.data, fmt.Sprintf("%d values of column %s, of its type", rows, show(g.columns[i].name)),
				fmt.Sprint(meta.Number(5)))
		}
		if err := g.chunk(g.columns[i], meta); err != nil {
			return err
		}
	}
	return nil
}

// chunk checks the pages of a column in a row group.
func (g *parquetGuard) chunk(c parquetColumn, meta thrift.Struct) error {
	start, size := meta.Number(9), meta.Number(7)
	if at := meta.Number(11); at != 0 {
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
		header, begin, ok := thrift.Read(g.text[:min(end, at+maxHeader)], at)
		stored := header.Number(3)
		if !ok || stored < 0 || stored > int64(end-begin) {
			return g.errorAt(at, "a page of column "+show(c.name), "none, or only the beginning of one")
		}
		p := parquetPage{parquetGuard: g, column: c, codec: meta.Number(4), dictionary: dictionary, start: at, header: header}
		at = begin + int(stored)
		n, err := p.check(g.text[begin:at])
		if err != nil {
			return err
		}
		dictionary = dictionary || p.header.Number(1) == dictionaryPage
		if values += n; values > meta.Number(5) {
			break
		}
	}
	if values != meta.Number(5) {
		return g.errorAt(at, fmt.Sprintf("pages of %d values of column %s", meta.Number(5), show(c.name)),
			fmt.Sprintf("%d values", values))
	}
	return nil
}
