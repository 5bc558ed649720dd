package array

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"strings"
	"testing"
)

// A matBuilder builds MATLAB files of version 5 in a byte order.
type matBuilder struct {
	order interface {
		binary.ByteOrder
		binary.AppendByteOrder
	}
}

// file returns a MATLAB file of the given elements.
func (b matBuilder) file(elements ...[]byte) []byte {
	head := []byte("MATLAB 5.0 MAT-file, by the tests" + strings.Repeat(" ", 124-33))
	head = b.order.AppendUint16(head, 0x0100)
	head = b.order.AppendUint16(head, 'M'<<8|'I')
	return append(head, bytes.Join(elements, nil)...)
}

// element returns a data element: its tag, its content and, unless it is a compressed element, padding.
func (b matBuilder) element(kind uint32, content ...[]byte) []byte {
	all := bytes.Join(content, nil)
	e := b.order.AppendUint32(nil, kind)
	e = b.order.AppendUint32(e, uint32(len(all)))
	e = append(e, all...)
	if kind != uint32(miCompressed) {
		e = append(e, make([]byte, -len(all)&7)...)
	}
	return e
}

// numbers returns the bytes of a number or of a slice of numbers.
func (b matBuilder) numbers(t testing.TB, v any) []byte {
	t.Helper()
	raw, err := binary.Append(nil, b.order, v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// matrix returns a numeric variable. Its numbers are stored as raw, in the type kind.
func (b matBuilder) matrix(t testing.TB, name string, class uint32, shape []int32, kind uint32, raw []byte) []byte {
	return b.element(uint32(miMatrix),
		b.element(uint32(miUint32), b.numbers(t, []uint32{class, 0})),
		b.element(uint32(miInt32), b.numbers(t, shape)),
		b.element(uint32(miInt8), []byte(name)),
		b.element(kind, raw))
}

// compressed returns a compressed element that contains element.
func (b matBuilder) compressed(t testing.TB, level int, element []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	z, err := zlib.NewWriterLevel(&out, level)
	if err != nil {
		t.Fatal(err)
	}
	z.Write(element)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.element(uint32(miCompressed), out.Bytes())
}
