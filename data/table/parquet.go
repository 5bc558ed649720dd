package table

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/ansatz-lab/ansatz/data/array"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
)

// isPandasIndex reports whether a column has the name that pandas gives to the index of the rows.
func isPandasIndex(name string) bool {
	return strings.HasPrefix(name, "__index_level_") && strings.HasSuffix(name, "__")
}

// ReadParquet reads a table in Parquet format. Integers, floats and decimals become numeric columns; strings (in the order
// of their bytes) and booleans become categories, and so do dates and times, as texts such as 2021-01-26 and
// 2021-01-26 14:30:00 (in UTC if they have a zone). Null and NaN are missing values. ReadParquet leaves out the index
// columns that pandas adds. It refuses lists, records and other types, encryption, delta encodings, and compression other
// than Snappy, gzip and Zstandard. Path names the file in errors, and gives the table its name.
//
// It returns a [*FormatError], with the byte if that is known, when the file is malformed or cut short.
func ReadParquet(path string, r io.Reader) (*Table, error) {
	text, err := read(path, r)
	if err != nil {
		return nil, err
	}
	g := &parquetGuard{path: path, text: text}
	if err := g.check(); err != nil {
		return nil, err
	}
	return decodeParquet(g)
}

// decodeParquet reads a file that the guard has accepted. The library may still panic; that becomes an error too.
func decodeParquet(g *parquetGuard) (t *Table, err error) {
	malformed := func(cause error) error {
		return &FormatError{Path: g.path, Offset: array.NoOffset, Want: "a table in Parquet format", Got: "a malformed one",
			Err: cause}
	}
	defer func() {
		if p := recover(); p != nil {
			t, err = nil, malformed(fmt.Errorf("the library panicked: %v", p))
		}
	}()
	f, err := parquet.OpenFile(strings.NewReader(g.text), int64(len(g.text)), parquet.SkipPageIndex(true),
		parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, malformed(err)
	}
	t = &Table{Name: stem(g.path), Rows: int(g.rows)}
	for i, column := range g.columns {
		if isPandasIndex(column.name) {
			continue
		}
		c, err := decodeParquetColumn(f, i, column)
		if err == nil && c.Len() != t.Rows {
			err = fmt.Errorf("%d values for %d rows", c.Len(), t.Rows)
		}
		if err != nil {
			return nil, malformed(fmt.Errorf("column %s: %w", show(column.name), err))
		}
		t.Columns = append(t.Columns, *c)
	}
	if _, _, same := sameName(t.Columns); same || len(t.Columns) == 0 {
		return nil, malformed(errors.New("no columns, or two of one name"))
	}
	return t, nil
}

// The values of the format's CompressionCodec that we support.
const (
	codecNone   = 0
	codecSnappy = 1
	codecGzip   = 2
	codecZstd   = 6
)

// inflate returns the decompressed content of a page. It must have the size that the page's header gives: the library
// does not bound it.
func (p *parquetPage) inflate(stored string, size int64) (string, error) {
	var content []byte
	var err error
	switch p.codec {
	case codecNone:
		if int64(len(stored)) != size {
			return "", p.error(fmt.Sprintf("%d bytes", size), fmt.Sprintf("%d bytes", len(stored)))
		}
		return stored, nil
	case codecSnappy:
		content, err = inflateSnappy(stored, size)
	case codecGzip:
		content, err = inflateGzip(stored, size)
	case codecZstd:
		content, err = inflateZstd(stored, size)
	default:
		return "", p.error("no compression, Snappy, gzip or Zstandard", fmt.Sprintf("compression %d", p.codec))
	}
	if err != nil || int64(len(content)) != size {
		e := p.error(fmt.Sprintf("%d bytes", size), fmt.Sprintf("%d bytes or more", len(content)))
		e.Err = err
		return "", e
	}
	return string(content), nil
}

// inflateSnappy decodes a block of Snappy, which begins with its size.
func inflateSnappy(stored string, size int64) ([]byte, error) {
	n, head := binary.Uvarint([]byte(stored[:min(binary.MaxVarintLen64, len(stored))]))
	if head <= 0 || n != uint64(size) {
		return nil, fmt.Errorf("the block says that it has %d", n)
	}
	return parquet.Snappy.Decode(nil, []byte(stored))
}

// inflateGzip decodes at most size+1 bytes, so that the caller notices content that is too long.
func inflateGzip(stored string, size int64) ([]byte, error) {
	r, err := gzip.NewReader(strings.NewReader(stored))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(r, size+1))
}

// inflateZstd decodes at most size+1 bytes, so that the caller notices content that is too long.
func inflateZstd(stored string, size int64) ([]byte, error) {
	r, err := zstd.NewReader(strings.NewReader(stored), zstd.WithDecoderConcurrency(1),
		zstd.WithDecoderMaxMemory(maxPage))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(io.LimitReader(r, size+1))
}
