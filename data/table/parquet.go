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

// isPandasIndex reports whether a column has the name of one that pandas keeps the numbers or names of the rows in.
func isPandasIndex(name string) bool {
	return strings.HasPrefix(name, "__index_level_") && strings.HasSuffix(name, "__")
}

// ReadParquet reads a table in Parquet format, of which each column has a value for each row: integers, floats and decimals
// as numbers, strings in the order of their bytes and booleans as names, dates and times as texts such as 2021-01-26 and
// 2021-01-26 14:30:00 (in UTC where they have a zone); null and NaN as missing. The index columns that pandas adds are left
// out. Lists, records and other types are refused, and so are encryption, compressions other than Snappy, gzip and Zstandard,
// and delta encodings. Path stands for the file in errors, and gives the table its name.
//
// It returns a [*FormatError] with the byte when the file is malformed, as one cut short always is, or the library that
// decodes it fails.
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

// decodeParquet reads a file that the guard has let pass. The library panics on some that is wrong all the same.
func decodeParquet(g *parquetGuard) (t *Table, err error) {
	malformed := func(cause error) error {
		return &FormatError{Path: g.path, Offset: array.NoOffset, Want: "a table in Parquet format", Got: "another",
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

// The format's CompressionCodec, as far as pages may have it.
const (
	codecNone   = 0
	codecSnappy = 1
	codecGzip   = 2
	codecZstd   = 6
)

// inflate returns the content of a page, which has to have the size that its
// header speaks of. The library does not bound it.
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

// inflateGzip decodes up to a byte more than size.
func inflateGzip(stored string, size int64) ([]byte, error) {
	r, err := gzip.NewReader(strings.NewReader(stored))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(r, size+1))
}

// inflateZstd decodes up to a byte more than size.
func inflateZstd(stored string, size int64) ([]byte, error) {
	r, err := zstd.NewReader(strings.NewReader(stored), zstd.WithDecoderConcurrency(1),
		zstd.WithDecoderMaxMemory(maxPage))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(io.LimitReader(r, size+1))
}
