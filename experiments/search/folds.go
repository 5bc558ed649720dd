package search

import (
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/examples"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// Folds divides n examples into k parts by the seed, of a classification each with the same share of every class up to
// whole examples. Positions are in ascending order. Fewer than k examples are an [*input.Error].
func Folds(y *mat.Dense, task rfm.Task, k int, seed uint64) ([][]int, error) {
	n, classes := y.Dims()
	if k < 2 || n < k {
		return nil, input.Errorf("--folds %d of %d training examples: want 2 at least, and no more than there are examples", k, n)
	}
	groups := make([][]int, 1)
	if task == rfm.Classification {
		groups = make([][]int, classes)
		for i, c := range examples.ClassIndices(y) {
			groups[c] = append(groups[c], i)
		}
	} else {
		for i := range n {
			groups[0] = append(groups[0], i)
		}
	}
	rng := models.Stream(seed, "folds of a search")
	folds := make([][]int, k)
	dealt := 0
	for _, g := range groups {
		rng.Shuffle(len(g), func(i, j int) { g[i], g[j] = g[j], g[i] })
		for _, i := range g {
			folds[dealt%k] = append(folds[dealt%k], i)
			dealt++
		}
	}
	for _, f := range folds {
		slices.Sort(f)
	}
	return folds, nil
}

// others returns the positions that are in all folds but one.
func others(folds [][]int, but int) []int {
	var all []int
	for k, f := range folds {
		if k != but {
			all = append(all, f...)
		}
	}
	slices.Sort(all)
	return all
}
