package models

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"gonum.org/v1/gonum/mat"
)

// Spectrum is what the eigenvalues of a Gram matrix Θ = JJᵀ say of the Jacobian J
// (ntk, section 4.2).
type Spectrum struct {
	// Singular are the singular values of J, the roots of Θ's eigenvalues, the
	// largest first; those that are lost in rounding are 0.
	Singular []float64
	// Rank is how many are not 0.
	Rank int
	// EffectiveRank is that of J (Roy and Vetterli 2007): exp(−Σ p ln p) with p the
	// singular values over their sum. It lies between 1 and Rank.
	EffectiveRank float64
	// EffectiveRankGram is that of Θ: the same of its eigenvalues, the squares.
	EffectiveRankGram float64
	// Condition is the largest singular value over the smallest that is not 0.
	Condition float64
}

// ErrNoSpectrum is returned for a matrix that is no Gram of anything but zeros:
// ranks and condition are not defined.
var ErrNoSpectrum = errors.New(
	"the kernel is zero, or has an eigenvalue below what rounding explains: its effective rank is not defined")

// NewSpectrum decomposes a Gram matrix whose Jacobian was computed in precision
// p. An eigenvalue is lost in rounding if it is not above n·ε₆₄ of the largest,
// which is the error of the decomposition, and not above ε² of the trace, which
// is as much as errors ε of J's elements add to it. It returns an error that
// wraps [ErrNoSpectrum] for zeros and for a matrix with a negative eigenvalue
// beyond that, and [backend.ErrEigen] for one that is not finite.
func NewSpectrum(gram mat.Symmetric, p graph.Precision) (*Spectrum, error) {
	if gram.SymmetricDim() == 0 {
		return nil, ErrNoSpectrum
	}
	values, _, err := backend.EigenSym(gram, false)
	if err != nil {
		return nil, err
	}
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

// rounding is the size up to which eigenvalues, the largest first, are rounding.
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

// effectiveRank is the exponential of the entropy of values over their sum.
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
