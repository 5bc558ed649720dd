package tangent

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/models/weights"
)

// LinearizeRecord is a solved linear system as scripts read it.
type LinearizeRecord struct {
	Arch          string               `json:"arch"`
	Form          string               `json:"form,omitempty"`
	Width         float64              `json:"width"`
	Data          string               `json:"data"`
	Method        string               `json:"method"` // solve or cg
	Parameters    int                  `json:"parameters"`
	Outputs       int                  `json:"outputs"`
	Train         int                  `json:"train"`      // images
	Validation    int                  `json:"validation"` // images
	Test          int                  `json:"test"`       // images
	Rows          int                  `json:"rows"`       // of the system: training images · outputs
	KernelSeconds *float64             `json:"kernel_seconds,omitempty"`
	Initial       ScoresRecord         `json:"initial"`   // of the network at w₀
	Solutions     []SolutionRecord     `json:"solutions"` // a ridge each
	Selected      int                  `json:"selected"`  // the place of the one that was taken
	Weights       string               `json:"weights,omitempty"`
	Conventions   LinearizeConventions `json:"conventions"`

	page record.PageData
}

// ScoreRecord is the mean squared error over images and outputs, and the fraction
// of the images that are right.
type ScoreRecord struct {
	Loss     float64 `json:"loss"`
	Accuracy float64 `json:"accuracy"`
}

// ScoresRecord is the scores of the training images and, where there are some, of
// the others.
type ScoresRecord struct {
	Train      ScoreRecord  `json:"train"`
	Validation *ScoreRecord `json:"validation,omitempty"`
	Test       *ScoreRecord `json:"test,omitempty"`
}

// SolutionRecord is the solution with a ridge.
type SolutionRecord struct {
	Ridge  float64 `json:"ridge"`
	Method string  `json:"method"`         // cholesky, pseudo-inverse or conjugate gradients
	Rank   int     `json:"rank,omitempty"` // of the pseudo-inverse
	Norm   float64 `json:"norm"`           // ‖u‖
	ScoresRecord
	Iterations int       `json:"iterations,omitempty"`
	Converged  *bool     `json:"converged,omitempty"`
	Gradient   *float64  `json:"gradient,omitempty"`  // over its first value
	Residuals  []float64 `json:"residuals,omitempty"` // by iteration, over the first
	// Rounding is how far what u predicts of the training images is from what it
	// would be without rounding, over the size of what was to be fitted.
	Rounding float64 `json:"rounding"`
	Seconds  float64 `json:"seconds"` // of the solution, the kernel apart
}

// LinearizeConventions is what a solution depends on.
type LinearizeConventions struct {
	Model      string `json:"model" fact:"model"`
	System     string `json:"system" fact:"system"`
	Selected   string `json:"selected" fact:"selected"`
	Init       string `json:"init" fact:"initialisation"`
	Labels     string `json:"labels" fact:"labels"`
	Train      string `json:"train" fact:"training images"`
	Validation string `json:"validation" fact:"validation images"`
	Test       string `json:"test" fact:"test images"`
	Normalise  string `json:"normalise" fact:"normalisation"`
	record.RunConventions
}

// newRecord is the system before it is solved.
func (l *Linearization) newRecord() *LinearizeRecord {
	r := &LinearizeRecord{
		Arch: l.Training.Network().Arch.Name, Form: l.Training.Network().Arch.Form, Width: cmp.Or(l.Spec.Width, 1),
		Data: l.Training.Conventions().Data, Method: l.Spec.Method,
		Parameters: l.Training.Network().Size(), Outputs: l.Training.Network().Classes, Train: l.Training.Images().Train.Len(),
		Conventions: l.conventions(), page: record.NewPageData(),
	}
	r.Rows = r.Train * r.Outputs
	if l.Training.Images().Validation != nil {
		r.Validation = l.Training.Images().Validation.Len()
	}
	if l.Training.Images().Test != nil {
		r.Test = l.Training.Images().Test.Len()
	}
	return r
}

// conventions writes them down, most as those of a training.
func (l *Linearization) conventions() LinearizeConventions {
	t := l.Training.Conventions()
	c := LinearizeConventions{
		Model: train.LinearConvention, Init: t.Init, Labels: t.Labels, Train: t.Train, Validation: t.Validation,
		Test:      t.Test,
		Normalise: t.Normalise, RunConventions: t.RunConventions,
	}
	if l.Spec.Shift > 0 {
		c.Train += fmt.Sprintf("; each shifted by up to %d pixels, the same way every time", l.Spec.Shift)
	}
	targets := "one-hot targets 0 and 1"
	if l.Training.Network().Classes == 1 {
		targets = "one target, 0 or 1"
	}
	c.System = "min ‖f_lin(u, X) − Y‖² + λ‖u‖², " + targets + "; "
	if l.Spec.Method == cgMethod {
		c.System += fmt.Sprintf("by conjugate gradients (CGLS) from u = 0, until the gradient has fallen to %g of "+
			"its first length, at most %d iterations", l.Spec.Tolerance, l.Spec.Iterations)
	} else {
		c.System += "by its dual, u = Jᵀα with (JJᵀ + λI)α = Y − f(w₀, X), in float64; with λ = 0 of least norm"
	}
	c.Selected = "the only ridge"
	if len(l.Spec.Ridges) > 1 {
		c.Selected = "the ridge with the smallest validation loss; the test images choose nothing"
	}
	return c
}

