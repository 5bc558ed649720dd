package energypaper

import (
	"context"
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/cnfa/energy"
	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/data/patches"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// openPair returns the images of a pair, labelled 0 and 1: equally many of both, drawn by the seed.
func (s *LinearTableSpec) openPair(in study.Setting, p linearPair) (data.Dataset, error) {
	set, err := data.Open(s.Data, data.Options{Dir: in.DataDir, Split: "train", Seed: in.Seed})
	if err != nil {
		return nil, &input.Error{Err: err}
	}
	if set, err = input.SelectClasses(set, fmt.Sprintf("%d,%d", p.first, p.second)); err != nil {
		return nil, err
	}
	if set, err = data.Balanced(set, s.Images, in.Seed); err != nil {
		return nil, &input.Error{Err: err}
	}
	return set, nil
}

// learnedPair holds the images of a pair and all that the closed form of linear CNNs needs. In a dry run it has only
// the images' number and shape.
type learnedPair struct {
	*LinearTableSpec
	set          data.Dataset
	images       int // in the set
	shape        models.Shape
	basis        *mat.Dense  // components by columns
	deviations   []float64   // standard deviations of the patches along them
	components   [][]float64 // the same, one by one
	closed       *energy.LinearCNN
	truth, rand  []float64  // labels
	start, other *mat.Dense // initial filters of the networks with true and with random labels
	samples      []sample
}

// sample holds the components of the patches of a share of the images, as columns.
type sample struct {
	share float64
	basis *mat.Dense
}

// newLearnedPair prepares the closed form on the images of a pair.
func (s *LinearTableSpec) newLearnedPair(ctx context.Context, in study.Setting,
	set data.Dataset) (*learnedPair, error) {
	shape := set.Shape()
	l := &learnedPair{LinearTableSpec: s, set: set, images: set.Len(),
		shape: models.Shape{Channels: shape.Channels, Height: shape.Height, Width: shape.Width}}
	k, err := patches.Averages(ctx, set, s.Patch)
	if err != nil {
		return nil, &input.Error{Err: err}
	}
	c, err := patches.FindComponents(ctx, set, s.Patch, 0)
	if err != nil {
		return nil, err
	}
	l.basis, l.components = columnBasis(c), c.Vectors
	if err := l.openSamples(ctx); err != nil {
		return nil, err
	}
	for _, v := range c.Variances {
		l.deviations = append(l.deviations, math.Sqrt(max(0, v)))
	}
	if l.closed, err = energy.NewLinearCNN(k); err != nil {
		return nil, &input.Error{Err: err}
	}
	random, err := data.RandomLabels(set, in.Seed)
	if err != nil {
		return nil, err
	}
	if l.truth, err = labelNumbers(set); err != nil {
		return nil, err
	}
	if l.rand, err = labelNumbers(random); err != nil {
		return nil, err
	}
	if l.start, err = l.initialFilters(s.Width, 0, in.Seed); err != nil {
		return nil, err
	}
	l.other, err = l.initialFilters(s.Width, 1, in.Seed)
	return l, err
}

// openSamples computes the components of the samples.
func (l *learnedPair) openSamples(ctx context.Context) error {
	for _, share := range l.Samples {
		c, err := patches.FindComponents(ctx, l.set, l.Patch, max(1, int(share*float64(l.images))))
		if err != nil {
			return &input.Error{Err: err}
		}
		l.samples = append(l.samples, sample{share, columnBasis(c)})
	}
	return nil
}

// initialFilters returns the k-th of the random filters of a width that the seed gives.
func (l *learnedPair) initialFilters(width, k int, seed uint64) (*mat.Dense, error) {
	net, err := l.newNetwork(l.shape, width, seed+uint64(k)<<32)
	if err != nil {
		return nil, err
	}
	return net.Filters("conv"), nil
}

// columnBasis returns components as the columns of a matrix.
func columnBasis(c *patches.Components) *mat.Dense {
	m := mat.NewDense(len(c.Vectors), len(c.Vectors), nil)
	for i, v := range c.Vectors {
		m.SetCol(i, v)
	}
	return m
}

// labelNumbers returns the labels of a set as numbers.
func labelNumbers(set data.Dataset) ([]float64, error) {
	labels, err := data.Labels(set)
	var y []float64
	for _, l := range labels {
		y = append(y, float64(l))
	}
	return y, err
}

// energies returns the profile of filters (energy, eq. 1).
func (l *learnedPair) energies(w *mat.Dense) []float64 { return energiesOn(l.basis, w) }

// energiesOn returns the profile of filters on the columns of a basis.
func energiesOn(basis, w *mat.Dense) []float64 {
	return similarity.MapValues(setups.SquaredColumns(linalg.Product(w, basis)), math.Sqrt)
}

// profileAfter returns the profile after training on targets y from the filters start, or from 0
// where start is nil.
func (l *learnedPair) profileAfter(y []float64, start *mat.Dense, g energy.Descent) ([]float64, error) {
	if start == nil {
		w, err := l.closed.Descend(y, nil, g)
		if err != nil {
			return nil, err
		}
		return l.energies(mat.NewDense(1, len(w), w)), nil
	}
	w, err := l.closed.Filters(y, start, g)
	if err != nil {
		return nil, err
	}
	return l.energies(w), nil
}

// The measures of a pair, which are correlations of two profiles.
const (
	linearOptimum  = iota // true labels and the optimum
	linearInit            // true labels and the initial filters
	linearRandom          // true and random labels
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
	overLow   []float64                 // as time grows, see wideOverLow
	shape     map[study.Measure]float64 // that Figs. 4 and 8 are about
	ceiling   float64                   // of true and random labels, at the paper's ηT/width
	optimum   []sampledOptimum
	widths    []widthCurve
}

// linearTimes returns 31 values of ηT/width from .1 to 10⁵, evenly spaced in the logarithm.
func linearTimes() []float64 {
	var x []float64
	for k := range 31 {
		x = append(x, math.Pow(10, float64(k-5)/5))
	}
	return x
}

// measureCurves measures a pair at the paper's ηT/width and at those of linearTimes.
func (l *learnedPair) measureCurves(ctx context.Context, p linearPair, seed uint64) (*linearCurves, error) {
	c := &linearCurves{linearPair: p}
	g := l.fullDescent(l.images)
	var err error
	if c.atPaper, err = l.measure(g); err != nil {
		return nil, err
	}
	c.paperTime = g.Time()
	if c.ceiling, err = l.labelCeiling(l.start, l.other, g, seed); err != nil {
		return nil, err
	}
	if c.optimum, err = l.sampleOptimum(g); err != nil {
		return nil, err
	}
	if c.widths, err = l.measureWidths(ctx, seed); err != nil {
		return nil, err
	}
	for _, time := range linearTimes() {
		g = descendUntil(g, time)
		m, err := l.measure(g)
		if err != nil {
			return nil, err
		}
		over, err := l.wideOverLow(g)
		if err != nil {
			return nil, err
		}
		c.time = append(c.time, g.Time())
		c.overLow = append(c.overLow, over)
		for i, v := range m {
			c.measures[i] = append(c.measures[i], v)
		}
	}
	return c, nil
}

// measure correlates profiles after some descent.
func (l *learnedPair) measure(g energy.Descent) (m [linearMeasures]float64, err error) {
	optimum, err := l.closed.Optimum(l.truth)
	if err != nil {
		return m, err
	}
	after := func(y []float64, start *mat.Dense) (e []float64) {
		if err == nil {
			e, err = l.profileAfter(y, start, g)
		}
		return e
	}
	centred := func(v float64) float64 { return v - .5 }
	constant := func(float64) float64 { return 1 }
	swapped := func(v float64) float64 { return 1 - v }
	mapped := similarity.MapValues
	truth, zeroTruth, zeroRandom := after(l.truth, l.start), after(l.truth, nil), after(l.rand, nil)
	pairs := [linearMeasures][2][]float64{
		linearOptimum:  {truth, l.energies(mat.NewDense(1, len(optimum), optimum))},
		linearInit:     {truth, l.energies(l.start)},
		linearRandom:   {truth, after(l.rand, l.other)},
		linearFromZero: {zeroTruth, zeroRandom},
		linearWide:     {infiniteWidth(zeroTruth, l.variance()), infiniteWidth(zeroRandom, l.variance())},
		linearCentred:  {after(mapped(l.truth, centred), l.start), after(mapped(l.rand, centred), l.other)},
		linearConstant: {truth, after(mapped(l.truth, constant), l.other)},
		linearSwapped:  {truth, after(mapped(l.truth, swapped), l.other)},
	}
	if err != nil {
		return m, err
	}
	for i, p := range pairs {
		m[i] = stat.Correlation(p[0], p[1], nil)
	}
	return m, nil
}

// wideOverLow returns the mean energy of the middle third of the components less that of the first third, relative to
// the root mean square, for infinitely many filters that learned the true labels.
func (l *learnedPair) wideOverLow(g energy.Descent) (float64, error) {
	mean, err := l.profileAfter(l.truth, nil, g)
	if err != nil {
		return 0, err
	}
	low, middle, _ := meanThirds(l.profileOf(infiniteWidth(mean, l.variance())))
	return middle - low, nil
}

// profileOf returns a profile with given energies of the components.
func (l *learnedPair) profileOf(energies []float64) *energy.Profile {
	return &energy.Profile{Energies: energies, Deviations: l.deviations}
}

// variance returns σ² of the initial filters.
func (l *learnedPair) variance() float64 {
	norm := mat.Norm(l.start, 2)
	m, d := l.start.Dims()
	return norm * norm / float64(m*d)
}

// infiniteWidth returns √(μ² + σ²), the profile of Theorem 4.2, for the mean filter's |μ|.
func infiniteWidth(mu []float64, variance float64) []float64 {
	return similarity.MapValues(mu, func(v float64) float64 { return math.Sqrt(v*v + variance) })
}
