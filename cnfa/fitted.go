package cnfa

import (
	"errors"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/internal/golden"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// fitted, in place of an exponent, asks for a fit of the exponent.
const fitted = 0

// The range of fitted exponents.
const (
	minExponent = .02
	maxExponent = 4.
)

// exponent returns alpha or, if that is fitted, the α that makes the spectra of M and A^α most alike: it maximises the
// cosine of their eigenvalues, in descending order within every block. It ignores the eigenvectors, so that the fit
// cannot create an alignment.
func (s spectra) exponent(alpha float64, m *cnfm) float64 {
	if alpha != fitted {
		return alpha
	}
	var values, logs []float64
	top := 0.
	for _, b := range s {
		if n := len(b.values); n > 0 {
			top = max(top, b.values[n-1])
		}
	}
	for i, b := range s {
		own := m.blocks[i].values
		for k := range b.values {
			value := 0. // where M has fewer eigenvalues than A
			if k < len(own) {
				value = own[len(own)-1-k]
			}
			values = append(values, value)
			logs = append(logs, math.Log(b.values[len(b.values)-1-k]/top))
		}
	}
	if len(values) == 0 {
		return 1
	}
	return maximise(minExponent, maxExponent, func(alpha float64) float64 {
		var inner, norm float64
		for i, x := range logs {
			y := math.Exp(alpha * x)
			inner += values[i] * y
			norm += y * y
		}
		return inner / math.Sqrt(norm)
	})
}

// maximise returns where f is largest between two positive numbers: it searches a logarithmic grid, then refines the best
// point by golden sections.
func maximise(from, to float64, f func(float64) float64) float64 {
	const steps = 40
	at := func(i int) float64 { return from * math.Pow(to/from, float64(i)/steps) }
	best, top := 0, math.Inf(-1)
	for i := range steps + 1 {
		if y := f(at(i)); y > top {
			best, top = i, y
		}
	}
	return golden.Maximise(at(max(best-1, 0)), at(min(best+1, steps)), f)
}

// findValues sets the positive eigenvalues of every block of M, in ascending order.
func (m *cnfm) findValues() error {
	for _, b := range m.blocks {
		values, _, err := backend.EigenSym(b.small(), false)
		if err != nil {
			return err
		}
		b.values = positive(values)
	}
	return nil
}

// jackknifePowers returns the standard errors of Pearson's similarity with powers of A. It divides the groups of images
// into at most the given number of sets and leaves out one set at a time.
func (a *agop) jackknifePowers(m *cnfm, on []*mat.SymDense, powers []float64, sets int) ([]float64, error) {
	groups := len(a.leftOut)
	errs := slices.Repeat([]float64{math.NaN()}, len(powers))
	if sets = min(sets, groups); sets < 2 || len(powers) == 0 {
		return errs, nil
	}
	without := make([][]float64, len(powers))
	for k := range sets {
		var of spectra
		for i, b := range a.blocks {
			rest := mat.NewSymDense(b.total.SymmetricDim(), nil)
			rest.CopySym(b.total)
			for g := k * groups / sets; g < (k+1)*groups/sets; g++ {
				addScaled(rest, -1, b.parts[g])
			}
			if !(mat.Trace(rest) > 1e-12*mat.Trace(b.total)) { // rounding: the set is all that there is
				rest.Zero()
			}
			spectrum, err := newSpectrum(rest, b.space.ones, b.rounding)
			if err != nil {
				return nil, err
			}
			of = append(of, blockSpectrum{spectrum, spectrum.products(on[i])})
		}
		for i, alpha := range powers {
			p, err := m.pearson(of.power(of.exponent(alpha, m)))
			if p, err = orNaN(p, err); err != nil {
				return nil, err
			}
			without[i] = append(without[i], p)
		}
	}
	for i := range errs {
		errs[i] = jackknifeError(without[i])
	}
	return errs, nil
}

// jackknifeError returns the standard error from the values with one group left out at a time.
func jackknifeError(without []float64) float64 {
	n := float64(len(without))
	mean, ss := floats.Sum(without)/n, 0.
	for _, x := range without {
		ss += (x - mean) * (x - mean)
	}
	return math.Sqrt((n - 1) / n * ss)
}

// orNaN returns NaN for a similarity that is not defined.
func orNaN(v float64, err error) (float64, error) {
	if errors.Is(err, ErrZero) {
		return math.NaN(), nil
	}
	return v, err
}

// addScaled adds a multiple of b to a.
func addScaled(a *mat.SymDense, scale float64, b *mat.SymDense) {
	to, from := a.RawSymmetric(), b.RawSymmetric()
	for i := range to.N {
		floats.AddScaled(to.Data[i*to.Stride+i:i*to.Stride+to.N], scale, from.Data[i*from.Stride+i:i*from.Stride+to.N])
	}
}
