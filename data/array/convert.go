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

// bits returns the bits of element i of little-endian elements.
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

// integer returns element i of an integer type; those of Uint64 beyond math.MaxInt64 come out negative.
func (t Type) integer(elements []byte, i int) int64 {
	bits := t.bits(elements, i)
	if !t.isSigned() {
		return int64(bits)
	}
	unused := 64 - 8*t.Size()
	return int64(bits) << unused >> unused
}

// float returns element i of any type, rounded to the nearest where a float64 cannot hold it.
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

// encode returns the bits that stand for v in the type; false if none do.
func (t Type) encode(v int64) (uint64, bool) {
	const exact = 1 << 53 // integers up to here are float64s
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

// convertible reports whether elements can be stored in a type and belong to
// another: in integers that are no wider, or in single for double precision.
func convertible(from, to Type) bool {
	return from == to || from == Float32 && to == Float64 ||
		!from.isFloat() && from != Uint64 && from.Size() <= to.Size()
}

// convert returns little-endian elements of a convertible type in another.
// Where an element is no value of that, it returns its index and false.
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

// swap turns elements of that many bytes from big-endian to little-endian, or back, in place.
func swap(elements []byte, size int) {
	if size == 1 {
		return
	}
	for ; len(elements) >= size; elements = elements[size:] {
		slices.Reverse(elements[:size])
	}
}
