package tabular

import (
	"context"
	"math"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// agopRows is the most training rows that an AGOP is taken on, drawn by seed: as
// in the published procedure.
const agopRows = 20000

// directRows is the most examples that a regression is solved directly for; more go
// to EigenPro, in at most agreedEpochs passes, as Appendix D has it for the one set
// of the 121 with more.
const (
	directRows   = 50000
	agreedEpochs = 50
)

// solverFor is the solver of a regression on n examples.
func solverFor(n int) rfm.Solver {
	if n > directRows {
		return rfm.EigenPro{MaxEpochs: agreedEpochs}
	}
	return rfm.Cholesky{}
}

// fitter fits the machines of one method on one table, on one thread.
type fitter struct {
	spec   Spec
	set    *Set
	method *tabularMethod
	memory int64         // bytes that a fit may take; 0 is any
	in     study.Setting // where fits are kept until the table is done; the zero value for nowhere
	fits   int           // so far
	// fitted, if not nil, is told of every fit which share of all it is.
	fitted   func(share float64)
	expected int // fits
}

// Fold is what a method did on one fold, or one random split.
type Fold struct {
	Train      int     `json:"train"` // rows
	Validation int     `json:"validation"`
	Test       int     `json:"test"`
	Score      float64 `json:"score"`            // of the test rows
	Validated  float64 `json:"validation_score"` // by which Chosen was chosen
	Chosen     Config  `json:"chosen"`
}

// machine is the machine of a configuration that is iterated so often.
func (f *fitter) machine(c Config, iterations int) (m rfm.Machine, err error) {
	m = rfm.Machine{
		Ridge: c.Ridge, Iterations: iterations, Task: f.set.task, Select: rfm.Last,
		Diagonal: c.Diagonal, CentreGradients: c.Centre, Sample: agopRows,
		Seed: f.spec.Seed, Backend: f.spec.Backend, Threads: 1, Memory: f.memory,
	}
	if m.Kernel, err = rfm.ParseKernel(c.Kernel, c.Bandwidth); err != nil {
		return m, err
	}
	m.Precision, err = input.ParsePrecision(f.spec.Precision)
	return m, err
}

// iterations is how often the method's features are learned at most.
func (f *fitter) iterations() int {
	if f.method.learns {
		return f.spec.Iters
	}
	return 0
}

// score is the accuracy or the R²; −∞ where it is not defined, so that nothing is
// worse.
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

// examples are rows of a view with their targets, in the metric of a
// configuration.
func (f *fitter) examples(x *mat.Dense, rows []int, sphere bool) rfm.Examples {
	picked := selectRows(x, rows)
	if sphere {
		picked = scaleToSphere(picked)
	}
	return rfm.Examples{X: picked, Y: f.set.targets(rows)}
}

// fitTable fits a machine, and counts it. Its iterations are not kept: a benchmark has
// thousands, and keeps tables and scores.
func (f *fitter) fit(ctx context.Context, m rfm.Machine, on rfm.Examples) (*rfm.Model, error) {
	f.fits++
	n, _ := on.X.Dims()
	m.Solver = solverFor(n)
	model, err := study.Setting{}.Fit(ctx, "", m, on)
	if err == nil {
		f.countFit()
	}
	return model, err
}

// countFit counts a fit and reports the progress.
func (f *fitter) countFit() {
	if f.fitted != nil {
		f.fitted(1 / float64(max(f.expected, f.fits)))
	}
}

// tuned is the best of a grid.
type tuned struct {
	config Config
	score  float64
	mse    float64
	metric *rfm.Metric // that was learned; nil before anything was
}

// beats says whether scores are better than the best so far: of equal ones, by
// the published procedure, never; else by the squared error, as package rfm
// chooses iterations.
func (f *fitter) beats(score, mse float64, best *tuned) bool {
	if best.metric == nil || score != best.score {
		return best.metric == nil || score > best.score
	}
	return !f.spec.PaperMode && mse < best.mse
}

// tryConfig fits a configuration, and takes note of every iteration that is better.
func (f *fitter) tryConfig(ctx context.Context, c Config, train, validation rfm.Examples, best *tuned) error {
	m, err := f.machine(c, f.iterations())
	if err != nil {
		return err
	}
	m.Select, m.Validation = rfm.Best, &validation
	m.Each = func(it *rfm.Iteration) error {
		if v := f.score(*it.Validation); f.beats(v, it.Validation.MSE, best) {
			c.Iteration = it.Index
			*best = tuned{c, v, it.Validation.MSE, it.Metric}
		}
		return nil
	}
	_, err = f.fit(ctx, m, train)
	return err
}

// testConfig fits a configuration and scores it on test rows. A metric takes the place
// of learning one; nil learns it.
func (f *fitter) testConfig(
	ctx context.Context, c Config, metric *rfm.Metric, train, testConfig rfm.Examples,
) (float64, error) {
	iterations := c.Iteration
	if metric != nil {
		iterations = 0
	}
	m, err := f.machine(c, iterations)
	if err != nil {
		return 0, err
	}
	m.Metric = metric
	model, err := f.fit(ctx, m, train)
	if err != nil {
		return 0, err
	}
	s, err := model.Score(ctx, testConfig.X, testConfig.Y)
	return f.score(s), err
}
