package data

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/klauspost/compress/gzip"
)

// An idxType is the element type of an IDX array.
type idxType uint8

// The element types of the format.
const (
	idxUint8   idxType = 0x08
	idxInt8    idxType = 0x09
	idxInt16   idxType = 0x0b
	idxInt32   idxType = 0x0c
	idxFloat32 idxType = 0x0d
	idxFloat64 idxType = 0x0e
)

// size returns the number of bytes of an element; 0 for an unknown type.
func (t idxType) size() int64 {
	switch t {
	case idxUint8, idxInt8:
		return 1
	case idxInt16:
		return 2
	case idxInt32, idxFloat32:
		return 4
	case idxFloat64:
		return 8
	}
	return 0
}

// idxHeader describes an IDX array: two zero bytes, the element type, the
// rank, and the dimensions as big-endian uint32.
type idxHeader struct {
	kind idxType
	dims []uint32
}

// bytes returns the size of the header in the file.
func (h idxHeader) bytes() int64 { return 4 + 4*int64(len(h.dims)) }

// payload returns the size of all elements in bytes. If that exceeds limit, it returns
// the index of the first dimension at which it does, and false.
func (h idxHeader) payload(limit int64) (n int64, dim int, ok bool) {
	if slices.Contains(h.dims, 0) {
		return 0, 0, true
	}
	n = h.kind.size()
	for k, d := range h.dims {
		if int64(d) > limit/n {
			return 0, k, false
		}
		n *= int64(d)
	}
	return n, 0, true
}

// idxReader reads one IDX array. Its errors give the byte at fault.
type idxReader struct {
	path string
	r    io.Reader
	size int64 // bytes of the file, compressed or not
}

// inflates bounds the memory that the header alone can make us allocate, in multiples of the file's size.
const inflates = 16

// fail returns an error at a byte offset.
func (x idxReader) fail(offset int64, want, got string, err error) error {
	return &FormatError{
		Path:   x.path,
		Offset: offset,
		Want:   want,
		Got:    got,
		Hint:   "the file is damaged, cut short or not an IDX file: fetch it again",
		Err:    err,
	}
}

// readHeader reads the type and the dimensions.
func (x idxReader) readHeader() (idxHeader, error) {
	var magic [4]byte
	if n, err := io.ReadFull(x.r, magic[:]); err != nil {
		return idxHeader{}, x.fail(int64(n), "the 4 bytes that begin an IDX file", fmt.Sprintf("%d", n), err)
	}
	h := idxHeader{kind: idxType(magic[2])}
	if magic[0] != 0 || magic[1] != 0 || h.kind.size() == 0 {
		return h, x.fail(0, "two zero bytes and an element type (8, 9, b, c, d or e)",
			fmt.Sprintf("% x", magic[:3]), nil)
	}
	dims := make([]byte, 4*int(magic[3]))
	if n, err := io.ReadFull(x.r, dims); err != nil && len(dims) > 0 {
		return h, x.fail(4+int64(n), fmt.Sprintf("%d dimensions of 4 bytes each", magic[3]),
			fmt.Sprintf("%d bytes", n), err)
	}
	for ; len(dims) > 0; dims = dims[4:] {
		h.dims = append(h.dims, binary.BigEndian.Uint32(dims))
	}
	return h, nil
}

// readPayload reads the elements, at most limit bytes, and checks that nothing follows
// them. Beyond [inflates] times the size of the file, memory grows with the bytes that
// were read, not with the size that the header states.
func (x idxReader) readPayload(h idxHeader, limit int64) ([]byte, error) {
	n, dim, ok := h.payload(limit)
	if !ok {
		return nil, x.fail(4+4*int64(dim), fmt.Sprintf("an array of at most %d bytes", limit),
			fmt.Sprintf("the dimensions %d", h.dims), nil)
	}
	elements := bytes.NewBuffer(make([]byte, 0, min(n, inflates*x.size)+bytes.MinRead))
	_, err := elements.ReadFrom(io.LimitReader(x.r, n))
	raw := elements.Bytes()
	end := h.bytes() + int64(len(raw))
	if err != nil || int64(len(raw)) < n {
		return nil, x.fail(end, fmt.Sprintf("%d bytes after the header", n), fmt.Sprintf("%d", len(raw)), err)
	}
	// A gzip reader verifies its checksum only at the end.
	switch k, err := io.ReadFull(x.r, make([]byte, 1)); {
	case k > 0:
		return nil, x.fail(end, "the end of the file", "more data", nil)
	case !errors.Is(err, io.EOF):
		return nil, x.fail(end, "the end of the file", "an error", err)
	}
	return raw, nil
}

// readIDX reads an IDX file, plain or gzipped. It calls check with the header before it
// reads the elements, at most limit bytes.
func readIDX(path string, limit int64, check func(idxReader, idxHeader) error) (idxHeader, []byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return idxHeader{}, nil, fmt.Errorf("data: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return idxHeader{}, nil, fmt.Errorf("data: %w", err)
	}
	return parseIDX(path, f, info.Size(), limit, check)
}

// parseIDX is readIDX for the content of a file of size bytes.
func parseIDX(path string, r io.Reader, size, limit int64,
	check func(idxReader, idxHeader) error) (idxHeader, []byte, error) {
	x, err := newIDXReader(path, r, size)
	if err != nil {
		return idxHeader{}, nil, err
	}
	h, err := x.readHeader()
	if err != nil {
		return h, nil, err
	}
	if err := check(x, h); err != nil {
		return h, nil, err
	}
	raw, err := x.readPayload(h, limit)
	return h, raw, err
}

// newIDXReader inflates r if its first bytes are gzip's, whatever the name of the file.
func newIDXReader(path string, r io.Reader, size int64) (idxReader, error) {
	x := idxReader{path: path, size: size}
	plain := bufio.NewReader(r)
	x.r = plain
	if head, _ := plain.Peek(2); string(head) != "\x1f\x8b" {
		return x, nil
	}
	z, err := gzip.NewReader(plain)
	if err != nil {
		return x, x.fail(0, "a gzip header", "a damaged one", err)
	}
	x.r = z
	return x, nil
}
