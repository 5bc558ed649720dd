package hyperbfpaper

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/examples"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/kernelmachine"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// HyperTableSpec compares ways of learning the metric M of a hyper basis function network on
// image classification (hyperbf, Table 1).
type HyperTableSpec struct {
	Sets       []setups.ImageTask `json:"sets" toml:"sets"`
	Train      int                `json:"train" toml:"train"` // 0 is all
	Test       int                `json:"test" toml:"test"`   // 0 is all
	Bandwidths []float64          `json:"bandwidths" toml:"bandwidths"`
	Ridges     []float64          `json:"ridges" toml:"ridges"`
	Optimiser  string             `json:"optimiser" toml:"optimiser"` // of gradient descent: sgd, as in the paper, or adam
	Rates      []float64          `json:"rates" toml:"rates"`
	Iterations int                `json:"iterations" toml:"iterations"` // AGOPs
	Steps      int                `json:"steps" toml:"steps"`           // of gradient descent
	Scale      string             `json:"scale" toml:"scale"`           // of the AGOP: none, max or trace
	// Alignments are networks that are fitted only for the alignment of what they learn. The paper's claims are about
	// the first.
	Alignments []AlignmentFit `json:"alignments" toml:"alignments"`
}

// AlignmentFit holds the settings of networks whose M is compared with AGOPs. Its Name is the prefix of its measures;
// that of the first may be "".
type AlignmentFit struct {
	Name      string  `json:"name" toml:"name"`
	Optimiser string  `json:"optimiser" toml:"optimiser"`
	Rate      float64 `json:"rate" toml:"rate"`
	Bandwidth float64 `json:"bandwidth" toml:"bandwidth"`
	Ridge     float64 `json:"ridge" toml:"ridge"`
}

// The names of the two datasets of the table.
const (
	mnistName = "mnist"
	cifarName = "cifar10"
)

// paperMethods are the rows of the paper's table. Its GD also moves the centres.
var paperMethods = []string{kernelmachine.PlainRFM, "agop", "gd+centres"}

// The measures of a dataset. An alignment also has its excess over the null, and its excess over the alignment with
// the covariance of the images.
var (
	spread         = study.NewMeasure("spread")
	learned        = study.NewMeasure("learned")
	gdOverAGOP     = study.NewMeasure("gd_over_agop")
	excess         = study.NewMeasure("excess")
	overCovariance = study.NewMeasure("covariance_excess")
)

// alignment is Pearson's correlation of the change of M from I that a method learned with an AGOP, see
// [kernelmachine.HyperBFSimilarity].
type alignment struct {
	study.Measure
	method, agop    string
	sentence, paper string
}

// alignments are the correlations that claims are about.
var alignments = []alignment{
	{study.NewMeasure("gd_own"), "gd", "own", "The change of M = WᵀW by gradient descent with fixed centres is " +
		"proportional to the network's own AGOP (eq. 6)", "∝"},
	{study.NewMeasure("centres_own"), "gd+centres", "own", "The change of M = WᵀW by gradient descent with " +
		"moving centres is proportional to the network's own AGOP (eq. 6)", "∝"},
	{study.NewMeasure("greedy"), "gd+centres", "machine", "The AGOP is a greedy approximation of gradient " +
		"descent, whose change of M with moving centres resembles the M of the network that learns by the AGOP",
		"approximation"},
}

// adamFit names the alignments of networks that are trained by Adam.
const adamFit = "adam"

