package rfmpaper

import (
	"context"

	"github.com/ansatz-lab/ansatz/data/table"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// lowRank is the state of the comparison on one polynomial.
type lowRank struct {
	spec                    *LowRankSpec
	in                      study.Setting
	polynomial              table.Polynomial
	train, validation, test rfm.Examples
	truth                   *mat.SymDense
	out                     *study.Outcome
	learners                []lowRankLearner // in the order of the bars
}

// lowRankLearner is a learner with R² on the test rows.
type lowRankLearner struct {
	name string
	r2   float64
}

// addLearner adds a learner, with the measure of its R².
func (r *lowRank) addLearner(name string, m study.Measure, r2 float64) {
	r.learners = append(r.learners, lowRankLearner{name, r2})
	r.out.Set(m, r2)
}

// run compares the learners on one polynomial.
func (s *LowRankSpec) run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	r := &lowRank{spec: s, in: in, out: &study.Outcome{}}
	machine, net, err := r.learn(ctx)
	if err != nil || in.Dry() {
		return r.out, err
	}
	r.addComparison()
	return r.out, r.addFeatures(machine, net)
}

// learn draws the rows and fits all learners.
func (r *lowRank) learn(ctx context.Context) (machine *rfm.Model, net *setups.TrainedNetwork, err error) {
	if err = r.drawRows(); err != nil {
		return nil, nil, err
	}
	if machine, err = r.fitRFM(ctx); err != nil {
		return nil, nil, err
	}
	if err = r.fitKernel(ctx, "Laplace", rfm.Laplace{}, laplaceR2); err != nil {
		return nil, nil, err
	}
	if err = r.fitKernel(ctx, "NTK", rfm.NTK{Depth: 1}, ntkR2); err != nil {
		return nil, nil, err
	}
	net, err = r.trainNetwork(ctx)
	return machine, net, err
}

// drawRows draws the training, validation and test rows.
func (r *lowRank) drawRows() (err error) {
	s := r.spec
	if r.polynomial, err = s.findPolynomial(); err != nil {
		return err
	}
	for _, part := range []struct {
		rows   *rfm.Examples
		n      int
		stream string
	}{{&r.train, s.Train, "train"}, {&r.validation, s.Validation, "validation"}, {&r.test, s.Test, "test"}} {
		if *part.rows, err = drawPolynomial(r.in, r.polynomial, part.n, part.stream); err != nil {
			return err
		}
	}
	r.truth, err = gradientOuterProduct(r.polynomial, s.Noise, r.in.Seed)
	return err
}

// fitRFM fits the recursive feature machine.
func (r *lowRank) fitRFM(ctx context.Context) (*rfm.Model, error) {
	var all []iterationScores
	model, err := r.in.Fit(ctx, "RFM", rfm.Machine{
		Iterations: r.spec.Iterations, Validation: &r.validation,
		Each: recordScores(ctx, r.in, r.test, relevantFeatures(r.polynomial.Name), &all),
	}, r.train)
	if err != nil {
		return nil, err
	}
	s, err := r.in.Score(ctx, model, r.test)
	if err != nil {
		return nil, err
	}
	r.addLearner("RFM", rfmR2, s.R2)
	if len(all) > 1 {
		r.out.Set(oneStepR2, all[1].r2)
	}
	validationR2 := func(i iterationScores) float64 { return i.validationR2 }
	r.out.Tables = append(r.out.Tables, record.TableOf("iterations",
		"The recursive feature machine, iteration by iteration: the one with the best validation R² is taken.", all,
		append(iterationFields(), record.NumberField("validation R²", "%.4f", validationR2))...))
	r.out.Charts = append(r.out.Charts, study.Chart{
		Name: "iterations", Title: "Recursive feature machine", XLabel: "iteration", YLabel: "R²",
		Series: []report.Series{
			record.SeriesOf("test", all, iterationScores.place, iterationScores.testR2),
			record.SeriesOf("validation", all, iterationScores.place, validationR2),
		},
	})
	return model, nil
}

// fitKernel fits a kernel that learns no features.
func (r *lowRank) fitKernel(ctx context.Context, name string, k rfm.Kernel, m study.Measure) error {
	s, err := kernelScores(ctx, r.in, name+" on "+r.polynomial.Name, rfm.Machine{Kernel: k}, r.train, r.test)
	if err != nil {
		return err
	}
	r.addLearner(name, m, s[0].R2)
	return nil
}

