package data

import (
	"fmt"
	"io"
	"slices"
)

// subset is the Dataset of some images of another.
type subset struct {
	Dataset
	indices []int
}

// Subset returns the images of ds at those indices, in their order. An index
// may occur more than once. One outside [0, ds.Len()) is an error. The slice
// is copied.
func Subset(ds Dataset, indices []int) (Dataset, error) {
	for at, i := range indices {
		if i < 0 || i >= ds.Len() {
			return nil, fmt.Errorf("data: index %d of a subset of %s is %d, outside its %d images",
				at, ds.Name(), i, ds.Len())
		}
	}
	return &subset{ds, slices.Clone(indices)}, nil
}

// Head returns the first n images of ds, all if it has fewer, none if n is
// negative. Folders are sorted by class: their first images are of few classes.
func Head(ds Dataset, n int) Dataset {
	indices := make([]int, min(max(n, 0), ds.Len()))
	for i := range indices {
		indices[i] = i
	}
	return &subset{ds, indices}
}

// Len implements Dataset.
func (s *subset) Len() int { return len(s.indices) }

// Read implements Dataset.
func (s *subset) Read(i int, dst []float32) (int, error) {
	if err := checkRead(s, i, dst); err != nil {
		return 0, err
	}
	return s.Dataset.Read(s.indices[i], dst)
}

// Split returns the split of the whole set.
func (s *subset) Split() string { return splitOf(s.Dataset) }

func (s *subset) identify(w io.Writer, i int) error {
	return identify(w, s.Dataset, s.indices[i])
}

func (s *subset) label(i int) (int, error) { return labelOf(s.Dataset, s.indices[i]) }

func (s *subset) bytes(i int, scratch []uint8) ([]uint8, int, bool) {
	return bytesOf(s.Dataset, s.indices[i], scratch)
}
