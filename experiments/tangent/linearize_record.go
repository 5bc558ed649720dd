package tangent

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/internal/atomicfile"
	"github.com/ansatz-lab/ansatz/internal/words"
	"github.com/ansatz-lab/ansatz/models/kernels"
	"github.com/ansatz-lab/ansatz/models/weights"
)

// LinearizeRecord is the record of a solved linear system.
type LinearizeRecord struct {
	Arch          string               `json:"arch"`
	Form          string               `json:"form,omitempty"`
	Width         float64              `json:"width"`
	Data          string               `json:"data"`
	Method        string               `json:"method"`           // solve, exact or cg
	Kernel        string               `json:"kernel,omitempty"` // of exact: full, trace or diagonal
	Parameters    int                  `json:"parameters"`
	Outputs       int                  `json:"outputs"`
	Train         int                  `json:"train"`      // images
	Validation    int                  `json:"validation"` // images
	Test          int                  `json:"test"`       // images
	Rows          int                  `json:"rows"`       // of the system: training images · outputs; of a trace kernel images
	KernelSeconds *float64             `json:"kernel_seconds,omitempty"`
	Initial       ScoresRecord         `json:"initial"` // of the network at w₀
	FlowRecord                         // with the ridge that was selected
	Solutions     []SolutionRecord     `json:"solutions"` // one for each ridge
	Selected      int                  `json:"selected"`  // index of the solution that was taken
	Weights       string               `json:"weights,omitempty"`
	Conventions   LinearizeConventions `json:"conventions"`

	page record.PageData
}

// ScoreRecord is the mean squared error over images and outputs, and the fraction of images that are classified correctly.
type ScoreRecord struct {
	Loss     float64 `json:"loss"`
	Accuracy float64 `json:"accuracy"`
}

// ScoresRecord holds the scores of the training images and of the validation and test images, if there are any.
type ScoresRecord struct {
	Train      ScoreRecord  `json:"train"`
	Validation *ScoreRecord `json:"validation,omitempty"`
	Test       *ScoreRecord `json:"test,omitempty"`
}

// SolutionRecord is the solution with a ridge.
type SolutionRecord struct {
	Ridge  float64 `json:"ridge"`
	Method string  `json:"method"`         // cholesky, pseudo-inverse, eigenvectors or conjugate gradients
	Rank   int     `json:"rank,omitempty"` // of the kernel, where eigenvalues are computed
	Norm   float64 `json:"norm"`           // ‖u‖; for a kernel that is not full, the function's norm √(Σ_c α_cᵀΘ_cc α_c)
	ScoresRecord
	Iterations int       `json:"iterations,omitempty"`
	Converged  *bool     `json:"converged,omitempty"`
	Gradient   *float64  `json:"gradient,omitempty"`  // over its first value
	Residuals  []float64 `json:"residuals,omitempty"` // by iteration, over the first
	// Rounding is the error by rounding of the predictions for the training images, a Frobenius norm
	// relative to ‖Y − f(w₀, X)‖.
	Rounding float64 `json:"rounding"`
	Seconds  float64 `json:"seconds"` // of the solution, without the kernel
	// Flow is the gradient flow with this ridge, if there are several ridges.
	Flow *FlowRecord `json:"flow,omitempty"`
}

// LinearizeConventions says what a solution depends on.
type LinearizeConventions struct {
	Model      string       `json:"model" fact:"model"`
	Network    string       `json:"network,omitempty" fact:"network"` // remarks on the network
	System     string       `json:"system" fact:"system"`
	Descent    string       `json:"descent,omitempty" fact:"gradient descent"`
	Selected   string       `json:"selected" fact:"selected"`
	Init       string       `json:"init" fact:"initialisation"`
	Labels     string       `json:"labels" fact:"labels"`
	Train      string       `json:"train" fact:"training images"`
	Validation string       `json:"validation" fact:"validation images"`
	Test       string       `json:"test" fact:"test images"`
	TestCopies input.Copies `json:"test_copies,omitempty" fact:"test images seen in training"`
	Normalise  string       `json:"normalise" fact:"normalisation"`
	record.RunConventions
}

// newRecord returns the record of the system before it is solved.
func (l *Linearization) newRecord() *LinearizeRecord {
	net, images := l.Training.Network(), l.Training.Images()
	r := &LinearizeRecord{
		Arch: net.Arch.Name, Form: net.Arch.Form, Width: cmp.Or(l.Spec.Width, 1),
		Data: l.Training.Conventions().Data, Method: l.Spec.Method, Parameters: net.Size(), Outputs: net.Classes,
		Train: images.Train.Len(), Conventions: l.conventions(), page: record.NewPageData(),
	}
	if r.Rows = r.Train * l.kernelRows(); r.Method == exactMethod {
		r.Kernel = l.form().String()
	}
	if images.Validation != nil {
		r.Validation = images.Validation.Len()
	}
	if images.Test != nil {
		r.Test = images.Test.Len()
	}
	return r
}

