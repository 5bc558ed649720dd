package energypaper

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// The measures of a kind of tasks: one class against the rest, or pairs of classes.
var (
	nearZero = study.NewMeasure("small") // the share of correlations below .1 in absolute value
	largest  = study.NewMeasure("max")   // in absolute value
)

const (
	restTasks = "rest"
	pairTasks = "pairs"
)

// LabelsSpec correlates the average patch of each image with the labels.
type LabelsSpec struct {
	Data string `json:"data" toml:"data"`
	// StandsFor is the paper's dataset that the images stand in for; "" if they are the paper's own.
	StandsFor string `json:"stands_for" toml:"stands_for"`
	Classes   string `json:"classes" toml:"classes"` // as of the command train; "" is all
	Size      int    `json:"size" toml:"size"`       // to which images are scaled; 0 is their own
	Images    int    `json:"images" toml:"images"`   // images of each class, drawn by the seed; 0 is all
	Patch     int    `json:"patch" toml:"patch"`
	// Permutations is the number of random permutations of the labels for the null.
	Permutations int `json:"permutations" toml:"permutations"`
}

// StandIns implements [study.Substituter].
func (s *LabelsSpec) StandIns() map[string]string {
	if s.StandsFor == "" {
		return nil
	}
	return map[string]string{s.StandsFor: s.Data}
}

// labelsAbout says what Fig. 5 measures.
var labelsAbout = study.About{
	Done: "The average patch of every image is projected onto the principal components of the patches. Each " +
		"projection is correlated with the label: one class against all others.",
	Controls: []string{
		"The null are labels permuted at random: for each permutation and task the largest correlation over the " +
			"components, and the 95 % quantile of these. With thousands of images it is a few hundredths, so that " +
			"correlations which the paper calls close to 0 exceed it. The tables show it, and no claim is about " +
			"it.",
	},
}

// fig5 returns Fig. 5a: correlations of the average patch with the labels.
func fig5() *study.Experiment {
	return &study.Experiment{
		ID: "energy/fig5", Paper: "energy", Figure: "Fig. 5a",
		Title: "How the average patch is correlated with the labels, of one class against the rest and of pairs",
		About: study.About{
			Done: "The images are CIFAR-10's.",
			Deviations: []string{
				"At scale small every seed draws half of the images, so that differences between seeds are " +
					"sampling errors.",
			},
			Controls: []string{
				"Pairs of classes are shown too: the tasks on which the paper trains linear CNNs, but whose " +
					"correlations it does not show.",
			},
		}.With(labelsAbout),
		Claims: append(labelClaims("CIFAR-10"),
			nearZero.Of(pairTasks).Check("For almost all pairs of classes of CIFAR-10 and components the "+
				"correlation of the average patch with the label is close to zero: share below .1 in absolute "+
				"value.", study.AtLeast(.9)),
			largest.Of(pairTasks).Check("The correlations of the average patch with the label of pairs of "+
				"classes of CIFAR-10 are all around 0: the largest in absolute value.", study.AtMost(.2))),
		Specs: map[study.Scale]study.Spec{
			study.Smoke:      &LabelsSpec{Data: "glyphs", Images: 20, Patch: 3, Permutations: 5},
			study.Small:      &LabelsSpec{Data: "cifar10", Images: 2500, Patch: 3, Permutations: 100},
			study.PaperScale: &LabelsSpec{Data: "cifar10", Patch: 3, Permutations: 1000},
		},
	}
}

