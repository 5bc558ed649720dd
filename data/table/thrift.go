package table

import "encoding/binary"

// thriftStruct is a struct of Thrift's compact protocol, by field: int64
// (booleans are 0 and 1), string, []any or thriftStruct. Parquet files
// describe themselves by such.
type thriftStruct map[int16]any

// The types of the compact protocol that Parquet has.
const (
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftI64    = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftRecord = 12
)

// maxThriftDepth bounds structs within structs; Parquet's go 6 deep.
const maxThriftDepth = 16

// thriftReader reads bytes that may be anything. Nothing of a size that they
// speak of is allocated before that many bytes are there.
type thriftReader struct {
	text string
	at   int
	bad  bool // whether the bytes are not in the protocol's form
}

// fail makes the rest unreadable.
func (r *thriftReader) fail() {
	r.bad = true
	r.at = len(r.text)
}

func (r *thriftReader) byte() byte {
	if r.at >= len(r.text) {
		r.fail()
		return 0
	}
	r.at++
	return r.text[r.at-1]
}

func (r *thriftReader) uvarint() uint64 {
	var v uint64
	for shift := 0; shift < 64; shift += 7 {
		b := r.byte()
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return v
		}
	}
	r.fail()
	return 0
}

// varint reads a number in zigzag form.
func (r *thriftReader) varint() int64 {
	v := r.uvarint()
	return int64(v>>1) ^ -int64(v&1)
}

// readBytes returns the next n bytes.
func (r *thriftReader) readBytes(n uint64) string {
	if n > uint64(len(r.text)-r.at) {
		r.fail()
		return ""
	}
	r.at += int(n)
	return r.text[r.at-int(n) : r.at]
}

// record reads a struct up to its stop.
func (r *thriftReader) record(depth int) thriftStruct {
	if depth > maxThriftDepth {
		r.fail()
	}
	s := thriftStruct{}
	field := int16(0)
	for !r.bad {
		b := r.byte()
		if b == 0 {
			return s
		}
		if delta := b >> 4; delta != 0 {
			field += int16(delta)
		} else {
			field = int16(r.varint())
		}
		switch b & 0xf {
		case thriftTrue:
			s[field] = int64(1)
		case thriftFalse:
			s[field] = int64(0)
		default:
			s[field] = r.value(b&0xf, depth)
		}
	}
	return s
}

// value reads a value of that type which is not a field's boolean.
func (r *thriftReader) value(kind byte, depth int) any {
	switch {
	case kind == thriftTrue || kind == thriftFalse || kind == thriftByte: // a boolean of a list
		return int64(r.byte())
	case kind > thriftByte && kind <= thriftI64:
		return r.varint()
	case kind == thriftDouble:
		return r.readBytes(8)
	case kind == thriftBinary:
		return r.readBytes(r.uvarint())
	case kind == thriftList:
		return r.list(depth)
	case kind == thriftRecord:
		return r.record(depth + 1)
	}
	r.fail()
	return nil
}

// list reads a list. A record of one has a field at least.
func (r *thriftReader) list(depth int) []any {
	b := r.byte()
	n := uint64(b >> 4)
	if n == 15 {
		n = r.uvarint()
	}
	var values []any
	for range n {
		v := r.value(b&0xf, depth)
		if s, isRecord := v.(thriftStruct); isRecord && len(s) == 0 {
			r.fail()
		}
		if r.bad {
			return nil
		}
		values = append(values, v)
	}
	return values
}

// number returns a field, 0 if it is missing or no number.
func (s thriftStruct) number(field int16) int64 {
	v, _ := s[field].(int64)
	return v
}

// has reports whether there is such a field.
func (s thriftStruct) has(field int16) bool {
	_, there := s[field]
	return there
}

// record returns a field that is a struct, empty if it is missing or none.
func (s thriftStruct) record(field int16) thriftStruct {
	v, _ := s[field].(thriftStruct)
	return v
}

// records returns a field that is a list of structs, and whether it is one.
func (s thriftStruct) records(field int16) ([]thriftStruct, bool) {
	list, isList := s[field].([]any)
	records := make([]thriftStruct, len(list))
	for i, v := range list {
		var isRecord bool
		if records[i], isRecord = v.(thriftStruct); !isRecord {
			return nil, false
		}
	}
	return records, isList
}

// uint32At returns the little-endian number at a byte of a text.
func uint32At(text string, at int) uint32 {
	return binary.LittleEndian.Uint32([]byte(text[at : at+4]))
}