// conventions returns what a solution depends on, most of it from the training's conventions.
func (l *Linearization) conventions() LinearizeConventions {
	t := l.Training.Conventions()
	c := LinearizeConventions{
		Model: train.LinearConvention, Network: t.Network, Init: t.Init, Labels: t.Labels, Train: t.Train, Validation: t.Validation,
		Test: t.Test, TestCopies: t.TestCopies, Normalise: t.Normalise, RunConventions: t.RunConventions,
	}
	if l.Spec.Shift > 0 {
		c.Train += fmt.Sprintf("; each shifted by up to %d pixels, the same way every time", l.Spec.Shift)
	}
	targets := "one-hot targets 0 and 1"
	if l.Training.Network().Classes == 1 {
		targets = "one target, 0 or 1"
	}
	c.System = "min ‖f_lin(u, X) − Y‖² + λ‖u‖², " + targets + "; "
	if l.Spec.Method == exactMethod {
		c.System += "the gradient flow du/dt = −∇L of the loss L = (‖f_lin(u, X) − Y‖² + λ‖u‖²)/(images · outputs) from " +
			"u = 0, by the eigenvectors of Θ = JJᵀ in float64; its limit "
	}
	text := formTexts[l.form()]
	if l.approximates() {
		c.System = strings.Replace(c.System, formTexts[kernels.Full].theta, text.theta, 1)
		c.Model = "an approximation of " + c.Model + ", " + text.model
	}
	if l.Spec.Method == cgMethod {
		c.System += fmt.Sprintf("by conjugate gradients (CGLS) from u = 0, until the gradient has fallen to %g of "+
			"its first length, at most %d iterations", l.Spec.Tolerance, l.Spec.Iterations)
	} else {
		c.System += "by its dual, u = Jᵀα with (JJᵀ + λI)α = Y − f(w₀, X), in float64; with λ = 0 of least norm"
	}
	if l.approximates() {
		c.System = strings.Replace(c.System, "u = Jᵀα with (JJᵀ + λI)", "(Θ + λI)", 1)
	}
	if eta := l.Spec.GradientDescent; eta != 0 {
		c.Descent = fmt.Sprintf("all images a step, learning rate %g, momentum %g", eta, l.Spec.GradientDescentMomentum)
	}
	c.Selected = "the only ridge"
	if len(l.Spec.Ridges) > 1 {
		c.Selected = "the ridge with the smallest validation loss; the test images choose nothing"
	}
	return c
}

// Save writes the report into a folder: report.html, its figures and tables, record.json, w₀ as
// initial.safetensors and u as tangents.safetensors. It returns the path of the report.
func (l *Linearization) Save(r *LinearizeRecord, dir string) (string, error) {
	if err := atomicfile.MakeFolder(dir); err != nil {
		return "", err
	}
	if l.tangents != nil {
		if err := train.SaveTangents(filepath.Join(dir, train.TangentsFile), l.Training, l.tangents, 0); err != nil {
			return "", err
		}
	}
	initial := l.Training.Initial().StateDict()
	if err := weights.Save(filepath.Join(dir, train.InitialFile), initial, l.Training.Metadata(0)); err != nil {
		return "", err
	}
	return record.SaveRecord(dir, r)
}

// RecordKind implements [record.Record].
func (r *LinearizeRecord) RecordKind() string { return "linearize" }

// PageData returns what the page shows besides the numbers.
func (r *LinearizeRecord) PageData() *record.PageData { return &r.page }

// muchRounding is the rounding above which the summary warns that a solution is spoilt.
const muchRounding = 1e-2

// Summary describes the solution in a sentence or two.
func (r *LinearizeRecord) Summary() string {
	s := r.Solutions[r.Selected]
	text := fmt.Sprintf("The %s of %s (%d weights) fitted %s × %s", textOf(r.Kernel).fitted, archName(r.Arch, r.Width),
		r.Parameters, words.Count(r.Train, "image"), words.Count(r.Outputs, "output"))
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
	text += fmt.Sprintf(": %s, %s %.4g, by %s in %s.", strings.Join(parts, ", "), r.normName(), s.Norm, s.Method,
		train.FormatSeconds(s.Seconds)) + r.Conventions.TestCopies.Warning()
	if s.Rounding > muchRounding {
		text += fmt.Sprintf(" Rounding dominates: its error on the training images is %.2g of the targets' norm; "+
			"--precision 64, or a ridge, reduces it.", s.Rounding)
	}
	switch {
	case s.Rank > 0 && s.Rank < r.Rows:
		text += fmt.Sprintf(" The kernel is singular up to rounding: rank %d of %d, as with equal images or gradients; what lies "+
			"in its null space does not change.", s.Rank, r.Rows)
	case s.Converged != nil && !*s.Converged:
		text += fmt.Sprintf(" It had not converged after %d iterations: the gradient was %.2g of its first length.",
			s.Iterations, *s.Gradient)
	}
	return strings.TrimSpace(text + " " + r.Conventions.Network)
}

