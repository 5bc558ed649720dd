//go:build hdf5

package array

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/hdf5"
)

// chunkCache is the number of bytes of an array's chunks that the library may cache.
// With its default of 1 MiB it would inflate a large chunk again for each of its rows.
const chunkCache = 64 << 20

// openSet opens an array of a file.
func openSet(f *hdf5.File, name string) (*hdf5.Dataset, error) {
	access, err := hdf5.NewPropList(hdf5.P_DATASET_ACCESS)
	if err != nil {
		return nil, err
	}
	defer access.Close()
	if err := access.SetChunkCache(hdf5.D_CHUNK_CACHE_NSLOTS_DEFAULT, chunkCache,
		hdf5.D_CHUNK_CACHE_W0_DEFAULT); err != nil {
		return nil, err
	}
	return f.OpenDatasetWith(name, access)
}

// describeSet returns an open array with its type and shape.
func describeSet(name string, set *hdf5.Dataset) (*hdf5Set, *hdf5Fault) {
	a := &hdf5Set{Slab: &Slab{Name: name}, set: set}
	var err error
	if a.Type, a.big, err = elementType(set); err != nil {
		return nil, hdf5Failed(fmt.Sprintf("an array %q of integers, float32 or float64", name), "another", err)
	}
	space := set.Space()
	if space == nil {
		return nil, hdf5Failed(fmt.Sprintf("an array %q with a shape", name), "none", nil)
	}
	defer space.Close()
	// The binding panics for an array without dimensions.
	if rank := space.SimpleExtentNDims(); rank < 1 || rank > maxRank {
		return nil, hdf5Failed(fmt.Sprintf("an array %q of 1 to %d dimensions", name, maxRank), fmt.Sprint(rank), nil)
	}
	dims, _, err := space.SimpleExtentDims()
	if err != nil {
		return nil, hdf5Failed(fmt.Sprintf("an array %q with a shape", name), "none", err)
	}
	for _, d := range dims {
		a.Shape = append(a.Shape, int(min(d, math.MaxInt)))
	}
	if _, ok := payload(a.Type, a.Shape, math.MaxInt); !ok {
		return nil, hdf5Failed(fmt.Sprintf("an array %q of at most %d bytes", name, math.MaxInt),
			fmt.Sprintf("the shape %v", dims), nil)
	}
	return a, nil
}

// elementType returns the type of the elements of an array, and whether they are big-endian.
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

// read reads rows lo to hi-1 into dst, little-endian.
func (a *hdf5Set) read(lo, hi int, dst []byte) error {
	from := make([]uint, len(a.Shape))
	count := make([]uint, len(a.Shape))
	for k, d := range a.Shape {
		count[k] = uint(d)
	}
	from[0], count[0] = uint(lo), uint(hi-lo)
	if err := readHyperslab(a.set, from, count, dst); err != nil {
		return err
	}
	if a.big {
		swap(dst, a.Type.Size())
	}
	return nil
}

// readHyperslab reads count[k] elements from index from[k] along each dimension k.
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
