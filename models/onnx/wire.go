package onnx

import (
	"encoding/binary"
	"errors"
	"io"

	"google.golang.org/protobuf/encoding/protowire"
)

// file is an ONNX file. Everything but the weights is read when it is opened, the weights when a caller asks for them.
type file struct {
	r    io.ReaderAt
	size int64
	path string // "" for a model in memory
	// spent counts what was read without the weights: bytes of texts and numbers, and fields of messages.
	spent int64
	nodes int // read so far

	window []byte // a part of the file, from the offset start
	start  int64
}

// The limits of what is read of a file, without its weights.
const (
	mostSpent = 256 << 20 // see file.spent
	mostText  = 1 << 20   // bytes of a name or an attribute's text
	mostDepth = 24        // graphs within graphs, and calls within calls
)

// span is a part of a file: the content of a message, of packed numbers, or of bytes.
type span struct{ from, to int64 }

func (s span) len() int64 { return s.to - s.from }

// field is one field of a message.
type field struct {
	number protowire.Number
	kind   protowire.Type
	value  uint64 // of a number
	span          // of the bytes
}

// peek returns at least n bytes of the file from the offset at, or fewer if end comes first.
func (f *file) peek(at, end int64, n int) ([]byte, error) {
	need := min(int64(n), end-at)
	if at < f.start || at+need > f.start+int64(len(f.window)) {
		buf := f.window[:cap(f.window)]
		if len(buf) == 0 {
			buf = make([]byte, 1<<16)
		}
		buf = buf[:min(int64(len(buf)), f.size-at)]
		if _, err := f.r.ReadAt(buf, at); err != nil && !(errors.Is(err, io.EOF) && int64(len(buf)) == f.size-at) {
			return nil, err
		}
		f.window, f.start = buf, at
	}
	from := at - f.start
	return f.window[from:min(int64(len(f.window)), end-f.start)], nil
}

// bytes reads a span of the file.
func (f *file) bytes(s span, most int64) ([]byte, error) {
	if s.len() > most {
		return nil, f.wrong(s.from, "at most %d bytes, found %d", most, s.len())
	}
	if f.spent += s.len(); f.spent > mostSpent {
		return nil, f.wrong(s.from, "at most %d MiB without the weights", mostSpent>>20)
	}
	out := make([]byte, s.len())
	if len(out) == 0 {
		return out, nil
	}
	if _, err := f.r.ReadAt(out, s.from); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return out, nil
}

// text reads a name or another short text.
func (f *file) text(s span) (string, error) {
	b, err := f.bytes(s, mostText)
	return string(b), err
}

// fields calls see for every field of a message.
func (f *file) fields(message span, see func(field) error) error {
	for at := message.from; at < message.to; {
		b, err := f.peek(at, message.to, 2*binary.MaxVarintLen64)
		if err != nil {
			return err
		}
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return f.wrong(at, "a field of a protobuf message: %v", protowire.ParseError(n))
		}
		v := field{number: number, kind: kind}
		if f.spent++; f.spent > mostSpent { // so that the number of fields is bounded
			return f.wrong(at, "at most %d fields", mostSpent)
		}
		at += int64(n)
		b = b[n:]
		switch kind {
		case protowire.VarintType:
			v.value, n = protowire.ConsumeVarint(b)
		case protowire.Fixed32Type:
			var x uint32
			x, n = protowire.ConsumeFixed32(b)
			v.value = uint64(x)
		case protowire.Fixed64Type:
			v.value, n = protowire.ConsumeFixed64(b)
		case protowire.BytesType:
			var length uint64
			if length, n = protowire.ConsumeVarint(b); n > 0 {
				v.span = span{at + int64(n), at + int64(n) + int64(length)}
				if length > uint64(message.to) || v.to > message.to {
					return f.wrong(at, "%d bytes, of which the message has %d: the file is cut short or damaged", length,
						message.to-at-int64(n))
				}
				n += int(length)
			}
		default:
			return f.wrong(at, "a field of a protobuf message, found one of type %d", kind)
		}
		if n < 0 {
			return f.wrong(at, "a field of a protobuf message: %v", protowire.ParseError(n))
		}
		at += int64(n)
		if err := see(v); err != nil {
			return err
		}
	}
	return nil
}

// numbers calls see for every number of a repeated field, packed or not.
func (f *file) numbers(v field, each protowire.Type, see func(uint64)) error {
	if v.kind == each {
		see(v.value)
		return nil
	}
	if v.kind != protowire.BytesType {
		return f.wrong(v.from, "numbers")
	}
	b, err := f.bytes(v.span, mostSpent)
	if err != nil {
		return err
	}
	for len(b) > 0 {
		x, n := consume(b, each)
		if n < 0 {
			return f.wrong(v.from, "packed numbers: %v", protowire.ParseError(n))
		}
		see(x)
		b = b[n:]
	}
	return nil
}

// consume returns the first number of b and its length in bytes, which is below 0 for an error of protowire.
func consume(b []byte, kind protowire.Type) (uint64, int) {
	switch kind {
	case protowire.Fixed32Type:
		v, n := protowire.ConsumeFixed32(b)
		return uint64(v), n
	case protowire.Fixed64Type:
		return protowire.ConsumeFixed64(b)
	}
	return protowire.ConsumeVarint(b)
}
