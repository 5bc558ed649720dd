package kernelmachine

import (
	"context"
	"encoding/json"

	"github.com/ansatz-lab/ansatz/experiments/examples"
	"github.com/ansatz-lab/ansatz/experiments/importance"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/measure"
	"github.com/ansatz-lab/ansatz/internal/random"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// predictor is a fitted model: a machine, or a tree of them.
type predictor interface {
	Predict(ctx context.Context, x *mat.Dense) (*mat.Dense, error)
}

// calibrationRows is the largest number of held-out rows that probabilities are calibrated on.
const calibrationRows = 5000

// calibrate fits the temperature that turns outputs for classes into probabilities, on the held-out training examples if
// there are any. For a regression it sets only the weights.
func calibrate(ctx context.Context, model predictor, e *examples.Set, held []int, weights []float64) (measure.Decision, error) {
	d := measure.Decision{Weights: weights}
	if e.Task != rfm.Classification || len(held) == 0 {
		return d, nil
	}
	if n := len(held); n > calibrationRows {
		var some []int
		for i := range calibrationRows {
			some = append(some, held[i*n/calibrationRows])
		}
		held = some
	}
	rows := e.Train.Rows(held)
	outputs, err := model.Predict(ctx, rows.X)
	if err != nil {
		return d, err
	}
	d.Temperature = measure.FitTemperature(outputs, examples.ClassIndices(rows.Y))
	return d, nil
}

// testScores are the scores and measures of the predictions for test examples.
type testScores struct {
	Accuracy *float64 `json:"test_accuracy,omitempty"`
	MSE      *float64 `json:"test_mse,omitempty"`
	R2       *float64 `json:"test_r2,omitempty"`
	measure.Result
}

// scored scores and measures outputs for examples with the given targets.
func scored(d measure.Decision, about *examples.Description, outputs, targets *mat.Dense, seed uint64) (testScores, error) {
	s, err := about.Task.Score(outputs, targets)
	if err != nil {
		return testScores{}, err
	}
	r := testScores{Result: measured(d, about, outputs, targets, seed)}
	r.Accuracy, r.MSE, r.R2 = scoresRecord(s, about.Unit)
	if r.ClassWeights != nil { // which change the predictions
		r.Accuracy = &r.Measures[0].Value
	}
	return r, nil
}

// measured measures outputs for examples with the given targets. Numbers are measured in the target's own unit. A
// regression with several outputs has no measures.
func measured(d measure.Decision, about *examples.Description, outputs, targets *mat.Dense, seed uint64) measure.Result {
	if about.Task == rfm.Classification {
		return measure.OfClasses(d, outputs, examples.ClassIndices(targets), about.Classes, seed)
	}
	if linalg.ColumnCount(targets) > 1 {
		return measure.Result{}
	}
	f, y := mat.Col(nil, 0, outputs), mat.Col(nil, 0, targets)
	floats.Scale(about.Unit, f) // without their mean, on which no measure depends: differences of large numbers lose digits
	floats.Scale(about.Unit, y)
	return measure.OfNumbers(f, y, seed)
}

// classWeights returns the weights of the classes that the spec asks for.
func (s RFMSpec) classWeights(e *examples.Set) ([]float64, error) {
	if s.ClassWeights == "" {
		return nil, nil
	}
	if e.Task != rfm.Classification {
		return nil, input.Errorf("--class-weights is for classes, and the target of %s is a number (--classify makes classes "+
			"of it)", s.Data)
	}
	w, err := measure.ParseWeights(s.ClassWeights, e.Classes, examples.ClassIndices(e.Train.Y))
	if err != nil {
		return nil, input.Errorf("--class-weights: %w", err)
	}
	return w, nil
}

// decisionOf returns the decision that was saved with a model; models of earlier versions have none.
func decisionOf(metadata map[string]string) (d measure.Decision, err error) {
	if text, there := metadata[decisionMetadata]; there {
		err = json.Unmarshal([]byte(text), &d)
	}
	return d, err
}

// refitShare is the share of the training rows that a refit draws.
const refitShare = .8

// setImportances sets the importances of a table's columns, with their spread over refits if the spec asks for them.
func (r *RFM) setImportances(ctx context.Context, out *RFMFit, progress func(rfm.Progress)) error {
	e, metric := r.examples, out.model.Metric()
	if e.Shape != nil || out.Selected == 0 {
		return nil
	}
	var refits [][]float64
	n := linalg.RowCount(e.Train.X)
	for k := range r.spec.Refits {
		m := r.machine
		m.Seed, m.Select, m.Iterations, m.Held, m.Validation = random.New(m.Seed, "refits", uint64(k)).Uint64(), rfm.Last,
			out.Selected, nil, nil
		if progress != nil {
			progress(rfm.Progress{Iteration: out.Selected, Stage: "refits", Done: k, Total: r.spec.Refits})
		}
		rows := random.New(m.Seed, "rows of a refit", 0).Perm(n)[:max(1, int(refitShare*float64(n)))]
		some := e.Train.Rows(rows)
		model, err := m.Fit(ctx, some.X, some.Y)
		if err != nil {
			return err
		}
		refits = append(refits, importance.Shares(model.Metric()))
	}
	out.Importances = importance.Columns(e.Columns(), importance.Shares(metric), refits...)
	var err error
	out.Directions, err = importance.Directions(metric, e.Features)
	return err
}
