package energypaper

import (
	"context"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/data/patches"
	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/workload"
	"github.com/ansatz-lab/ansatz/internal/words"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// projectedImages are images, each represented by the projections of its average patch onto the components.
type projectedImages struct {
	x       *mat.Dense // images × components
	labels  []int
	classes []string
}

// openProjections opens the images, records them, and projects the average patch of each onto the components. In a dry
// run the result is an outline.
func (s *LabelsSpec) openProjections(ctx context.Context, in study.Setting,
	o *study.Outcome) (*projectedImages, error) {
	if in.Dry() {
		return s.outlineProjections(in)
	}
	set, err := data.Open(s.Data, data.Options{Dir: in.DataDir, Split: "train", Seed: in.Seed, Size: s.Size})
	if err != nil {
		return nil, &input.Error{Err: err}
	}
	if set, err = input.SelectClasses(set, s.Classes); err != nil {
		return nil, err
	}
	if len(set.Classes()) < 2 {
		return nil, input.Errorf("%s has %s: want at least 2", s.Data, words.Count(len(set.Classes()), "class"))
	}
	// The components of the whole dataset are the same for every seed, with the same signs.
	components, err := patches.FindComponents(ctx, set, s.Patch, 0)
	if err != nil {
		return nil, &input.Error{Err: err}
	}
	if set, err = data.Balanced(set, s.Images, in.Seed); err != nil {
		return nil, &input.Error{Err: err}
	}
	if err := o.AddDataset(s.Data, set); err != nil {
		return nil, err
	}
	patches, err := patches.Averages(ctx, set, s.Patch)
	if err != nil {
		return nil, err
	}
	labels, err := data.Labels(set)
	x := linalg.Product(patches, columnBasis(components))
	return &projectedImages{x: x, labels: labels, classes: set.Classes()}, err
}

// outlineProjections returns the outline for a dry run, and adds the job of computing the components on all images.
func (s *LabelsSpec) outlineProjections(in study.Setting) (*projectedImages, error) {
	set, err := workload.FindDatasetSize(s.Data, s.Size)
	if err != nil {
		return nil, err
	}
	set = set.Of(s.Classes)
	each, all := workload.ImagesUsed(s.Images, set.Train/set.Classes), set.Train
	if all == 0 { // the images are generated
		all = s.Images * set.Classes
	}
	x := linalg.Outline(each*set.Classes, set.Shape.Channels*s.Patch*s.Patch)
	return &projectedImages{x: x, classes: make([]string, set.Classes)},
		in.AddJob(setups.PatchMomentsJob(set.Shape, s.Patch, all), nil)
}

// labelTask is one class against the rest, or a pair of classes.
type labelTask struct {
	name          string
	first, second int       // second is -1 for the rest
	correlations  []float64 // the correlation of each component
	largest, null float64   // the largest in absolute value, and the null's 95 % quantile of it
}

// labelTasks returns each class against the rest, and all pairs of classes.
func (p *projectedImages) labelTasks() (rest, pairs []*labelTask) {
	for i, a := range p.classes {
		rest = append(rest, &labelTask{name: a, first: i, second: -1})
		for j, b := range p.classes[i+1:] {
			pairs = append(pairs, &labelTask{name: a + " and " + b, first: i, second: i + 1 + j})
		}
	}
	return rest, pairs
}

// largestComponent returns the index, from 1, of the component with the largest correlation.
func (t *labelTask) largestComponent() (k int) {
	for i, r := range t.correlations {
		if math.Abs(r) == t.largest {
			k = i + 1
		}
	}
	return max(k, 1)
}

// correlate sets the correlations of a task, and their null.
func (t *labelTask) correlate(p *projectedImages, permutations int, seed uint64) {
	var rows []int
	var y []float64
	for i, l := range p.labels {
		if l == t.first || t.second < 0 || l == t.second {
			rows = append(rows, i)
			y = append(y, indicator(l == t.first))
		}
	}
	_, components := p.x.Dims()
	x := mat.NewDense(components, len(rows), nil) // a row for each component, with mean 0 and length 1
	for k := range components {
		projections := x.RawRowView(k)
		for i, row := range rows {
			projections[i] = p.x.At(row, k)
		}
		standardise(projections)
	}
	standardise(y)
	t.correlations = correlations(x, y)
	t.largest = floats.Norm(t.correlations, math.Inf(1))
	rng := models.Stream(seed, "permutations of "+t.name)
	null := make([]float64, permutations)
	for k := range null {
		rng.Shuffle(len(y), func(i, j int) { y[i], y[j] = y[j], y[i] })
		null[k] = floats.Norm(correlations(x, y), math.Inf(1))
	}
	slices.Sort(null)
	t.null = stat.Quantile(.95, stat.Empirical, null, nil)
}

// correlationsJob estimates the cost of the correlations with permuted labels. It models them as a layer that reads
// each image once per permutation, number by number.
func correlationsJob(p *projectedImages, tasks []*labelTask, permutations int) cost.Job {
	images, components := p.x.Dims()
	read := 0
	for _, t := range tasks {
		if t.second < 0 {
			read += images
		} else {
			read += 2 * images / len(p.classes)
		}
	}
	net := cost.Net{Layers: 1, Values: float64(components) + 1}
	return cost.Training{Net: net, Batch: 1, Tested: float64(permutations) * float64(read)}
}

// standardise shifts and scales v to mean 0 and length 1; a constant v becomes 0.
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
