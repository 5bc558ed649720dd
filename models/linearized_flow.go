package models

import (
	"context"
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"gonum.org/v1/gonum/mat"
)

// Flow is the gradient flow du/dt = −∇L(u) of a linearization from u = 0, in closed form. L is the mean squared error
// over n images and k outputs, with a ridge as in [Linearized.Dual],
//
//	L(u) = (‖f_lin(u, X) − Y‖² + ρ‖u‖²)/(nk).
//
// With Θ = JJᵀ = VΛVᵀ and c = 2/(nk)
//
//	u(t) = Jᵀα(t), α(t) = V φ_t(Λ) Vᵀ (Y − f(w₀, X)), φ_t(λ) = (1 − e^{−c(λ+ρ)t})/(λ + ρ).
//
// Gradient descent with a learning rate η is at u(ηs) after s steps if η is small. With [Flow.Descend] φ is that of the
// steps themselves.
type Flow struct {
	l       *Linearized
	px      []float32
	k       *NTK
	ridge   float64
	rate    float64 // c
	values  []float64
	vectors *mat.Dense
	missing *mat.VecDense // Y − f(w₀, X), one image after another
	// of gradient descent; 0 for the flow
	learningRate, momentum float64
}

// Descend makes At return what full-batch gradient descent on L has reached at the time t = ηs, after s steps with the
// learning rate η > 0 and a momentum of 0 ≤ μ < 1, as [optim.SGD] takes them: v ← μv + ∇L, u ← u − ηv. A learning rate of
// 2(1 + μ)/(c(λ + ρ)) or more, with the largest eigenvalue λ of Θ, diverges and is refused.
func (f *Flow) Descend(learningRate, momentum float64) error {
	if !(learningRate > 0) || math.IsInf(learningRate, 0) || !(momentum >= 0 && momentum < 1) {
		return fmt.Errorf("models: gradient descent with learning rate %v, momentum %v: want more than 0, and 0 to 1",
			learningRate, momentum)
	}
	curvature := f.rate * (f.values[len(f.values)-1] + f.ridge)
	if most := 2 * (1 + momentum) / curvature; learningRate >= most {
		return fmt.Errorf("models: gradient descent diverges: the learning rate must be below %.4g, which is "+
			"2(1 + momentum) over the largest curvature of the loss", most)
	}
	f.learningRate, f.momentum = learningRate, momentum
	return nil
}

// shares returns which shares of what was missing along an eigenvector are reached and left at the time t, without a
// ridge: λ is its eigenvalue and the ridge. Their sum is 1, and either is exact where it is small.
func (f *Flow) shares(lambda, t float64) (reached, left float64) {
	steps := math.Round(t / f.learningRate)
	switch decay := f.learningRate * f.rate * lambda; {
	case f.learningRate == 0:
		return -math.Expm1(-f.rate * lambda * t), math.Exp(-f.rate * lambda * t)
	case f.momentum == 0 && decay < 1:
		return -math.Expm1(steps * math.Log1p(-decay)), math.Exp(steps * math.Log1p(-decay))
	}
	// With d the share that is reached, a step makes (d, v, 1) of that of the step before by a matrix, of which this is a
	// power.
	c, eta, mu := f.rate*lambda, f.learningRate, f.momentum
	step := mat.NewDense(3, 3, []float64{1 - eta*c, eta * mu, eta * c, -c, mu, c, 0, 0, 1})
	var power mat.Dense
	power.Pow(step, int(steps))
	return power.At(0, 2), power.At(0, 0) // (1, 0, 1) is where it stays
}

// Loss returns the mean squared error of f_lin(u(t), X), without the ridge, for a t that At takes. It is exact where the
// outputs are too close to the targets for their difference.
func (f *Flow) Loss(t float64) float64 {
	var c mat.VecDense
	c.MulVec(f.vectors.T(), f.missing)
	sum, n := 0., len(f.values)
	for i, v := range f.values {
		left := c.AtVec(i)
		if v > lost(n)*f.values[n-1] {
			_, share := f.shares(v+f.ridge, t)
			left *= (f.ridge + v*share) / (v + f.ridge)
		}
		sum += left * left
	}
	return sum / float64(n)
}

