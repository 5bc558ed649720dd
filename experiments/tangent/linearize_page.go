package tangent

import (
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
)

// Table has a line for every ridge, and one for the network at w₀.
func (r *LinearizeRecord) Table() *report.Table {
	t := &report.Table{
		Name: "solutions", Caption: "The solutions by ridge; accuracies in percent. The first line is the network at its initial weights, the marked one was selected.",
		Columns: record.NumericColumns("ridge", "train loss", "train accuracy", "validation loss", "validation accuracy", "test loss", "test accuracy", "norm of u", "rounding", "rank", "iterations", "seconds"),
	}
	t.Columns = append(t.Columns, report.Column{Name: "by"})
	none := func() report.Cell { return record.NumberCell(nil, "") }
	t.Rows = append(t.Rows, append(append([]report.Cell{{Text: "u = 0", Mark: report.Muted}}, r.Initial.cells()...), none(), none(), none(), none(), none(), report.Cell{}))
	for i, s := range r.Solutions {
		first := report.Cell{Text: fmt.Sprintf("%g", s.Ridge)}
		if i == r.Selected && len(r.Solutions) > 1 {
			first.Mark = report.Good
		}
		row := append([]report.Cell{first}, s.cells()...)
		t.Rows = append(t.Rows, append(row, record.NumberCell(&s.Norm, "%.4g"), record.NumberCell(&s.Rounding, "%.1e"), record.CountCell(s.Rank), record.CountCell(s.Iterations), record.NumberCell(&s.Seconds, "%.2f"), report.Cell{Text: s.Method}))
	}
	return t.WithoutEmpty()
}

// cells are losses and accuracies of the three sets.
func (s ScoresRecord) cells() []report.Cell {
	var row []report.Cell
	for _, of := range []*ScoreRecord{&s.Train, s.Validation, s.Test} {
		if of == nil {
			row = append(row, record.NumberCell(nil, ""), record.NumberCell(nil, ""))
			continue
		}
		row = append(row, record.NumberCell(&of.Loss, "%.4g"), record.PercentCell(of.Accuracy))
	}
	return row
}

// Page is the record as a report.
func (r *LinearizeRecord) Page() (*report.Page, error) {
	s := report.Section{Heading: "Solutions", Tables: []report.Table{*r.Table()}, Facts: report.FactsOf(r.Conventions)}
	for _, f := range []func() (*report.Figure, error){r.ridgeFigure, r.residualFigure} {
		figure, err := f()
		if err != nil {
			return nil, err
		}
		if figure != nil {
			s.Figures = append(s.Figures, *figure)
		}
	}
	return &report.Page{
		Title: fmt.Sprintf("Linearization of %s on %s", r.name(), r.Data), Lead: r.Summary(),
		Sections: []report.Section{s}, Provenance: r.Conventions.Provenance(r.page.Machine, 0),
	}, nil
}

// ridgeFigure is accuracy by ridge, nil for fewer than two ridges above 0.
func (r *LinearizeRecord) ridgeFigure() (*report.Figure, error) {
	train, validation, test := report.Series{Label: "training"}, report.Series{Label: "validation"}, report.Series{Label: "test"}
	add := func(s *report.Series, x float64, of *ScoreRecord) {
		if of != nil {
			s.X, s.Y = append(s.X, x), append(s.Y, of.Accuracy)
		}
	}
	for _, s := range r.Solutions {
		if s.Ridge > 0 {
			x := math.Log10(s.Ridge)
			add(&train, x, &s.Train)
			add(&validation, x, s.Validation)
			add(&test, x, s.Test)
		}
	}
	if len(train.X) < 2 {
		return nil, nil
	}
	f, err := report.LineChart("ridges", "Accuracy by ridge", "log10 λ", "fraction right", []report.Series{train, validation, test})
	f.Caption = "Accuracy of the solutions with a ridge above 0."
	return &f, err
}

// residualFigure is how conjugate gradients went, nil for another method.
func (r *LinearizeRecord) residualFigure() (*report.Figure, error) {
	var all []report.Series
	for _, s := range r.Solutions {
		if len(s.Residuals) == 0 {
			continue
		}
		c := report.Series{Label: fmt.Sprintf("λ = %g", s.Ridge)}
		for i, v := range s.Residuals {
			c.X, c.Y = append(c.X, float64(i+1)), append(c.Y, math.Log10(v))
		}
		all = append(all, c)
	}
	if len(all) == 0 {
		return nil, nil
	}
	f, err := report.LineChart("residuals", "Conjugate gradients", "iteration", "log10 of the residual", all)
	f.Caption = "‖f_lin(u, X) − Y‖ over its first value, by iteration."
	return &f, err
}
