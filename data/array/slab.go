package array

import (
	"fmt"
)

// ErrNoHDF5 says that this build cannot read HDF5 files.
var ErrNoHDF5 error = noHDF5Error{}

type noHDF5Error struct{}

func (noHDF5Error) Error() string { return "built without HDF5: install libhdf5-dev and run make" }

// InputError returns true: the user can give another file, or build with HDF5.
func (noHDF5Error) InputError() bool { return true }

// A Slab is an array that stays in its HDF5 file: [Slab.ReadRows] reads some of its rows. Many goroutines may use it; the
// library serves them one after another.
type Slab struct {
	Name  string
	Type  Type
	Shape []int // one dimension or more

	rows func(lo, hi int, dst []byte) error
}

// RowBytes returns the number of bytes of a row: all elements with the same first index.
func (s *Slab) RowBytes() int {
	n := s.Type.Size()
	for _, d := range s.Shape[1:] {
		n *= d
	}
	return n
}

// ReadRows writes rows lo to hi-1 to dst, little-endian, the last index fastest. It panics unless 0 ≤ lo ≤ hi ≤ Shape[0]
// and dst has (hi-lo)·RowBytes() bytes. It returns a [*FormatError] if the file is damaged there.
func (s *Slab) ReadRows(lo, hi int, dst []byte) error {
	if lo < 0 || hi < lo || hi > s.Shape[0] {
		panic(fmt.Sprintf("array: rows %d to %d of %d", lo, hi, s.Shape[0]))
	}
	if len(dst) != (hi-lo)*s.RowBytes() {
		panic(fmt.Sprintf("array: %d bytes for %d rows of %d", len(dst), hi-lo, s.RowBytes()))
	}
	if len(dst) == 0 {
		return nil
	}
	return s.rows(lo, hi, dst)
}
