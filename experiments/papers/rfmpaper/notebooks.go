package rfmpaper

import (
	"context"
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/data/table"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// The measures of the notebooks: scores on test rows unless stated otherwise, at the first and the last iteration. The
// share is that of the relevant features in M.
var (
	r2First     = study.NewMeasure("r2_first")
	r2Last      = study.NewMeasure("r2_last")
	trainR2Last = study.NewMeasure("train_r2_last")
	shareLast   = study.NewMeasure("share_last")
	mseFirst    = study.NewMeasure("mse_first")
	mseLast     = study.NewMeasure("mse_last")
	mseRatio    = study.NewMeasure("mse_ratio")
)

// PolynomialSpec fits a recursive feature machine with the Laplace kernel to a polynomial of few of its features, as
// in the notebooks of rfm's authors. No iteration is chosen: the last one is the result.
type PolynomialSpec struct {
	Polynomial string  `json:"polynomial" toml:"polynomial"` // see [table.Polynomials]
	Train      int     `json:"train" toml:"train"`
	Test       int     `json:"test" toml:"test"`
	Iterations int     `json:"iterations" toml:"iterations"`
	Ridge      float64 `json:"ridge" toml:"ridge"`
	Centre     bool    `json:"centre_gradients" toml:"centre_gradients"`
}

// drawsNote says how a notebook's numbers are judged.
const drawsNote = "Every seed draws different rows. The notebook shows one draw and does not give its seed: its " +
	"number has to lie where a further seed would, and that interval has to be narrow enough to mean something, " +
	"within a tenth of R², or half of an error, to either side."

// tutorial returns the authors' notebook RFM_Tutorial.ipynb.
func tutorial() *study.Experiment {
	return &study.Experiment{
		ID: "rfm/tutorial", Paper: "rfm", Figure: "RFM_Tutorial.ipynb", Title: "A product of two of 100 features",
		About: study.About{
			Done: "A recursive feature machine learns y = x₁x₂ for x ~ N(0, I) with 100 features, as in the " +
				"authors' notebook RFM_Tutorial.ipynb.",
			Conventions: []string{
				"The kernel is Laplace's with L = 10, the ridge is 1e-4, and gradients are centred.",
				drawsNote,
			},
		},
		Printed: []study.Printed{{Chart: "r2", Of: "RFM", X: []float64{5}, Y: []float64{.9231}}},
		Claims: []study.Claim{
			r2First.Check("A kernel machine that learns no features finds little of the product of two of 100 "+
				"features: its test R².",
				study.AtMost(.15)),
			r2Last.Claim("On a product of two of 100 features, the RFM's test R² after five iterations is that "+
				"of RFM_Tutorial.ipynb.",
				".9231", study.Within(.9231, .1)).AsDraw(.9231),
			trainR2Last.Claim("On a product of two of 100 features, the RFM's training R² after five iterations "+
				"is near 1.",
				".999997", study.AtLeast(.9999)),
			shareLast.Claim("On a product of two of 100 features, nearly all of the trace of the RFM's M after "+
				"five iterations lies on the two: share.",
				"picture", study.AtLeast(.9)),
		},
		Specs: map[study.Scale]study.Spec{
			study.Smoke: &PolynomialSpec{
				Polynomial: "tutorial", Train: 300, Test: 200, Iterations: 2, Ridge: 1e-4, Centre: true,
			},
			study.Small: &PolynomialSpec{
				Polynomial: "tutorial", Train: 2000, Test: 2000, Iterations: 5, Ridge: 1e-4, Centre: true,
			},
			study.PaperScale: &PolynomialSpec{
				Polynomial: "tutorial", Train: 2000, Test: 2000, Iterations: 5, Ridge: 1e-4, Centre: true,
			},
		},
	}
}

// lowRankNotebook returns the authors' notebook low_rank.ipynb.
func lowRankNotebook() *study.Experiment {
	return &study.Experiment{
		ID: "rfm/lowrank", Paper: "rfm", Figure: "low_rank.ipynb",
		Title: "A product of two of 20 features, switched by a third",
		About: study.About{
			Done: "A recursive feature machine learns y = x₁x₂ where x₆ > 0, else 0, for x ~ N(0, I/4) with 20 " +
				"features, as in the authors' notebook low_rank.ipynb.",
			Conventions: []string{
				"The kernel is Laplace's with L = 10, and the ridge is 1e-3.",
				drawsNote,
			},
		},
		Claims: []study.Claim{
			mseFirst.Claim("On a product of two features switched by a third, the test error of the kernel "+
				"machine that learns no features is that of low_rank.ipynb.",
				".01229", study.Within(.01229, .0061)).AsDraw(.01229),
			mseLast.Claim("On a product of two features switched by a third, the RFM's test error after five "+
				"iterations is that of low_rank.ipynb.",
				".00200", study.Within(.002, .001)).AsDraw(.002),
			mseRatio.Claim("On a product of two features switched by a third, five iterations of the RFM remove "+
				"more than three quarters of the test error: the share that is left.",
				".163", study.AtMost(.25)).InLogs(),
			shareLast.Claim("On a product of two features switched by a third, nearly all of the trace of the "+
				"RFM's M after five iterations lies on the three: share.", "picture", study.AtLeast(.9)),
		},
		SmallSeeds: 20,
		Specs: map[study.Scale]study.Spec{
			study.Smoke: &PolynomialSpec{Polynomial: "lowrank", Train: 300, Test: 200, Iterations: 2, Ridge: 1e-3},
			study.Small: &PolynomialSpec{
				Polynomial: "lowrank", Train: 4000, Test: 4000, Iterations: 5, Ridge: 1e-3,
			},
			study.PaperScale: &PolynomialSpec{
				Polynomial: "lowrank", Train: 4000, Test: 4000, Iterations: 5, Ridge: 1e-3,
			},
		},
	}
}

// Run implements Spec.
func (s *PolynomialSpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	p, err := findPolynomial(s.Polynomial)
	if err != nil {
		return nil, err
	}
	train, err := drawPolynomial(in, p, s.Train, "train")
	if err != nil {
		return nil, err
	}
	test, err := drawPolynomial(in, p, s.Test, "test")
	if err != nil {
		return nil, err
	}
	var all []iterationScores
	model, err := in.Fit(ctx, "RFM", rfm.Machine{
		Ridge: s.Ridge, Iterations: s.Iterations, CentreGradients: s.Centre, Select: rfm.Last,
		Each: recordScores(ctx, in, test, relevantFeatures(p.Name), &all),
	}, train)
	if err != nil || in.Dry() {
		return nil, err
	}
	metric, last := model.Metric().Dense(), all[len(all)-1]
	o := &study.Outcome{Matrices: map[string]*mat.Dense{"M": mat.DenseCopyOf(metric)}}
	o.Set(r2First, all[0].r2)
	o.Set(r2Last, last.r2)
	o.Set(trainR2Last, last.trainR2)
	o.Set(shareLast, last.share)
	o.Set(mseFirst, all[0].mse)
	o.Set(mseLast, last.mse)
	o.Set(mseRatio, last.mse/all[0].mse)
	share := func(i iterationScores) float64 { return i.share }
	o.Tables = []report.Table{record.TableOf("iterations", "Iteration by iteration; the share is that of the trace of "+
		"M on the features that the target depends on.", all,
		append(iterationFields(), record.PercentField("share, %", share))...)}
	o.Charts = []study.Chart{
		{
			Name: "r2", Title: "Test R² by iteration", XLabel: "iteration", YLabel: "R²",
			Series: []report.Series{record.SeriesOf("RFM", all, iterationScores.place, iterationScores.testR2)},
		},
		{
			Name: "share", Title: "Share of M on the features that matter", XLabel: "iteration",
			YLabel: "share of the trace",
			Series: []report.Series{record.SeriesOf("RFM", all, iterationScores.place, share)},
		},
	}
	picture, err := report.HeatMaps("metric",
		[]report.Matrix{record.FeaturesPanel("M, first 20 features", similarity.Corner(metric, 20))})
	picture.Caption = fmt.Sprintf("M of the last iteration on the first 20 of %d features.", p.Features)
	picture.Alt = "The matrix M: only the elements of few features are not near 0"
	o.Figures = append(o.Figures, picture)
	return o, err
}

// findPolynomial returns the polynomial of a name.
func findPolynomial(name string) (table.Polynomial, error) {
	p, there := input.FindPolynomial(input.Polynomials + ":" + name)
	if !there {
		return p, input.Errorf("there is no polynomial %q", name)
	}
	return p, nil
}

// drawPolynomial draws rows of a polynomial from a stream of the seed.
func drawPolynomial(in study.Setting, p table.Polynomial, n int, stream string) (rfm.Examples, error) {
	if in.Dry() {
		return rfm.Examples{X: linalg.Outline(n, p.Features), Y: linalg.Outline(n, 1)}, nil
	}
	s, err := p.Generate(n, in.Seed, stream)
	if err != nil {
		return rfm.Examples{}, &input.Error{Err: err}
	}
	return rfm.Examples{X: s.X, Y: mat.NewDense(n, 1, s.Y)}, nil
}

// relevantFeatures returns the features, from 0, on which a polynomial's target depends; nil for hermite, which
// depends on a direction.
func relevantFeatures(name string) []int {
	return map[string][]int{
		"rademacher": {0, 1}, "product": {0, 1}, "tutorial": {0, 1}, "switched": {0, 1, 2, 3}, "lowrank": {0, 1, 5},
	}[name]
}

// iterationScores holds the scores of an iteration of a recursive feature machine.
type iterationScores struct {
	index            int
	trainR2, r2, mse float64 // r2 and mse on test rows
	validationR2     float64 // NaN if there are no validation rows
	share            float64 // of the relevant features in M
}

// place returns the iteration as an x coordinate.
func (i iterationScores) place() float64 { return float64(i.index) }

// testR2 returns R² on the test rows.
func (i iterationScores) testR2() float64 { return i.r2 }

// recordScores returns a function for [rfm.Machine]'s Each that appends the scores of every iteration to all.
func recordScores(
	ctx context.Context, in study.Setting, test rfm.Examples, relevant []int, all *[]iterationScores,
) func(*rfm.Iteration) error {
	return func(it *rfm.Iteration) error {
		s, err := in.Score(ctx, it.Model(), test)
		scores := iterationScores{
			index: it.Index, trainR2: it.Train.R2, r2: s.R2, mse: s.MSE, validationR2: math.NaN(),
			share: shareIn(it.Metric.Diagonal(), relevant),
		}
		if it.Validation != nil {
			scores.validationR2 = it.Validation.R2
		}
		*all = append(*all, scores)
		return err
	}
}

// iterationFields returns the columns of a table of iterations.
func iterationFields() []record.Field[iterationScores] {
	return []record.Field[iterationScores]{
		record.TextField("iteration", func(i iterationScores) string { return fmt.Sprint(i.index) }),
		record.NumberField("training R²", "%.5f", func(i iterationScores) float64 { return i.trainR2 }),
		record.NumberField("test R²", "%.4f", iterationScores.testR2),
		record.NumberField("test MSE", "%.5f", func(i iterationScores) float64 { return i.mse }),
	}
}
