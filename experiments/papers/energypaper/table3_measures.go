package energypaper

import (
	"math"

	"github.com/ansatz-lab/ansatz/cnfa"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// The measures of a pair, correlations of profiles.
const (
	linearRandom   = iota // true and random labels
	linearOptimum         // true labels and the optimum
	linearInit            // true labels and the initial filters
	linearFromZero        // true and random labels, both from 0
	linearWide            // true and random labels, of infinitely many filters: √(μ² + σ²)
	linearCentred         // true and random labels, ±½
	linearConstant        // true labels and the label 1 for all
	linearSwapped         // true labels and these with 0 and 1 exchanged
	linearMeasures
)

// linearCurves are the measures of a pair as ηT/width grows, and at the paper's ηT/width.
type linearCurves struct {
	linearPair
	time      []float64 // ηT/width
	measures  [linearMeasures][]float64
	paperTime float64 // ηT/width of the paper
	atPaper   [linearMeasures]float64
}

// linearTimes returns 26 values of ηT/width from 1 to 10⁵, evenly spaced in the logarithm.
func linearTimes() []float64 {
	var x []float64
	for k := range 26 {
		x = append(x, math.Pow(10, float64(k)/5))
	}
	return x
}

func (l *learnedPair) measureCurves(p linearPair) (*linearCurves, error) {
	c := &linearCurves{linearPair: p}
	g := l.fullDescent(l.set.Len())
	var err error
	if c.atPaper, err = l.measure(g); err != nil {
		return nil, err
	}
	c.paperTime = g.Time()
	for _, time := range linearTimes() {
		g.Steps = max(1, int(math.Round(time*float64(g.Width)/g.Rate)))
		m, err := l.measure(g)
		if err != nil {
			return nil, err
		}
		c.time = append(c.time, g.Time())
		for i, v := range m {
			c.measures[i] = append(c.measures[i], v)
		}
	}
	return c, nil
}

// measure correlates profiles after some descent.
func (l *learnedPair) measure(g cnfa.Descent) (m [linearMeasures]float64, err error) {
	half := func(v float64) float64 { return v - .5 }
	optimum, err := l.closed.Optimum(l.truth)
	if err != nil {
		return m, err
	}
	from0 := func(y []float64) []float64 {
		if err != nil {
			return nil
		}
		e, failed := l.profileAfter(y, nil, g)
		err = failed
		return e
	}
	after := func(y []float64, start *mat.Dense) (e []float64) {
		if err == nil {
			e, err = l.profileAfter(y, start, g)
		}
		return e
	}
	truth, zeroTruth, zeroRandom := after(l.truth, l.start), from0(l.truth), from0(l.rand)
	pairs := [linearMeasures][2][]float64{
		linearRandom:   {truth, after(l.rand, l.other)},
		linearOptimum:  {truth, l.energies(mat.NewDense(1, len(optimum), optimum))},
		linearInit:     {truth, l.energies(l.start)},
		linearFromZero: {zeroTruth, zeroRandom},
		linearWide:     {infiniteWidth(zeroTruth, l.variance()), infiniteWidth(zeroRandom, l.variance())},
		linearCentred:  {after(mapLabels(l.truth, half), l.start), after(mapLabels(l.rand, half), l.other)},
		linearConstant: {truth, after(mapLabels(l.truth, func(float64) float64 { return 1 }), l.other)},
		linearSwapped:  {truth, after(mapLabels(l.truth, func(v float64) float64 { return 1 - v }), l.other)},
	}
	if err != nil {
		return m, err
	}
	for i, p := range pairs {
		m[i] = stat.Correlation(p[0], p[1], nil)
	}
	return m, nil
}

// variance returns σ² of the initial filters.
func (l *learnedPair) variance() float64 {
	norm := mat.Norm(l.start, 2)
	m, d := l.start.Dims()
	return norm * norm / float64(m*d)
}

// infiniteWidth returns √(μ² + σ²), the profile of Theorem 4.2, for the mean filter's |μ|.
func infiniteWidth(mu []float64, variance float64) []float64 {
	return mapLabels(mu, func(v float64) float64 { return math.Sqrt(v*v + variance) })
}
