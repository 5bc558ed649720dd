// Package thrift reads structs in Thrift's compact protocol, in which Parquet files store their metadata.
package thrift

// Struct holds the values of a struct by field number: int64 (booleans are 0 and 1), string, []any or Struct.
type Struct map[int16]any

// The types of the compact protocol that Parquet uses.
const (
	typeTrue   = 1
	typeFalse  = 2
	typeByte   = 3
	typeI64    = 6
	typeDouble = 7
	typeBinary = 8
	typeList   = 9
	typeRecord = 12
)

// maxDepth bounds the nesting of structs; Parquet nests 6 levels.
const maxDepth = 16

// reader reads untrusted bytes. Before it allocates anything of a size that the bytes state, it checks that so many bytes
// are there.
type reader struct {
	text string
	at   int
	bad  bool // whether the bytes are not in the protocol's form
}

// Read reads the struct that begins at byte at of a text, and returns the byte after it; ok is false if it is malformed.
func Read(text string, at int) (s Struct, end int, ok bool) {
	r := reader{text: text, at: at}
	s = r.record(0)
	return s, r.at, !r.bad
}

// fail marks the text as malformed, and ends the reading.
func (r *reader) fail() {
	r.bad = true
	r.at = len(r.text)
}

func (r *reader) byte() byte {
	if r.at >= len(r.text) {
		r.fail()
		return 0
	}
	r.at++
	return r.text[r.at-1]
}

func (r *reader) uvarint() uint64 {
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
func (r *reader) varint() int64 {
	v := r.uvarint()
	return int64(v>>1) ^ -int64(v&1)
}

// readBytes returns the next n bytes.
func (r *reader) readBytes(n uint64) string {
	if n > uint64(len(r.text)-r.at) {
		r.fail()
		return ""
	}
	r.at += int(n)
	return r.text[r.at-int(n) : r.at]
}

// record reads a struct up to its stop field.
func (r *reader) record(depth int) Struct {
	if depth > maxDepth {
		r.fail()
	}
	s := Struct{}
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
		case typeTrue:
			s[field] = int64(1)
		case typeFalse:
			s[field] = int64(0)
		default:
			s[field] = r.value(b&0xf, depth)
		}
	}
	return s
}

// value reads a value of a type. It does not read the booleans of fields, whose type holds the value.
func (r *reader) value(kind byte, depth int) any {
	switch {
	case kind == typeTrue || kind == typeFalse || kind == typeByte: // a boolean in a list takes a byte
		return int64(r.byte())
	case kind > typeByte && kind <= typeI64:
		return r.varint()
	case kind == typeDouble:
		return r.readBytes(8)
	case kind == typeBinary:
		return r.readBytes(r.uvarint())
	case kind == typeList:
		return r.list(depth)
	case kind == typeRecord:
		return r.record(depth + 1)
	}
	r.fail()
	return nil
}

// list reads a list. An empty struct in it is an error, since a few bytes could state any number of them.
func (r *reader) list(depth int) []any {
	b := r.byte()
	n := uint64(b >> 4)
	if n == 15 {
		n = r.uvarint()
	}
	var values []any
	for range n {
		v := r.value(b&0xf, depth)
		if s, isRecord := v.(Struct); isRecord && len(s) == 0 {
			r.fail()
		}
		if r.bad {
			return nil
		}
		values = append(values, v)
	}
	return values
}

// Number returns a field that is a number; 0 if it is missing or of another type.
func (s Struct) Number(field int16) int64 {
	v, _ := s[field].(int64)
	return v
}

// Has reports whether the struct has the field.
func (s Struct) Has(field int16) bool {
	_, there := s[field]
	return there
}

// Record returns a field that is a struct; nil if it is missing or of another type.
func (s Struct) Record(field int16) Struct {
	v, _ := s[field].(Struct)
	return v
}

// Records returns a field that is a list of structs; false if it is missing or anything else.
func (s Struct) Records(field int16) ([]Struct, bool) {
	list, isList := s[field].([]any)
	records := make([]Struct, len(list))
	for i, v := range list {
		var isRecord bool
		if records[i], isRecord = v.(Struct); !isRecord {
			return nil, false
		}
	}
	return records, isList
}
