package energy

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/ansatz-lab/ansatz/cnfa"
	"gonum.org/v1/gonum/mat"
)

// Reliability estimates how free the energy profile of filters A, k×d, is of the noise of having only k filters: the
// expected correlation with the profile of k other filters of the same kind. It divides the filters at random into
// halves, correlates the profiles of the halves, averages over the splits to r, and corrects for the whole having twice
// as many filters: 2r/(1 + r) (Spearman and Brown). Halves that agree no more than by chance, r ≤ 0, give 0.
//
// For filters that are independent draws, the correlation of two profiles of reliabilities ρ and ρ' is at most √(ρρ'):
// see [NoiseCeiling]. The filters of a trained network need not be independent; then √(ρρ') only estimates the bound, and
// can be exceeded.
//
// It returns an error for fewer than 2 filters, [ErrFewComponents], and [cnfa.ErrZero] if in every split a half has a
// constant profile.
func Reliability(a *mat.Dense, components [][]float64, splits int, rng *rand.Rand) (float64, error) {
	k, _ := a.Dims()
	if k < 2 || splits < 1 {
		return 0, fmt.Errorf("cnfa: %d splits of %d filters into halves: want at least 1 split and 2 filters", splits, k)
	}
	sum, defined := 0., 0
	for range splits {
		order := rng.Perm(k)
		first, err := rowEnergies(a, components, order[:k/2])
		if err != nil {
			return 0, err
		}
		second, err := rowEnergies(a, components, order[k/2:])
		if err != nil {
			return 0, err
		}
		r, err := pearsonOf(first, second)
		if errors.Is(err, cnfa.ErrZero) {
			continue
		}
		if err != nil {
			return 0, err
		}
		sum += r
		defined++
	}
	if defined == 0 {
		return 0, cnfa.ErrZero
	}
	r := max(0, sum/float64(defined))
	return 2 * r / (1 + r), nil
}

// rowEnergies returns the energies of the filters in the given rows of a.
func rowEnergies(a *mat.Dense, components [][]float64, rows []int) ([]float64, error) {
	_, d := a.Dims()
	some := mat.NewDense(len(rows), d, nil)
	for i, row := range rows {
		some.SetRow(i, a.RawRowView(row))
	}
	p, err := ProfileOf(some, components, make([]float64, len(components)))
	if err != nil {
		return nil, err
	}
	return p.Energies, nil
}

// NoiseCeiling returns √(ρρ'), the largest correlation that two profiles of these reliabilities can be expected to have:
// the noise of finitely many filters lowers it.
func NoiseCeiling(reliability, other float64) float64 { return math.Sqrt(reliability * other) }