// Flow returns the gradient flow to targets, images × outputs, for images px, (image, row, column, channel). The kernel k
// must be that of the same images; its eigenvectors take five times its memory while they are computed. Eigenvalues that
// are rounding count as 0, and u has no part along them. Flow returns an error for sizes that do not fit, for a ridge
// below 0, and for a kernel that is not finite.
func (l *Linearized) Flow(px []float32, k *NTK, targets *mat.Dense, ridge float64) (*Flow, error) {
	if err := l.checkTargets(px, targets); err != nil {
		return nil, err
	}
	n := k.Gram.SymmetricDim()
	if n != rowsOf(targets)*l.net.Classes || !(ridge >= 0) {
		return nil, fmt.Errorf("models: a kernel of %d rows for %d images and %d outputs, ridge %v", n, rowsOf(targets),
			l.net.Classes, ridge)
	}
	f := &Flow{l: l, px: px, k: k, ridge: ridge, rate: 2 / float64(n)}
	var err error
	if f.values, f.vectors, err = backend.EigenSym(k.Gram, true); err != nil {
		return nil, fmt.Errorf("models: the neural tangent kernel: %w", err)
	}
	var missing mat.Dense
	missing.Sub(targets, k.Outputs)
	f.missing = mat.NewVecDense(n, missing.RawMatrix().Data)
	return f, nil
}

// WithRidge returns the flow with another ridge from the same eigenvectors; it sets the tangents of the same
// linearization. It is the gradient flow until [Flow.Descend] is called. It returns an error for a ridge below 0.
func (f *Flow) WithRidge(ridge float64) (*Flow, error) {
	if !(ridge >= 0) {
		return nil, fmt.Errorf("models: ridge %v: want at least 0", ridge)
	}
	other := *f
	other.ridge, other.learningRate, other.momentum = ridge, 0, 0
	return &other, nil
}

// mostSteps bounds the steps of gradient descent: beyond it a step no longer changes a float64.
const mostSteps = 1e15

// At sets u to u(t), t ≥ 0, or to that of the step nearest to t, and returns f_lin(u(t), X), images × outputs, as it is
// without rounding. In single precision u is refined. It returns an error for a t that is negative or not finite.
func (f *Flow) At(ctx context.Context, t float64) (*mat.Dense, error) {
	if !(t >= 0) || math.IsInf(t, 1) || t > f.learningRate*mostSteps && f.learningRate > 0 {
		return nil, fmt.Errorf("models: gradient flow until the time %v: want a finite number of at least 0, and at most "+
			"%g steps", t, mostSteps)
	}
	alpha := f.filter(f.missing, t)
	var change mat.VecDense
	change.MulVec(f.k.Gram, alpha)
	fitted := mat.NewDense(rowsOf(f.k.Outputs), f.l.net.Classes, change.RawVector().Data)
	fitted.Add(fitted, f.k.Outputs)
	clear(f.l.u)
	for step := 0; ; step++ {
		if err := f.l.pull(ctx, f.px, f.images(alpha), f.l.u); err != nil {
			return nil, err
		}
		if f.l.precision == graph.Double || step == refinements {
			return fitted, nil
		}
		now, err := f.l.Predict(ctx, f.px)
		if err != nil {
			return nil, err
		}
		now.Sub(fitted, now)
		more := f.filter(mat.NewVecDense(alpha.Len(), now.RawMatrix().Data), t)
		if !(mat.Norm(more, 2) < mat.Norm(alpha, 2)/2) {
			return fitted, nil // the residual is just rounding
		}
		alpha = more
	}
}

// filter returns Vφ_t(Λ)Vᵀr.
func (f *Flow) filter(r *mat.VecDense, t float64) *mat.VecDense {
	n := len(f.values)
	var c, out mat.VecDense
	c.MulVec(f.vectors.T(), r)
	for i, v := range f.values {
		gain := 0.
		if v > lost(n)*f.values[n-1] {
			reached, _ := f.shares(v+f.ridge, t)
			gain = reached / (v + f.ridge)
		}
		c.SetVec(i, gain*c.AtVec(i))
	}
	out.MulVec(f.vectors, &c)
	return &out
}

// images returns a vector as images × outputs.
func (f *Flow) images(v *mat.VecDense) *mat.Dense {
	return mat.NewDense(rowsOf(f.k.Outputs), f.l.net.Classes, v.RawVector().Data)
}
