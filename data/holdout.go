package data

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
)

// Holdout divides ds at random into a training set and a validation set of n images, stratified by class to within one
// image. Images without labels count as one class. Both sets keep the order of ds. It returns an error if either set
// would be empty.
func Holdout(ds Dataset, n int, seed uint64) (train, validation Dataset, err error) {
	if n < 1 || n >= ds.Len() {
		return nil, nil, fmt.Errorf(
			"data: holding out %d of the %d images of %s leaves an empty split: expected 1 to %d",
			n, ds.Len(), ds.Name(), ds.Len()-1)
	}
	labels, err := Labels(ds)
	if err != nil {
		return nil, nil, err
	}
	pcg := rand.NewPCG(0, 0)
	seedStream(pcg, seed, "holdout", 0)
	held := heldOut(labels, n, rand.New(pcg))
	var in, out []int
	for i, h := range held {
		if h {
			out = append(out, i)
		} else {
			in = append(in, i)
		}
	}
	return &subset{wrapper{ds}, in}, &subset{wrapper{ds}, out}, nil
}

// heldOut marks the images to hold out. It orders all images by class, shuffled within each class, and takes n of them,
// evenly spread.
func heldOut(labels []int, n int, rng *rand.Rand) []bool {
	order := rng.Perm(len(labels))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(labels[a], labels[b]) })
	held := make([]bool, len(labels))
	for k := range n {
		held[order[int64(k)*int64(len(order))/int64(n)]] = true
	}
	return held
}