// fig5b returns Fig. 5b: the same for 12 classes of ImageNet.
func fig5b() *study.Experiment {
	return &study.Experiment{
		ID: "energy/fig5b", Paper: "energy", Figure: "Fig. 5b",
		Title: "How the average patch of photographs of twelve classes is correlated with the labels",
		About: study.About{
			Done: "The images are photographs of twelve classes.",
			Deviations: []string{
				"The paper does not say which 12 classes of ImageNet it takes. At scale paper they are every " +
					"eightieth, at 224×224. At scale small twelve kinds of traffic signs stand in for them: " +
					"photographs of 32×32 (GTSRB), 200 of each.",
			},
		}.With(labelsAbout),
		Claims:     labelClaims(imageNet),
		SmallSeeds: 10,
		Specs: map[study.Scale]study.Spec{
			study.Smoke: &LabelsSpec{Data: "glyphs", Images: 20, Patch: 3, Permutations: 5, Classes: "0,1,2,3",
				StandsFor: imageNet},
			study.Small: &LabelsSpec{Data: "gtsrb", Images: 200, Patch: 3, Permutations: 100, Size: 32,
				Classes: "1,2,3,4,5,7,8,9,10,12,13,38", StandsFor: imageNet},
			study.PaperScale: &LabelsSpec{Data: "imagenet", Patch: 3, Permutations: 1000, Size: 224,
				Classes: "0,80,160,240,320,400,480,560,640,720,800,880"},
		},
	}
}

// labelClaims returns the claims of one half of the figure.
func labelClaims(dataset string) []study.Claim {
	return []study.Claim{
		nearZero.Of(restTasks).Claim("For almost all classes and components the correlation of the average patch "+
			"with the label, one class of "+dataset+
			" against the rest, is close to zero: the share below .1 in absolute value.",
			"almost all", study.AtLeast(.9)).On(dataset).Diagnosed(labelsKnown),
		largest.Of(restTasks).Claim("The correlations of the average patch with the label, one class of "+dataset+
			" against the rest, are all around 0: the largest in absolute value.",
			"around 0", study.AtMost(.2)).On(dataset).Diagnosed(labelsKnown),
	}
}

// labelsKnown says what is known of the correlations.
const labelsKnown = "Several classes differ from the rest in some components by far more than the null (table of one class against " +
	"the rest). More images give the same: all of CIFAR-10, at scale paper, within minutes. The paper prints a picture and no " +
	"number: .1 and .2 are ours."

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
	o.Charts = slices.Concat(labelCharts("one-against-rest", "One class against the rest", rest),
		labelCharts("pairs", "Pairs of classes", table3Pairs(pairs)))
	o.Tables = []report.Table{labelTable("rest", "One class against the rest.", rest),
		labelTable("pairs", "Pairs of classes.", pairs)}
	o.Notes = []string{fmt.Sprintf("%d tasks of one class against the rest, and %d pairs.", len(rest), len(pairs))}
	return o, nil
}

// setLabelMeasures sets the measures of a kind of tasks.
func setLabelMeasures(kind string, tasks []*labelTask, o *study.Outcome) {
	var most, below, all float64
	for _, t := range tasks {
		most = math.Max(most, t.largest)
		for _, r := range t.correlations {
			all++
			below += indicator(math.Abs(r) < .1)
		}
	}
	o.Set(largest.Of(kind), most)
	o.Set(nearZero.Of(kind), below/all)
}

// table3Pairs selects the pairs of Table 3 among all pairs.
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

// labelCharts divides tasks among charts of at most four curves: more cannot be told apart, since they cross so often.
// If there are several charts, their names end in a number.
func labelCharts(name, title string, tasks []*labelTask) []study.Chart {
	const most = 4
	count := max(1, (len(tasks)+most-1)/most)
	var charts []study.Chart
	for i := range count {
		part := tasks[i*len(tasks)/count : (i+1)*len(tasks)/count]
		if count == 1 {
			return []study.Chart{labelChart(name, title, part)}
		}
		charts = append(charts,
			labelChart(fmt.Sprintf("%s-%d", name, i+1), fmt.Sprintf("%s, %d of %d", title, i+1, count), part))
	}
	return charts
}

// labelChart draws the correlations of tasks by component, with the null's range for the first task.
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

// labelTable lists the largest correlation of each task with its null.
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