// normName names the norm of a solution: of the change u of the weights or, for a trace or diagonal kernel, which changes no
// weights, of the function.
func (r *LinearizeRecord) normName() string {
	if r.Kernel == "" || r.Kernel == kernels.Full.String() {
		return "norm of u"
	}
	return "norm"
}

// sets names the sets of images of a score, as tables and figures do.
var sets = []struct {
	column, curve string
	of            func(ScoresRecord) *ScoreRecord
}{
	{"train", "training", func(s ScoresRecord) *ScoreRecord { return &s.Train }},
	{"validation", "validation", func(s ScoresRecord) *ScoreRecord { return s.Validation }},
	{"test", "test", func(s ScoresRecord) *ScoreRecord { return s.Test }},
}

// Table returns a row for the network at w₀, and one for every ridge.
func (r *LinearizeRecord) Table() *report.Table {
	type row struct {
		ridge report.Cell
		SolutionRecord
	}
	rows := []row{{report.Cell{Text: "u = 0", Mark: report.Muted}, SolutionRecord{
		ScoresRecord: r.Initial, Norm: math.NaN(), Rounding: math.NaN(), Seconds: math.NaN(),
	}}}
	for i, s := range r.Solutions {
		c := report.Cell{Text: fmt.Sprintf("%g", s.Ridge)}
		if i == r.Selected && len(r.Solutions) > 1 {
			c.Mark = report.Good
		}
		rows = append(rows, row{c, s})
	}
	fields := []record.Field[row]{
		{Column: report.Column{Name: "ridge"}, Cell: func(r row) report.Cell { return r.ridge }},
	}
	for _, set := range sets {
		number := func(name, format string, of func(ScoreRecord) float64) record.Field[row] {
			return record.NumberField(set.column+" "+name, format, func(r row) float64 {
				if s := set.of(r.ScoresRecord); s != nil {
					return of(*s)
				}
				return math.NaN()
			})
		}
		fields = append(fields, number("loss", "%.4g", func(s ScoreRecord) float64 { return s.Loss }),
			number("accuracy", "%.2f", func(s ScoreRecord) float64 { return 100 * s.Accuracy }))
	}
	t := record.TableOf("solutions", "The solutions by ridge; accuracies in percent. The first line is the "+
		"network at its initial weights; the selected solution is marked.", rows, append(fields,
		record.NumberField(r.normName(), "%.4g", func(r row) float64 { return r.Norm }),
		record.NumberField("rounding", "%.1e", func(r row) float64 { return r.Rounding }),
		record.CountField("rank", func(r row) int { return r.Rank }),
		record.CountField("iterations", func(r row) int { return r.Iterations }),
		record.NumberField("seconds", "%.2f", func(r row) float64 { return r.Seconds }),
		record.TextField("by", func(r row) string { return r.Method }))...)
	return t.WithoutEmpty()
}

// Page returns the record as a report.
func (r *LinearizeRecord) Page() (*report.Page, error) {
	s := report.Section{Heading: "Solutions", Facts: report.FactsOf(r.Conventions)}
	for _, t := range r.Tables() {
		s.Tables = append(s.Tables, *t)
	}
	for _, draw := range []func() (*report.Figure, error){r.lossFigure, r.accuracyFigure, r.ridgesFlowFigure, r.ridgeFigure,
		r.residualFigure} {
		figure, err := draw()
		if err != nil {
			return nil, err
		}
		if figure != nil {
			s.Figures = append(s.Figures, *figure)
		}
	}
	return &report.Page{
		Title: fmt.Sprintf("Linearization of %s on %s", archName(r.Arch, r.Width), r.Data), Lead: r.Summary(),
		Sections: []report.Section{s}, Provenance: r.Conventions.Provenance(r.page.Machine, 0),
	}, nil
}

// ridgeFigure draws accuracy by ridge; it is nil for fewer than two ridges above 0.
func (r *LinearizeRecord) ridgeFigure() (*report.Figure, error) {
	solutions := slices.DeleteFunc(slices.Clone(r.Solutions), func(s SolutionRecord) bool { return !(s.Ridge > 0) })
	if len(solutions) < 2 {
		return nil, nil
	}
	var series []report.Series
	for _, set := range sets {
		c := report.Series{Label: set.curve}
		for _, s := range solutions {
			if score := set.of(s.ScoresRecord); score != nil {
				c.X, c.Y = append(c.X, math.Log10(s.Ridge)), append(c.Y, score.Accuracy)
			}
		}
		series = append(series, c)
	}
	f, err := report.LineChart("ridges", "Accuracy by ridge", "log10 of the ridge λ", "accuracy", series)
	f.Caption = "Accuracy of the solutions with a ridge above 0."
	return &f, err
}

// residualFigure draws the residuals of conjugate gradients; it is nil for another method.
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
