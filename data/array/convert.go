package array

import (
	"encoding/binary"
	"math"
	"slices"
)

// isFloat reports whether the elements are floating-point numbers.
func (t Type) isFloat() bool { return t == Float32 || t == Float64 }

// isSigned reports whether the elements are signed integers.
func (t Type) isSigned() bool { return t == Int8 || t == Int16 || t == Int32 || t == Int64 }

// bits returns the bits of element i; elements are little-endian.
func (t Type) bits(elements []byte, i int) uint64 {
	switch t.Size() {
	case 1:
		return uint64(elements[i])
	case 2:
		return uint64(binary.LittleEndian.Uint16(elements[2*i:]))
	case 4:
		return uint64(binary.LittleEndian.Uint32(elements[4*i:]))
	}
	return binary.LittleEndian.Uint64(elements[8*i:])
}

// putBits sets the bits of element i.
func (t Type) putBits(elements []byte, i int, bits uint64) {
	switch t.Size() {
	case 1:
		elements[i] = uint8(bits)
	case 2:
		binary.LittleEndian.PutUint16(elements[2*i:], uint16(bits))
	case 4:
		binary.LittleEndian.PutUint32(elements[4*i:], uint32(bits))
	case 8:
		binary.LittleEndian.PutUint64(elements[8*i:], bits)
	}
}

// integer returns element i of an integer type. Uint64 values beyond math.MaxInt64 become negative.
func (t Type) integer(elements []byte, i int) int64 {
	bits := t.bits(elements, i)
	if !t.isSigned() {
		return int64(bits)
	}
	unused := 64 - 8*t.Size()
	return int64(bits) << unused >> unused
}

// float returns element i of any type, rounded to the nearest float64.
func (t Type) float(elements []byte, i int) float64 {
	switch t {
	case Float32:
		return float64(math.Float32frombits(uint32(t.bits(elements, i))))
	case Float64:
		return math.Float64frombits(t.bits(elements, i))
	case Uint64:
		return float64(t.bits(elements, i))
	}
	return float64(t.integer(elements, i))
}

// encode returns the bits of v in the type; false if the type cannot represent v.
func (t Type) encode(v int64) (uint64, bool) {
	const exact = 1 << 53 // float64 represents all integers up to here
	switch {
	case t.isFloat() && (v < -exact || v > exact):
		return 0, false
	case t == Float64:
		return math.Float64bits(float64(v)), true
	case t == Float32:
		f := float32(v)
		return uint64(math.Float32bits(f)), float64(f) == float64(v)
	case t.isSigned():
		unused := 64 - 8*t.Size()
		return uint64(v), v<<unused>>unused == v
	}
	return uint64(v), v >= 0 && uint64(v)<<(64-8*t.Size())>>(64-8*t.Size()) == uint64(v)
}

// convertible reports whether a file may store elements of type to as type from: as
// integers that are no wider, or as Float32 for Float64.
func convertible(from, to Type) bool {
	return from == to || from == Float32 && to == Float64 ||
		!from.isFloat() && from != Uint64 && from.Size() <= to.Size()
}

// convert converts little-endian elements from one type to another. If the other type
// cannot represent an element, it returns the element's index and false.
func convert(elements []byte, from, to Type) (converted []byte, bad int, ok bool) {
	if from == to {
		return elements, 0, true
	}
	n := len(elements) / from.Size()
	converted = make([]byte, n*to.Size())
	for i := range n {
		var bits uint64
		if from.isFloat() {
			bits, ok = math.Float64bits(from.float(elements, i)), true
		} else {
			bits, ok = to.encode(from.integer(elements, i))
		}
		if !ok {
			return nil, i, false
		}
		to.putBits(converted, i, bits)
	}
	return converted, 0, true
}

// swap reverses the byte order of elements of size bytes, in place.
func swap(elements []byte, size int) {
	if size == 1 {
		return
	}
	for ; len(elements) >= size; elements = elements[size:] {
		slices.Reverse(elements[:size])
	}
}
