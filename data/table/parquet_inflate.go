package table

import (
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
)

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
