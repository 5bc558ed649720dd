package tabular

import (
	"fmt"
	"slices"

	"github.com/ansatz-lab/ansatz/data/table"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/models"
)

// tabularFold is rows to train and rows to test on, in order.
type tabularFold struct{ train, test []int }

// foldCount is how many folds are drawn where none are published, as many as the
// 121 sets have.
const foldCount = 4

// folds are the rows to train and to test on, and the split to tune on: those
// that were published, or drawn by seed, each class dealt out evenly.
func (s *Set) folds(seed uint64) (folds []tabularFold, tuning tabularFold, err error) {
	if s.published != nil {
		folds, tuning = s.publishedFolds()
	} else {
		folds = s.drawFolds(seed)
		if tuning, err = s.divide(s.rows, .5, seed, "tuning"); err != nil {
			return nil, tuning, err
		}
		s.addNote("no folds are published: four, and the halves to tune on, are drawn by seed, of each class its share")
	}
	for _, f := range append(slices.Clone(folds), tuning) {
		if len(f.train) == 0 || len(f.test) == 0 {
			return nil, tuning, input.Errorf("%d rows are too few for %d folds", len(s.rows), foldCount)
		}
	}
	return folds, tuning, nil
}

// publishedFolds returns the folds that the set was published with, without the rows left out.
func (s *Set) publishedFolds() (folds []tabularFold, tuning tabularFold) {
	in := make([]bool, s.table.Rows)
	for _, r := range s.rows {
		in[r] = true
	}
	keep := func(rows []int) []int {
		return slices.DeleteFunc(slices.Sorted(slices.Values(rows)), func(r int) bool { return !in[r] })
	}
	p := s.published
	tuning = tabularFold{keep(p.Tuning[0]), keep(p.Tuning[1])}
	if p.Test != nil {
		s.addNote("the set has test rows of its own, which are used in place of folds")
		return []tabularFold{{keep(slices.Concat(p.Tuning[0], p.Tuning[1])), keep(p.Test)}}, tuning
	}
	for _, f := range p.Folds {
		folds = append(folds, tabularFold{keep(f[0]), keep(f[1])})
	}
	return folds, tuning
}

// drawFolds deals the rows of every class out to the folds in turn.
func (s *Set) drawFolds(seed uint64) []tabularFold {
	rng := models.Stream(seed, "folds of "+s.name)
	rows := slices.Clone(s.rows)
	rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	slices.SortStableFunc(rows, func(a, b int) int { return int(s.Labels.Y[a]) - int(s.Labels.Y[b]) })
	folds := make([]tabularFold, foldCount)
	for i, r := range rows {
		for k := range folds {
			if i%foldCount == k {
				folds[k].test = append(folds[k].test, r)
			} else {
				folds[k].train = append(folds[k].train, r)
			}
		}
	}
	for _, f := range folds {
		slices.Sort(f.train)
		slices.Sort(f.test)
	}
	return folds
}

// divide draws a share of rows to train on, of each class its share; the others
// are to test on.
func (s *Set) divide(rows []int, share float64, seed uint64, what string) (tabularFold, error) {
	part := &table.Set{Name: s.name, Classes: s.Labels.Classes}
	for _, r := range rows {
		part.Y = append(part.Y, s.Labels.Y[r])
	}
	split, err := part.Split(table.Fractions{Train: share},
		models.Stream(seed, fmt.Sprintf("%s of %s", what, s.name)).Uint64())
	if err != nil {
		return tabularFold{}, err
	}
	var f tabularFold
	for _, i := range split.Train {
		f.train = append(f.train, rows[i])
	}
	for _, i := range split.Test {
		f.test = append(f.test, rows[i])
	}
	return f, nil
}