// table1 returns the comparison of the AGOP with gradient descent.
func table1() *study.Experiment {
	e := &study.Experiment{
		ID: "hyperbf/table1", Paper: "hyperbf", Figure: "Table 1",
		Title:      "Learning M by the average gradient outer product and by gradient descent",
		About:      table1About,
		SmallSeeds: 5,
		Specs: map[study.Scale]study.Spec{
			study.Smoke: &HyperTableSpec{
				Sets: []setups.ImageTask{
					{Name: cifarName, Data: "glyphs", Classes: "3,5,8", Size: 8},
					{Name: mnistName, Data: "glyphs", Classes: "1,4,7", Size: 8},
				},
				Train: 48, Test: 30, Bandwidths: []float64{5}, Ridges: []float64{1}, Optimiser: "sgd",
				Rates: []float64{.1}, Iterations: 1, Steps: 5, Scale: "trace", Alignments: alignmentFits(5),
			},
			study.Small: &HyperTableSpec{
				Sets: []setups.ImageTask{
					{Name: cifarName, Data: "cifar10", Size: 16}, {Name: mnistName, Data: "mnist"},
				},
				Train: 1500, Test: 2000, Bandwidths: []float64{5}, Ridges: []float64{.01, 1}, Optimiser: "sgd",
				Rates: []float64{.1}, Iterations: 3, Steps: 30, Scale: "trace", Alignments: alignmentFits(5),
			},
			study.PaperScale: &HyperTableSpec{
				Sets:       []setups.ImageTask{{Name: cifarName, Data: "cifar10"}, {Name: mnistName, Data: "mnist"}},
				Bandwidths: []float64{5, 10, 20}, Ridges: []float64{.001, .01, .1, 1}, Optimiser: "sgd",
				Rates: []float64{.03, .1, .3}, Iterations: 5, Steps: 100, Scale: "trace", Alignments: alignmentFits(10),
			},
		},
	}
	for _, set := range []struct {
		key, name, spread, lead string
		printed                 []float64 // rows of the table
	}{
		{cifarName, "CIFAR-10", ".0082", "+.0082", []float64{.4630, .4578, .4660}},
		{mnistName, "MNIST", ".0078", "+.0046", []float64{.9656, .9688, .9734}},
	} {
		// The bars are rfm, agop, gd and gd+centres; the paper's GD is the last.
		e.Printed = append(e.Printed, study.Printed{Chart: set.key + "-accuracy", Of: "M learned", X: []float64{0, 1, 3},
			Y: set.printed})
		e.Claims = append(e.Claims, setClaims(set.key, set.name, set.spread, set.lead)...)
	}
	return e
}

// alignmentFits returns the networks for the alignments: with plain gradient descent, as in the paper, and with Adam.
func alignmentFits(bandwidth float64) []AlignmentFit {
	return []AlignmentFit{{"", "sgd", .1, bandwidth, 1}, {adamFit, "adam", 1e-3, bandwidth, 1}}
}

// fewImagesKnown says what is known of the claims about accuracies.
const fewImagesKnown = "From 1500 images learning M gains no accuracy: on MNIST validation chooses M = I for " +
	"both of these networks with 28 of 35 seeds, at the least ridge, which leaves nothing to descend (table of what was chosen), " +
	"and the RFM, which has another kernel, is as good with M = I. Differences are of the size of a standard error on 2000 " +
	"test images. All training images would decide, some weeks of a core for a seed."

// setClaims returns the claims about a dataset, by its key and its name, with the differences that the paper
// prints.
func setClaims(key, name, printedSpread, printedLead string) []study.Claim {
	on := func(c study.Claim) study.Claim { return c.On(name) }
	all := []study.Claim{
		// The difference of two accuracies on 2000 images has a standard error of 1.1 points, so .02 is the smallest
		// difference that this scale can tell from 0.
		on(spread.Of(key).Claim("On "+name+", the test accuracies of RFM, AGOP and GD are remarkably similar: "+
			"largest difference.", printedSpread, study.AtMost(.02)).Diagnosed(fewImagesKnown)),
		on(gdOverAGOP.Of(key).Claim("On "+name+", a hyper basis function network that learns M by GD is more accurate "+
			"than one that learns it by the AGOP: difference of the test accuracies.",
			printedLead, study.Above(0)).Diagnosed(fewImagesKnown)),
		on(learned.Of(key).Check("On "+name+", learning M raises the test accuracy of hyper basis function networks: "+
			"gain over M = I, mean of the three methods.", study.Above(0))),
	}
	for _, a := range alignments {
		m, null := a.Of(key), excess.Of(a.Name()).Of(key)
		all = append(all,
			on(m.Claim(a.sentence+", on "+name+": Pearson correlation.", a.paper, study.AtLeast(.5)).WithControl(null)),
			on(null.Check(a.sentence+", on "+name+": excess of Pearson's correlation over that with an AGOP "+
				"rotated at random.", study.AtLeast(.1))),
			on(overCovariance.Of(a.Name()).Of(key).Check(a.sentence+", on "+name+": by how much more than the "+
				"covariance of the images.", study.Above(0))),
			on(a.Of(adamFit).Of(key).Check(a.sentence+", on "+name+", if descent is by Adam: Pearson correlation.",
				study.AtLeast(.5))))
	}
	return all
}

