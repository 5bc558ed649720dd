// Package gradientflow follows gradient flow and gradient descent of kernel regression in closed form, by the
// eigenvectors of the kernel.
package gradientflow

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/models/kernels"
	"gonum.org/v1/gonum/mat"
)

// Flow is the gradient flow du/dt = −∇L(u) of a linear model f(x) + J(x)u with n images and k outputs, from u = 0. L is
// the mean squared error with a ridge ρ,
//
//	L(u) = (‖f(X) + Ju − Y‖² + ρ‖u‖²)/(nk).
//
// With the kernel Θ = JJᵀ = VΛVᵀ and c = 2/(nk)
//
//	u(t) = Jᵀα(t), α(t) = V φ_t(Λ) Vᵀ (Y − f(X)), φ_t(λ) = (1 − e^{−c(λ+ρ)t})/(λ + ρ).
//
// If its learning rate η is small, gradient descent is near u(ηs) after s steps. With [Flow.Descend] φ is exact for discrete
// steps. t = +∞ gives the limit. Eigenvalues that are only rounding count as 0, and u has no part along their eigenvectors.
//
// The kernel may have any form of package kernels. All outputs share a trace kernel: it stands for Θ ⊗ I. With a diagonal
// kernel every output has a flow of its own.
type Flow struct {
	blocks       []block
	form         kernels.Form
	images       int
	outputs      int
	ridge        float64
	rate         float64 // c
	learningRate float64 // of gradient descent; 0 for the flow
	momentum     float64
}

// block is a block of the kernel, with the residual Y − f(X) of its outputs in the basis of its eigenvectors.
type block struct {
	basis    *backend.Eigenbasis
	residual *mat.Dense // vectors (see [kernels.Form.Vectors]) × rows of the block
}

// State is a flow at one time: α, and Θα, the change of the outputs on the training images, both images × outputs.
type State struct{ Alpha, Change *mat.Dense }

// New returns the gradient flow without a ridge for the kernel Θ (n images, k outputs, any form) and the residual Y − f(X),
// n×k. It overwrites the kernel, whose memory then belongs to the flow, and needs [backend.EigenbasisBytes] more per block. New
// calls progress, if not nil, with the finished share of the work, up to 1. It returns an error for sizes that do not fit, for
// a kernel that is not finite, and when the context ends.
func New(ctx context.Context, gram kernels.Kernel, residual *mat.Dense, progress func(share float64)) (*Flow, error) {
	f := &Flow{}
	f.images, f.outputs = residual.Dims()
	f.rate = 2 / float64(f.images*f.outputs)
	var err error
	if f.form, err = gram.FormOf(f.images, f.outputs); err != nil {
		return nil, err
	}
	for b := range gram {
		if same := slices.Index(gram[:b], gram[b]); same >= 0 { // see [kernels.Form.Independent]
			f.blocks = append(f.blocks, block{basis: f.blocks[same].basis})
			continue
		}
		var part func(share float64)
		if progress != nil {
			part = func(share float64) { progress((float64(b) + share) / float64(len(gram))) }
		}
		basis, err := backend.NewEigenbasis(ctx, gram[b], part)
		if err != nil {
			return nil, fmt.Errorf("the tangent kernel: %w", err)
		}
		f.blocks = append(f.blocks, block{basis: basis})
	}
	for b, c := range f.coefficients(residual) {
		f.blocks[b].residual = c
	}
	return f, nil
}

// coefficients returns values, images × outputs, in the eigenvectors' basis of each block.
func (f *Flow) coefficients(values *mat.Dense) []*mat.Dense {
	all, vectors := make([]*mat.Dense, len(f.blocks)), f.form.Vectors(values)
	_, n := vectors.Dims()
	f.form.Each(f.outputs, func(b, first, last int) {
		all[b] = f.blocks[b].basis.Coefficients(vectors.Slice(first, last, 0, n).(*mat.Dense))
	})
	return all
}

