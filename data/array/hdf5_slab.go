//go:build hdf5

package array

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/hdf5"
)

// describe returns what an array is, and whether it is big-endian.
func (h *HDF5) describe(name string, set *hdf5.Dataset) (s *Slab, big bool, err error) {
	s = &Slab{Name: name}
	if s.Type, big, err = elementType(set); err != nil {
		return nil, false, h.fail(fmt.Sprintf("an array %q of integers, float32 or float64", name), "another", err)
	}
	space := set.Space()
	if space == nil {
		return nil, false, h.fail(fmt.Sprintf("an array %q with a shape", name), "none", nil)
	}
	defer space.Close()
	// The binding panics for a single number.
	if rank := space.SimpleExtentNDims(); rank < 1 || rank > maxRank {
		return nil, false, h.fail(fmt.Sprintf("an array %q of 1 to %d dimensions", name, maxRank),
			fmt.Sprint(rank), nil)
	}
	dims, _, err := space.SimpleExtentDims()
	if err != nil {
		return nil, false, h.fail(fmt.Sprintf("an array %q with a shape", name), "none", err)
	}
	for _, d := range dims {
		s.Shape = append(s.Shape, int(min(d, math.MaxInt)))
	}
	if _, ok := payload(s.Type, s.Shape, math.MaxInt); !ok {
		return nil, false, h.fail(fmt.Sprintf("an array %q of at most %d bytes", name, math.MaxInt),
			fmt.Sprintf("the shape %v", dims), nil)
	}
	return s, big, nil
}

// elementType returns the type of the elements of an array, and whether they
// are big-endian.
func elementType(set *hdf5.Dataset) (Type, bool, error) {
	t, err := set.Datatype()
	if err != nil {
		return 0, false, err
	}
	defer t.Close()
	for _, k := range []struct {
		little, big *hdf5.Datatype
		is          Type
	}{
		{hdf5.T_STD_U8LE, hdf5.T_STD_U8BE, Uint8}, {hdf5.T_STD_I8LE, hdf5.T_STD_I8BE, Int8},
		{hdf5.T_STD_U16LE, hdf5.T_STD_U16BE, Uint16}, {hdf5.T_STD_I16LE, hdf5.T_STD_I16BE, Int16},
		{hdf5.T_STD_U32LE, hdf5.T_STD_U32BE, Uint32}, {hdf5.T_STD_I32LE, hdf5.T_STD_I32BE, Int32},
		{hdf5.T_STD_U64LE, hdf5.T_STD_U64BE, Uint64}, {hdf5.T_STD_I64LE, hdf5.T_STD_I64BE, Int64},
		{hdf5.T_IEEE_F32LE, hdf5.T_IEEE_F32BE, Float32}, {hdf5.T_IEEE_F64LE, hdf5.T_IEEE_F64BE, Float64},
	} {
		if t.Equal(k.little) || t.Equal(k.big) {
			return k.is, t.Equal(k.big), nil
		}
	}
	return 0, false, fmt.Errorf("class %d of %d bytes", t.Class(), t.Size())
}

// read reads rows in the library.
func (h *HDF5) read(s *Slab, set *hdf5.Dataset, big bool, lo, hi int, dst []byte) error {
	if h.file == nil {
		return errClosed(h.path)
	}
	from := make([]uint, len(s.Shape))
	count := make([]uint, len(s.Shape))
	for k, d := range s.Shape {
		count[k] = uint(d)
	}
	from[0], count[0] = uint(lo), uint(hi-lo)
	if err := readHyperslab(set, from, count, dst); err != nil {
		return h.fail(fmt.Sprintf("the rows %d to %d of %q", lo, hi, s.Name), "an error of the HDF5 library", err)
	}
	if big {
		swap(dst, s.Type.Size())
	}
	return nil
}

// readHyperslab reads count elements along each dimension.
func readHyperslab(set *hdf5.Dataset, from, count []uint, dst []byte) error {
	space := set.Space()
	if space == nil {
		return errors.New("no shape")
	}
	defer space.Close()
	if err := space.SelectHyperslab(from, nil, count, nil); err != nil {
		return err
	}
	memory, err := hdf5.CreateSimpleDataspace(count, nil)
	if err != nil {
		return err
	}
	defer memory.Close()
	return set.ReadSubset(&dst, memory, space)
}
