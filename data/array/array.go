// Package array reads arrays of numbers from the files in which datasets are
// published: MATLAB 5, NPY and NPZ, Python pickles of NumPy arrays, and, where
// it was built in, HDF5.
package array

import "fmt"

// Type is the type of the elements of an array.
type Type uint8

// The types of elements. The zero value is none.
const (
	Uint8 Type = iota + 1
	Int8
	Uint16
	Int16
	Uint32
	Int32
	Uint64
	Int64
	Float32
	Float64
)

// Size returns the bytes of an element, 0 of no type.
func (t Type) Size() int {
	switch t {
	case Uint8, Int8:
		return 1
	case Uint16, Int16:
		return 2
	case Uint32, Int32, Float32:
		return 4
	case Uint64, Int64, Float64:
		return 8
	}
	return 0
}

// String returns the name of the type as NumPy has it, such as "float32".
func (t Type) String() string {
	names := [...]string{"no type", "uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64",
		"float32", "float64"}
	if int(t) < len(names) {
		return names[t]
	}
	return fmt.Sprintf("type %d", uint8(t))
}

// Array is an array of a file.
type Array struct {
	Name  string
	Type  Type
	Shape []int // none of a single number

	// Fortran says that the first index varies fastest from one element to the
	// next, as in MATLAB; otherwise the last does.
	Fortran bool

	// Bytes are the elements, little-endian: as many as Shape says.
	Bytes []byte
}
