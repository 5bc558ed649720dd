package kernelmachine

import (
	"fmt"
	"math"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/internal/words"
)

// Table returns the iterations.
func (r *HyperBFRecord) Table() *report.Table {
	t := r.RFMRecord.Table()
	t.Caption = fmt.Sprintf("The iterations of the hyper basis function network, %s. Iteration 0 is the network with "+
		"M = I; the one that was selected is marked.", r.Conventions.Update)
	return t
}

// Single returns the only run, nil if there are several.
func (c *HyperBFComparison) Single() *HyperBFRecord {
	if len(c.Runs) > 1 {
		return nil
	}
	return c.Runs[0]
}

// Table returns the methods beside the paper's Table 1.
func (c *HyperBFComparison) Table() *report.Table {
	t := &report.Table{
		Name: "methods",
		Caption: fmt.Sprintf("Ways of learning M (paper hyperbf, Table 1), mean ± standard deviation over %s, "+
			"each with different examples. The iteration, and among several values the bandwidth, ridge "+
			"and learning rate, were chosen on validation examples.", words.Count(c.Methods[0].Seeds, "seed")),
		Columns: []report.Column{
			{Name: "method"}, {Name: "kernel"}, {Name: "test accuracy", Numeric: true},
			{Name: "M = I", Numeric: true, Help: "test accuracy of the plain kernel, M = I, with the same setting"},
			{Name: "test MSE", Numeric: true}, {Name: "test R²", Numeric: true},
			{Name: "paper", Numeric: true, Help: "the paper's accuracy, for settings that it does not give"},
		},
	}
	for _, m := range c.Methods {
		t.Rows = append(t.Rows, []report.Cell{
			{Text: m.Method}, {Text: m.Kernel},
			record.PlusMinusCell(m.TestAccuracy, m.TestAccuracySD, "%.4f"),
			record.PlusMinusCell(m.StartAccuracy, m.StartAccuracySD, "%.4f"),
			record.PlusMinusCell(m.TestMSE, m.TestMSESD, "%.4f"), record.PlusMinusCell(m.TestR2, m.TestR2SD, "%.4f"),
			record.NumberCell(m.PaperAccuracy, "%.4f"),
		})
	}
	return t.WithoutEmpty()
}

