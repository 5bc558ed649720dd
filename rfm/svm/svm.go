// Package svm trains support vector machines on kernel matrices.
package svm

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Machine is a support vector machine to train. It has no offset. Its loss is C·Σ max(0, 1 − yᵢf(xᵢ)), where
// f(x) = Σ yᵢαᵢK(x, xᵢ) and yᵢ is 1 or −1.
type Machine struct {
	C float64 // above 0
	// Tolerance is how far 1 − yᵢf(xᵢ) may be on the wrong side of 0, given αᵢ, at convergence; 0 is [DefaultTolerance].
	Tolerance float64
	// MaxSteps is the largest number of steps for an output. Fit then returns the current α, without an error. 0 is
	// [DefaultSteps] for each example.
	MaxSteps int
}

// Defaults of [Machine]; the tolerance is LIBSVM's.
const (
	DefaultTolerance = 1e-3
	DefaultSteps     = 10_000
)

// Fit trains a machine for each output, one class against the rest, and returns the coefficients yᵢαᵢ, n×outputs: yᵢ is 1
// where the target, n×outputs, is above 0, and −1 elsewhere. Fit overwrites the lower half of K, n×n. It returns an error
// for a C or a tolerance out of range, and the error of ctx.
func (m Machine) Fit(ctx context.Context, k *mat.SymDense, targets *mat.Dense) (*mat.Dense, error) {
	if m.Tolerance == 0 {
		m.Tolerance = DefaultTolerance
	}
	n, outputs := targets.Dims()
	if m.MaxSteps == 0 {
		m.MaxSteps = DefaultSteps * n
	}
	if !(m.C > 0) || math.IsInf(m.C, 0) || !(m.Tolerance > 0) {
		return nil, fmt.Errorf("svm: C %v with tolerance %v: want finite numbers above 0", m.C, m.Tolerance)
	}
	raw := k.RawSymmetric()
	for i := range n {
		for j := range i {
			raw.Data[i*raw.Stride+j] = raw.Data[j*raw.Stride+i]
		}
	}
	out := mat.NewDense(n, outputs, nil)
	for output := range outputs {
		s := newState(m, k, func(i int) bool { return targets.At(i, output) > 0 })
		for step := 0; step < m.MaxSteps; step++ {
			if step%n == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			i, by := s.best()
			if i < 0 {
				break
			}
			s.move(i, by, raw.Data[i*raw.Stride:][:n])
		}
		for i, a := range s.alpha {
			out.Set(i, output, s.y[i]*a)
		}
	}
	return out, nil
}

// state holds the training of one output, which maximises Σαᵢ − ½ΣΣ yᵢyⱼαᵢαⱼKᵢⱼ over 0 ≤ αᵢ ≤ C.
type state struct {
	Machine
	y, alpha []float64
	residual []float64 // yᵢ − f(xᵢ); yᵢ times it is the derivative of the objective in αᵢ
	diagonal []float64 // of K
}

// newState returns the state with α = 0. The target of example i is 1 if above(i), else −1.
func newState(m Machine, k *mat.SymDense, above func(i int) bool) *state {
	n := k.SymmetricDim()
	s := &state{Machine: m, y: make([]float64, n), alpha: make([]float64, n), diagonal: make([]float64, n)}
	for i := range n {
		if s.y[i] = -1; above(i) {
			s.y[i] = 1
		}
		s.diagonal[i] = k.At(i, i)
	}
	s.residual = slices.Clone(s.y)
	return s
}

// best returns the example whose α, changed alone, raises the objective most, and the change; −1 if every α satisfies the
// optimality conditions up to the tolerance.
func (s *state) best() (at int, by float64) {
	at, most, ruledOut := -1, 0., 0.
	y, alpha, diagonal := s.y[:len(s.residual)], s.alpha[:len(s.residual)], s.diagonal[:len(s.residual)]
	for i, r := range s.residual {
		g, d := y[i]*r, diagonal[i]
		if g*g < ruledOut*d { // most examples: no change gains more than g²/2d
			continue
		}
		if (g <= s.Tolerance || alpha[i] >= s.C) && (g >= -s.Tolerance || alpha[i] <= 0) {
			continue
		}
		change := math.Copysign(s.C, g)
		if d > 0 {
			change = g / d
		}
		change = min(max(alpha[i]+change, 0), s.C) - alpha[i]
		if gain := change * (g - change*d/2); at < 0 || gain > most {
			at, by, most = i, change, gain
			ruledOut = 2 * (1 - 1e-9) * most // less than 2·most, because the gain is rounded
		}
	}
	return at, by
}

// move changes αᵢ and updates the residuals, given row i of K.
func (s *state) move(i int, by float64, row []float64) {
	s.alpha[i] = min(max(s.alpha[i]+by, 0), s.C)
	floats.AddScaled(s.residual, -by*s.y[i], row)
}
