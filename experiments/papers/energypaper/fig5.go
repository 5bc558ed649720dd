package energypaper

import (
	"context"
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// LabelsSpec correlates the average patch of images with their labels.
type LabelsSpec struct {
	Data   string `json:"data" toml:"data"`
	Images int    `json:"images" toml:"images"` // of each class, drawn by the seed; 0 is all
	Patch  int    `json:"patch" toml:"patch"`
	// Permutations is how often labels are permuted for the null.
	Permutations int `json:"permutations" toml:"permutations"`
}

// fig5 is Fig. 5a.
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
			{
				Value: "rest_small", Paper: "almost all", Holds: study.AtLeast(.9),
				Sentence: "For almost all tasks and coefficients the correlation is close to zero: the share of " +
					"them, one class against the rest, below .1 in absolute value.",
			},
			{
				Value: "rest_max", Paper: "around 0", Holds: study.AtMost(.2),
				Sentence: "Correlations are all around 0: the largest in absolute value, one class against the rest.",
			},
			{
				Value: "pairs_small", Paper: "not asked by the paper", Holds: study.AtLeast(.9),
				Sentence: "So they are for pairs: the share below .1.",
			},
			{
				Value: "pairs_max", Paper: "not asked by the paper", Holds: study.AtMost(.2),
				Sentence: "The largest in absolute value of pairs.",
			},
			{
				Value: "rest_above_null", Paper: "around 0", Holds: study.AtMost(.1),
				Sentence: "They are 0: the share of tasks, one class against the rest, whose largest correlation is " +
					"above the null's 95 % quantile.",
			},
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

// addLabelResults puts the tasks into values, tables and charts.
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

// table3Pairs are the pairs of Table 3 among all pairs.
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
