package examples

import (
	"slices"

	"github.com/ansatz-lab/ansatz/data/table"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/rfm"
)

// tableSource is the table of a set before it is encoded. options.Rows are the training rows.
type tableSource struct {
	table   *table.Table
	options table.EncodeOptions
}

// Fold holds training examples of a set, divided to fit machines to some and to validate them on others.
type Fold struct {
	Train, Validation rfm.Examples
	Unit              float64 // see [Description]
}

// Fold divides training examples, which are given by their indices in Train. For a table that is kept for folds
// (Spec.ForFolds), it fits the replacements of missing values and the scaling called transform to the fold's training
// rows alone. It takes other examples as they are.
func (e *Set) Fold(train, validation []int, transform string) (Fold, error) {
	if e.source == nil {
		return Fold{rowsOf(e.Train, train), rowsOf(e.Train, validation), e.Unit}, nil
	}
	options := e.source.options
	all := options.Rows
	rowsAt := func(positions []int) []int {
		rows := make([]int, len(positions))
		for i, k := range positions {
			rows[i] = all[k]
		}
		return rows
	}
	options.Rows = rowsAt(train)
	encoder, set, _, err := fitEncoder(e.source.table, options)
	if err != nil {
		return Fold{}, &input.Error{Err: err}
	}
	if err := encoder.FitScaling(transform, set, options.Rows); err != nil {
		return Fold{}, &input.Error{Err: err}
	}
	encoder.Scale(set)
	encoded := rfm.Examples{X: set.X, Y: encodedTargets(set)}
	f := Fold{rowsOf(encoded, options.Rows), rowsOf(encoded, rowsAt(validation)), encoder.Target.Unit()}
	if e.Pipeline.Sphere {
		(&Description{}).projectToSphere(f.Train.X, f.Validation.X)
	}
	return f, nil
}

// Transforms returns the scalings of features that a search compares: for a table standard and quantile, and blocks if
// it has categorical columns; nil for other examples.
func (e *Set) Transforms() []string {
	if e.Pipeline.Table == nil {
		return nil
	}
	all := []string{table.StandardScaling, table.QuantileScaling}
	if e.Pipeline.Table.HasCategories() {
		all = append(all, table.BlockScaling)
	}
	return slices.Clip(all)
}
