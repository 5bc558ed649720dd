package theory

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/graph/backend"
)

// Experiments returns the experiment that checks the papers' statements.
func Experiments() []*study.Experiment {
	return []*study.Experiment{statements()}
}

// Spec says how precisely the papers' statements are checked.
type Spec struct {
	// Widths are the widths, ascending, at which statements about infinite width are checked.
	Widths []int `json:"widths" toml:"widths"`
	Draws  int   `json:"draws" toml:"draws"` // of random weights, for each width
	// Dims are the dimensions among which a target of low rank is hidden.
	Dims []int `json:"dims" toml:"dims"`
}

// theoryID is the name of the experiment.
const theoryID = "theory"

// statements returns the experiment that checks the papers' statements one after another.
func statements() *study.Experiment {
	small := &Spec{Widths: []int{16, 64, 256, 1024}, Draws: 100, Dims: []int{4, 8, 16}}
	return &study.Experiment{
		ID: theoryID, Paper: theoryID, Figure: "Theorems, propositions and equations",
		Title: "The papers' statements, checked numerically",
		About: study.About{
			Done: "Every line checks a statement as a paper prints it, or, where the print is false, a corrected " +
				"form, against numbers.",
			Conventions: []string{
				"Exact statements have to hold to rounding in float64. For limits of infinite width the error " +
					"has to fall at the stated rate, k^−½: the slope of log error against log width.",
				"Gradient descent is computed by package models or by pullbacks of package graph, and AGOPs by " +
					"package graph. They are compared with the papers' closed forms.",
			},
		},
		Specs: map[study.Scale]study.Spec{
			study.Smoke: &Spec{Widths: []int{16, 64, 256}, Draws: 60, Dims: []int{4, 8}}, study.Small: small,
			study.PaperScale: &Spec{Widths: []int{16, 64, 256, 1024, 4096}, Draws: 400, Dims: []int{4, 8, 16, 32}},
		},
		Seeds: 1, Stated: true,
	}
}

// Run implements Spec. A dry run adds no jobs: the time of the checks hardly grows with the settings.
func (s *Spec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	if err := s.check(); err != nil || in.Dry() {
		return nil, err
	}
	if s.Widths[1] > wideFilters {
		return nil, input.Errorf("widths = %v: want at least two up to %d", s.Widths, wideFilters)
	}
	t, err := s.open(ctx, in)
	if err != nil {
		return nil, err
	}
	defer t.device.Close()
	parts := []struct {
		name  string
		check func() error
	}{
		{"cnfa, Theorem 1", t.checkCNFATheorem},
		{"rfm, Propositions 1 and 2", t.checkRFMTargets},
		{"rfm, Theorem 1 and Proposition 3", t.checkResampledNets},
		{"rfm, Propositions 4 and 5", t.checkLinearNets},
		{"hyperbf, section 2", t.checkHyperBFDescent},
		{"hyperbf, appendix", t.checkHyperBFGradients},
		{"energy, training", t.checkEnergyDescent},
		{"energy, closed forms", t.checkEnergyForms},
		{"energy, labels", t.checkEnergyLabels},
		{"ntk, linearization", t.checkLinearization},
	}
	for i, p := range parts {
		in.Report(p.name, i, len(parts))
		if err := p.check(); err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		if t.undefined != "" {
			return nil, fmt.Errorf("what %s is measured by is not a number", t.undefined)
		}
	}
	in.Report("statements", len(parts), len(parts))
	t.out.Charts = append(t.out.Charts, t.errorChart())
	return t.out, nil
}

// check returns an error for widths, draws and dimensions that are too few to decide anything.
func (s *Spec) check() error {
	if len(s.Widths) < 2 || s.Draws < 2 || len(s.Dims) < 1 {
		return input.Errorf("%d widths, %d draws, %d dimensions: want at least 2 widths, 2 draws and a dimension",
			len(s.Widths), s.Draws, len(s.Dims))
	}
	for i, k := range s.Widths {
		if k < 1 || k > 1<<14 || i > 0 && k <= s.Widths[i-1] {
			return input.Errorf("widths %v: want growing whole numbers from 1 to %d", s.Widths, 1<<14)
		}
	}
	for _, d := range s.Dims {
		if d < targetRank || d > 100 {
			return input.Errorf("dimensions %v: want whole numbers from %d to 100", s.Dims, targetRank)
		}
	}
	return nil
}

