package rfm

import (
	"context"

	"gonum.org/v1/gonum/mat"
)

// ConvFound is what an iteration of a layer of a [ConvMachine] finds, from which the fit
// goes on: all that the images and what was found before do not say. Package gob keeps
// it to the bit.
type ConvFound struct {
	Metric     *Metric
	Alpha      *mat.Dense // coefficients of the training images, one column an output
	Ridge      float64
	Train      Scores
	Validation *Scores
	Solution   Solution
}

// remembered is an iteration, which may be known.
func (f *convFit) remembered(ctx context.Context, latest *ConvIteration) (*ConvIteration, error) {
	if f.Remember == nil {
		return f.iterate(ctx, latest)
	}
	var it *ConvIteration
	found, err := f.Remember(len(f.done), f.iteration, func() (_ *ConvFound, err error) {
		if it, err = f.iterate(ctx, latest); err != nil {
			return nil, err
		}
		return &ConvFound{it.Metric, it.model.alpha, it.Ridge, it.Train, it.Validation, it.Solution}, nil
	})
	if err != nil || it != nil {
		return it, err
	}
	return f.recall(found)
}

// recall is the iteration that found was of.
func (f *convFit) recall(found *ConvFound) (*ConvIteration, error) {
	n, outputs := f.train.Y.Dims()
	if rows, columns := found.Alpha.Dims(); found.Metric.Dim() != f.grid().Features() || rows != n || columns != outputs {
		return nil, badInput("what is remembered of layer %d, iteration %d is M of %d features and %d×%d coefficients: want %d, and %d×%d",
			len(f.done), f.iteration, found.Metric.Dim(), rows, columns, f.grid().Features(), n, outputs)
	}
	lens, err := found.Metric.lensOf(f.Whole)
	if err != nil {
		return nil, err
	}
	return &ConvIteration{
		Layer: len(f.done), Index: f.iteration, Metric: found.Metric, Ridge: found.Ridge, Train: found.Train, Validation: found.Validation,
		Solution: found.Solution, model: f.model(found.Metric, sight{grid: f.grid(), lens: lens}, found.Alpha),
	}, nil
}