// combine returns the values, images × outputs, that have the given coefficients in the eigenvectors' basis of each block.
func (f *Flow) combine(coefficients []*mat.Dense) *mat.Dense {
	n, all := len(f.blocks[0].basis.Values), []float64(nil)
	for b, c := range coefficients {
		all = append(all, f.blocks[b].basis.Combine(c).RawMatrix().Data...)
	}
	return f.form.Values(mat.NewDense(len(all)/n, n, all), f.outputs)
}

// WithRidge returns the flow with another ridge from the same eigenvectors. It is the gradient flow until
// [Flow.Descend] is called. It returns an error for a ridge below 0.
func (f *Flow) WithRidge(ridge float64) (*Flow, error) {
	if !(ridge >= 0) {
		return nil, fmt.Errorf("gradientflow: ridge %v: want at least 0", ridge)
	}
	other := *f
	other.ridge, other.learningRate, other.momentum = ridge, 0, 0
	return &other, nil
}

// Stable returns the learning rate from which on gradient descent with momentum 0 ≤ μ < 1 diverges: 2(1 + μ) divided by the
// largest curvature of L, c(λ + ρ) for the largest eigenvalue λ. It is +∞ for a kernel of zeros without a ridge.
func (f *Flow) Stable(momentum float64) float64 {
	return 2 * (1 + momentum) / (f.rate * (f.largest() + f.ridge))
}

// largest returns the largest eigenvalue of all blocks, 0 if it is negative.
func (f *Flow) largest() float64 {
	most := 0.
	for _, b := range f.blocks {
		most = max(most, b.largest())
	}
	return most
}

func (b block) largest() float64 { return max(0, b.basis.Values[len(b.basis.Values)-1]) }

// Descend replaces the flow by full-batch gradient descent on L: its state at the time t = ηs is that after s steps with
// learning rate η > 0 and momentum 0 ≤ μ < 1, v ← μv + ∇L, u ← u − ηv. It refuses a learning rate of [Flow.Stable] or more.
func (f *Flow) Descend(learningRate, momentum float64) error {
	if !(learningRate > 0) || math.IsInf(learningRate, 0) || !(momentum >= 0 && momentum < 1) {
		return fmt.Errorf("want a learning rate above 0, and a momentum of 0 or more and below 1")
	}
	if most := f.Stable(momentum); learningRate >= most {
		return fmt.Errorf("gradient descent diverges: the learning rate must be below %.4g, which is 2(1 + momentum) "+
			"divided by the largest curvature of the loss", most*(1-5e-4)) // so that %.4g does not round it up above most
	}
	f.learningRate, f.momentum = learningRate, momentum
	return nil
}

// Rank returns the number of eigenvalues, in all blocks, that are larger than rounding errors.
func (f *Flow) Rank() int {
	rank := 0
	for _, b := range f.blocks {
		for _, v := range b.basis.Values {
			if b.nonzero(v) {
				rank++
			}
		}
	}
	return rank
}

// nonzero reports whether an eigenvalue is larger than rounding errors: n·ε times the largest of the block.
func (b block) nonzero(v float64) bool { return v > float64(len(b.basis.Values))*0x1p-52*b.largest() }

// shares returns which fractions of the residual along an eigenvector are fitted and remain at time t, for a flow without a
// ridge; lambda > 0 is the sum of the eigenvalue and the ridge. Their sum is 1, and each keeps its relative accuracy if small.
func (f *Flow) shares(lambda, t float64) (reached, left float64) {
	if math.IsInf(t, 1) {
		return 1, 0
	}
	steps := math.Round(t / f.learningRate)
	switch decay := f.learningRate * f.rate * lambda; {
	case f.learningRate == 0:
		return -math.Expm1(-f.rate * lambda * t), math.Exp(-f.rate * lambda * t)
	case f.momentum == 0 && decay < 1:
		return -math.Expm1(steps * math.Log1p(-decay)), math.Exp(steps * math.Log1p(-decay))
	}
	// With d the share that is reached, each step multiplies the vector (d, v, 1) by the matrix step, so s steps multiply by
	// its power.
	c, eta, mu := f.rate*lambda, f.learningRate, f.momentum
	step := mat.NewDense(3, 3, []float64{1 - eta*c, eta * mu, eta * c, -c, mu, c, 0, 0, 1})
	var power mat.Dense
	power.Pow(step, int(steps))
	return power.At(0, 2), power.At(0, 0) // (1, 0, 1) is the fixed point
}

