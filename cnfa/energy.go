package cnfa

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// EnergyProfile says how strongly filters respond along the principal components
// of the patches that they read (paper energy, section 2). Rescaling, permuting
// and rotating the filters among themselves change no similarity of profiles.
type EnergyProfile struct {
	// Energies are eᵢ = ‖A pᵢ‖ (eq. 1), by component.
	Energies []float64
	// Deviations are the standard deviations of the patches along the components.
	// They are also, up to a factor, the profile of filters that are random
	// patches less the mean patch.
	Deviations []float64
}

// LeastComponents is the least number of components for profiles to be compared:
// two points always lie on a line.
const LeastComponents = 3

// ErrFewComponents is returned where fewer than [LeastComponents] are left.
var ErrFewComponents = errors.New("the similarity is not defined: there are fewer than 3 components")

// Profile returns the energy profile of filters A, k×d with patches in the order
// (channel, row, column), on components, vectors of length 1 and d elements that
// are orthogonal to each other, in descending order of the variances of the
// patches along them, of which each has one.
func Profile(a *mat.Dense, components [][]float64, variances []float64) (*EnergyProfile, error) {
	_, d := a.Dims()
	if len(components) != len(variances) {
		return nil, fmt.Errorf("cnfa: %d components with %d variances", len(components), len(variances))
	}
	p := &EnergyProfile{}
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

// Range is the profile on the components from and to, counted from 1, and those
// between them.
func (p *EnergyProfile) Range(from, to int) (*EnergyProfile, error) {
	if from < 1 || to > len(p.Energies) || from > to {
		return nil, fmt.Errorf("cnfa: components %d to %d of %d", from, to, len(p.Energies))
	}
	return &EnergyProfile{p.Energies[from-1 : to], p.Deviations[from-1 : to]}, nil
}

// Scaled returns the energies divided by their root mean square. It returns
// [ErrZero] for filters that are zero on all components.
func (p *EnergyProfile) Scaled() ([]float64, error) {
	square := 0.
	for _, e := range p.Energies {
		square += e * e
	}
	if square == 0 {
		return nil, ErrZero
	}
	rms := math.Sqrt(square / float64(len(p.Energies)))
	var out []float64
	for _, e := range p.Energies {
		out = append(out, e/rms)
	}
	return out, nil
}

// ranks are 1, 2, …, one for each component.
func (p *EnergyProfile) ranks() []float64 {
	ranks := make([]float64, len(p.Energies))
	for i := range ranks {
		ranks[i] = float64(i + 1)
	}
	return ranks
}

// ProfileSimilarity is how alike two energy profiles are.
type ProfileSimilarity struct {
	// Pearson is the correlation of the energies (the paper's measure).
	Pearson float64
	// NullSD is the standard deviation of Pearson where the filters of one of the
	// two are rotated at random in the space of patches; its mean is 0 then.
	NullSD float64
	// Partial is the correlation of what is left of either profile when a
	// constant, its Deviations and the ranks of the components are fitted to it:
	// what the profiles share beyond following the spectrum of the patches. NaN
	// where nothing is left.
	Partial float64
	// PartialNullSD is that of Partial, for residuals that are Gaussian.
	PartialNullSD float64
	Components    int
}

// CompareProfiles compares two profiles on as many components, place by place.
//
// Where the filters A of one are rotated, AQ in the place of A with Q uniformly
// distributed, its energies are exchangeable, so that the correlation with
// whatever other profile has mean 0 and variance 1/(m − 1) of m components: the
// null needs no draws. It is narrow for profiles that are smooth, as those of
// trained networks are, because neighbouring components are not independent;
// Partial and the similarities with the spectrum are what to hold against that.
//
// It returns [ErrFewComponents], and [ErrZero] where a profile is constant.
func CompareProfiles(p, q *EnergyProfile) (ProfileSimilarity, error) {
	m := len(p.Energies)
	if len(q.Energies) != m {
		return ProfileSimilarity{}, fmt.Errorf("cnfa: profiles of %d and %d components cannot be compared",
			m, len(q.Energies))
	}
	pearson, err := pearsonOf(p.Energies, q.Energies)
	if err != nil {
		return ProfileSimilarity{}, err
	}
	s := ProfileSimilarity{
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

// spectrumFit is how many numbers are fitted to a profile for its residuals: a
// constant, and the slopes in the deviations and in the ranks.
const spectrumFit = 3

// WithSpectrum returns the correlations of the energies with the Deviations and
// with the ranks of the components, 1 for the first: how far a profile merely
// follows, or goes against, their order. NaN where they are not defined.
func (p *EnergyProfile) WithSpectrum() (deviations, ranks float64) {
	orNaN := func(v float64, err error) float64 {
		if err != nil {
			return math.NaN()
		}
		return v
	}
	return orNaN(pearsonOf(p.Energies, p.Deviations)), orNaN(pearsonOf(p.Energies, p.ranks()))
}

// pearsonOf is the correlation of x and y.
func pearsonOf(x, y []float64) (float64, error) {
	if len(x) < LeastComponents {
		return 0, ErrFewComponents
	}
	a, b := centred(x), centred(y)
	return ratio(floats.Dot(a, b), floats.Dot(a, a), floats.Dot(b, b), floats.Dot(x, x), floats.Dot(y, y))
}

// residualPearson is [ProfileSimilarity.Partial].
func residualPearson(p, q *EnergyProfile) (float64, error) {
	a, b := p.residuals(), q.residuals()
	return ratio(floats.Dot(a, b), floats.Dot(a, a), floats.Dot(b, b), floats.Dot(p.Energies, p.Energies),
		floats.Dot(q.Energies, q.Energies))
}

// residuals are what is left of the energies when a constant, the deviations and
// the ranks are fitted to them by least squares.
func (p *EnergyProfile) residuals() []float64 {
	left := centred(p.Energies)
	var fitted [][]float64
	for _, x := range [][]float64{p.ranks(), p.Deviations} {
		u := centred(x)
		scale := floats.Dot(u, u)
		for _, v := range fitted {
			subtract(u, v)
		}
		if !(floats.Dot(u, u) > 1e-12*scale) {
			continue // constant, or along the one before: nothing more to fit
		}
		fitted = append(fitted, u)
		subtract(left, u)
	}
	return left
}

// subtract takes what of x is along v out of it.
func subtract(x, v []float64) {
	along := floats.Dot(x, v) / floats.Dot(v, v)
	for i := range x {
		x[i] -= along * v[i]
	}
}

// centred is x less its mean.
func centred(x []float64) []float64 {
	mean := stat.Mean(x, nil)
	out := make([]float64, len(x))
	for i := range x {
		out[i] = x[i] - mean
	}
	return out
}

// ProfileSpread says how uneven a profile is, beside the same of the filters
// rotated at random.
type ProfileSpread struct {
	// Spread is the standard deviation of the energies over the components,
	// divided by their root mean square.
	Spread float64
	// Null and NullSD are the mean and the standard deviation of the same over
	// the rotations: few filters have an uneven profile in whatever directions
	// they lie.
	Null, NullSD float64
	// Level and LevelSD are the mean and the standard deviation of a rotated
	// profile's energies, divided by their root mean square, over components and
	// rotations.
	Level, LevelSD float64
}

// SpreadOf measures how uneven the profile of filters A, k×d, is: ‖A pᵢ‖ against
// ‖A Q pᵢ‖ with Q a random rotation of the space of patches, over some draws. The
// profile must be of these filters, on components that are orthonormal. It
// returns [ErrZero] for filters that are zero on all components.
func SpreadOf(p *EnergyProfile, a *mat.Dense, draws int, rng *rand.Rand) (ProfileSpread, error) {
	if draws < 2 {
		return ProfileSpread{}, fmt.Errorf("cnfa: %d draws of the null: want at least 2", draws)
	}
	scaled, err := p.Scaled()
	if err != nil {
		return ProfileSpread{}, err
	}
	s := ProfileSpread{Spread: stat.PopStdDev(scaled, nil)}
	rotated, err := rotations(a)
	if err != nil {
		return ProfileSpread{}, err
	}
	var all, levels []float64
	for range draws {
		q, err := rotated(len(p.Energies), rng)
		if err != nil {
			return ProfileSpread{}, err
		}
		if scaled, err = q.Scaled(); err != nil {
			return ProfileSpread{}, err
		}
		all, levels = append(all, stat.PopStdDev(scaled, nil)), append(levels, scaled...)
	}
	s.Null, s.NullSD = stat.PopMeanStdDev(all, nil)
	s.Level, s.LevelSD = stat.PopMeanStdDev(levels, nil)
	return s, nil
}

// rotations prepares drawing the profile of AQ on m orthonormal components, with
// Q a random rotation: with the singular values Σ of A, the norms of m columns of
// ΣF, F a random frame of as many rows.
func rotations(a *mat.Dense) (func(m int, rng *rand.Rand) (*EnergyProfile, error), error) {
	var svd mat.SVD
	if !svd.Factorize(a, mat.SVDNone) {
		return nil, fmt.Errorf("cnfa: the singular values of the filters were not found")
	}
	values := svd.Values(nil)
	_, d := a.Dims()
	return func(m int, rng *rand.Rand) (*EnergyProfile, error) {
		f, err := randomFrame(len(values), d, rng)
		if err != nil {
			return nil, err
		}
		p := &EnergyProfile{Energies: make([]float64, m)}
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
