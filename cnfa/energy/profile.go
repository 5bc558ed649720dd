// Package energy measures first layers as paper energy does. [ProfileOf] returns the energy profile of filters, and
// [Compare] the similarity of two profiles, with its null and with the part that the spectrum of the patches does not
// explain. [LinearCNN] is the paper's linear network in closed form.
package energy

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/ansatz-lab/ansatz/cnfa"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Profile says how strongly filters respond along the principal components of the patches that they read
// (paper energy, section 2). The similarity of two profiles does not change if the filters are rescaled,
// permuted or mixed by an orthogonal matrix.
type Profile struct {
	// Energies are eᵢ = ‖A pᵢ‖ (eq. 1), by component.
	Energies []float64
	// Deviations are the standard deviations of the patches along the components. Up to a factor they are
	// also the profile of filters that are random patches minus the mean patch.
	Deviations []float64
}

// LeastComponents is the smallest number of components of profiles that can be compared: the correlation of
// two points is always ±1.
const LeastComponents = 3

// ErrFewComponents is returned for profiles with fewer than [LeastComponents] components.
var ErrFewComponents = errors.New("the similarity is not defined: there are fewer than 3 components")

// ProfileOf returns the energy profile of filters A, k×d, on components: orthonormal vectors of d elements, in
// descending order of the variances of the patches along them. Filters and components have the order (channel,
// row, column).
func ProfileOf(a *mat.Dense, components [][]float64, variances []float64) (*Profile, error) {
	_, d := a.Dims()
	if len(components) != len(variances) {
		return nil, fmt.Errorf("cnfa: %d components with %d variances", len(components), len(variances))
	}
	p := &Profile{}
	for i, c := range components {
		if len(c) != d {
			return nil, fmt.Errorf("cnfa: component %d has %d elements, the filters have %d", i+1, len(c), d)
		}
		var response mat.VecDense
		response.MulVec(a, mat.NewVecDense(d, c))
		p.Energies = append(p.Energies, mat.Norm(&response, 2))
		p.Deviations = append(p.Deviations, math.Sqrt(max(0, variances[i])))
	}
	return p, nil
}

// Range returns the profile on the components from to to, both included and counted from 1.
func (p *Profile) Range(from, to int) (*Profile, error) {
	if from < 1 || to > len(p.Energies) || from > to {
		return nil, fmt.Errorf("cnfa: components %d to %d of %d", from, to, len(p.Energies))
	}
	return &Profile{p.Energies[from-1 : to], p.Deviations[from-1 : to]}, nil
}

// Scaled returns the energies divided by their root mean square. It returns
// [cnfa.ErrZero] for filters that are zero on all components.
func (p *Profile) Scaled() ([]float64, error) {
	square := 0.
	for _, e := range p.Energies {
		square += e * e
	}
	if square == 0 {
		return nil, cnfa.ErrZero
	}
	rms := math.Sqrt(square / float64(len(p.Energies)))
	var out []float64
	for _, e := range p.Energies {
		out = append(out, e/rms)
	}
	return out, nil
}

// ranks returns 1, 2, …, one for each component.
func (p *Profile) ranks() []float64 {
	ranks := make([]float64, len(p.Energies))
	for i := range ranks {
		ranks[i] = float64(i + 1)
	}
	return ranks
}

// Similarity holds the similarity of two energy profiles, with its null.
type Similarity struct {
	// Pearson is the correlation of the energies (the paper's measure).
	Pearson float64
	// NullSD is the standard deviation of Pearson under its null, in which the filters of one profile are
	// rotated at random in the space of patches; the mean is then 0.
	NullSD float64
	// Partial is the correlation of the residuals of both profiles after a least-squares fit of a constant,
	// of its Deviations and of the ranks of the components: the similarity that the spectrum of the patches
	// does not explain. It is NaN where a profile has no residual.
	Partial float64
	// PartialNullSD is the standard deviation of Partial for Gaussian residuals.
	PartialNullSD float64
	Components    int
}

// Compare compares two profiles with the same number of components, component by component.
//
// The null replaces the filters A of one profile by AQ with Q a uniformly distributed rotation. Its energies
// are then exchangeable, so that the correlation with any other profile has mean 0 and, for m components,
// variance 1/(m − 1): the null needs no draws. It is too narrow for smooth profiles, such as those of trained
// networks, because neighbouring components are not independent. Compare with [NoiseCeiling] and with
// [Profile.WithSpectrum] too. Partial removes the part that the spectrum of the patches explains, which
// may be the very reason why the profiles are similar; PartialNullSD holds for independent residuals.
//
// It returns [ErrFewComponents], and [cnfa.ErrZero] where a profile is constant.
func Compare(p, q *Profile) (Similarity, error) {
	m := len(p.Energies)
	if len(q.Energies) != m {
		return Similarity{}, fmt.Errorf("cnfa: profiles of %d and %d components cannot be compared",
			m, len(q.Energies))
	}
	pearson, err := pearsonOf(p.Energies, q.Energies)
	if err != nil {
		return Similarity{}, err
	}
	s := Similarity{
		Pearson: pearson, NullSD: 1 / math.Sqrt(float64(m-1)),
		Partial: math.NaN(), PartialNullSD: math.NaN(), Components: m,
	}
	if m <= spectrumFit {
		return s, nil
	}
	if partial, err := residualPearson(p, q); err == nil {
		s.Partial, s.PartialNullSD = partial, 1/math.Sqrt(float64(m-spectrumFit))
	}
	return s, nil
}

