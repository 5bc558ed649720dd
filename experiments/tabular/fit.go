package tabular

import (
	"context"
	"math"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/rfm"
	"github.com/ansatz-lab/ansatz/rfm/svm"
	"github.com/ansatz-lab/ansatz/rfm/tensors"
	"gonum.org/v1/gonum/mat"
)

// agopRows is the largest number of training rows in an AGOP, as in the published procedure. If there
// are more, a sample is drawn by seed.
const agopRows = 20000

// In the protocol of the 121 sets, regressions on a table of more than directRows rows are solved by
// EigenPro without a ridge, in at most agreedEpochs passes, of which validation rows choose one (paper rfm,
// Appendix D). The authors' code has that limit; one of the 121 sets is above it.
const (
	directRows   = 100_000
	agreedEpochs = 50
)

// byPasses reports whether regressions on a table with that many rows are solved by EigenPro. Grinsztajn et al. have
// at most 50 000 training rows, for which Appendix D solves in closed form.
func (s Spec) byPasses(rows int) bool { return s.Protocol == UciProtocol && rows > directRows }

// solver returns the solver of a configuration on a table with that many rows. If the configuration has no number of
// passes, EigenPro chooses it on the machine's validation rows.
func (s Spec) solver(c Config, rows int) rfm.Solver {
	switch {
	case c.C > 0:
		return rfm.OnMatrix{Name: "support vector machine", Find: svm.Machine{C: c.C}.Fit}
	case !s.byPasses(rows):
		return rfm.Cholesky{}
	case c.Passes > 0:
		return rfm.EigenPro{MaxEpochs: c.Passes + 1} // the last pass only measures
	}
	return rfm.EigenPro{MaxEpochs: agreedEpochs + 1, EarlyStopping: true}
}

// fitter fits the machines of one method on one table, on one thread.
type fitter struct {
	spec        Spec
	set         *Set
	method      *method
	memory      int64         // bytes that a fit may take; 0 is unlimited
	checkpoints study.Setting // keeps the validation scores of configurations; the zero value keeps none
	fits        int           // so far
	expected    int           // fits in all
	// fitted, if not nil, is called after every fit with its share of all fits.
	fitted func(share float64)
}

// Fold is the result of a method on one fold, or on one random split.
type Fold struct {
	Train      int     `json:"train"` // rows
	Validation int     `json:"validation"`
	Test       int     `json:"test"`
	Score      float64 `json:"score"`            // on the test rows
	Validated  float64 `json:"validation_score"` // of Chosen, the best of its grid
	Chosen     Config  `json:"chosen"`
}

// machine returns the machine of a configuration, with a number of iterations.
func (f *fitter) machine(c Config, iterations int) (m rfm.Machine, err error) {
	switch most := f.method.mostRows; {
	case f.method.svm && (f.set.task != rfm.Classification || len(f.set.rows) > most):
		return m, input.Errorf("support vector machines classify tables of at most %d rows", most)
	case most > 0 && len(f.set.rows) > most:
		return m, input.Errorf("%s takes tables of at most %d rows: give --rows %[2]d", f.method.name, most)
	}
	m = rfm.Machine{
		Ridge: c.Ridge, Iterations: iterations, Task: f.set.task, Select: rfm.Last,
		Diagonal: c.Diagonal, CentreGradients: c.Centre, Sample: agopRows,
		Seed: f.spec.Seed, Backend: f.spec.Backend, Threads: 1, Memory: f.memory,
		Solver: f.spec.solver(c, len(f.set.rows)),
	}
	if m.Kernel, err = rfm.ParseKernel(c.Kernel, c.Bandwidth); err != nil {
		return m, err
	}
	m.Precision, err = input.ParsePrecision(f.spec.Precision)
	return m, err
}

// score returns the accuracy or R², or −∞ if it is not defined, so that every other score is better.
func (f *fitter) score(s rfm.Scores) float64 {
	v := s.R2
	if f.set.task == rfm.Classification {
		v = s.Accuracy
	}
	if math.IsNaN(v) {
		return math.Inf(-1)
	}
	return v
}

// examples returns rows of the features x with their targets. With sphere, rows are scaled to norm 1.
func (f *fitter) examples(x *mat.Dense, rows []int, sphere bool) rfm.Examples {
	picked := tensors.PickRows(x, rows)
	if sphere {
		picked = scaleToSphere(picked)
	}
	return rfm.Examples{X: picked, Y: f.set.targets(rows)}
}

// fit fits a machine and counts the fit. It keeps no checkpoint: a benchmark has thousands of fits,
// and keeps the scores of configurations and the results on tables instead.
func (f *fitter) fit(ctx context.Context, m rfm.Machine, on rfm.Examples) (*rfm.Model, error) {
	f.fits++
	model, err := study.Setting{}.Fit(ctx, "", m, on)
	if err == nil {
		f.reportFit()
	}
	return model, err
}

// reportFit reports that one more fit is done.
func (f *fitter) reportFit() {
	if f.fitted != nil {
		f.fitted(1 / float64(max(f.expected, f.fits)))
	}
}