// StandIns implements [study.Substituter].
func (s *HyperTableSpec) StandIns() map[string]string {
	names := map[string]string{cifarName: "CIFAR-10", mnistName: "MNIST"}
	used := map[string]string{}
	for _, set := range s.Sets {
		if set.Data != set.Name && names[set.Name] != "" {
			used[names[set.Name]] = set.Data
		}
	}
	return used
}

// Run implements Spec.
func (s *HyperTableSpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	bandwidths, rates := slices.Clone(s.Bandwidths), slices.Clone(s.Rates)
	for _, a := range s.Alignments {
		bandwidths, rates = append(bandwidths, a.Bandwidth), append(rates, a.Rate)
	}
	if len(s.Sets) == 0 || slices.Contains(bandwidths, 0) || slices.Contains(rates, 0) {
		return nil, input.Errorf("%d sets, bandwidths %v and rates %v: want at least one set, and bandwidths and rates above 0",
			len(s.Sets), bandwidths, rates)
	}
	o := &study.Outcome{}
	for _, set := range s.Sets {
		if err := s.compareOn(ctx, in, set, o); err != nil {
			return nil, err
		}
		for _, a := range s.Alignments {
			if err := s.alignOn(ctx, in, set, a, o); err != nil {
				return nil, err
			}
		}
	}
	return o, nil
}

// fit fits the networks of a spec on a dataset.
func (s *HyperTableSpec) fit(ctx context.Context, in study.Setting, set setups.ImageTask,
	h kernelmachine.HyperBFSpec) (*kernelmachine.HyperBF, *kernelmachine.HyperBFFit, error) {
	h.Spec = examples.Spec{
		Data: set.Data, Dir: in.DataDir, Classes: set.Classes, Size: set.Size, Train: s.Train, Test: s.Test,
		Seed: in.Seed, Balanced: s.Train > 0,
	}
	h.Iterations, h.Steps, h.Scale, h.Threads = s.Iterations, s.Steps, s.Scale, in.Threads
	networks, err := kernelmachine.NewHyperBF(ctx, in, h)
	if err != nil {
		return nil, nil, err
	}
	found, err := networks.Run(ctx, func(p kernelmachine.HyperBFProgress) {
		if p.Stage != "" {
			in.Report(set.Name+", "+p.Method+": "+p.Stage, p.Done, p.Total)
		}
	})
	return networks, found, err
}

// compareOn compares the methods on one dataset.
func (s *HyperTableSpec) compareOn(ctx context.Context, in study.Setting, set setups.ImageTask,
	o *study.Outcome) error {
	h, found, err := s.fit(ctx, in, set, kernelmachine.HyperBFSpec{
		Bandwidths: s.Bandwidths, Ridges: s.Ridges, Rates: s.Rates, Optimiser: s.Optimiser,
	})
	if err != nil {
		return err
	}
	kernelmachine.RecordExamples(o, set.Name, h.Examples)
	setMeasures(set.Name, &found.HyperBFComparison, o)
	methods := found.Table()
	methods.Name = set.Name + "-methods"
	methods.Caption = "Ways of learning M on " + set.Data +
		", test accuracies. The iteration and, among several values, the bandwidth, ridge and learning rate were " +
		"chosen on validation examples."
	o.Tables = append(o.Tables, *methods, chosenTable(&found.HyperBFComparison, set.Name))
	o.Charts = append(o.Charts, comparisonChart(&found.HyperBFComparison, set.Name))
	return nil
}

