package data

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Split divides ds at random into parts with the given fractions of its images, such as .8, .1 and .1 for training,
// validation and test. Unlike PyTorch's random_split, every part has its share of every class, to within one image.
// Images without labels count as one class, and the parts keep the order of ds.
//
// The sizes of the first k parts sum to the rounded sum of the first k fractions. Split returns an error for fractions
// that are not positive or do not sum to 1, and for a part without images.
func Split(ds Dataset, seed uint64, fractions ...float64) ([]Dataset, error) {
	sizes, err := partSizes(ds, fractions)
	if err != nil {
		return nil, err
	}
	labels, err := Labels(ds)
	if err != nil {
		return nil, err
	}
	rest := make([]int, len(labels)) // the images of no part yet
	for i := range rest {
		rest[i] = i
	}
	parts := make([]Dataset, len(sizes))
	pcg := rand.NewPCG(0, 0)
	for k := len(parts) - 1; k > 0; k-- {
		seedStream(pcg, seed, "split", uint64(k))
		rng := rand.New(pcg)
		held := heldOut(labels, sizes[k], rng, rng.IntN(len(labels)))
		var part, others, theirs []int
		for at, h := range held {
			if h {
				part = append(part, rest[at])
			} else {
				others, theirs = append(others, rest[at]), append(theirs, labels[at])
			}
		}
		parts[k], rest, labels = &subset{ds, part}, others, theirs
	}
	parts[0] = &subset{ds, rest}
	return parts, nil
}

// partSizes returns the number of images of the parts of a split.
func partSizes(ds Dataset, fractions []float64) ([]int, error) {
	sum, before := 0., 0
	var sizes []int
	for _, f := range fractions {
		if !(f > 0) {
			return nil, fmt.Errorf("data: splitting %s: a part is %v of it, expected a positive fraction", ds.Name(), f)
		}
		sum += f
		end := int(math.Round(min(sum, 1) * float64(ds.Len())))
		if end == before {
			return nil, fmt.Errorf("data: splitting %s: %v of its %d images is none", ds.Name(), f, ds.Len())
		}
		sizes, before = append(sizes, end-before), end
	}
	if math.Abs(sum-1) > 1e-9 {
		return nil, fmt.Errorf("data: splitting %s: the fractions sum to %v, expected 1", ds.Name(), sum)
	}
	return sizes, nil
}

// Holdout divides ds at random into a training set and a validation set of n images, which has its share of every
// class, to within one image. Images without labels count as one class. Both sets keep the order of ds. It returns an
// error when either would be empty.
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
	held := heldOut(labels, n, rand.New(pcg), 0)
	var in, out []int
	for i, h := range held {
		if h {
			out = append(out, i)
		} else {
			in = append(in, i)
		}
	}
	return &subset{ds, in}, &subset{ds, out}, nil
}

// heldOut marks the images that are held out: it orders them by class, shuffled within each class, and takes n evenly
// spread ones. With a random phase from 0 to len(labels)-1 all images are equally likely, also in small classes.
func heldOut(labels []int, n int, rng *rand.Rand, phase int) []bool {
	order := rng.Perm(len(labels))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(labels[a], labels[b]) })
	held := make([]bool, len(labels))
	for k := range n {
		held[order[(int64(k)*int64(len(order))+int64(phase))/int64(n)]] = true
	}
	return held
}