// spectrumFit is the number of parameters in the fit for the residuals of a profile: a constant, and the
// slopes in the deviations and in the ranks.
const spectrumFit = 3

// WithSpectrum returns the correlations of the energies with the Deviations and with the ranks of the
// components, from 1: they say how far a profile just follows, or opposes, the spectrum of the patches. A
// correlation that is not defined is NaN.
func (p *Profile) WithSpectrum() (deviations, ranks float64) {
	orNaN := func(v float64, err error) float64 {
		if err != nil {
			return math.NaN()
		}
		return v
	}
	return orNaN(pearsonOf(p.Energies, p.Deviations)), orNaN(pearsonOf(p.Energies, p.ranks()))
}

// pearsonOf returns the correlation of x and y.
func pearsonOf(x, y []float64) (float64, error) {
	if len(x) < LeastComponents {
		return 0, ErrFewComponents
	}
	a, b := centred(x), centred(y)
	return cnfa.Ratio(floats.Dot(a, b), floats.Dot(a, a), floats.Dot(b, b), floats.Dot(x, x), floats.Dot(y, y))
}

// residualPearson returns [Similarity.Partial].
func residualPearson(p, q *Profile) (float64, error) {
	a, b := p.residuals(), q.residuals()
	return cnfa.Ratio(floats.Dot(a, b), floats.Dot(a, a), floats.Dot(b, b), floats.Dot(p.Energies, p.Energies),
		floats.Dot(q.Energies, q.Energies))
}

// residuals returns the residuals of the energies after a least-squares fit of a constant, the deviations and
// the ranks.
func (p *Profile) residuals() []float64 {
	left := centred(p.Energies)
	var fitted [][]float64
	for _, x := range [][]float64{p.ranks(), p.Deviations} {
		u := centred(x)
		scale := floats.Dot(u, u)
		for _, v := range fitted {
			subtract(u, v)
		}
		if !(floats.Dot(u, u) > 1e-12*scale) {
			continue // constant, or a multiple of the previous one: nothing more to fit
		}
		fitted = append(fitted, u)
		subtract(left, u)
	}
	return left
}

// subtract removes from x its component along v.
func subtract(x, v []float64) {
	along := floats.Dot(x, v) / floats.Dot(v, v)
	for i := range x {
		x[i] -= along * v[i]
	}
}

// centred returns x minus its mean.
func centred(x []float64) []float64 {
	mean := stat.Mean(x, nil)
	out := make([]float64, len(x))
	for i := range x {
		out[i] = x[i] - mean
	}
	return out
}

// Spread says how uneven a profile is, and how uneven the profiles of randomly rotated filters are.
type Spread struct {
	// Spread is the standard deviation of the energies over the components,
	// divided by their root mean square.
	Spread float64
	// Null and NullSD are the mean and the standard deviation of Spread over the rotations. The fewer
	// filters there are, the larger is Null.
	Null, NullSD float64
	// Level and LevelSD are the mean and the standard deviation of a rotated
	// profile's energies, divided by their root mean square, over components and
	// rotations.
	Level, LevelSD float64
}

// Deviations returns by how many of its standard deviations Spread exceeds the mean of its null.
func (s Spread) Deviations() float64 { return (s.Spread - s.Null) / s.NullSD }

// SpreadOf measures how uneven the profile p of filters A, k×d, is, compared with draws of its null ‖A Q pᵢ‖
// with Q a random rotation of the space of patches. The profile must be of these filters, on orthonormal
// components. It returns [cnfa.ErrZero] for filters that are zero on all components.
func SpreadOf(p *Profile, a *mat.Dense, draws int, rng *rand.Rand) (Spread, error) {
	if draws < 2 {
		return Spread{}, fmt.Errorf("cnfa: %d draws of the null: want at least 2", draws)
	}
	scaled, err := p.Scaled()
	if err != nil {
		return Spread{}, err
	}
	s := Spread{Spread: stat.PopStdDev(scaled, nil)}
	rotated, err := rotations(a)
	if err != nil {
		return Spread{}, err
	}
	var all, levels []float64
	for range draws {
		q, err := rotated(len(p.Energies), rng)
		if err != nil {
			return Spread{}, err
		}
		if scaled, err = q.Scaled(); err != nil {
			return Spread{}, err
		}
		all, levels = append(all, stat.PopStdDev(scaled, nil)), append(levels, scaled...)
	}
	s.Null, s.NullSD = stat.PopMeanStdDev(all, nil)
	s.Level, s.LevelSD = stat.PopMeanStdDev(levels, nil)
	return s, nil
}

// rotations returns a function that draws the profile of AQ on m orthonormal components, with Q a random
// rotation. With the singular values Σ of A it is the norms of m columns of ΣF, F a random frame.
func rotations(a *mat.Dense) (func(m int, rng *rand.Rand) (*Profile, error), error) {
	var svd mat.SVD
	if !svd.Factorize(a, mat.SVDNone) {
		return nil, fmt.Errorf("cnfa: the singular values of the filters were not found")
	}
	values := svd.Values(nil)
	_, d := a.Dims()
	return func(m int, rng *rand.Rand) (*Profile, error) {
		f, err := cnfa.RandomFrame(len(values), d, rng)
		if err != nil {
			return nil, err
		}
		p := &Profile{Energies: make([]float64, m)}
		for k, v := range values {
			for i, x := range f.RawRowView(k)[:m] {
				p.Energies[i] += v * v * x * x
			}
		}
		for i := range p.Energies {
			p.Energies[i] = math.Sqrt(p.Energies[i])
		}
		return p, nil
	}, nil
}