// Save writes the report into a folder: report.html, its figures and tables,
// record.json, w₀ as initial.safetensors and u as tangents.safetensors. It returns
// the path of the report.
func (l *Linearization) Save(r *LinearizeRecord, dir string) (string, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	r.Weights = filepath.Join(dir, train.TangentsFile)
	if err := train.SaveTangents(r.Weights, l.Training, l.tangents, 0); err != nil {
		return "", err
	}
	if err := weights.Save(filepath.Join(dir, train.InitialFile), l.Training.Initial().StateDict(),
		l.Training.Metadata(0)); err != nil {
		return "", err
	}
	return record.SaveRecord(dir, r)
}

// RecordKind implements [newRecord.Record].
func (r *LinearizeRecord) RecordKind() string { return "linearize" }

// PageData is where the record was made.
func (r *LinearizeRecord) PageData() *record.PageData { return &r.page }

// muchRounding is the rounding of a solution that is not what was asked for.
const muchRounding = 1e-2

// name is the architecture's, with its width.
func (r *LinearizeRecord) name() string {
	if r.Width != 1 {
		return fmt.Sprintf("%s ×%g", r.Arch, r.Width)
	}
	return r.Arch
}

// Summary says in a sentence or two what came of the system.
func (r *LinearizeRecord) Summary() string {
	s := r.Solutions[r.Selected]
	text := fmt.Sprintf("The linearization of %s (%d weights) fitted %d images × %d outputs", r.name(), r.Parameters,
		r.Train, r.Outputs)
	if len(r.Solutions) > 1 {
		text += fmt.Sprintf("; of %d ridges the validation images chose %g", len(r.Solutions), s.Ridge)
	}
	parts := []string{fmt.Sprintf("training accuracy %.2f %%", 100*s.Train.Accuracy)}
	if s.Validation != nil {
		parts = append(parts, fmt.Sprintf("validation accuracy %.2f %%", 100*s.Validation.Accuracy))
	}
	if s.Test != nil {
		parts = append(parts, fmt.Sprintf("test accuracy %.2f %%", 100*s.Test.Accuracy))
	}
	text += fmt.Sprintf(": %s, ‖u‖ %.4g, by %s in %s.", strings.Join(parts, ", "), s.Norm, s.Method,
		train.FormatSeconds(s.Seconds))
	if s.Rounding > muchRounding {
		text += fmt.Sprintf(" Rounding has spoilt it: on the training images it is %.2g of what was to be fitted "+
			"away from what it would be without; --precision 64, or a ridge, mends that.", s.Rounding)
	}
	switch {
	case s.Rank > 0 && s.Rank < r.Rows:
		text += fmt.Sprintf(" The kernel is singular up to rounding: rank %d of %d.", s.Rank, r.Rows)
	case s.Converged != nil && !*s.Converged:
		text += fmt.Sprintf(" It had not converged after %d iterations: the gradient was %.2g of its first length.",
			s.Iterations, *s.Gradient)
	}
	return text
}

// Table has a line for every ridge, and one for the network at w₀.
func (r *LinearizeRecord) Table() *report.Table {
	t := &report.Table{
		Name: "solutions", Caption: "The solutions by ridge; accuracies in percent. The first line is the network " +
			"at its initial weights, the marked one was selected.",
		Columns: record.NumericColumns("ridge", "train loss", "train accuracy", "validation loss",
			"validation accuracy", "test loss", "test accuracy", "norm of u", "rounding", "rank", "iterations",
			"seconds"),
	}
	t.Columns = append(t.Columns, report.Column{Name: "by"})
	none := func() report.Cell { return record.NumberCell(nil, "") }
	t.Rows = append(t.Rows, append(append([]report.Cell{{Text: "u = 0", Mark: report.Muted}}, r.Initial.cells()...),
		none(), none(), none(), none(), none(), report.Cell{}))
	for i, s := range r.Solutions {
		first := report.Cell{Text: fmt.Sprintf("%g", s.Ridge)}
		if i == r.Selected && len(r.Solutions) > 1 {
			first.Mark = report.Good
		}
		row := append([]report.Cell{first}, s.cells()...)
		t.Rows = append(t.Rows, append(row, record.NumberCell(&s.Norm, "%.4g"), record.NumberCell(&s.Rounding, "%.1e"),
			record.CountCell(s.Rank), record.CountCell(s.Iterations), record.NumberCell(&s.Seconds, "%.2f"),
			report.Cell{Text: s.Method}))
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
	train, validation, test := report.Series{Label: "training"}, report.Series{Label: "validation"}, report.Series{
		Label: "test",
	}
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
	f, err := report.LineChart("ridges", "Accuracy by ridge", "log10 λ", "fraction right",
		[]report.Series{train, validation, test})
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
