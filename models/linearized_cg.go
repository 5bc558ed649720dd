package models

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// CGOptions says when conjugate gradients stop.
type CGOptions struct {
	Ridge      float64
	Iterations int     // at most; 0 is 1000
	Tolerance  float64 // of the gradient; 0 is 1e-6
	// Each, if not nil, is called after every iteration with its number, from 1, the residual ‖Y − f_lin(u, X)‖ and the
	// norm of the gradient, both divided by their first values.
	Each func(iteration int, residual, gradient float64)
}

// CGSolution holds the result of conjugate gradients.
type CGSolution struct {
	Iterations         int
	Residual, Gradient float64 // norms, divided by their first values
	Converged          bool
	Fitted             *mat.Dense // f_lin(u, X), images × outputs
}

// ConjugateGradients minimises ‖f_lin(u, X) − Y‖² + λ‖u‖² from the current u, by conjugate gradients on the normal
// equations (CGLS). It needs no kernel: an iteration is one JVP and one VJP over the images. Starting from u = 0 with λ = 0,
// it converges to the solution of least norm.
func (l *Linearized) ConjugateGradients(ctx context.Context, px []float32, targets *mat.Dense,
	o CGOptions) (*CGSolution, error) {
	if err := l.checkTargets(px, targets); err != nil {
		return nil, err
	}
	if !(o.Ridge >= 0) || o.Iterations < 0 || !(o.Tolerance >= 0) {
		return nil, fmt.Errorf(
			"models: conjugate gradients with a ridge of %v, %d iterations and a tolerance of %v: want none below 0",
			o.Ridge, o.Iterations, o.Tolerance)
	}
	o.Iterations, o.Tolerance = cmp.Or(o.Iterations, 1000), cmp.Or(o.Tolerance, 1e-6)
	c := &cgls{l: l, px: px, o: o}
	if err := c.begin(ctx, targets); err != nil {
		return nil, err
	}
	s := &CGSolution{Residual: 1, Gradient: 1, Converged: c.gradient == 0}
	residual, gradient := mat.Norm(c.residual, 2), math.Sqrt(c.gradient)
	for !s.Converged && s.Iterations < o.Iterations {
		if err := c.step(ctx); err != nil {
			return nil, err
		}
		s.Iterations++
		s.Residual, s.Gradient = mat.Norm(c.residual, 2)/residual, math.Sqrt(c.gradient)/gradient
		s.Converged = s.Gradient <= o.Tolerance || c.gradient == 0
		if o.Each != nil {
			o.Each(s.Iterations, s.Residual, s.Gradient)
		}
	}
	s.Fitted = mat.NewDense(rowsOf(targets), l.net.Classes, nil)
	s.Fitted.Sub(targets, c.residual)
	return s, nil
}

// cgls holds the state between two iterations.
type cgls struct {
	l         *Linearized
	px        []float32
	o         CGOptions
	residual  *mat.Dense // Y − f_lin(u, X)
	descent   []float64  // Jᵀ·residual − λu
	direction []float64
	gradient  float64 // ‖descent‖²
}

func (c *cgls) begin(ctx context.Context, targets *mat.Dense) error {
	now, err := c.l.Predict(ctx, c.px)
	if err != nil {
		return err
	}
	c.residual = now
	c.residual.Sub(targets, now)
	c.descent = make([]float64, len(c.l.u))
	if err := c.descend(ctx); err != nil {
		return err
	}
	c.direction = append([]float64(nil), c.descent...)
	return nil
}

// descend sets the direction of steepest descent.
func (c *cgls) descend(ctx context.Context) error {
	for k, u := range c.l.u {
		c.descent[k] = -c.o.Ridge * u
	}
	if err := c.l.pull(ctx, c.px, c.residual, c.descent); err != nil {
		return err
	}
	if c.gradient = floats.Dot(c.descent, c.descent); c.gradient-c.gradient != 0 {
		return errors.New("models: the gradient of the least squares is not finite: are the network's weights and the " +
			"normalisation right?")
	}
	return nil
}

// step moves u to the minimum along the direction, and sets the next direction.
func (c *cgls) step(ctx context.Context) error {
	along, err := c.l.push(ctx, c.px, c.direction, false)
	if err != nil {
		return err
	}
	norm := mat.Norm(along, 2)
	length := c.gradient / (norm*norm + c.o.Ridge*floats.Dot(c.direction, c.direction))
	floats.AddScaled(c.l.u, length, c.direction)
	along.Scale(length, along)
	c.residual.Sub(c.residual, along)
	before := c.gradient
	if err := c.descend(ctx); err != nil {
		return err
	}
	floats.AddScaledTo(c.direction, c.descent, c.gradient/before, c.direction)
	// Without rounding, the direction's product with the descent is ‖descent‖². Where rounding has made that far smaller,
	// steps would be too long and grow without end.
	if floats.Dot(c.direction, c.descent) < c.gradient/2 {
		copy(c.direction, c.descent)
	}
	return nil
}
