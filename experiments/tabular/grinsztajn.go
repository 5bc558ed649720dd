package tabular

import (
	"context"
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/data/table"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// runGrinsztajn runs the protocol of Grinsztajn et al.: it selects the configuration with the
// highest mean validation score over random splits, and returns its result on every split.
func (f *fitter) runGrinsztajn(ctx context.Context) ([]Fold, error) {
	splits, err := f.set.drawSplits(f.spec)
	if err != nil {
		return nil, err
	}
	grid := f.method.drawGrinsztajn(f.spec, f.set.task, f.set.name)
	f.expected = len(splits) * (len(grid) + 1)
	best, scores, err := f.search(ctx, grid, splits)
	if err != nil {
		return nil, err
	}
	var results []Fold
	for k, s := range splits {
		score, err := f.testSplit(ctx, best, s)
		if err != nil {
			return nil, err
		}
		results = append(results, Fold{Train: len(s.Train), Validation: len(s.Validation), Test: len(s.Test),
			Score: score, Validated: scores[k], Chosen: best})
	}
	return results, nil
}

// drawSplits draws the splits of the protocol by seed.
func (s *Set) drawSplits(spec Spec) (splits []table.Split, err error) {
	for k := range spec.Repeats {
		split, err := table.GrinsztajnSplit(len(s.rows), spec.Seed+uint64(k), spec.Size == MediumSize)
		if err != nil {
			return nil, err
		}
		splits = append(splits, selectSplit(split, s.rows))
	}
	return splits, nil
}

// search returns the configuration, its iteration included, with the highest mean validation score,
// and its score on every split. The first of equals wins.
func (f *fitter) search(
	ctx context.Context, grid []Config, splits []table.Split,
) (best Config, scores []float64, err error) {
	views := map[splitView]*mat.Dense{}
	highest := math.Inf(-1)
	for _, c := range grid {
		byIteration := make([][]float64, f.method.iterations(f.spec)+1) // scores by iteration and split
		for k, s := range splits {
			x, err := f.cachedView(views, c.Columns, k, s)
			if err != nil {
				return best, nil, err
			}
			v, err := f.validateOnce(ctx, c, k, x, s)
			if err != nil {
				return best, nil, err
			}
			for t, score := range v {
				byIteration[t] = append(byIteration[t], score)
			}
		}
		for t, v := range byIteration {
			mean := 0.
			for _, x := range v {
				mean += x / float64(len(v))
			}
			if scores == nil || mean > highest {
				best, highest, scores = c, mean, v
				best.Iteration = t
			}
		}
	}
	return best, scores, f.checkDefined(highest, "validation", len(splits[0].Validation))
}

// splitView is the key of the features of split k with a transform of the columns.
type splitView struct {
	columns string
	k       int
}

// cachedView returns the features of split k with a transform of the columns, from views if it can.
func (f *fitter) cachedView(views map[splitView]*mat.Dense, columns string, k int, s table.Split) (*mat.Dense, error) {
	key := splitView{columns, k}
	if x := views[key]; x != nil {
		return x, nil
	}
	x, err := f.set.view(s.Train, columns)
	if err == nil {
		views[key] = x
	}
	return x, err
}

// validateOnce returns the result of validate on split k, from the checkpoint if the run was interrupted.
func (f *fitter) validateOnce(ctx context.Context, c Config, k int, x *mat.Dense, s table.Split) ([]float64, error) {
	fits := f.fits
	name := fmt.Sprintf("%s on %s %s, split %d", f.method.name, f.set.name, f.set.digest, k)
	scores, err := study.Keep(f.checkpoints, name, []any{f.spec, c}, func() ([]float64, error) {
		return f.validate(ctx, c, x, s)
	})
	if f.fits == fits { // a fit from the checkpoint counts too
		f.fits++
		f.reportFit()
	}
	return scores, err
}

// validate returns the validation score of every iteration of a configuration.
func (f *fitter) validate(ctx context.Context, c Config, x *mat.Dense, s table.Split) ([]float64, error) {
	m, err := f.machine(c, f.method.iterations(f.spec))
	if err != nil {
		return nil, err
	}
	train, validation := f.examples(x, s.Train, false), f.examples(x, s.Validation, false)
	undo, err := f.scaleTargets(c, train.Y)
	if err != nil {
		return nil, err
	}
	var scores []float64
	m.Each = func(it *rfm.Iteration) error {
		v, err := f.scorePredictions(ctx, it.Model(), undo, validation)
		scores = append(scores, v)
		return err
	}
	_, err = f.fit(ctx, m, train)
	return scores, err
}

// testSplit trains a configuration again and returns its test score.
func (f *fitter) testSplit(ctx context.Context, c Config, s table.Split) (float64, error) {
	x, err := f.set.view(s.Train, c.Columns)
	if err != nil {
		return 0, err
	}
	m, err := f.machine(c, c.Iteration)
	if err != nil {
		return 0, err
	}
	train, test := f.examples(x, s.Train, false), f.examples(x, s.Test, false)
	undo, err := f.scaleTargets(c, train.Y)
	if err != nil {
		return 0, err
	}
	model, err := f.fit(ctx, m, train)
	if err != nil {
		return 0, err
	}
	score, err := f.scorePredictions(ctx, model, undo, test)
	if err != nil {
		return 0, err
	}
	return score, f.checkDefined(score, "test", len(s.Test))
}

// scaleTargets transforms the training targets of a regression in place, then scales them to mean 0
// and variance 1. Its result undoes that, if applied in order.
func (f *fitter) scaleTargets(c Config, y *mat.Dense) (undo []table.Inverse, err error) {
	if f.set.task == rfm.Classification {
		return nil, nil
	}
	var chain []table.Inverse
	switch c.Target {
	case "log":
		chain = append(chain, table.Log{})
	case "quantile":
		chain = append(chain, &table.Quantile{Normal: true})
	}
	for _, t := range append(chain, &table.Standard{}) {
		if err := t.Fit(y, nil); err != nil {
			return nil, err
		}
		t.Apply(y)
		undo = append([]table.Inverse{t}, undo...)
	}
	return undo, nil
}

// scorePredictions returns the score of a model, whose predictions are first brought back to the
// scale of the targets.
func (f *fitter) scorePredictions(
	ctx context.Context, m *rfm.Model, undo []table.Inverse, on rfm.Examples,
) (float64, error) {
	p, err := m.Predict(ctx, on.X)
	if err != nil {
		return 0, err
	}
	for _, t := range undo {
		t.Invert(p)
	}
	s, err := f.set.task.Score(p, on.Y)
	return f.score(s), err
}

// checkDefined returns an error if a score is infinite: the targets do not vary, or predictions are
// not finite.
func (f *fitter) checkDefined(score float64, what string, rows int) error {
	if math.IsInf(score, 0) {
		return input.Errorf("the %s on %d %s rows is undefined: their targets do not vary, or the predictions "+
			"are not finite", f.set.Measure(), rows, what)
	}
	return nil
}
