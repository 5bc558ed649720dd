package energypaper

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/workload"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// The measures of a kind of tasks: one class against the rest, or pairs of classes.
var (
	nearZero  = study.NewMeasure("small")      // the share of correlations below .1 in absolute value
	largest   = study.NewMeasure("max")        // in absolute value
	aboveNull = study.NewMeasure("above_null") // the share of tasks whose largest is above the null
)

const (
	restTasks = "rest"
	pairTasks = "pairs"
)

// LabelsSpec correlates the average patch of images with their labels.
type LabelsSpec struct {
	Data   string `json:"data" toml:"data"`
	Images int    `json:"images" toml:"images"` // of each class, drawn by the seed; 0 is all
	Patch  int    `json:"patch" toml:"patch"`
	// Permutations is how often labels are permuted for the null.
	Permutations int `json:"permutations" toml:"permutations"`
}

// fig5 returns Fig. 5a: correlations of the average patch with the labels.
func fig5() *study.Experiment {
	return &study.Experiment{
		ID: "energy/fig5", Paper: "energy", Figure: "Fig. 5",
		Title: "How the average patch is correlated with the labels, of one class against the rest and of pairs",
		About: "The average patch of every image of CIFAR-10 is projected onto the principal components of the " +
			"patches. Shown is the correlation of each projection with the label: of one class against the nine " +
			"others, which is what the paper shows, and of two classes, the tasks for which it trains linear CNNs, " +
			"of which it says nothing. The null are labels permuted at random: of each permutation and task the " +
			"largest correlation over the components, and its 95 % quantile. At scale small every seed draws half of " +
			"the images, so that what differs between seeds is the error of sampling them. Fig. 5b is of 12 classes " +
			"of ImageNet, which are not here.",
		Claims: []study.Claim{
			nearZero.Of(restTasks).Claim("For almost all tasks and coefficients the correlation is close to "+
				"zero: the share of them, one class against the rest, below .1 in absolute value.",
				"almost all", study.AtLeast(.9)),
			largest.Of(restTasks).Claim("Correlations are all around 0: the largest in absolute value, one "+
				"class against the rest.",
				"around 0", study.AtMost(.2)),
			nearZero.Of(pairTasks).Claim("So they are for pairs: the share below .1.",
				"not asked by the paper", study.AtLeast(.9)),
			largest.Of(pairTasks).Claim("The largest in absolute value of pairs.",
				"not asked by the paper", study.AtMost(.2)),
			aboveNull.Of(restTasks).Claim("They are 0: the share of tasks, one class against the rest, whose "+
				"largest correlation is above the null's 95 % quantile.",
				"around 0", study.AtMost(.1)),
		},
		Specs: map[study.Scale]study.Spec{
			study.Smoke:      &LabelsSpec{Data: "glyphs", Images: 20, Patch: 3, Permutations: 5},
			study.Small:      &LabelsSpec{Data: "cifar10", Images: 2500, Patch: 3, Permutations: 100},
			study.PaperScale: &LabelsSpec{Data: "cifar10", Patch: 3, Permutations: 1000},
		},
	}
}

// Run implements Spec.
func (s *LabelsSpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	if s.Images < 0 || s.Permutations < 1 {
		return nil, input.Errorf("%d images of each class, %d permutations: want at least 1", s.Images, s.Permutations)
	}
	o := &study.Outcome{}
	p, err := s.openProjections(ctx, in, o)
	if err != nil {
		return nil, err
	}
	rest, pairs := p.labelTasks()
	tasks := slices.Concat(rest, pairs)
	if in.Dry() {
		return nil, in.AddJob(correlationsJob(p, tasks, s.Permutations), nil)
	}
	for i, t := range tasks {
		in.Report("permutations", i, len(tasks))
		t.correlate(p, s.Permutations, in.Seed)
	}
	setLabelMeasures(restTasks, rest, o)
	setLabelMeasures(pairTasks, pairs, o)
	o.Charts = []study.Chart{labelChart("one-against-rest", "One class against the rest", rest),
		labelChart("pairs", "Pairs of classes", table3Pairs(pairs))}
	o.Tables = []report.Table{labelTable("rest", "One class against the rest.", rest),
		labelTable("pairs", "Pairs of classes.", pairs)}
	o.Notes = []string{fmt.Sprintf("%d tasks of one class against the rest, and %d pairs.", len(rest), len(pairs))}
	return o, nil
}

