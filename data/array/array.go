// Package array reads arrays of numbers from the files in which datasets are
// published: MATLAB 5, NPY and NPZ, Python pickles of NumPy arrays and, if the build
// has it, HDF5.
//
// # Where to begin
//
// [ReadNPY], [ReadNPZ], [ReadMAT5] and [ReadPickle] read a whole file into memory and
// return its [Array], or several by name. [OpenHDF5] opens a file whose arrays stay on
// disk; a [Slab] reads rows of one. [WriteNPY] writes a matrix. A malformed file is a
// [*FormatError]. NPY and NPZ files may take all available memory, others [MaxBytes].
package array

import (
	"fmt"
	"io"
	"math"
	"os"
	"slices"
)

// Type is the type of the elements of an array.
type Type uint8

// The types of elements. The zero value is no type.
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

// Size returns the number of bytes of an element; 0 for an unknown type.
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

// String returns NumPy's name of the type, such as "float32".
func (t Type) String() string {
	names := [...]string{"no type", "uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64",
		"float32", "float64"}
	if int(t) < len(names) {
		return names[t]
	}
	return fmt.Sprintf("type %d", uint8(t))
}

// Array is an array from a file.
type Array struct {
	Name  string
	Type  Type
	Shape []int // empty for a single number

	// Fortran says that the first index varies fastest from one element to the
	// next, as in MATLAB; otherwise the last does.
	Fortran bool

	// Bytes holds the elements, little-endian, as many as Shape says.
	Bytes []byte
}

// Len returns the number of elements, 1 for a single number.
func (a *Array) Len() int {
	n := 1
	for _, d := range a.Shape {
		n *= d
	}
	return n
}

// Float64s returns the elements in the order of Bytes. It rounds integers beyond 2⁵³ to the nearest float64.
func (a *Array) Float64s() []float64 {
	out := make([]float64, a.Len())
	for i := range out {
		out[i] = a.Type.float(a.Bytes, i)
	}
	return out
}

// Ints returns the elements in the order of Bytes. It returns a [*FormatError] if an
// element is not a whole number or out of the range of int.
func (a *Array) Ints() ([]int, error) {
	out := make([]int, a.Len())
	for i := range out {
		v, ok := a.int(i)
		if !ok {
			return nil, &FormatError{
				Path:   fmt.Sprintf("the array %q", a.Name),
				Offset: NoOffset,
				Want:   "whole numbers",
				Got:    fmt.Sprintf("%v at index %d", a.Type.float(a.Bytes, i), i),
			}
		}
		out[i] = v
	}
	return out, nil
}

// int returns element i; false if it is not an int.
func (a *Array) int(i int) (int, bool) {
	if a.Type.isFloat() {
		f := a.Type.float(a.Bytes, i)
		// float64 represents -2⁶³, but not 2⁶³-1.
		if f != math.Trunc(f) || f < math.MinInt64 || f >= -math.MinInt64 {
			return 0, false
		}
		v := int64(f)
		return int(v), int64(int(v)) == v
	}
	v := a.Type.integer(a.Bytes, i)
	return int(v), int64(int(v)) == v && (a.Type != Uint64 || v >= 0)
}

// MaxBytes bounds the memory in bytes of the arrays of one MATLAB file or pickle. The
// largest published file, SVHN's extra images, takes 1.6 GB.
const MaxBytes = int64(4 << 30)

// maxRank bounds the number of dimensions of an array, as NumPy and HDF5 do.
const maxRank = 32

// payload returns the number of bytes of all elements of a shape without negative
// dimensions; false if that exceeds limit.
func payload(t Type, shape []int, limit int64) (int64, bool) {
	if slices.Contains(shape, 0) {
		return 0, true
	}
	limit = min(limit, math.MaxInt)
	n := int64(t.Size())
	if n > limit {
		return 0, false
	}
	for _, d := range shape {
		if int64(d) > limit/n {
			return 0, false
		}
		n *= int64(d)
	}
	return n, true
}

// openFile opens a file and returns its size. A pipe has none, and to open one may wait for ever.
func openFile(path string) (*os.File, int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, fmt.Errorf("array: %w", err)
	}
	if !info.Mode().IsRegular() && !info.IsDir() {
		return nil, 0, &FormatError{Path: path, Offset: -1, Want: "a file", Got: "a pipe or a device"}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, fmt.Errorf("array: %w", err)
	}
	return f, info.Size(), nil
}

// readGrowing enlarges its memory by the factor growth, from at most firstRead bytes.
const (
	firstRead = 1 << 20
	growth    = 8
)

// readGrowing reads n bytes. Because n may be wrong, it allocates less than ten times the bytes that r gave, plus
// firstRead. It plans the steps from the end, so that reading all n bytes takes at most 9/8 of n at a time. If r ends
// early, it returns the bytes so far and io.ErrUnexpectedEOF.
func readGrowing(r io.Reader, n int64) ([]byte, error) {
	steps := []int64{n}
	for steps[0] > firstRead {
		steps = slices.Insert(steps, 0, (steps[0]+growth-1)/growth)
	}
	var buf []byte
	for _, size := range steps {
		bigger := make([]byte, size)
		filled := copy(bigger, buf)
		k, err := io.ReadFull(r, bigger[filled:])
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if buf = bigger; err != nil {
			return buf[:filled+k], err
		}
	}
	return buf, nil
}