// AlikeTable compares the M of gradient descent with AGOPs. It is nil if there is no gradient descent.
func (c *HyperBFComparison) AlikeTable() *report.Table {
	t := &report.Table{
		Name: "alike",
		Caption: "Similarity of M = WᵀW by gradient descent to AGOPs, mean ± standard deviation over the seeds; " +
			"nulls: the AGOP rotated at random, mean ± standard deviation of a rotation. own: the AGOP of the " +
			"network itself; first: that of the network before its first step; machine: M of the network that " +
			"learns by the AGOP, after its last iteration; covariance: that of the training examples, instead of " +
			"an AGOP. A similarity is marked if it exceeds its null by two standard deviations, those of null and " +
			"seeds combined.",
		Columns: []report.Column{
			{Name: "method"}, {Name: "AGOP"}, {Name: "M"}, {Name: "pearson", Numeric: true},
			{Name: "null of pearson", Numeric: true},
			{Name: "cosine", Numeric: true}, {Name: "null of cosine", Numeric: true},
		},
	}
	for _, m := range c.Methods {
		for _, a := range m.Alike {
			what := "M"
			if a.MinusStart {
				what = "M − I"
			}
			t.Rows = append(t.Rows, []report.Cell{
				{Text: m.Method}, {Text: a.AGOP}, {Text: what},
				record.MarkedCell(record.PlusMinusCell(a.Pearson, a.PearsonSD, "%.3f"),
					aboveMark(a.Pearson, a.PearsonSD, a.PearsonNull, a.PearsonNullSD)),
				record.PlusMinusCell(a.PearsonNull, a.PearsonNullSD, "%.3f"),
				record.MarkedCell(record.PlusMinusCell(a.Cosine, a.CosineSD, "%.3f"),
					aboveMark(a.Cosine, a.CosineSD, a.CosineNull, a.CosineNullSD)),
				record.PlusMinusCell(a.CosineNull, a.CosineNullSD, "%.3f"),
			})
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}

// aboveMark marks a similarity that lies above its null by [similarity.NullDeviations] deviations.
func aboveMark(v, sd, null, nullSD *float64) report.Mark {
	spread := 0.
	if sd != nil {
		spread = *sd
	}
	if v != nil && null != nil && nullSD != nil && *v-*null > similarity.NullDeviations*math.Hypot(spread, *nullSD) {
		return report.Good
	}
	return report.Muted
}

// Tables returns the methods, or the iterations of a single run, and [HyperBFComparison.AlikeTable].
func (c *HyperBFComparison) Tables() []*report.Table {
	first := c.Table()
	if one := c.Single(); one != nil {
		first = one.Table()
	}
	tables := []*report.Table{first}
	if t := c.AlikeTable(); t != nil {
		tables = append(tables, t)
	}
	return tables
}

// Summary says what the record shows, in a few sentences.
func (r *HyperBFRecord) Summary() string {
	of := r.RFMRecord
	of.Conventions = r.Conventions.RFMConventions
	return of.Summary()
}

// Summary says what the comparison shows, in a few sentences.
func (c *HyperBFComparison) Summary() string {
	if one := c.Single(); one != nil {
		return one.Summary()
	}
	var parts []string
	for _, d := range c.Differences {
		if d.Less != "agop" {
			continue
		}
		text := fmt.Sprintf("%s %+.2f", d.Of, 100*d.Mean)
		if d.StdErr != nil {
			text += fmt.Sprintf(" ± %.2f (standard error)", 100**d.StdErr)
		}
		text += " points"
		if d.Paper != nil {
			text += fmt.Sprintf(" (paper: %+.2f)", 100**d.Paper)
		}
		parts = append(parts, text)
	}
	copies := c.Runs[0].Conventions.TestCopies.Warning()
	if len(parts) == 0 {
		return fmt.Sprintf("%s on %s.%s", words.Count(len(c.Runs), "run"), c.Data, copies)
	}
	return "Test accuracy, less that of the AGOP: " + strings.Join(parts, "; ") + "." + copies
}

// Page returns the report.
func (c *HyperBFComparison) Page() (*report.Page, error) {
	seconds, first := 0., c.Runs[0]
	for _, r := range c.Runs {
		seconds += r.Seconds
	}
	p := &report.Page{Title: "Hyper basis function networks on " + c.Data, Lead: c.Summary(),
		Provenance: first.Conventions.Provenance(first.page.Machine, seconds, first.Conventions.Digests()...)}
	s := report.Section{Heading: "Ways of learning M", Text: []string{
		"A hyper basis function network is f(x) = Σ c G(‖x − t‖²_W). Its M = WᵀW is learned by the average " +
			"gradient outer product (AGOP), as in a recursive feature machine, or by gradient descent on W, with " +
			"fixed or with moving centres t.",
	}}
	for _, t := range c.Tables() {
		s.Tables = append(s.Tables, *t)
	}
	figure, err := c.figure()
	if err != nil {
		return nil, err
	}
	s.Figures = []report.Figure{figure}
	p.Sections = append(p.Sections, s)
	for _, r := range c.Runs[:len(c.Methods)] { // the runs of the first seed
		p.Sections = append(p.Sections, r.section())
	}
	return p, nil
}

// figure draws the test scores of the first seed over the iterations.
func (c *HyperBFComparison) figure() (report.Figure, error) {
	var series []report.Series
	label := "test accuracy"
	for _, r := range c.Runs[:len(c.Methods)] {
		s := report.Series{Label: r.Method}
		for _, it := range r.Iterations {
			v := it.TestAccuracy
			if v == nil {
				v, label = it.TestR2, "test R²"
			}
			if v == nil {
				v, label = it.TrainMSE, "training error"
			}
			s.X, s.Y = append(s.X, float64(it.Iteration)), append(s.Y, record.ValueOrNaN(v))
		}
		series = append(series, s)
	}
	f, err := report.LineChart("methods", "Ways of learning M", "iteration, from M = I", label, series)
	f.Caption = "The first seed with the chosen setting. An iteration is an AGOP, or some gradient steps; " +
		"iteration 0 is the network with M = I."
	return f, err
}

// section returns the section about the run.
func (r *HyperBFRecord) section() report.Section {
	t := r.Table()
	t.Name = "iterations-" + strings.ReplaceAll(r.Method, "+", "-and-")
	s := report.Section{Heading: fmt.Sprintf("%s, seed %d", r.Method, r.Seed), Tables: []report.Table{*t}}
	c := r.Conventions
	c.Chosen += fmt.Sprintf("; bandwidth %.4g, ridge %.4g", r.Chosen.Bandwidth, r.Chosen.Ridge)
	if r.Chosen.Rate > 0 {
		c.Chosen += fmt.Sprintf(", learning rate %.4g", r.Chosen.Rate)
	}
	s.Facts = append(c.facts(), report.FactsOf(c)...)
	return s
}

// Save writes the report into a folder: report.html with its figures and tables, and record.json. It
// writes the metric and the model too, if there is only one run. It returns the path of the report.
func (c *HyperBFFit) Save(dir string) (string, error) {
	if c.single != nil {
		return saveFit(dir, c.single)
	}
	return record.SaveRecord(dir, c)
}

// RecordKind implements [record.Record].
func (c *HyperBFComparison) RecordKind() string { return "hyperbf-comparison" }

// PageData returns the page data of the first run.
func (c *HyperBFComparison) PageData() *record.PageData {
	if len(c.Runs) == 0 {
		return nil
	}
	return c.Runs[0].PageData()
}

// RecordKind implements [record.Record].
func (r *HyperBFRecord) RecordKind() string { return "hyperbf" }

// Page returns the report.
func (r *HyperBFRecord) Page() (*report.Page, error) {
	c := &HyperBFComparison{Data: r.Data, Runs: []*HyperBFRecord{r}}
	c.summariseSeeds()
	return c.Page()
}
