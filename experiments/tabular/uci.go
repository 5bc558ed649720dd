package tabular

import (
	"context"
	"fmt"
	"slices"

	"github.com/ansatz-lab/ansatz/data/table"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

const (
	// validationShare is the share of a fold's training rows on which hyper-parameters are chosen.
	validationShare = .25
	// foldCount is the number of folds of a table without published folds. The 121 sets have as many.
	foldCount = 4
)

// runUCI runs the protocol of the 121 sets and returns the result of every fold.
func (f *fitter) runUCI(ctx context.Context) ([]Fold, error) {
	folds, tuning, err := f.set.folds(f.spec.Seed)
	if err != nil {
		return nil, err
	}
	grid := len(f.method.uciGrid(f.spec, len(f.set.rows), true))
	f.expected = len(folds) * (grid + 1)
	if f.spec.PaperMode {
		f.expected = len(folds) + grid
		if f.set.published == nil {
			f.set.addNote("the halves to tune on are drawn by seed in proportion to the classes")
		}
		return f.runPublished(ctx, folds, tuning)
	}
	nested, err := f.set.nest(folds, f.spec.Seed)
	if err != nil {
		return nil, err
	}
	var results []Fold
	for k, inner := range nested {
		best, err := f.tune(ctx, inner)
		if err != nil {
			return nil, err
		}
		best.metric = nil // every fold learns its own metric
		r, err := f.testFold(ctx, folds[k], best)
		if err != nil {
			return nil, err
		}
		r.Validation = len(inner.Test)
		results = append(results, r)
	}
	return results, nil
}

// nest divides the training rows of every fold: configurations are fitted to the Train rows of its result, and
// compared on the Test rows.
func (s *Set) nest(folds []table.Split, seed uint64) (inner []table.Split, err error) {
	for k, fold := range folds {
		split, err := s.divide(fold.Train, 1-validationShare, seed, fmt.Sprintf("validation of fold %d", k))
		if err != nil {
			return nil, err
		}
		if len(split.Test) == 0 {
			return nil, input.Errorf("%d training rows are too few to hold some out for validation", len(fold.Train))
		}
		inner = append(inner, split)
	}
	return inner, nil
}

// runPublished runs the published procedure: every fold uses the configuration that is best on the
// tuning split, and the metric that was learned there.
func (f *fitter) runPublished(ctx context.Context, folds []table.Split, tuning table.Split) ([]Fold, error) {
	best, err := f.tune(ctx, tuning)
	if err != nil {
		return nil, err
	}
	var results []Fold
	for _, fold := range folds {
		r, err := f.testFold(ctx, fold, best)
		if err != nil {
			return nil, err
		}
		r.Validation = len(tuning.Test)
		results = append(results, r)
	}
	return results, nil
}

// tuned is the best configuration of a grid so far.
type tuned struct {
	config Config
	score  float64
	metric *rfm.Metric // that the configuration learned; nil before the first fit
}

// tune returns the configuration of the grid, its iteration included, that scores best on the test
// rows of a split when it is trained on the others. The first of equals wins, as in the authors' code:
// of equally good iterations of a configuration the earliest.
func (f *fitter) tune(ctx context.Context, split table.Split) (best tuned, err error) {
	x, err := f.set.view(split.Train, f.columns())
	if err != nil {
		return best, err
	}
	var train, validation [2]rfm.Examples // as they are, and scaled to norm 1
	for i := range 2 {
		train[i], validation[i] = f.examples(x, split.Train, i == 1), f.examples(x, split.Test, i == 1)
	}
	zero := f.set.hasZeroRow(x)
	if zero {
		f.set.addNote("a row has norm 0: its examples are not scaled to norm 1")
	}
	for _, c := range f.method.uciGrid(f.spec, len(f.set.rows), !zero) {
		i := 0
		if c.Sphere {
			i = 1
		}
		if err := f.tryConfig(ctx, c, train[i], validation[i], &best); err != nil {
			return best, err
		}
	}
	return best, nil
}

// tryConfig fits a configuration and updates best with every iteration that beats it.
func (f *fitter) tryConfig(ctx context.Context, c Config, train, validation rfm.Examples, best *tuned) error {
	m, err := f.machine(c, f.method.iterations(f.spec))
	if err != nil {
		return err
	}
	m.Select, m.Validation = rfm.Best, &validation
	m.Each = func(it *rfm.Iteration) error {
		if v := f.score(*it.Validation); best.metric == nil || v > best.score {
			c.Iteration, c.Passes = it.Index, it.Solution.Pass
			*best = tuned{c, v, it.Metric}
		}
		return nil
	}
	_, err = f.fit(ctx, m, train)
	return err
}

// testFold trains the best configuration on the training rows of a fold and scores it on the test
// rows. It learns the metric unless best has one.
func (f *fitter) testFold(ctx context.Context, fold table.Split, best tuned) (Fold, error) {
	c := best.config
	x, err := f.set.view(fold.Train, f.columns())
	if err != nil {
		return Fold{}, err
	}
	iterations := c.Iteration
	if best.metric != nil {
		iterations = 0
	}
	m, err := f.machine(c, iterations)
	if err != nil {
		return Fold{}, err
	}
	m.Metric = best.metric
	model, err := f.fit(ctx, m, f.examples(x, fold.Train, c.Sphere))
	if err != nil {
		return Fold{}, err
	}
	test := f.examples(x, fold.Test, c.Sphere)
	s, err := model.Score(ctx, test.X, test.Y)
	return Fold{Train: len(fold.Train), Test: len(fold.Test), Score: f.score(s), Validated: best.score, Chosen: c}, err
}

// columns returns the transform of numeric columns; the published sets are standardised already.
func (f *fitter) columns() string {
	if f.set.published != nil {
		return ""
	}
	return "standard"
}

// hasZeroRow says whether one of the set's rows has norm 0, so that it cannot be scaled to norm 1.
func (s *Set) hasZeroRow(x *mat.Dense) bool {
	for _, r := range s.rows {
		if floats.Max(x.RawRowView(r)) == 0 && floats.Min(x.RawRowView(r)) == 0 {
			return true
		}
	}
	return false
}

// folds returns the folds and the split to tune on. Unless they were published, they are drawn by
// seed, stratified by class.
func (s *Set) folds(seed uint64) (folds []table.Split, tuning table.Split, err error) {
	if s.published != nil {
		folds, tuning = s.publishedFolds()
	} else {
		folds = s.drawFolds(seed)
		if tuning, err = s.divide(s.rows, .5, seed, "tuning"); err != nil {
			return nil, tuning, err
		}
		s.addNote("no folds are published: four are drawn by seed in proportion to the classes")
	}
	for _, f := range append(slices.Clone(folds), tuning) {
		if len(f.Train) == 0 || len(f.Test) == 0 {
			return nil, tuning, input.Errorf("%d rows are too few for %d folds", len(s.rows), foldCount)
		}
	}
	return folds, tuning, nil
}

// publishedFolds returns the published folds and the tuning split, restricted to the set's rows.
func (s *Set) publishedFolds() (folds []table.Split, tuning table.Split) {
	used := make([]bool, s.table.Rows)
	for _, r := range s.rows {
		used[r] = true
	}
	keep := func(rows []int) []int {
		return slices.DeleteFunc(slices.Sorted(slices.Values(rows)), func(r int) bool { return !used[r] })
	}
	p := s.published
	tuning = table.Split{Train: keep(p.Tuning[0]), Test: keep(p.Tuning[1])}
	if p.Test != nil {
		s.addNote("the set has its own test rows, which are used instead of folds")
		train := keep(slices.Concat(p.Tuning[0], p.Tuning[1]))
		return []table.Split{{Train: train, Test: keep(p.Test)}}, tuning
	}
	for _, f := range p.Folds {
		folds = append(folds, table.Split{Train: keep(f[0]), Test: keep(f[1])})
	}
	return folds, tuning
}

// drawFolds deals the rows of every class out to the folds in turn.
func (s *Set) drawFolds(seed uint64) []table.Split {
	rng := models.Stream(seed, "folds of "+s.name)
	rows := slices.Clone(s.rows)
	rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	slices.SortStableFunc(rows, func(a, b int) int { return int(s.Labels.Y[a]) - int(s.Labels.Y[b]) })
	folds := make([]table.Split, foldCount)
	for i, r := range rows {
		for k := range folds {
			if i%foldCount == k {
				folds[k].Test = append(folds[k].Test, r)
			} else {
				folds[k].Train = append(folds[k].Train, r)
			}
		}
	}
	for _, f := range folds {
		slices.Sort(f.Train)
		slices.Sort(f.Test)
	}
	return folds
}

// divide draws a share of the rows to train on, stratified by class, and tests on the others. The
// random stream is named by what.
func (s *Set) divide(rows []int, share float64, seed uint64, what string) (table.Split, error) {
	part := &table.Set{Name: s.name, Classes: s.Labels.Classes}
	for _, r := range rows {
		part.Y = append(part.Y, s.Labels.Y[r])
	}
	split, err := part.Split(table.Fractions{Train: share},
		models.Stream(seed, fmt.Sprintf("%s of %s", what, s.name)).Uint64())
	return selectSplit(split, rows), err
}

// selectSplit returns a split of rows, given a split of their indices.
func selectSplit(indices table.Split, rows []int) table.Split {
	pick := func(indices []int) []int {
		picked := make([]int, len(indices))
		for i, k := range indices {
			picked[i] = rows[k]
		}
		return picked
	}
	return table.Split{Train: pick(indices.Train), Validation: pick(indices.Validation), Test: pick(indices.Test)}
}
