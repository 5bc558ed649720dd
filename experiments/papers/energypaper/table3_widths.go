package energypaper

import (
	"context"
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/cnfa/energy"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// widthCurve holds the results of linear CNNs of one width on a pair of classes.
type widthCurve struct {
	width int
	time  float64 // ηT/width after the paper's steps
	// Correlations after the paper's steps: of true and random labels, of true labels and the initial filters, and of
	// true labels from two initialisations; and the noise ceiling of the first.
	random, initial, seeds, ceiling float64
	byTime                          []float64 // of true and random labels, at the times of linearTimes
	profile                         []float64 // with true labels after the paper's steps
	sameTime                        []float64 // with true labels after the time of the spec's own width
}

// measureWidths measures the pair at the widths of the map.
func (l *learnedPair) measureWidths(ctx context.Context, seed uint64) ([]widthCurve, error) {
	var all []widthCurve
	for _, width := range l.Widths {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c, err := l.measureWidth(width, seed)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// measureWidth measures the pair at one width.
func (l *learnedPair) measureWidth(width int, seed uint64) (widthCurve, error) {
	c := widthCurve{width: width}
	var starts [3]*mat.Dense // for true labels, for random ones, and for true ones again
	for k := range starts {
		var err error
		if starts[k], err = l.initialFilters(width, k, seed); err != nil {
			return c, err
		}
	}
	var err error
	after := func(y []float64, start *mat.Dense, g energy.Descent) (e []float64) {
		if err == nil {
			e, err = l.profileAfter(y, start, g)
		}
		return e
	}
	g := l.fullDescent(l.images)
	own := g.Time()
	g.Width = width
	c.time, c.profile = g.Time(), after(l.truth, starts[0], g)
	random, again := after(l.rand, starts[1], g), after(l.truth, starts[2], g)
	c.sameTime = after(l.truth, starts[0], descendUntil(g, own))
	var curve [][2][]float64
	for _, time := range linearTimes() {
		t := descendUntil(g, time)
		curve = append(curve, [2][]float64{after(l.truth, starts[0], t), after(l.rand, starts[1], t)})
	}
	if err != nil {
		return c, err
	}
	c.random, c.seeds = stat.Correlation(c.profile, random, nil), stat.Correlation(c.profile, again, nil)
	c.initial = stat.Correlation(c.profile, l.energies(starts[0]), nil)
	for _, e := range curve {
		c.byTime = append(c.byTime, stat.Correlation(e[0], e[1], nil))
	}
	c.ceiling, err = l.labelCeiling(starts[0], starts[1], g, seed)
	return c, err
}

// descendUntil returns the descent with the number of steps that reaches a time ηT/width.
func descendUntil(g energy.Descent, time float64) energy.Descent {
	g.Steps = max(1, int(math.Round(time*float64(g.Width)/g.Rate)))
	return g
}

// labelCeiling returns the noise ceiling of the profiles for true labels from the filters start and for random labels
// from the filters other.
func (l *learnedPair) labelCeiling(start, other *mat.Dense, g energy.Descent, seed uint64) (float64, error) {
	var reliability [2]float64
	for i, n := range []struct {
		y     []float64
		start *mat.Dense
	}{{l.truth, start}, {l.rand, other}} {
		w, err := l.closed.Filters(n.y, n.start, g)
		if err != nil {
			return 0, err
		}
		rng := models.Stream(seed, fmt.Sprintf("halves of linear filters %d", i))
		if reliability[i], err = energy.Reliability(w, l.components, l.Splits, rng); err != nil {
			return 0, err
		}
	}
	return energy.NoiseCeiling(reliability[0], reliability[1]), nil
}

// sampledOptimum is the correlation of the profiles with the optimum, for true labels, on components computed from a
// share of the images.
type sampledOptimum struct{ share, atPaper, late float64 }

// lateTime is a time ηT/width at which training is close to the optimum.
const lateTime = 1e5

// sampleOptimum correlates the profiles with the optimum's on the components of each sample.
func (l *learnedPair) sampleOptimum(g energy.Descent) ([]sampledOptimum, error) {
	best, err := l.closed.Optimum(l.truth)
	if err != nil {
		return nil, err
	}
	w, err := l.closed.Filters(l.truth, l.start, g)
	if err != nil {
		return nil, err
	}
	late, err := l.closed.Filters(l.truth, l.start, descendUntil(g, lateTime))
	if err != nil {
		return nil, err
	}
	var all []sampledOptimum
	for _, s := range l.samples {
		optimum := energiesOn(s.basis, mat.NewDense(1, len(best), best))
		all = append(all, sampledOptimum{s.share, stat.Correlation(energiesOn(s.basis, w), optimum, nil),
			stat.Correlation(energiesOn(s.basis, late), optimum, nil)})
	}
	return all, nil
}