// alignOn compares what networks learn by gradient descent with AGOPs.
func (s *HyperTableSpec) alignOn(ctx context.Context, in study.Setting, set setups.ImageTask, a AlignmentFit,
	o *study.Outcome) error {
	_, found, err := s.fit(ctx, in, set, kernelmachine.HyperBFSpec{
		Bandwidths: []float64{a.Bandwidth}, Ridges: []float64{a.Ridge}, Rates: []float64{a.Rate}, Optimiser: a.Optimiser,
	})
	if err != nil {
		return err
	}
	setAlignments(set.Name, a.Name, &found.HyperBFComparison, o)
	if t := found.AlikeTable(); t != nil {
		t.Name = strings.Join([]string{set.Name, a.Optimiser, "alike"}, "-")
		t.Caption = fmt.Sprintf("Similarity of M = WᵀW by gradient descent (%s, learning rate %g, ridge %g) to "+
			"AGOPs on %s; nulls: the AGOP rotated at random. own: the AGOP of the network itself; first: that of "+
			"the network before its first step; machine: M of the network that learns by the AGOP, after its last "+
			"iteration; covariance: that of the training images, instead of an AGOP. A similarity is marked if it "+
			"exceeds its null by two of the null's standard deviations.",
			a.Optimiser, a.Rate, a.Ridge, set.Data)
		o.Tables = append(o.Tables, *t)
	}
	return nil
}

// setMeasures sets the measures of a dataset.
func setMeasures(set string, c *kernelmachine.HyperBFComparison, o *study.Outcome) {
	least, most, gain := math.Inf(1), math.Inf(-1), 0.
	accuracy := map[string]float64{}
	for _, m := range c.Methods {
		test := record.ValueOrNaN(m.TestAccuracy)
		accuracy[m.Method] = test
		if slices.Contains(paperMethods, m.Method) {
			least, most = min(least, test), max(most, test)
			gain += (test - record.ValueOrNaN(m.StartAccuracy)) / float64(len(paperMethods))
		}
	}
	o.Set(spread.Of(set), most-least)
	o.Set(learned.Of(set), gain)
	o.Set(gdOverAGOP.Of(set), accuracy["gd+centres"]-accuracy["agop"])
}

// setAlignments sets the alignments of networks that were fitted for them on a dataset. For the networks without a
// name it also sets the excesses.
func setAlignments(set, fit string, c *kernelmachine.HyperBFComparison, o *study.Outcome) {
	for _, a := range alignments {
		pearson := map[string]*kernelmachine.HyperBFMeanSimilarity{}
		for _, m := range c.Methods {
			for i, found := range m.Alike {
				if m.Method == a.method && found.MinusStart {
					pearson[found.AGOP] = &m.Alike[i]
				}
			}
		}
		of, covariance := pearson[a.agop], pearson["covariance"]
		if of == nil || covariance == nil {
			continue // a dry run
		}
		value := record.ValueOrNaN(of.Pearson)
		o.Set(a.Of(fit).Of(set), value)
		if fit == "" {
			o.Set(excess.Of(a.Name()).Of(set), value-record.ValueOrNaN(of.PearsonNull))
			o.Set(overCovariance.Of(a.Name()).Of(set), value-record.ValueOrNaN(covariance.Pearson))
		}
	}
}

// chosenTable returns the settings chosen on validation examples, of one seed.
func chosenTable(c *kernelmachine.HyperBFComparison, set string) report.Table {
	type run = *kernelmachine.HyperBFRecord
	return record.TableOf(set+"-chosen", "The settings chosen on validation examples.", c.Runs,
		record.TextField("method", func(r run) string { return r.Method }),
		record.NumberField("bandwidth", "%.1f", func(r run) float64 { return r.Chosen.Bandwidth }),
		record.NumberField("ridge", "%.3f", func(r run) float64 { return r.Chosen.Ridge }),
		record.NumberField("rate", "%.4f", func(r run) float64 { return r.Chosen.Rate }),
		record.NumberField("iteration", "%.1f",
			func(r run) float64 { return float64(r.Iterations[r.Selected].Iteration) }))
}

// comparisonChart returns the test accuracies as bars.
func comparisonChart(c *kernelmachine.HyperBFComparison, set string) study.Chart {
	x := study.Places(len(c.Methods))
	chart := study.Chart{Name: set + "-accuracy", Title: "Test accuracy on " + c.Data, YLabel: "test accuracy",
		Series: []report.Series{{Label: "M learned", X: x}, {Label: "M = I", X: x}}}
	for _, m := range c.Methods {
		chart.Labels = append(chart.Labels, m.Method)
		for i, v := range []*float64{m.TestAccuracy, m.StartAccuracy} {
			chart.Series[i].Y = append(chart.Series[i].Y, record.ValueOrNaN(v))
		}
	}
	return chart
}
