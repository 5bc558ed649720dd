package models

import (
	"context"
	"fmt"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models/gradientflow"
	"gonum.org/v1/gonum/mat"
)

// Follow sets u to Jᵀα(t) for a gradient flow of l on the images px, (image, row, column, channel), with the outputs
// f(w₀, X), images × outputs. The flow must have the full kernel. Follow returns f_lin(u, X), images × outputs, from the
// closed form, which does not have the rounding errors of u; in single precision u is refined. It returns an error for a
// time that [gradientflow.Flow.States] refuses, and when the context ends.
func (l *Linearized) Follow(ctx context.Context, px []float32, outputs *mat.Dense, f *gradientflow.Flow, t float64) (*mat.Dense, error) {
	states, err := f.States(t)
	if err != nil {
		return nil, err
	}
	if err := l.checkTargets(px, outputs); err != nil {
		return nil, err
	}
	alpha, fitted := states[0].Alpha, states[0].Change
	if r, c := fitted.Dims(); r != rowsOf(outputs) || c != l.net.Classes {
		return nil, fmt.Errorf("models: a flow of %d×%d outputs for %d images with %d", r, c, rowsOf(outputs), l.net.Classes)
	}
	fitted.Add(fitted, outputs)
	clear(l.u)
	for step := 0; ; step++ {
		if err := l.pull(ctx, px, alpha, l.u); err != nil {
			return nil, err
		}
		if l.precision == graph.Double || step == refinements {
			return fitted, nil
		}
		now, err := l.Predict(ctx, px)
		if err != nil {
			return nil, err
		}
		now.Sub(fitted, now)
		more := f.Filter(now, t)
		if !(mat.Norm(more, 2) < mat.Norm(alpha, 2)/2) {
			return fitted, nil // the residual is just rounding
		}
		alpha = more
	}
}
