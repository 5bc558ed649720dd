package kernels

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
)

// Spectrum holds the singular values of a Jacobian J and its ranks, from the eigenvalues of Θ = JJᵀ (ntk, section 4.2). For a
// kernel of another form the values are the square roots of its eigenvalues.
type Spectrum struct {
	// Singular are the singular values of J, the square roots of the eigenvalues of all blocks of Θ, in descending order.
	// Those that are no larger than rounding errors are 0.
	Singular []float64
	// Rank is the number of singular values that are not 0.
	Rank int
	// EffectiveRank is the effective rank of J (Roy and Vetterli 2007): exp(−Σ p ln p) with p the singular values
	// divided by their sum. It is between 1 and Rank.
	EffectiveRank float64
	// EffectiveRankGram is the effective rank of Θ, from its eigenvalues.
	EffectiveRankGram float64
	// Condition is the largest singular value divided by the smallest that is not 0.
	Condition float64
}

// ErrNoSpectrum is wrapped by errors for a matrix that is zero or not positive semi-definite, so that its ranks are undefined.
var ErrNoSpectrum = errors.New(
	"the kernel is zero, or has an eigenvalue too negative to be rounding: its effective rank is not defined")

// NewSpectrum decomposes, block by block, the kernel of a Jacobian that was computed in precision p. An eigenvalue counts as
// rounding unless it is larger than n·ε₆₄ times the largest of all n eigenvalues, the error of the decomposition, and larger
// than ε² times the trace, the effect of relative errors ε in the elements of J. NewSpectrum returns an error that wraps
// [ErrNoSpectrum] for a zero matrix and for one with a negative eigenvalue beyond rounding, and [backend.ErrEigen] for one
// that is not finite.
func NewSpectrum(k Kernel, p graph.Precision) (*Spectrum, error) {
	if k.Rows() == 0 {
		return nil, ErrNoSpectrum
	}
	var values []float64
	for _, b := range k {
		own, _, err := backend.EigenSym(b, false)
		if err != nil {
			return nil, err
		}
		values = append(values, own...)
	}
	slices.Sort(values)
	slices.Reverse(values)
	floor := rounding(values, p)
	if last := values[len(values)-1]; !(values[0] > 0) || last < -2*floor {
		return nil, fmt.Errorf("%w: eigenvalues from %.4g to %.4g", ErrNoSpectrum, last, values[0])
	}
	s := &Spectrum{Singular: make([]float64, len(values))}
	eigen := make([]float64, len(values))
	for i, v := range values {
		if v > floor {
			s.Singular[i], eigen[i] = math.Sqrt(v), v
			s.Rank++
		}
	}
	s.EffectiveRank, s.EffectiveRankGram = effectiveRank(s.Singular), effectiveRank(eigen)
	s.Condition = s.Singular[0] / s.Singular[s.Rank-1]
	return s, nil
}

// rounding returns the size up to which eigenvalues count as rounding. The values must be in descending order.
func rounding(values []float64, p graph.Precision) float64 {
	trace := 0.
	for _, v := range values {
		trace += v
	}
	const single, double = 0x1p-23, 0x1p-52
	element := single
	if p == graph.Double {
		element = double
	}
	return max(float64(len(values))*double*math.Abs(values[0]), element*element*math.Abs(trace))
}

// effectiveRank returns the exponential of the entropy of values divided by their sum.
func effectiveRank(values []float64) float64 {
	sum, entropy := 0., 0.
	for _, v := range values {
		sum += v
	}
	for _, v := range values {
		if q := v / sum; q > 0 {
			entropy -= q * math.Log(q)
		}
	}
	return math.Exp(entropy)
}
