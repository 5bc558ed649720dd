package tabular

import (
	"context"
	"fmt"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// validationShare is the share of a fold's training rows on which its
// hyper-parameters are chosen.
const validationShare = .25

// runUCI is the protocol of the 121 sets: the mean accuracy over the folds.
func (f *fitter) runUCI(ctx context.Context) ([]Fold, error) {
	folds, tuning, err := f.set.folds(f.spec.Seed)
	if err != nil {
		return nil, err
	}
	grid := len(f.method.uciGrid(len(f.set.rows), true))
	f.expected = len(folds) * (grid + 1)
	if f.spec.PaperMode {
		f.expected = len(folds) + grid
		return f.runPublished(ctx, folds, tuning)
	}
	var results []Fold
	for k, fold := range folds {
		inner, err := f.set.divide(fold.train, 1-validationShare, f.spec.Seed, fmt.Sprintf("validation of fold %d", k))
		if err != nil {
			return nil, err
		}
		if len(inner.test) == 0 {
			return nil, input.Errorf("%d training rows are too few to validate on some", len(fold.train))
		}
		best, err := f.tune(ctx, inner)
		if err != nil {
			return nil, err
		}
		r, err := f.testFold(ctx, fold, best.config, nil)
		if err != nil {
			return nil, err
		}
		r.Validation, r.Validated = len(inner.test), best.score
		results = append(results, r)
	}
	return results, nil
}

// runPublished is the published procedure: what does best on the tuning split,
// its metric included, is used in every fold.
func (f *fitter) runPublished(ctx context.Context, folds []tabularFold, tuning tabularFold) ([]Fold, error) {
	best, err := f.tune(ctx, tuning)
	if err != nil {
		return nil, err
	}
	var results []Fold
	for _, fold := range folds {
		r, err := f.testFold(ctx, fold, best.config, best.metric)
		if err != nil {
			return nil, err
		}
		r.Validation, r.Validated = len(tuning.test), best.score
		results = append(results, r)
	}
	return results, nil
}

// columns is the transform of numeric columns: the published sets are
// standardised already.
func (f *fitter) columns() string {
	if f.set.published != nil {
		return ""
	}
	return "standard"
}

// tune returns the best of the grid on a split.
func (f *fitter) tune(ctx context.Context, split tabularFold) (best tuned, err error) {
	x, err := f.set.view(split.train, f.columns())
	if err != nil {
		return best, err
	}
	var train, validation [2]rfm.Examples // as they are, and of norm 1
	for i := range 2 {
		train[i], validation[i] = f.examples(x, split.train, i == 1), f.examples(x, split.test, i == 1)
	}
	zero := f.set.hasZeroRow(x)
	if zero {
		f.set.addNote("a row has norm 0: its examples are not scaled to norm 1")
	}
	for _, c := range f.method.uciGrid(len(f.set.rows), !zero) {
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

// testFold trains on the training rows of a fold and tests on its test rows.
func (f *fitter) testFold(ctx context.Context, fold tabularFold, c Config, metric *rfm.Metric) (Fold, error) {
	x, err := f.set.view(fold.train, f.columns())
	if err != nil {
		return Fold{}, err
	}
	score, err := f.testConfig(ctx, c, metric, f.examples(x, fold.train, c.Sphere), f.examples(x, fold.test, c.Sphere))
	return Fold{Train: len(fold.train), Test: len(fold.test), Score: score, Chosen: c}, err
}

// hasZeroRow reports whether a row that takes part has norm 0, so that it cannot
// be scaled to norm 1.
func (s *Set) hasZeroRow(x *mat.Dense) bool {
	for _, r := range s.rows {
		if floats.Max(x.RawRowView(r)) == 0 && floats.Min(x.RawRowView(r)) == 0 {
			return true
		}
	}
	return false
}