// trainNetwork trains the network with one hidden layer. Its test uses the weights chosen on the validation rows;
// whether it interpolates is measured after the last epoch.
func (r *lowRank) trainNetwork(ctx context.Context) (*setups.TrainedNetwork, error) {
	n, err := r.spec.Net.Train(ctx, 1, r.train, r.validation, r.in)
	if err != nil || r.in.Dry() {
		return nil, err
	}
	d, err := backend.Open(backend.Options{Threads: r.in.Threads})
	if err != nil {
		return nil, err
	}
	defer d.Close()
	tested, err := setups.ScoreNetwork(ctx, d, n.Net, r.test, rfm.Regression)
	if err != nil {
		return nil, err
	}
	fitted, err := setups.ScoreNetwork(ctx, d, n.Last, r.train, rfm.Regression)
	if err != nil {
		return nil, err
	}
	r.addLearner("network", netR2, tested.R2)
	r.out.Set(netTrainR2, fitted.R2)
	r.out.Set(netEpoch, float64(n.BestEpoch))
	return n, nil
}

// addComparison adds the gaps between the learners, and their table.
func (r *lowRank) addComparison() {
	machine, net := r.out.Value(rfmR2), r.out.Value(netR2)
	kernels := max(r.out.Value(ntkR2), r.out.Value(laplaceR2))
	r.out.Set(featuresGap, min(machine, net)-kernels)
	r.out.Set(rfmGap, machine-max(net, kernels))
	var names []string
	bars := report.Series{Label: "test R²"}
	for i, l := range r.learners {
		names, bars.X, bars.Y = append(names, l.name), append(bars.X, float64(i)), append(bars.Y, l.r2)
	}
	r.out.Tables = append(r.out.Tables, record.TableOf("learners", "R² on the test rows.", r.learners,
		record.TextField("learner", func(l lowRankLearner) string { return l.name }),
		record.NumberField("test R²", "%.4f", func(l lowRankLearner) float64 { return l.r2 })))
	r.out.Charts = append(r.out.Charts, study.Chart{
		Name: "learners", Title: "Who learns the features", YLabel: "test R²", Labels: names,
		Series: []report.Series{bars},
	})
}

// addFeatures compares the feature matrices with the true gradient outer product.
func (r *lowRank) addFeatures(machine *rfm.Model, net *setups.TrainedNetwork) error {
	type row struct {
		key, name string
		metric    *rfm.Metric
		alignment similarity.Alignment
	}
	rows := []row{
		{key: rfmMatrix, name: "M of the RFM", metric: machine.Metric()},
		{key: netMatrix, name: "W₁ᵀW₁, chosen epoch", metric: setups.NetworkMetric(net.Net)},
		{key: lastNetMatrix, name: "W₁ᵀW₁, last epoch", metric: setups.NetworkMetric(net.Last)},
	}
	const shown = 10
	panels := []report.Matrix{record.FeaturesPanel("true gradient outer product", similarity.Corner(r.truth, shown))}
	o, relevant := r.out, relevantFeatures(r.polynomial.Name)
	o.Matrices = map[string]*mat.Dense{"truth": mat.DenseCopyOf(r.truth)}
	for i, f := range rows {
		m := f.metric.Dense()
		a, err := similarity.Align(m, r.truth, similarity.NullDraws, models.Stream(r.in.Seed, "null of "+f.key))
		if err != nil {
			return err
		}
		rows[i].alignment = a
		o.Set(truthPearson.Of(f.key), a.Pearson)
		o.Set(truthExcess.Of(f.key), a.Excess())
		if relevant != nil {
			o.Set(truthShare.Of(f.key), shareIn(f.metric.Diagonal(), relevant))
		}
		panels = append(panels, record.FeaturesPanel(f.name, similarity.Corner(m, shown)))
		o.Matrices[f.key] = mat.DenseCopyOf(m)
	}
	o.Set(pearsonGap, rows[0].alignment.Pearson-max(rows[1].alignment.Pearson, rows[2].alignment.Pearson))
	o.Tables = append(o.Tables, record.TableOf("features", "Similarity of feature matrices with the gradient "+
		"outer product of the true function. A similarity is marked if it exceeds its null by two standard "+
		"deviations.", rows,
		append([]record.Field[row]{record.TextField("matrix", func(f row) string { return f.name })},
			similarity.AlignmentFields(func(f row) similarity.Alignment { return f.alignment })...)...))
	picture, err := report.HeatMaps("features", panels)
	picture.Caption = "On the first ten features: the gradient outer product of the true function, M of the chosen " +
		"iteration, and W₁ᵀW₁ of the chosen epoch and of the last."
	picture.Alt = "Matrices of the truth, the recursive feature machine and the network"
	o.Figures = append(o.Figures, picture)
	return err
}
