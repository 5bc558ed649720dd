package search

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/examples"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// Folds divides the training examples into k parts by the seed. In a classification every part has the same share of each
// class, up to whole examples. Groups of a table's rows stay together; if a time orders the rows, the folds are intervals of
// it. It returns the indices of each part in ascending order, or an [*input.Error] if there are too few examples.
func Folds(e *examples.Set, k int, seed uint64) ([][]int, error) {
	n, classes := e.Train.Y.Dims()
	if k < 2 || n < k {
		return nil, input.Errorf("--folds %d of %d training examples: want 2 at least, and no more than there are examples", k, n)
	}
	rng := models.Stream(seed, "folds of a search")
	if clusters, inOrder := e.Clusters(); clusters != nil {
		return clusterFolds(clusters, inOrder, k, rng)
	}
	groups := make([][]int, 1)
	if e.Task == rfm.Classification {
		groups = make([][]int, classes)
		for i, c := range examples.ClassIndices(e.Train.Y) {
			groups[c] = append(groups[c], i)
		}
	} else {
		for i := range n {
			groups[0] = append(groups[0], i)
		}
	}
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

// clusterFolds divides clusters of examples, which are numbered from 0. With inOrder the folds are intervals of the
// clusters with about equally many examples. Otherwise each cluster, in random order, goes to the fold with the fewest.
func clusterFolds(clusters []int, inOrder bool, k int, rng *rand.Rand) ([][]int, error) {
	members := make([][]int, slices.Max(clusters)+1)
	for i, c := range clusters {
		members[c] = append(members[c], i)
	}
	members = slices.DeleteFunc(members, func(m []int) bool { return m == nil })
	if len(members) < k {
		return nil, input.Errorf("--folds %d: the training rows have %d groups or times, and each fold needs at least one; "+
			"give fewer --folds, or more --train", k, len(members))
	}
	if !inOrder {
		rng.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	}
	folds := make([][]int, k)
	at, done := 0, 0
	for c, m := range members {
		if inOrder { // go to the next interval if this one has its share, or if each interval left needs a cluster
			if left := len(members) - c; at < k-1 && len(folds[at]) > 0 && (done >= (at+1)*len(clusters)/k || left < k-at) {
				at++
			}
		} else {
			at = smallest(folds)
		}
		folds[at] = append(folds[at], m...)
		done += len(m)
	}
	for _, f := range folds {
		slices.Sort(f)
	}
	return folds, nil
}

// smallest returns the fold with the fewest examples, the first of equals.
func smallest(folds [][]int) int {
	best := 0
	for i, f := range folds {
		if len(f) < len(folds[best]) {
			best = i
		}
	}
	return best
}

// OutOfFold fits the settings and the iteration of a trial once for each fold, to all other folds. It returns the outputs
// for the training examples, n×outputs, each by the machine that was not fitted to it, and the metrics of the machines.
// It calls progress with the number of folds that are done.
func (s *Search) OutOfFold(ctx context.Context, t Trial, progress func(done int)) (outputs *mat.Dense, metrics []*rfm.Metric,
	err error) {
	m, err := t.Settings.Machine(s.Machine)
	if err != nil {
		return nil, nil, err
	}
	m.Iterations, m.Select, m.Validation = t.Iteration, rfm.Last, nil
	n, c := s.Examples.Train.Y.Dims()
	outputs = mat.NewDense(n, c, nil)
	for k, rows := range s.Folds {
		fold, err := s.fold(k, t.Transform)
		if err != nil {
			return nil, nil, err
		}
		model, err := m.Fit(ctx, fold.Train.X, fold.Train.Y)
		if err != nil {
			return nil, nil, err
		}
		f, err := model.Predict(ctx, fold.Validation.X)
		if err != nil {
			return nil, nil, err
		}
		for i, row := range rows {
			outputs.SetRow(row, f.RawRowView(i))
		}
		metrics = append(metrics, model.Metric())
		progress(k + 1)
	}
	return outputs, metrics, nil
}

// others returns the indices of the examples of all folds except one.
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
