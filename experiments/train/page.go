package train

import (
	"cmp"
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/experiments/job"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/experiments/verify"
	"github.com/ansatz-lab/ansatz/internal/words"
	"github.com/ansatz-lab/ansatz/models"
)

// Table returns the training, epoch by epoch.
func (r *Record) Table() *report.Table { return record.InWords(historyTable(r.Epochs).WithoutEmpty()) }

func historyTable(epochs []EpochRecord) *report.Table {
	t := &report.Table{
		Name: "history",
		Caption: "Training, epoch by epoch. Training loss and accuracy are means over the steps, measured before " +
			"each step; the others are measured at the end of the epoch.",
		Columns: []report.Column{
			{Name: "epoch", Numeric: true}, {Name: "lr", Numeric: true, Help: "learning rate"},
			{Name: "train_loss", Numeric: true}, {Name: "train_accuracy", Numeric: true},
			{Name: "validation_loss", Numeric: true}, {Name: "validation_accuracy", Numeric: true},
			{Name: "test_loss", Numeric: true}, {Name: "test_accuracy", Numeric: true},
			{Name: "seconds", Numeric: true},
		},
	}
	for _, e := range epochs {
		t.Rows = append(t.Rows, []report.Cell{
			{Value: float64(e.Epoch), Text: fmt.Sprint(e.Epoch)}, {Value: e.LR, Text: fmt.Sprintf("%.4g", e.LR)},
			record.NumberCell(&e.TrainLoss, "%.4g"), record.NumberCell(&e.TrainAccuracy, "%.4f"),
			record.NumberCell(e.ValidationLoss, "%.4g"), record.NumberCell(e.ValidationAccuracy, "%.4f"),
			record.NumberCell(e.TestLoss, "%.4g"), record.NumberCell(e.TestAccuracy, "%.4f"),
			record.NumberCell(&e.Seconds, "%.1f"),
		})
	}
	return t
}

// Tables returns the history and, if the ansatz was tracked, its last measurement.
func (r *Record) Tables() []*report.Table {
	tables := []*report.Table{r.Table()}
	if len(r.Ansatz) > 0 {
		tables = append(tables, r.ansatzTable())
	}
	return tables
}

// ansatzTable returns the last measurement of the ansatz.
func (r *Record) ansatzTable() *report.Table {
	last := r.Ansatz[len(r.Ansatz)-1]
	t := &report.Table{
		Name: "ansatz-at-the-end",
		Caption: fmt.Sprintf("Similarity of CNFM and AGOP after %s, with its null. A layer is marked if it "+
			"exceeds its null by two standard deviations, those of null and measurement combined.", words.Count(last.Step, "step")),
		Columns: []report.Column{{Name: "layer"}},
	}
	for _, c := range cnfmKinds {
		t.Columns = append(t.Columns,
			report.Column{Name: c.label, Numeric: true, Help: "Pearson of the CNFM and the AGOP"},
			report.Column{Name: "± ", Numeric: true, Help: "standard error, by the jackknife"},
			report.Column{Name: "null", Numeric: true}, report.Column{Name: "± null", Numeric: true},
			report.Column{Name: "excess", Numeric: true, Help: "Pearson − null"},
			report.Column{Name: "normalised", Numeric: true, Help: similarity.NormalisedHelp})
	}
	t.Columns = append(t.Columns, report.Column{
		Name: "initial", Numeric: true, Help: "Pearson of the CNFM with the one before training",
	})
	for _, l := range last.Layers {
		row := []report.Cell{{Text: l.Layer}}
		for _, c := range cnfmKinds {
			row = append(row, c.of(l).Cells()...)
		}
		t.Rows = append(t.Rows, append(row, record.NumberCell(l.PearsonInit, "%.3f")))
	}
	return t
}

// ansatzHistory returns every measurement of the ansatz, one in each row.
func ansatzHistory(points []AnsatzPoint) *report.Table {
	t := &report.Table{Name: "ansatz", Columns: []report.Column{
		{Name: "step", Numeric: true}, {Name: "epoch", Numeric: true}, {Name: "layer"}, {Name: "cnfm"},
		{Name: "pearson", Numeric: true}, {Name: "pearson_stderr", Numeric: true},
		{Name: "pearson_null", Numeric: true}, {Name: "pearson_null_sd", Numeric: true},
		{Name: "excess", Numeric: true}, {Name: "cosine", Numeric: true}, {Name: "pearson_sqrt", Numeric: true},
		{Name: "pearson_init", Numeric: true},
	}}
	for _, p := range points {
		for _, l := range p.Layers {
			for _, c := range cnfmKinds {
				a := c.of(l)
				t.Rows = append(t.Rows, []report.Cell{
					{Value: float64(p.Step)}, {Value: p.Epoch}, {Text: l.Layer}, {Text: c.name},
					{Value: record.ValueOrNaN(a.Pearson)}, {Value: record.ValueOrNaN(a.PearsonStdErr)},
					{Value: record.ValueOrNaN(a.PearsonNull)}, {Value: record.ValueOrNaN(a.PearsonNullSD)},
					{Value: record.ValueOrNaN(a.Excess)}, {Value: record.ValueOrNaN(a.Cosine)},
					{Value: record.ValueOrNaN(a.PearsonSqrt)}, {Value: record.ValueOrNaN(l.PearsonInit)},
				})
			}
		}
	}
	return t
}

