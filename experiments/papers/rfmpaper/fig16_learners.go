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

var (
	rfmR21     = study.NewMeasure("rfm_r2_1")
	netTrainR2 = study.NewMeasure("net_train_r2")
	netEpoch   = study.NewMeasure("net_epoch")
)

// lowRank is the comparison on one polynomial while it runs.
type lowRank struct {
	spec                    *LowRankSpec
	in                      study.Setting
	polynomial              table.Polynomial
	train, validation, test rfm.Examples
	truth                   *mat.SymDense
	out                     *study.Outcome
	names                   []string // names of the learners, in the order of the bars
	r2                      map[string]float64
}

// run compares the learners on one polynomial.
func (s *LowRankSpec) run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	r := &lowRank{spec: s, in: in, out: &study.Outcome{Values: map[string]float64{}}, r2: map[string]float64{}}
	if err := r.drawRows(); err != nil {
		return nil, err
	}
	machine, err := r.fitRFM(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.fitKernel(ctx, "Laplace", rfm.Laplace{}); err != nil {
		return nil, err
	}
	if err := r.fitKernel(ctx, "NTK", rfm.NTK{Depth: 1}); err != nil {
		return nil, err
	}
	net, err := r.trainNetwork(ctx)
	if err != nil {
		return nil, err
	}
	r.addComparison()
	return r.out, r.addFeatures(machine, net)
}

// drawRows draws the training, validation and test rows.
func (r *lowRank) drawRows() (err error) {
	s := r.spec
	if r.polynomial, err = findPolynomial(s.Polynomial); err != nil {
		return err
	}
	for _, part := range []struct {
		rows   *rfm.Examples
		n      int
		stream string
	}{{&r.train, s.Train, "train"}, {&r.validation, s.Validation, "validation"}, {&r.test, s.Test, "test"}} {
		if *part.rows, err = drawPolynomial(r.polynomial, part.n, r.in.Seed, part.stream); err != nil {
			return err
		}
	}
	r.truth, err = gradientOuterProduct(r.polynomial, r.in.Seed)
	return err
}

// fitRFM fits the recursive feature machine.
func (r *lowRank) fitRFM(ctx context.Context) (*rfm.Model, error) {
	f := &iterations{relevant: relevantFeatures(r.polynomial.Name), test: r.test}
	m := rfm.Machine{Iterations: r.spec.Iterations, Validation: &r.validation, Each: f.record(ctx)}
	model, err := r.in.Fit(ctx, "RFM", m, r.train)
	if err != nil {
		return nil, err
	}
	s, err := model.Score(ctx, r.test.X, r.test.Y)
	if err != nil {
		return nil, err
	}
	r.names, r.r2["RFM"] = append(r.names, "RFM"), s.R2
	if len(f.r2) > 1 {
		r.out.Set(rfmR21, f.r2[1])
	}
	r.out.Tables = append(r.out.Tables, r.addIterations(f))
	x := study.Places(len(f.r2))
	r.out.Charts = append(r.out.Charts, study.Chart{
		Name: "iterations", Title: "Recursive feature machine", XLabel: "iteration", YLabel: "R²",
		Series: []report.Series{{Label: "test", X: x, Y: f.r2}, {Label: "validation", X: x, Y: f.validation}},
	})
	return model, nil
}

// addIterations adds the table of the recursive feature machine by iteration.
func (r *lowRank) addIterations(f *iterations) report.Table {
	t := f.table()
	t.Caption = "The recursive feature machine, iteration by iteration: the one with the best validation R² is taken."
	for i := range t.Rows { // the share is of coordinates, of which hermite has none
		t.Rows[i] = append(t.Rows[i][:4], record.NumberCell(&f.validation[i], "%.4f"))
	}
	t.Columns = append(t.Columns[:4], report.Column{Name: "validation R²", Numeric: true})
	return t
}

// fitKernel fits a kernel that learns no features.
func (r *lowRank) fitKernel(ctx context.Context, name string, k rfm.Kernel) error {
	s, err := kernelScores(ctx, r.in, name+" on "+r.polynomial.Name, rfm.Machine{Kernel: k}, r.train, r.test)
	if err != nil {
		return err
	}
	r.names, r.r2[name] = append(r.names, name), s[0].R2
	return nil
}

