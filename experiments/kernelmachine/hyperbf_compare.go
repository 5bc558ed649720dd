package kernelmachine

import (
	"math"

	"gonum.org/v1/gonum/stat"

	"github.com/ansatz-lab/ansatz/experiments/record"
)

// HyperBFComparison is ways of learning M side by side, as in Table 1 of paper
// hyperbf: every run, and each method over the seeds.
type HyperBFComparison struct {
	Data        string              `json:"data"`
	Update      string              `json:"update"`
	Methods     []HyperBFMethod     `json:"methods"`
	Differences []HyperBFDifference `json:"differences,omitempty"`
	Runs        []*HyperBFRecord    `json:"runs"`
}

// HyperBFMethod is a method over the seeds: means of the iterations that were
// selected and, as NAME_sd, standard deviations (divided by the number of seeds
// less one).
type HyperBFMethod struct {
	Method             string             `json:"method"`
	Kernel             string             `json:"kernel"`
	Seeds              int                `json:"seeds"`
	TestAccuracy       *float64           `json:"test_accuracy,omitempty"`
	TestAccuracySD     *float64           `json:"test_accuracy_sd,omitempty"`
	StartAccuracy      *float64           `json:"start_test_accuracy,omitempty"` // with M = I and the same setting
	StartAccuracySD    *float64           `json:"start_test_accuracy_sd,omitempty"`
	ValidationAccuracy *float64           `json:"validation_accuracy,omitempty"`
	TestMSE            *float64           `json:"test_mse,omitempty"`
	TestMSESD          *float64           `json:"test_mse_sd,omitempty"`
	TestR2             *float64           `json:"test_r2,omitempty"`
	TestR2SD           *float64           `json:"test_r2_sd,omitempty"`
	PaperAccuracy      *float64           `json:"paper_accuracy,omitempty"`
	Alike              []HyperBFAlikeOver `json:"alike,omitempty"`
}

// HyperBFAlikeOver is a [HyperBFAlike] over the seeds. PearsonNullSD is that of
// a rotation, on average.
type HyperBFAlikeOver struct {
	HyperBFAlike
	PearsonSD *float64 `json:"pearson_sd,omitempty"`
	CosineSD  *float64 `json:"cosine_sd,omitempty"`
}

// HyperBFDifference is the difference of the test accuracies of two methods,
// seed by seed: the mean, and its standard error over the seeds.
type HyperBFDifference struct {
	Of     string   `json:"of"`
	Less   string   `json:"less"`
	Mean   float64  `json:"test_accuracy"`
	StdErr *float64 `json:"stderr,omitempty"`
	Paper  *float64 `json:"paper,omitempty"`
}

// summariseSeeds takes the methods and their differences over the seeds.
func (c *HyperBFComparison) summariseSeeds() {
	byMethod := map[string][]*HyperBFRecord{}
	var names []string
	for _, r := range c.Runs {
		if byMethod[r.Method] == nil {
			names = append(names, r.Method)
		}
		byMethod[r.Method] = append(byMethod[r.Method], r)
	}
	for _, name := range names {
		c.Methods = append(c.Methods, methodOver(c.Data, name, byMethod[name]))
	}
	for i, name := range names {
		for _, less := range names[:i] {
			if d, ok := differenceOver(byMethod[name], byMethod[less]); ok {
				d.Of, d.Less = name, less
				if a, b := paperAccuracy(c.Data, name), paperAccuracy(c.Data, less); a != nil && b != nil {
					paper := *a - *b
					d.Paper = &paper
				}
				c.Differences = append(c.Differences, d)
			}
		}
	}
}

func methodOver(data, name string, runs []*HyperBFRecord) HyperBFMethod {
	m := HyperBFMethod{Method: name, Kernel: runs[0].Kernel, Seeds: len(runs), PaperAccuracy: paperAccuracy(data, name)}
	over := func(of func(*HyperBFRecord) *float64) (mean, sd *float64) {
		var x []float64
		for _, r := range runs {
			x = append(x, record.ValueOrNaN(of(r)))
		}
		return meanSD(x)
	}
	selected := func(of func(IterationRecord) *float64) func(*HyperBFRecord) *float64 {
		return func(r *HyperBFRecord) *float64 { return of(r.Iterations[r.Selected]) }
	}
	m.TestAccuracy, m.TestAccuracySD = over(selected(func(i IterationRecord) *float64 { return i.TestAccuracy }))
	m.ValidationAccuracy, _ = over(selected(func(i IterationRecord) *float64 { return i.ValidationAccuracy }))
	m.TestMSE, m.TestMSESD = over(selected(func(i IterationRecord) *float64 { return i.TestMSE }))
	m.TestR2, m.TestR2SD = over(selected(func(i IterationRecord) *float64 { return i.TestR2 }))
	m.StartAccuracy, m.StartAccuracySD = over(func(r *HyperBFRecord) *float64 { return r.Iterations[0].TestAccuracy })
	for i, a := range runs[0].Alike {
		o := HyperBFAlikeOver{HyperBFAlike: HyperBFAlike{AGOP: a.AGOP, MinusStart: a.MinusStart}}
		of := func(pick func(HyperBFAlike) *float64) func(*HyperBFRecord) *float64 {
			return func(r *HyperBFRecord) *float64 { return pick(r.Alike[i]) }
		}
		o.Pearson, o.PearsonSD = over(of(func(a HyperBFAlike) *float64 { return a.Pearson }))
		o.PearsonNull, _ = over(of(func(a HyperBFAlike) *float64 { return a.PearsonNull }))
		o.PearsonNullSD, _ = over(of(func(a HyperBFAlike) *float64 { return a.PearsonNullSD }))
		o.Cosine, o.CosineSD = over(of(func(a HyperBFAlike) *float64 { return a.Cosine }))
		o.CosineNull, _ = over(of(func(a HyperBFAlike) *float64 { return a.CosineNull }))
		o.CosineNullSD, _ = over(of(func(a HyperBFAlike) *float64 { return a.CosineNullSD }))
		m.Alike = append(m.Alike, o)
	}
	return m
}

// meanSD returns the mean and the standard deviation, nil where they are not
// defined.
func meanSD(x []float64) (mean, sd *float64) {
	m, s := stat.MeanStdDev(x, nil)
	return record.DefinedOrNil(m), record.DefinedOrNil(s)
}

// differenceOver compares two methods seed by seed.
func differenceOver(a, b []*HyperBFRecord) (d HyperBFDifference, ok bool) {
	var x []float64
	for i := range a {
		x = append(x, record.ValueOrNaN(a[i].Iterations[a[i].Selected].TestAccuracy)-record.ValueOrNaN(
			b[i].Iterations[b[i].Selected].TestAccuracy))
	}
	mean, sd := meanSD(x)
	if mean == nil {
		return d, false
	}
	if d.Mean = *mean; sd != nil {
		d.StdErr = record.DefinedOrNil(*sd / math.Sqrt(float64(len(x))))
	}
	return d, true
}