// Page returns the training as a page.
func (r *Record) Page() (*report.Page, error) {
	p := &report.Page{Title: fmt.Sprintf("Training of %s on %s", r.name(), r.Data), Lead: r.Summary(),
		Provenance: r.provenance()}
	curves := report.Section{Heading: "Loss and accuracy", Tables: []report.Table{*r.Table()}}
	for _, f := range []func() (report.Figure, error){r.lossFigure, r.accuracyFigure} {
		figure, err := f()
		if err != nil {
			return nil, err
		}
		curves.Figures = append(curves.Figures, figure)
	}
	if len(r.Ansatz) > 0 {
		section, err := r.ansatzSection()
		if err != nil {
			return nil, err
		}
		p.Sections = append(p.Sections, section)
		statements, ok, err := r.course().StatementSection()
		if err != nil {
			return nil, err
		}
		if ok {
			p.Sections = append(p.Sections, statements)
		}
	}
	if r.page.Explorer != nil {
		p.Sections = append(p.Sections, similarity.ExplorerSection(r.page.Explorer))
	}
	p.Sections = append(p.Sections, curves)
	return p, nil
}

// curve returns a quantity by epoch; ok is false if no epoch has it.
func (r *Record) curve(label string, of func(EpochRecord) float64) (s report.Series, ok bool) {
	s.Label = label
	for _, e := range r.Epochs {
		y := of(e)
		s.X, s.Y = append(s.X, float64(e.Epoch)), append(s.Y, y)
		ok = ok || !math.IsNaN(y)
	}
	return s, ok
}

func (r *Record) epochFigure(
	name, title, ylabel, caption string, train, validation, test func(EpochRecord) float64,
) (report.Figure, error) {
	var series []report.Series
	for _, c := range []struct {
		label string
		of    func(EpochRecord) float64
	}{{"training", train}, {"validation", validation}, {"test", test}} {
		if s, ok := r.curve(c.label, c.of); ok {
			series = append(series, s)
		}
	}
	f, err := report.LineChart(name, title, "epoch", ylabel, series)
	f.Caption = caption
	return f, err
}

func (r *Record) lossFigure() (report.Figure, error) {
	return r.epochFigure("loss", "Loss", lossLabel(r.Spec.Loss), "Mean loss of an image.",
		func(e EpochRecord) float64 { return e.TrainLoss },
		func(e EpochRecord) float64 { return record.ValueOrNaN(e.ValidationLoss) },
		func(e EpochRecord) float64 { return record.ValueOrNaN(e.TestLoss) })
}

// lossLabel returns the name of a loss in full.
func lossLabel(loss string) string {
	if loss == models.MeanSquaredError.String() {
		return "mean squared error"
	}
	return "cross-entropy"
}

func (r *Record) accuracyFigure() (report.Figure, error) {
	return r.epochFigure("accuracy", "Accuracy", "accuracy",
		"Fraction of the images that the network classifies correctly.",
		func(e EpochRecord) float64 { return e.TrainAccuracy },
		func(e EpochRecord) float64 { return record.ValueOrNaN(e.ValidationAccuracy) },
		func(e EpochRecord) float64 { return record.ValueOrNaN(e.TestAccuracy) })
}

// ansatzSection draws the ansatz over the training.
func (r *Record) ansatzSection() (report.Section, error) {
	s := report.Section{
		Heading: "The ansatz over the training",
		Text: []string{verify.WhatTheNullIs, "W − W₀ is the change of the filters by training, taken instead of " +
			"the filters W. The nulls of all measurements have the same random rotations, so that a curve shows " +
			"changes of the network."},
		Facts:  []report.Fact{{Name: "measured", Value: r.Conventions.Ansatz}},
		Tables: []report.Table{*r.ansatzTable()},
	}
	var err error
	s.Figures, err = r.course().Figures()
	return s, err
}

func (r *Record) provenance() []report.Fact {
	c := r.Conventions
	c.Model = cmp.Or(c.Model, "the network")
	facts := append(report.FactsOf(c), c.Provenance("", 0)...)
	if len(r.Makers) > 1 {
		facts = append(facts, report.Fact{Name: "made by ansatz", Value: job.MakersText(r.Makers)})
	}
	return facts
}