// trainNetwork trains the network of one hidden layer. It is tested with the weights that the
// validation rows choose; whether it interpolates is measured after the last epoch.
func (r *lowRank) trainNetwork(ctx context.Context) (*setups.TrainedNetwork, error) {
	n, err := r.spec.Net.Train(ctx, 1, r.train, r.validation, r.in)
	if err != nil {
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
	r.names, r.r2["network"] = append(r.names, "network"), tested.R2
	r.out.Set(netTrainR2, fitted.R2)
	r.out.Set(netEpoch, float64(n.BestEpoch))
	return n, nil
}

// addComparison adds the table of all learners.
func (r *lowRank) addComparison() {
	v := r.out.Values
	v["laplace_r2"], v["ntk_r2"], v["rfm_r2"], v["net_r2"] = r.r2["Laplace"], r.r2["NTK"], r.r2["RFM"], r.r2["network"]
	v["gap"] = min(v["rfm_r2"], v["net_r2"]) - max(v["ntk_r2"], v["laplace_r2"])
	v["gap_rfm"] = v["rfm_r2"] - max(v["net_r2"], v["ntk_r2"], v["laplace_r2"])
	t := report.Table{
		Name: "learners", Caption: "R² on the test rows.", Columns: record.NumericColumns("learner", "test R²"),
	}
	bars := report.Series{Label: "test R²", X: study.Places(len(r.names))}
	for _, name := range r.names {
		y := r.r2[name]
		t.Rows = append(t.Rows, []report.Cell{{Text: name}, record.NumberCell(&y, "%.4f")})
		bars.Y = append(bars.Y, y)
	}
	r.out.Tables = append(r.out.Tables, t)
	r.out.Charts = append(r.out.Charts,
		study.Chart{
			Name: "learners", Title: "Who learns the features", YLabel: "test R²", Labels: r.names,
			Series: []report.Series{bars},
		})
}

// addFeatures compares the feature matrices with the true gradient outer product.
func (r *lowRank) addFeatures(machine *rfm.Model, net *setups.TrainedNetwork) error {
	t := report.Table{
		Name: "features", Caption: "Similarity of feature matrices with the gradient outer product of the true " +
			"function. Marked: above the null by two standard deviations.",
		Columns: append(record.NumericColumns("matrix"), similarity.AlignmentColumns()...),
	}
	const shown = 10
	panels := []report.Matrix{record.MatrixPanel("true gradient outer product", similarity.Corner(r.truth, shown))}
	v, relevant := r.out.Values, relevantFeatures(r.polynomial.Name)
	r.out.Matrices = map[string]*mat.Dense{"truth": mat.DenseCopyOf(r.truth)}
	for _, f := range []struct {
		key, name string
		metric    *rfm.Metric
	}{
		{"rfm", "M of the RFM", machine.Metric()},
		{"net", "W₁ᵀW₁, chosen epoch", setups.NetworkMetric(net.Net)},
		{"net_last", "W₁ᵀW₁, last epoch", setups.NetworkMetric(net.Last)},
	} {
		m := f.metric.Dense()
		a, err := similarity.Align(m, r.truth, similarity.NullDraws, models.Stream(r.in.Seed, "null of "+f.key))
		if err != nil {
			return err
		}
		v[f.key+"_pearson"], v[f.key+"_excess"] = a.Pearson, a.Excess()
		if relevant != nil {
			v[f.key+"_share"] = shareIn(f.metric.Diagonal(), relevant)
		}
		t.Rows = append(t.Rows, append([]report.Cell{{Text: f.name}}, a.Cells()...))
		panels = append(panels, record.MatrixPanel(f.name, similarity.Corner(m, shown)))
		r.out.Matrices[f.key] = mat.DenseCopyOf(m)
	}
	v["pearson_gap"] = v["rfm_pearson"] - max(v["net_pearson"], v["net_last_pearson"])
	r.out.Tables = append(r.out.Tables, t)
	picture, err := report.HeatMaps("features", panels)
	picture.Caption = "On the first ten features: the gradient outer product of the true function, M of the chosen " +
		"iteration, and W₁ᵀW₁ of the chosen epoch and of the last, each to its own scale."
	picture.Alt = "Matrices of the truth, the recursive feature machine and the network"
	r.out.Figures = append(r.out.Figures, picture)
	return err
}
