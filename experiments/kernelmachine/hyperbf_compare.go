package kernelmachine

import (
	"math"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"gonum.org/v1/gonum/stat"
)

// HyperBFComparison compares ways of learning M, as Table 1 of paper hyperbf does. It holds every run,
// and a summary of each method over the seeds.
type HyperBFComparison struct {
	Data        string              `json:"data"`
	Update      string              `json:"update"`
	Methods     []HyperBFMethod     `json:"methods"`
	Differences []HyperBFDifference `json:"differences,omitempty"`
	Runs        []*HyperBFRecord    `json:"runs"`
}

// HyperBFMethod summarises a method over the seeds. The numbers are means over the selected iterations
// and, as NAME_sd, standard deviations, with the number of seeds less one as denominator.
type HyperBFMethod struct {
	Method             string                  `json:"method"`
	Kernel             string                  `json:"kernel"`
	Seeds              int                     `json:"seeds"`
	TestAccuracy       *float64                `json:"test_accuracy,omitempty"`
	TestAccuracySD     *float64                `json:"test_accuracy_sd,omitempty"`
	StartAccuracy      *float64                `json:"start_test_accuracy,omitempty"` // with M = I and the same setting
	StartAccuracySD    *float64                `json:"start_test_accuracy_sd,omitempty"`
	ValidationAccuracy *float64                `json:"validation_accuracy,omitempty"`
	TestMSE            *float64                `json:"test_mse,omitempty"`
	TestMSESD          *float64                `json:"test_mse_sd,omitempty"`
	TestR2             *float64                `json:"test_r2,omitempty"`
	TestR2SD           *float64                `json:"test_r2_sd,omitempty"`
	PaperAccuracy      *float64                `json:"paper_accuracy,omitempty"`
	Alike              []HyperBFMeanSimilarity `json:"alike,omitempty"`
}

// HyperBFMeanSimilarity is the mean of a [HyperBFSimilarity] over the seeds. The standard deviations
// of nulls are those over the rotations, averaged over the seeds.
type HyperBFMeanSimilarity struct {
	HyperBFSimilarity
	PearsonSD *float64 `json:"pearson_sd,omitempty"`
	CosineSD  *float64 `json:"cosine_sd,omitempty"`
}

// HyperBFDifference is the test accuracy of method Of minus the test accuracy of method Less: the mean
// over the seeds and its standard error.
type HyperBFDifference struct {
	Of     string   `json:"of"`
	Less   string   `json:"less"`
	Mean   float64  `json:"test_accuracy"`
	StdErr *float64 `json:"stderr,omitempty"`
	Paper  *float64 `json:"paper,omitempty"`
}

// summariseSeeds sets the methods and their differences from the runs.
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
		c.Methods = append(c.Methods, summariseMethod(c.Data, name, byMethod[name]))
	}
	for i, name := range names {
		for _, less := range names[:i] {
			if d, ok := subtractAccuracies(byMethod[name], byMethod[less]); ok {
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

// summariseMethod returns the summary of a method's runs.
func summariseMethod(data, name string, runs []*HyperBFRecord) HyperBFMethod {
	m := HyperBFMethod{Method: name, Kernel: runs[0].Kernel, Seeds: len(runs), PaperAccuracy: paperAccuracy(data, name)}
	average := func(value func(*HyperBFRecord) *float64) (mean, sd *float64) {
		var x []float64
		for _, r := range runs {
			x = append(x, record.ValueOrNaN(value(r)))
		}
		return meanSD(x)
	}
	m.TestAccuracy, m.TestAccuracySD = average(func(r *HyperBFRecord) *float64 { return r.selected().TestAccuracy })
	m.ValidationAccuracy, _ = average(func(r *HyperBFRecord) *float64 { return r.selected().ValidationAccuracy })
	m.TestMSE, m.TestMSESD = average(func(r *HyperBFRecord) *float64 { return r.selected().TestMSE })
	m.TestR2, m.TestR2SD = average(func(r *HyperBFRecord) *float64 { return r.selected().TestR2 })
	m.StartAccuracy,
		m.StartAccuracySD = average(func(r *HyperBFRecord) *float64 { return r.Iterations[0].TestAccuracy })
	for i, a := range runs[0].Alike {
		o := HyperBFMeanSimilarity{HyperBFSimilarity: HyperBFSimilarity{AGOP: a.AGOP, MinusStart: a.MinusStart}}
		o.Pearson, o.PearsonSD = average(func(r *HyperBFRecord) *float64 { return r.Alike[i].Pearson })
		o.PearsonNull, _ = average(func(r *HyperBFRecord) *float64 { return r.Alike[i].PearsonNull })
		o.PearsonNullSD, _ = average(func(r *HyperBFRecord) *float64 { return r.Alike[i].PearsonNullSD })
		o.Cosine, o.CosineSD = average(func(r *HyperBFRecord) *float64 { return r.Alike[i].Cosine })
		o.CosineNull, _ = average(func(r *HyperBFRecord) *float64 { return r.Alike[i].CosineNull })
		o.CosineNullSD, _ = average(func(r *HyperBFRecord) *float64 { return r.Alike[i].CosineNullSD })
		m.Alike = append(m.Alike, o)
	}
	return m
}

// selected returns the selected iteration.
func (r *HyperBFRecord) selected() IterationRecord { return r.Iterations[r.Selected] }

// meanSD returns the mean and the standard deviation, nil if they are not defined.
func meanSD(x []float64) (mean, sd *float64) {
	m, s := stat.MeanStdDev(x, nil)
	return record.DefinedOrNil(m), record.DefinedOrNil(s)
}

// subtractAccuracies returns the difference a − b of the test accuracies, paired by seed. It is not ok if
// there are no accuracies.
func subtractAccuracies(a, b []*HyperBFRecord) (d HyperBFDifference, ok bool) {
	var x []float64
	for i := range a {
		x = append(x, record.ValueOrNaN(a[i].selected().TestAccuracy)-record.ValueOrNaN(b[i].selected().TestAccuracy))
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