// setLabelMeasures sets the measures of a kind of tasks.
func setLabelMeasures(kind string, tasks []*labelTask, o *study.Outcome) {
	var most, below, all, above float64
	for _, t := range tasks {
		most = math.Max(most, t.largest)
		above += indicator(t.largest > t.null)
		for _, r := range t.correlations {
			all++
			below += indicator(math.Abs(r) < .1)
		}
	}
	o.Set(largest.Of(kind), most)
	o.Set(nearZero.Of(kind), below/all)
	o.Set(aboveNull.Of(kind), above/float64(len(tasks)))
}

// table3Pairs selects the pairs of Table 3 from all pairs.
func table3Pairs(pairs []*labelTask) []*labelTask {
	var out []*labelTask
	for _, p := range linearPairs() {
		for _, t := range pairs {
			if t.first == p.first && t.second == p.second {
				out = append(out, t)
			}
		}
	}
	return out
}

// labelChart draws the correlations of tasks by component, with the range of the first task under
// the null.
func labelChart(name, title string, tasks []*labelTask) study.Chart {
	c := study.Chart{Name: name, Title: title, XLabel: "principal component", YLabel: "correlation with the label",
		Caption: "Correlation of the average patch's projection with the label. Between the lines ±null lie, with " +
			"permuted labels, 95 % of the largest of all components."}
	if len(tasks) == 0 {
		return c
	}
	for _, t := range tasks {
		c.Series = append(c.Series, record.NumberedSeries(t.name, t.correlations))
	}
	null, components := tasks[0].null, len(tasks[0].correlations)
	c.Series = append(c.Series,
		record.NumberedSeries("null", slices.Repeat([]float64{null}, components)),
		record.NumberedSeries("−null", slices.Repeat([]float64{-null}, components)))
	return c
}

// labelTable lists the largest correlation of each task beside its null.
func labelTable(name, caption string, tasks []*labelTask) report.Table {
	return record.TableOf(name, caption+" The largest correlation over the components in absolute value, the "+
		"component, and the 95 % quantile of the same with permuted labels.", tasks,
		record.TextField("classes", func(t *labelTask) string { return t.name }),
		record.NumberField("largest", "%.3f", func(t *labelTask) float64 { return t.largest }),
		record.TextField("component", func(t *labelTask) string { return fmt.Sprint(t.largestComponent()) }),
		record.NumberField("null", "%.3f", func(t *labelTask) float64 { return t.null }),
		record.TextField("of components 1, 2, 3", func(t *labelTask) string {
			text := ""
			for _, r := range t.correlations[:min(3, len(t.correlations))] {
				text += fmt.Sprintf("%+.2f ", r)
			}
			return text
		}))
}

// projectedImages are images, each given by the projections of its average patch onto the
// components.
type projectedImages struct {
	x       *mat.Dense // images × components
	labels  []int
	classes []string
}

// openProjections opens the images, records them, and projects the average patch of each onto the
// components. In a dry run the projections are an outline.
func (s *LabelsSpec) openProjections(ctx context.Context, in study.Setting,
	o *study.Outcome) (*projectedImages, error) {
	if in.Dry() {
		return s.outlineProjections(in)
	}
	set, err := data.Open(s.Data, data.Options{Dir: in.DataDir, Split: "train", Seed: in.Seed})
	if err != nil {
		return nil, &input.Error{Err: err}
	}
	if len(set.Classes()) < 2 {
		return nil, input.Errorf("%s has %d classes: want at least 2", s.Data, len(set.Classes()))
	}
	// Of the whole set, so that every seed has the same, with the same signs.
	components, err := data.PatchComponents(ctx, set, s.Patch, 0)
	if err != nil {
		return nil, &input.Error{Err: err}
	}
	if set, err = data.Balanced(set, s.Images, in.Seed); err != nil {
		return nil, &input.Error{Err: err}
	}
	if err := o.AddDataset(s.Data, set); err != nil {
		return nil, err
	}
	patches, err := data.AveragePatches(ctx, set, s.Patch)
	if err != nil {
		return nil, err
	}
	labels, err := data.Labels(set)
	x := linalg.Product(patches, columnBasis(components))
	return &projectedImages{x: x, labels: labels, classes: set.Classes()}, err
}

// outlineProjections returns the outline of openProjections, and adds the job of the components, on
// all images.
func (s *LabelsSpec) outlineProjections(in study.Setting) (*projectedImages, error) {
	set, err := workload.FindDatasetSize(s.Data, 0)
	if err != nil {
		return nil, err
	}
	each, all := workload.ImagesUsed(s.Images, set.Train/set.Classes), set.Train
	if all == 0 { // they are generated
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

// largestComponent returns the number of the component with the largest correlation, from 1.
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
	x := mat.NewDense(components, len(rows), nil) // by component, of mean 0 and length 1
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

// correlationsJob estimates the correlations of tasks with permuted labels by a layer that reads
// each image once a permutation, number by number.
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