// Loss returns the mean squared error, without the ridge term, at a time that States accepts. It stays accurate when the
// outputs are so close to the targets that their difference would be only rounding errors.
func (f *Flow) Loss(t float64) float64 {
	sum := 0.
	for _, b := range f.blocks {
		vectors := b.residual.RawMatrix()
		for i, v := range b.basis.Values {
			left := 1.
			if b.nonzero(v) {
				_, share := f.shares(v+f.ridge, t)
				left = (f.ridge + v*share) / (v + f.ridge)
			}
			for q := range vectors.Rows {
				c := left * vectors.Data[q*vectors.Stride+i]
				sum += c * c
			}
		}
	}
	return sum / float64(f.images*f.outputs)
}

// MostSteps bounds the steps of gradient descent; beyond it float64 hardly resolves single steps.
const MostSteps = 1e15

// Check returns an error for a time that is negative, NaN, or finite and beyond 10¹⁵ steps of gradient descent.
func (f *Flow) Check(t float64) error {
	if !(t >= 0) || !math.IsInf(t, 1) && f.learningRate > 0 && t > f.learningRate*MostSteps {
		return fmt.Errorf("gradient flow until the time %v: want at least 0 and, for gradient descent, at most %g steps", t,
			MostSteps)
	}
	return nil
}

// States returns the states at some times or, for gradient descent, at the steps nearest to them. It needs two products with
// the eigenvectors for any number of times, and 8 matrices of images × outputs for each. It returns the error of [Flow.Check].
func (f *Flow) States(times ...float64) ([]State, error) {
	for _, t := range times {
		if err := f.Check(t); err != nil {
			return nil, err
		}
	}
	if len(times) == 0 {
		return nil, nil
	}
	vectors := make([][]float64, 2*len(times)) // for every time α and the change, block after block
	n := len(f.blocks[0].basis.Values)
	for _, b := range f.blocks {
		q, _ := b.residual.Dims()
		all := mat.NewDense(2*q*len(times), n, nil)
		for i, t := range times {
			f.filter(b, all.Slice(2*q*i, 2*q*i+q, 0, n).(*mat.Dense), b.residual, t, false)
			f.filter(b, all.Slice(2*q*i+q, 2*q*i+2*q, 0, n).(*mat.Dense), b.residual, t, true)
		}
		combined := b.basis.Combine(all).RawMatrix().Data
		for i := range vectors {
			vectors[i] = append(vectors[i], combined[q*n*i:q*n*(i+1)]...)
		}
	}
	values := func(v []float64) *mat.Dense { return f.form.Values(mat.NewDense(len(v)/n, n, v), f.outputs) }
	states := make([]State, len(times))
	for i := range states {
		states[i] = State{values(vectors[2*i]), values(vectors[2*i+1])}
	}
	return states, nil
}

// filter sets dst to the coefficients in a block multiplied by φ_t(λ) or, if change is set, by λφ_t(λ).
func (f *Flow) filter(b block, dst, coefficients *mat.Dense, t float64, change bool) {
	gains := make([]float64, len(b.basis.Values))
	for i, v := range b.basis.Values {
		if !b.nonzero(v) {
			continue
		}
		reached, _ := f.shares(v+f.ridge, t)
		if gains[i] = reached / (v + f.ridge); change {
			gains[i] *= v
		}
	}
	dst.Apply(func(_, j int, x float64) float64 { return gains[j] * x }, coefficients)
}

// Filter returns V φ_t(Λ) Vᵀ r for a residual r, images × outputs, and a time that States accepts: the α for other targets.
func (f *Flow) Filter(r *mat.Dense, t float64) *mat.Dense {
	coefficients := f.coefficients(r)
	for b, c := range coefficients {
		f.filter(f.blocks[b], c, c, t, false)
	}
	return f.combine(coefficients)
}
