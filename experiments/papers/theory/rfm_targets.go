package theory

import (
	"fmt"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// The target of Proposition 2: a polynomial of two directions.
const (
	targetRank   = 2
	targetDegree = 3
	targetTests  = 200
)

// checkRFMTargets checks the propositions about gradient outer products of targets.
func (t *theory) checkRFMTargets() error {
	if err := t.checkIdealKernel(); err != nil {
		return err
	}
	return t.checkRFMSamples()
}

// checkIdealKernel checks Proposition 1.
func (t *theory) checkIdealKernel() error {
	const d, n = 7, 9
	rng := models.Stream(t.seed, "theory/rfm/1")
	net := &paperNet{device: t.device,
		build: func(g *graph.Graph, x *graph.Node, p func(string) *graph.Node) *graph.Node {
			return g.Linear(x, p("beta"))
		}}
	net.setParam("beta", linalg.Gaussian(rng, 1, d, 1))
	x := linalg.Gaussian(rng, n, d, 1)
	m, err := net.agop(t.ctx, x)
	if err != nil {
		return err
	}
	f, err := net.evaluate(t.ctx, x)
	if err != nil {
		return err
	}
	t.addPrinted(study.Statement{Paper: "rfm", Name: "Proposition 1",
		Says:    "for f(x) = βᵀx, zᵀMz′ with M = E[∇f∇fᵀ] is the ideal kernel f(z)f(z′)",
		Measure: "relative error", Note: "Exact. z and z′ are in ℝᵈ, not in ℝ as printed."},
		linalg.RelativeError(linalg.Product(x, m, x.T()), linalg.Product(f, f.T())), Exact)
	return nil
}

// hiddenTarget is a polynomial of degree 3 in 2 of d directions, with examples and its expected
// gradient outer product.
type hiddenTarget struct {
	train, test rfm.Examples
	m           *rfm.Metric
}

// newHiddenTarget returns such a target in d dimensions with n training examples.
func (t *theory) newHiddenTarget(d, n int) (*hiddenTarget, error) {
	rng := models.Stream(t.seed, "theory/rfm/2")
	net := &paperNet{device: t.device,
		build: func(g *graph.Graph, x *graph.Node, p func(string) *graph.Node) *graph.Node {
			u := g.Linear(x, p("U"))
			linear := g.Linear(u, p("linear"))
			square := g.Mul(g.Linear(u, p("square")), g.Linear(u, p("linear")))
			cube := g.Linear(g.Mul(g.Mul(u, u), u), p("cube"))
			return g.Add(g.Add(linear, square), cube)
		}}
	for _, name := range []string{"linear", "square", "cube"} {
		net.setParam(name, linalg.Gaussian(rng, 1, targetRank, 1))
	}
	net.setParam("U", linalg.Gaussian(models.Stream(t.seed, fmt.Sprintf("theory/rfm/2/%d", d)), targetRank, d,
		1/math.Sqrt(float64(d))))
	rng = models.Stream(t.seed, fmt.Sprintf("theory/rfm/2/%d/inputs", d))
	l := &hiddenTarget{train: rfm.Examples{X: linalg.Gaussian(rng, n, d, 1)},
		test: rfm.Examples{X: linalg.Gaussian(rng, targetTests, d, 1)}}
	var err error
	if l.train.Y, err = net.evaluate(t.ctx, l.train.X); err != nil {
		return nil, err
	}
	if l.test.Y, err = net.evaluate(t.ctx, l.test.X); err != nil {
		return nil, err
	}
	m, err := net.agop(t.ctx, l.test.X)
	l.m = rfm.FullMetric(m)
	return l, err
}

// testError returns the test error of kernel regression on the first n examples, relative to the
// targets.
func (t *theory) testError(l *hiddenTarget, m *rfm.Metric, degree, n int) (float64, error) {
	machine := rfm.Machine{Kernel: rfm.Polynomial{Degree: degree}, Metric: m, Select: rfm.Last, Precision: graph.Double}
	_, d := l.train.X.Dims()
	train := rfm.Examples{X: mat.DenseCopyOf(l.train.X.Slice(0, n, 0, d)),
		Y: mat.DenseCopyOf(l.train.Y.Slice(0, n, 0, 1))}
	model, err := study.Setting{Threads: t.device.Threads()}.Fit(t.ctx, "", machine, train)
	if err != nil {
		return 0, err
	}
	p, err := model.Predict(t.ctx, l.test.X)
	if err != nil {
		return 0, err
	}
	return linalg.RelativeError(p, l.test.Y), nil
}

// monomials returns the number of monomials of degree at most p in r variables.
func monomials(r, p int) int {
	n := 1
	for i := range p {
		n = n * (r + i + 1) / (i + 1)
	}
	return n
}

// checkRFMSamples checks Proposition 2: without noise, as many examples as there are monomials of the r directions
// suffice with M^½x, whatever d is.
func (t *theory) checkRFMSamples() error {
	need := monomials(targetRank, targetDegree)
	enough, fewer, wrong, plain := 0., math.Inf(1), 0., math.Inf(1)
	chart := study.Chart{Name: "rfm-samples", Title: "Examples needed to fit a polynomial of rank 2 and degree 3",
		XLabel: "log₁₀ examples", YLabel: "log₁₀ relative test error",
		Caption: fmt.Sprintf("rfm, Proposition 2: kernel regression with (1 + uᵀv)³, without noise, on x and on "+
			"M^½x, M the target's expected gradient outer product. There are %d monomials of 2 variables.", need)}
	for _, d := range t.Dims {
		all := monomials(d, targetDegree)
		l, err := t.newHiddenTarget(d, all)
		if err != nil {
			return err
		}
		identity := rfm.Identity(d)
		for _, c := range []struct {
			m         *rfm.Metric
			degree, n int
			worst     *float64
			choose    func(a, b float64) float64
		}{
			{l.m, targetDegree, need, &enough, math.Max}, {l.m, targetDegree, need - 1, &fewer, math.Min},
			{l.m, targetRank, 10 * need, &wrong, math.Max}, {identity, targetDegree, all / 2, &plain, math.Min},
		} {
			e, err := t.testError(l, c.m, c.degree, min(c.n, all))
			if err != nil {
				return err
			}
			*c.worst = c.choose(*c.worst, e)
		}
		for _, c := range []struct {
			label string
			m     *rfm.Metric
		}{{"M", l.m}, {"I", identity}} {
			s, err := t.sampleCurve(fmt.Sprintf("%s, d = %d", c.label, d), l, c.m, need, all)
			if err != nil {
				return err
			}
			chart.Series = append(chart.Series, s)
		}
	}
	t.out.Charts = append(t.out.Charts, chart)
	t.addSamples(need, enough, fewer, wrong, plain)
	return nil
}

// sampleCurve returns the test errors of kernel regression for numbers of examples around need, and for all examples.
func (t *theory) sampleCurve(label string, l *hiddenTarget, m *rfm.Metric, need, all int) (report.Series, error) {
	s := report.Series{Label: label}
	sizes := []int{need / 2, need - 1, need, 2 * need, 4 * need, 8 * need, 16 * need, 32 * need, 64 * need}
	sizes = append(slices.DeleteFunc(sizes, func(n int) bool { return n >= all }), all)
	for _, n := range sizes {
		e, err := t.testError(l, m, targetDegree, n)
		if err != nil {
			return s, err
		}
		s.X, s.Y = append(s.X, math.Log10(float64(n))), append(s.Y, math.Log10(math.Max(e, 1e-16)))
	}
	return s, nil
}

// recovered is the interval of relative test errors of a target that was recovered up to rounding.
var recovered = study.AtMost(1e-6)

// addSamples adds the statements about numbers of examples, from the worst errors over the dimensions.
func (t *theory) addSamples(need int, enough, fewer, wrong, plain float64) {
	s := study.Statement{Paper: "rfm", Name: "Proposition 2", Measure: "largest relative test error",
		Note: "Noise is neglected. There are (r+p choose p) = O(rᵖ) examples in general position."}
	s.Says = fmt.Sprintf("kernel regression on M^½x finds a target of rank 2 and degree 3 from %d examples, whatever "+
		"d", need)
	t.addPrinted(s, enough, recovered)
	s.Name, s.Measure = "Proposition 2, one example fewer", "least relative test error"
	s.Says, s.Note = fmt.Sprintf("kernel regression on M^½x does not find a target of rank 2 and degree 3 from "+
		"%d examples", need-1), "The number is sharp."
	t.addBesides(s, fewer, study.AtLeast(1e-3))
	s.Name, s.Says = "Proposition 2, remark", "kernel regression without M does not find the target from half as "+
		"many examples as there are monomials, (d+p choose p)"
	s.Note = "The remark's Ω(dᵖ) is for any error below that of the zero function; here it is for recovery."
	t.addBesides(s, plain, study.AtLeast(1e-3))
	s.Name, s.Measure = "Appendix C", "largest relative test error"
	s.Says, s.Note = "kernel regression on M^½x with a polynomial kernel of degree r finds the target",
		"Misprint: with r = 2 it cannot make the cube of a "+
			"target with p = 3. It is degree p, as in Proposition 2 above."
	t.addPrinted(s, wrong, recovered)
}
