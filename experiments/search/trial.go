package search

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/stat"
)

// Trial is the result of cross-validating settings.
type Trial struct {
	Number int `json:"trial"` // from 0, in the order in which they were drawn
	Settings
	// Iteration has the best mean score over the folds.
	Iteration int `json:"iteration"`
	// Accuracy (a fraction) or R2 is the mean over the folds, StdErr its standard error, and MSE the mean squared error in
	// the square of the targets' unit.
	Accuracy *float64 `json:"accuracy,omitempty"`
	R2       *float64 `json:"r2,omitempty"`
	StdErr   float64  `json:"stderr"`
	MSE      float64  `json:"mse"`
	Seconds  float64  `json:"seconds"`
	// Error says why there is no score; "" if there is one.
	Error string `json:"error,omitempty"`
}

// Score returns the accuracy or R², NaN for a trial that failed.
func (t *Trial) Score() float64 {
	switch {
	case t.Accuracy != nil:
		return *t.Accuracy
	case t.R2 != nil:
		return *t.R2
	}
	return math.NaN()
}

// better reports whether t is better than another trial: by the score or, if the scores are equal, by the mean squared
// error.
func (t *Trial) better(than *Trial) bool {
	if a, b := t.Score(), than.Score(); a != b {
		return a > b
	}
	return t.MSE < than.MSE
}

// Rank returns the trials that have a score, the best first; of equals the first that was drawn.
func Rank(trials []Trial) []Trial {
	ranked := slices.DeleteFunc(slices.Clone(trials), func(t Trial) bool { return t.Error != "" })
	slices.SortStableFunc(ranked, func(a, b Trial) int {
		switch {
		case a.better(&b):
			return -1
		case b.better(&a):
			return 1
		}
		return a.Number - b.Number
	})
	return ranked
}

// makeTrial tries settings on all folds. It returns the error of the context; other failures are in the trial.
func (s *Search) makeTrial(ctx context.Context, number int) (Trial, error) {
	start := time.Now()
	t := Trial{Number: number, Settings: s.Settings[number]}
	byIteration, err := s.validate(ctx, t.Settings)
	if ctx.Err() != nil {
		return t, ctx.Err()
	}
	if err == nil {
		err = t.choose(byIteration, s.Machine.Task)
	}
	if err != nil {
		t = Trial{Number: number, Settings: t.Settings, Error: err.Error()}
	}
	t.Seconds = time.Since(start).Seconds()
	return t, nil
}

// validate returns the scores of settings by iteration and fold, with squared errors in the targets' unit.
func (s *Search) validate(ctx context.Context, settings Settings) ([][]rfm.Scores, error) {
	m, err := settings.Machine(s.Machine)
	if err != nil {
		return nil, err
	}
	byIteration := make([][]rfm.Scores, m.Iterations+1)
	for k := range s.Folds {
		fold, err := s.fold(k, settings.Transform)
		if err != nil {
			return nil, err
		}
		m.Select, m.Validation = rfm.Best, &fold.Validation
		m.Each = func(it *rfm.Iteration) error {
			scores := *it.Validation
			scores.MSE *= fold.Unit * fold.Unit
			byIteration[it.Index] = append(byIteration[it.Index], scores)
			return nil
		}
		if _, err := m.Fit(ctx, fold.Train.X, fold.Train.Y); err != nil {
			return nil, err
		}
	}
	return byIteration, nil
}

// choose sets the iteration with the best mean score, the first of equals, and its scores.
func (t *Trial) choose(byIteration [][]rfm.Scores, task rfm.Task) error {
	var best *Trial
	for k, folds := range byIteration {
		var scores, errors []float64
		for _, s := range folds {
			v := s.R2
			if task == rfm.Classification {
				v = s.Accuracy
			}
			scores, errors = append(scores, v), append(errors, s.MSE)
		}
		mean, sd := stat.MeanStdDev(scores, nil)
		if sum := mean + stat.Mean(errors, nil); math.IsNaN(sum) || math.IsInf(sum, 0) {
			continue
		}
		c := *t
		c.Iteration, c.StdErr, c.MSE = k, sd/math.Sqrt(float64(len(scores))), stat.Mean(errors, nil)
		if task == rfm.Classification {
			c.Accuracy = &mean
		} else {
			c.R2 = &mean
		}
		if best == nil || c.better(best) {
			best = &c
		}
	}
	if best == nil {
		return input.Errorf("no score is defined: the targets of a fold do not vary, or predictions are not finite; " +
			"give fewer --folds, which are larger")
	}
	*t = *best
	return nil
}
