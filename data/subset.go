package data

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
)

// subset is a Dataset of some images of another.
type subset struct {
	wrapper
	indices []int
}

// Subset returns the images of ds at the given indices, in their order. An index may occur more than once. It returns
// an error for an index outside [0, ds.Len()). It copies the slice.
func Subset(ds Dataset, indices []int) (Dataset, error) {
	for at, i := range indices {
		if i < 0 || i >= ds.Len() {
			return nil, fmt.Errorf("data: index %d of a subset of %s is %d, outside its %d images",
				at, ds.Name(), i, ds.Len())
		}
	}
	return &subset{wrapper{ds}, slices.Clone(indices)}, nil
}

// Head returns the first n images of ds, all if it has fewer, none if n is negative. Folders are sorted by class, so
// their first images have few classes.
func Head(ds Dataset, n int) Dataset {
	indices := make([]int, min(max(n, 0), ds.Len()))
	for i := range indices {
		indices[i] = i
	}
	return &subset{wrapper{ds}, indices}
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

func (s *subset) identify(w io.Writer, i int) error {
	return identify(w, s.Dataset, s.indices[i])
}

func (s *subset) path(i int) string { return File(s.Dataset, s.indices[i]) }

func (s *subset) label(i int) (int, error) { return labelOf(s.Dataset, s.indices[i]) }

func (s *subset) bytes(i int, scratch []uint8) ([]uint8, int, bool) {
	return bytesOf(s.Dataset, s.indices[i], scratch)
}

// Balanced returns a subset of ds with perClass images of every class, drawn at random from the seed, in the order of
// ds. If perClass is 0, every class has as many as the smallest class (paper rfm, CelebA: majority classes are limited
// to the size of the minority, and to 25000). It returns an error if ds has no classes, or a class has no images or
// fewer than perClass.
func Balanced(ds Dataset, perClass int, seed uint64) (Dataset, error) {
	members, err := byClass(ds)
	if err != nil {
		return nil, err
	}
	smallest := 0
	for class := range members {
		if len(members[class]) < len(members[smallest]) {
			smallest = class
		}
	}
	least := len(members[smallest])
	if perClass == 0 {
		perClass = least
	}
	if perClass < 1 || perClass > least {
		return nil, fmt.Errorf("data: %d images of each class of %s: expected 1 to %d, which class %q has",
			perClass, ds.Name(), least, ds.Classes()[smallest])
	}
	var indices []int
	pcg := rand.NewPCG(0, 0)
	for class, all := range members {
		seedStream(pcg, seed, "balanced", uint64(class))
		rand.New(pcg).Shuffle(len(all), func(a, b int) { all[a], all[b] = all[b], all[a] })
		indices = append(indices, all[:perClass]...)
	}
	slices.Sort(indices)
	return &subset{wrapper{ds}, indices}, nil
}

// byClass returns the indices of the images of each class, and an error if an image has no class.
func byClass(ds Dataset) ([][]int, error) {
	classes := len(ds.Classes())
	if classes == 0 {
		return nil, fmt.Errorf("data: %s has no classes: put the images into a folder per class", ds.Name())
	}
	labels, err := Labels(ds)
	if err != nil {
		return nil, err
	}
	members := make([][]int, classes)
	for i, l := range labels {
		if l < 0 || l >= classes {
			return nil, labelError(ds, i, l, classes)
		}
		members[l] = append(members[l], i)
	}
	return members, nil
}

// Spread returns limit images evenly spread over ds, or ds itself if it has no more or limit is 0 or less.
func Spread(ds Dataset, limit int) Dataset {
	if limit <= 0 || limit >= ds.Len() {
		return ds
	}
	indices := make([]int, limit)
	for k := range indices {
		indices[k] = int(int64(k) * int64(ds.Len()) / int64(limit))
	}
	return &subset{wrapper{ds}, indices}
}
