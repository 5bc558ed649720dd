package energypaper

import (
	"context"
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/workload"
)

var (
	restSmall     = study.NewMeasure("rest_small")
	restMax       = study.NewMeasure("rest_max")
	pairsSmall    = study.NewMeasure("pairs_small")
	pairsMax      = study.NewMeasure("pairs_max")
	restAboveNull = study.NewMeasure("rest_above_null")
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
	e := &study.Experiment{
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
			restSmall.Claim("For almost all tasks and coefficients the correlation is close to zero: the share of "+
				"them, one class against the rest, below .1 in absolute value.",
				"almost all", study.AtLeast(.9)),
			restMax.Claim("Correlations are all around 0: the largest in absolute value, one class against the rest.",
				"around 0", study.AtMost(.2)),
			pairsSmall.Claim("So they are for pairs: the share below .1.",
				"not asked by the paper", study.AtLeast(.9)),
			pairsMax.Claim("The largest in absolute value of pairs.",
				"not asked by the paper", study.AtMost(.2)),
			restAboveNull.Claim("They are 0: the share of tasks, one class against the rest, whose largest correlation is "+
				"above the null's 95 % quantile.",
				"around 0", study.AtMost(.1)),
		},
		Specs: map[study.Scale]study.Spec{
			study.Smoke:      &LabelsSpec{Data: "glyphs", Images: 20, Patch: 3, Permutations: 5},
			study.Small:      &LabelsSpec{Data: "cifar10", Images: 2500, Patch: 3, Permutations: 100},
			study.PaperScale: &LabelsSpec{Data: "cifar10", Patch: 3, Permutations: 1000},
		},
	}
	return e
}

// Run implements Spec.
func (s *LabelsSpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	if s.Images < 0 || s.Permutations < 1 {
		return nil, input.Errorf("%d images of each class, %d permutations: want at least 1", s.Images, s.Permutations)
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
	o := &study.Outcome{Values: map[string]float64{}}
	if err := o.AddDataset(s.Data, set); err != nil {
		return nil, err
	}
	p, err := s.projectImages(ctx, set, components)
	if err != nil {
		return nil, err
	}
	tasks := p.labelTasks()
	for i := range tasks {
		in.Report("permutations", i, len(tasks))
		tasks[i].correlate(p, s.Permutations, in.Seed)
	}
	addLabelResults(tasks, o)
	return o, nil
}

// Jobs implements [study.Worker]: components of all images, and the correlations of
// permuted labels with them, which are approximated by a layer that reads each image
// once a permutation, number by number.
func (s *LabelsSpec) Jobs() ([]cost.Job, error) {
	set, err := workload.FindDatasetSize(s.Data, 0)
	if err != nil {
		return nil, err
	}
	classes := float64(set.Classes)
	each := float64(workload.ImagesUsed(s.Images, set.Train/set.Classes))
	if set.Train == 0 { // it is generated
		set.Train = s.Images * set.Classes
	}
	pairs := classes * (classes - 1) / 2
	rows := float64(s.Permutations) * each * (classes*classes + 2*pairs)
	net := cost.Net{Layers: 1, Values: float64(set.Shape.Channels*s.Patch*s.Patch) + 1}
	return []cost.Job{setups.PatchMomentsJob(set.Shape, s.Patch, set.Train),
		cost.Training{Net: net, Batch: 1, Tested: rows}}, nil
}

// addLabelResults adds the values of the claims, the tables and the charts of the tasks.
func addLabelResults(tasks []*labelTask, o *study.Outcome) {
	groups := []struct {
		key   string
		tasks []*labelTask
	}{{"rest", nil}, {"pairs", nil}}
	for _, t := range tasks {
		k := 0
		if t.second >= 0 {
			k = 1
		}
		groups[k].tasks = append(groups[k].tasks, t)
	}
	for _, g := range groups {
		var small, all, above float64
		for _, t := range g.tasks {
			o.Values[g.key+"_max"] = math.Max(o.Values[g.key+"_max"], t.largest)
			if t.largest > t.null {
				above++
			}
			for _, r := range t.correlations {
				all++
				if math.Abs(r) < .1 {
					small++
				}
			}
		}
		o.Values[g.key+"_small"], o.Values[g.key+"_above_null"] = small/all, above/float64(len(g.tasks))
	}
	rest, pairs := groups[0].tasks, groups[1].tasks
	o.Charts = append(o.Charts,
		labelChart("one-against-rest", "One class against the rest", rest),
		labelChart("pairs", "Pairs of classes", table3Pairs(pairs)))
	o.Tables = append(o.Tables, labelTable("rest", "One class against the rest.", rest),
		labelTable("pairs", "Pairs of classes.", pairs))
	o.Notes = append(o.Notes, fmt.Sprintf("%d tasks of one class against the rest, and %d pairs.", len(rest),
		len(pairs)))
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
		s := report.Series{Label: t.name}
		for i, r := range t.correlations {
			s.X, s.Y = append(s.X, float64(i+1)), append(s.Y, r)
		}
		c.Series = append(c.Series, s)
	}
	for _, sign := range []float64{1, -1} {
		s := report.Series{Label: map[float64]string{1: "null", -1: "−null"}[sign]}
		for i := range tasks[0].correlations {
			s.X, s.Y = append(s.X, float64(i+1)), append(s.Y, sign*tasks[0].null)
		}
		c.Series = append(c.Series, s)
	}
	return c
}

// labelTable lists the largest correlation of each task beside its null.
func labelTable(name, caption string, tasks []*labelTask) report.Table {
	t := report.Table{
		Name: name, Caption: caption + " The largest correlation over the components in absolute value, the " +
			"component, and the 95 % quantile of the same with permuted labels.",
		Columns: []report.Column{{Name: "classes"}, {Name: "largest", Numeric: true}, {Name: "component"},
			{Name: "null", Numeric: true}, {Name: "of components 1, 2, 3"}},
	}
	for _, k := range tasks {
		at := 0
		for i, r := range k.correlations {
			if r == k.largest || -r == k.largest {
				at = i
			}
		}
		text := ""
		for _, r := range k.correlations[:min(3, len(k.correlations))] {
			text += fmt.Sprintf("%+.2f ", r)
		}
		t.Rows = append(t.Rows, []report.Cell{{Text: k.name}, {Text: fmt.Sprintf("%.3f", k.largest), Value: k.largest},
			{Text: fmt.Sprint(at + 1)},
			{Text: fmt.Sprintf("%.3f", k.null), Value: k.null}, {Text: text}})
	}
	return t
}
