package models

import (
	"context"
	"errors"
	"fmt"
)

// errNotRegression is returned where targets are given to a trainer of another
// loss.
var errNotRegression = errors.New("models: targets that are numbers need the mean squared error as the loss")

// StepTowards takes one step of a regression on inputs, (image, row, column,
// channel), and their targets, (image, output), for the mean squared error. It
// returns the loss before the step, a mean over inputs and outputs, in training
// mode.
func (t *Trainer) StepTowards(ctx context.Context, px, targets []float32) (loss float64, err error) {
	if t.o.Loss != MeanSquaredError {
		return 0, errNotRegression
	}
	n := len(targets) / t.net.Classes
	if n*t.net.Classes != len(targets) {
		return 0, fmt.Errorf("models: %d targets of %d outputs", len(targets), t.net.Classes)
	}
	p, err := t.pass(train, n)
	if err != nil {
		return 0, err
	}
	copyTo(p.f.Data(p.targets), targets)
	if err := p.writeImages(t, px); err != nil {
		return 0, err
	}
	if loss, err = p.run(ctx); err != nil {
		return loss, err
	}
	return loss, t.update(p)
}
