package cnfa

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

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