// theory holds one run of the checks, which add statements, charts and curves of errors.
type theory struct {
	*Spec
	ctx       context.Context
	seed      uint64
	device    *backend.Device
	out       *study.Outcome
	undefined string          // the first statement whose value is not a number
	curves    []report.Series // errors by width, see addCurve
}

// open returns a run of the checks. The caller closes its device.
func (s *Spec) open(ctx context.Context, in study.Setting) (*theory, error) {
	d, err := backend.Open(backend.Options{Threads: in.Threads})
	return &theory{ctx: ctx, Spec: s, seed: in.Seed, device: d, out: &study.Outcome{}}, err
}

// The intervals of errors, fixed before measuring.
var (
	Exact         = study.AtMost(1e-10)    // rounding of float64
	AsInverseRoot = study.Within(-.5, .15) // the slope of log error against log width of k^−½
	squares       = study.Within(4, .1)    // the ratio of two errors of second order in u, when u halves
	matters       = study.AtLeast(1e-3)    // an error when a needed assumption is violated
)

// addPrinted adds a statement as a paper prints it, with its verdict.
func (t *theory) addPrinted(s study.Statement, value float64, want study.Interval) {
	s.Kind = study.AsPrinted
	t.addStatement(s, value, want)
}

// addPutRight adds a corrected statement, with its verdict.
func (t *theory) addPutRight(s study.Statement, value float64, want study.Interval) {
	s.Kind = study.PutRight
	t.addStatement(s, value, want)
}

// addBesides adds a statement that the paper does not make, with its verdict.
func (t *theory) addBesides(s study.Statement, value float64, want study.Interval) {
	s.Kind = study.Besides
	t.addStatement(s, value, want)
}

// addStatement adds a statement whose value has to lie in an interval.
func (t *theory) addStatement(s study.Statement, value float64, want study.Interval) {
	if value-value != 0 && t.undefined == "" {
		t.undefined = fmt.Sprintf("%s, %s", s.Paper, s.Name)
	}
	s.Value, s.Want, s.Verdict = value, want.String(), study.Fails
	if want.Contains(value, value) {
		s.Verdict = study.Holds
	}
	t.out.Statements = append(t.out.Statements, s)
}

// slope fits log y = a + b log x and returns b.
func slope(x []int, y []float64) float64 {
	var sx, sy, sxx, sxy float64
	n := float64(len(x))
	for i := range x {
		u, v := math.Log(float64(x[i])), math.Log(y[i])
		sx, sy, sxx, sxy = sx+u, sy+v, sxx+u*u, sxy+u*v
	}
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}

// slopeMeasure describes the measure of a statement whose value is the slope of errors by width.
func slopeMeasure(widths []int, errs []float64) string {
	last := len(errs) - 1
	return fmt.Sprintf("relative error %.2g at width %d; slope", errs[last], widths[last])
}

// addCurve adds errors at the widths, or at the first few of them, to the chart of errors.
func (t *theory) addCurve(label string, errs []float64) {
	s := report.Series{Label: label}
	for i, v := range errs {
		s.X, s.Y = append(s.X, math.Log10(float64(t.Widths[i]))), append(s.Y, math.Log10(v))
	}
	t.curves = append(t.curves, s)
}

// errorChart returns the chart of errors against widths, with 1/√k as a reference.
func (t *theory) errorChart() study.Chart {
	guide := report.Series{Label: "reference: 1/√k"}
	for _, k := range t.Widths {
		x := math.Log10(float64(k))
		guide.X, guide.Y = append(guide.X, x), append(guide.Y, -.5*x)
	}
	return study.Chart{Name: "widths", Title: "Errors by width", XLabel: "log₁₀ width, or number of draws",
		YLabel: "log₁₀ relative error",
		Caption: "Relative errors, means over draws of what is random, of statements about infinite width, and of " +
			"an expectation taken over draws (Prop. 3).",
		Series: append(slices.Clone(t.curves), guide)}
}
