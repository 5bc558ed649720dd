package energy

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/ansatz-lab/ansatz/cnfa"
	"gonum.org/v1/gonum/mat"
)

// Reliability returns how far the energy profile of filters A, k×d, is free of the noise of having only k
// filters: the correlation to be expected of it and the profile of k others like them. It divides the filters at
// random into halves, correlates the profiles of the halves, takes the mean r over the splits, and corrects it for the
// whole having twice as many filters: 2r/(1 + r) (Spearman and Brown). Halves that agree no more than by chance, r ≤ 0,
// give 0.
//
// The correlation of two profiles of reliabilities ρ and ρ' is at most √(ρρ') for filters that are independent draws:
// see [NoiseCeiling]. The filters of a trained network need not be; then it is an estimate of that bound and can be
// exceeded.
//
// It returns an error for fewer than 2 filters, [ErrFewComponents], and [cnfa.ErrZero] where no split has two profiles that
// vary.
func Reliability(a *mat.Dense, components [][]float64, splits int, rng *rand.Rand) (float64, error) {
	k, _ := a.Dims()
	if k < 2 || splits < 1 {
		return 0, fmt.Errorf("cnfa: %d splits of %d filters into halves: want at least 1 of at least 2", splits, k)
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

// NoiseCeiling returns the correlation that the noise of finitely many filters leaves to two profiles of these
// reliabilities: √(ρρ').
func NoiseCeiling(reliability, other float64) float64 { return math.Sqrt(reliability * other) }
