package energypaper

import (
	"context"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// projectedImages are images, each given by the projections of its average patch onto the
// components.
type projectedImages struct {
	x       *mat.Dense // images × components
	labels  []int
	classes []string
}

// projectImages projects the average patch of every image onto the components c.
func (s *LabelsSpec) projectImages(ctx context.Context, set data.Dataset, c *data.Components) (*projectedImages,
	error) {
	k, err := data.AveragePatches(ctx, set, s.Patch)
	if err != nil {
		return nil, err
	}
	labels, err := data.Labels(set)
	return &projectedImages{x: linalg.Product(k, columnBasis(c)), labels: labels, classes: set.Classes()}, err
}

// labelTask is one class against the rest, or a pair of classes.
type labelTask struct {
	name          string
	first, second int       // second is -1 for the rest
	correlations  []float64 // the correlation of each component
	largest, null float64   // the largest in absolute value, and the null's 95 % quantile of it
}

// labelTasks returns each class against the rest, and then all pairs of classes.
func (p *projectedImages) labelTasks() []*labelTask {
	var rest, pairs []*labelTask
	for i, a := range p.classes {
		rest = append(rest, &labelTask{name: a, first: i, second: -1})
		for j, b := range p.classes[i+1:] {
			pairs = append(pairs, &labelTask{name: a + " and " + b, first: i, second: i + 1 + j})
		}
	}
	return append(rest, pairs...)
}

// correlate sets the correlations of a task, and their null.
func (t *labelTask) correlate(p *projectedImages, permutations int, seed uint64) {
	var rows []int
	var y []float64
	for i, l := range p.labels {
		if l == t.first || t.second < 0 || l == t.second {
			rows = append(rows, i)
			y = append(y, map[bool]float64{true: 1}[l == t.first])
		}
	}
	_, components := p.x.Dims()
	x := mat.NewDense(components, len(rows), nil) // by component, of mean 0 and length 1
	for k := range components {
		of := x.RawRowView(k)
		for i, row := range rows {
			of[i] = p.x.At(row, k)
		}
		standardise(of)
	}
	standardise(y)
	t.correlations = correlations(x, y)
	t.largest = largestAbs(t.correlations)
	rng := models.Stream(seed, "permutations of "+t.name)
	null := make([]float64, permutations)
	for k := range null {
		rng.Shuffle(len(y), func(i, j int) { y[i], y[j] = y[j], y[i] })
		null[k] = largestAbs(correlations(x, y))
	}
	slices.Sort(null)
	t.null = stat.Quantile(.95, stat.Empirical, null, nil)
}

// standardise gives v mean 0 and length 1; a constant v becomes 0.
func standardise(v []float64) {
	mean := stat.Mean(v, nil)
	square := 0.
	for i := range v {
		v[i] -= mean
		square += v[i] * v[i]
	}
	if square == 0 {
		return
	}
	for i := range v {
		v[i] /= math.Sqrt(square)
	}
}

// correlations returns the correlation of each row of x with y, where all are standardised.
func correlations(x *mat.Dense, y []float64) []float64 {
	var r mat.VecDense
	r.MulVec(x, mat.NewVecDense(len(y), y))
	return r.RawVector().Data
}

func largestAbs(v []float64) float64 {
	m := 0.
	for _, x := range v {
		m = math.Max(m, math.Abs(x))
	}
	return m
}
