package theory

import (
	"fmt"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// The examples of Propositions 4 and 5, and how they are learned. The learning rate η is so large that steps after the
// first matter, and so small, with ηXXᵀ below about ⅓, that the first-order error remains. It would cancel in
// Proposition 5 if ηXXᵀ were near ⅔ (BᵀB = a(2 − aηXXᵀ)²… with a = ‖A‖²/k), and vanish once f has converged: the rest
// of the error falls faster than k^−½.
const (
	linearInputs, linearExamples = 4, 6
	linearRate                   = .01
	linearSteps                  = 5
)

// linearNet returns f(x) = A(1/√k)Bx of Propositions 4 and 5 of rfm, of width k, with B = 0.
func (t *theory) linearNet(k int, a *mat.Dense) *paperNet {
	net := &paperNet{device: t.device,
		build: func(g *graph.Graph, x *graph.Node, p func(string) *graph.Node) *graph.Node {
			return g.Linear(g.Scale(1/math.Sqrt(float64(k)), g.Linear(x, p("B"))), p("A"))
		}}
	net.setParam("A", a)
	net.setParam("B", mat.NewDense(k, linearInputs, nil))
	return net
}

// linearRun holds the errors over the nets of one width, each trained with its own A.
type linearRun struct {
	k                      int
	unequal                []float64    // ‖BᵀB − ∇f∇fᵀ‖ / ‖∇f∇fᵀ‖
	factor                 float64      // the largest error of BᵀB·‖A‖²/k = ∇f∇fᵀ
	z                      []*mat.Dense // Zx at the examples
	fromPrint, fromCorrect []float64    // errors of Proposition 5's limit of BᵀB, as printed and corrected
}

// checkLinearNets checks Propositions 4 and 5.
func (t *theory) checkLinearNets() error {
	rng := models.Stream(t.seed, "theory/rfm/4")
	x, y := linalg.Gaussian(rng, linearExamples, linearInputs, 1), linalg.Gaussian(rng, linearExamples, 1, 1)
	var four, five []*linearRun
	for _, k := range t.Widths {
		r, err := t.trainLinearNets(k, x, y, linearSteps, "B")
		if err != nil {
			return err
		}
		four = append(four, r)
		if r, err = t.trainLinearNets(k, x, y, 2, "B", "A"); err != nil {
			return err
		}
		five = append(five, r)
	}
	limit, err := t.trainLinearLimit(x, y)
	if err != nil {
		return err
	}
	t.addProposition4(four, limit)
	t.addProposition5(five)
	return nil
}

// trainLinearNets trains the nets of a width.
func (t *theory) trainLinearNets(k int, x, y *mat.Dense, steps int, trained ...string) (*linearRun, error) {
	r := &linearRun{k: k}
	printed, correct := proposition5Limits(x, y)
	for draw := range t.Draws {
		rng := models.Stream(t.seed, fmt.Sprintf("theory/rfm/4/%d/%d", k, draw))
		a := linalg.Gaussian(rng, 1, k, 1)
		net := t.linearNet(k, a)
		d, err := net.newDescent(x, y, trained...)
		if err != nil {
			return nil, err
		}
		if err := d.takeSteps(t.ctx, linearRate, steps); err != nil {
			return nil, err
		}
		agop, err := net.agop(t.ctx, x)
		if err != nil {
			return nil, err
		}
		f, err := net.evaluate(t.ctx, x)
		if err != nil {
			return nil, err
		}
		b := backend.Gram(net.param("B"))
		norm := mat.Norm(a, 2)
		r.unequal = append(r.unequal, linalg.RelativeError(b, agop))
		r.factor = math.Max(r.factor, linalg.RelativeError(linalg.Scaled(norm*norm/float64(k), b), agop))
		r.z = append(r.z, f)
		r.fromPrint, r.fromCorrect = append(r.fromPrint, linalg.RelativeError(b, printed)),
			append(r.fromCorrect, linalg.RelativeError(b, correct))
	}
	return r, nil
}

// trainLinearLimit returns Zx at infinite width: linear regression by the same steps starting from 0.
func (t *theory) trainLinearLimit(x, y *mat.Dense) (*mat.Dense, error) {
	net := &paperNet{device: t.device,
		build: func(g *graph.Graph, x *graph.Node, p func(string) *graph.Node) *graph.Node {
			return g.Linear(x, p("w"))
		}}
	net.setParam("w", mat.NewDense(1, linearInputs, nil))
	d, err := net.newDescent(x, y, "w")
	if err != nil {
		return nil, err
	}
	if err := d.takeSteps(t.ctx, linearRate, linearSteps); err != nil {
		return nil, err
	}
	return net.evaluate(t.ctx, x)
}

// mapRuns returns a number for each width.
func mapRuns(runs []*linearRun, of func(*linearRun) float64) []float64 {
	var all []float64
	for _, r := range runs {
		all = append(all, of(r))
	}
	return all
}

// addProposition4 adds Proposition 4's statements about the nets and about their predictions in the limit.
func (t *theory) addProposition4(runs []*linearRun, limit *mat.Dense) {
	errs := mapRuns(runs, func(r *linearRun) float64 { return stat.Mean(r.unequal, nil) })
	last := len(errs) - 1
	s := study.Statement{Paper: "rfm", Name: "Proposition 4",
		Says:    fmt.Sprintf("lim BᵀB = lim ∇f∇fᵀ after t = %d steps, A fixed, B from 0", linearSteps),
		Measure: slopeMeasure(t.Widths, errs),
		Note:    "‖A‖²/k − 1, which is O(k^−½), is neglected."}
	t.addPrinted(s, slope(t.Widths, errs), AsInverseRoot)
	t.addCurve("Prop. 4", errs)
	s.Name, s.Says = "Proposition 4 at any width", "BᵀB·‖A‖²/k = ∇f∇fᵀ after every step"
	s.Measure, s.Note = "largest relative error",
		"B = Aᵀv/√k has rank one from the first step on; the two are proportional at any width."
	t.addBesides(s, slices.Max(mapRuns(runs, func(r *linearRun) float64 { return r.factor })), Exact)

	spread := mapRuns(runs, func(r *linearRun) float64 {
		var z []float64
		for _, f := range r.z {
			z = append(z, f.At(0, 0))
		}
		return stat.StdDev(z, nil)
	})
	s.Name, s.Says = "Proposition 4, proof", "Zx = lim A(1/√k)Bx converges in distribution to a standard normal"
	s.Measure, s.Note = fmt.Sprintf("standard deviation over A at width %d", t.Widths[last]),
		"B is not independent of A: Zx is what the network predicts. The proof does not need it."
	t.addPrinted(s, spread[last], study.Within(1, .3))
	off := mapRuns(runs, func(r *linearRun) float64 {
		mean := 0.
		for _, z := range r.z {
			mean += linalg.RelativeError(z, limit) / float64(len(r.z))
		}
		return mean
	})
	s.Says = "Zx converges to a number, the prediction of linear regression by as many steps from 0"
	s.Measure, s.Note = slopeMeasure(t.Widths, off),
		"Neglected is O(k^−½)."
	t.addPutRight(s, slope(t.Widths, off), AsInverseRoot)
}

// addProposition5 adds Proposition 5's statements about the nets.
func (t *theory) addProposition5(runs []*linearRun) {
	errs := mapRuns(runs, func(r *linearRun) float64 { return stat.Mean(r.unequal, nil) })
	s := study.Statement{Paper: "rfm", Name: "Proposition 5",
		Says:    "lim BᵀB = lim ∇f∇fᵀ after 2 steps on both layers, B from 0",
		Measure: slopeMeasure(t.Widths, errs),
		Note:    "‖A‖²/k − 1 = O(k^−½) is neglected, and A⁽²⁾ − A⁽⁰⁾, a multiple 1 + O(1/k) of A."}
	t.addPrinted(s, slope(t.Widths, errs), AsInverseRoot)
	t.addCurve("Prop. 5", errs)
	printed := mapRuns(runs, func(r *linearRun) float64 { return stat.Mean(r.fromPrint, nil) })
	s.Name, s.Says = "Proposition 5, proof", "lim BᵀB = 4η²M + η²XXᵀMXXᵀ, M = lim B⁽¹⁾ᵀB⁽¹⁾"
	s.Measure = slopeMeasure(t.Widths, printed)
	s.Note = "M = η²XyᵀyXᵀ has the η² already, and the products of the two terms do not vanish."
	t.addPrinted(s, slope(t.Widths, printed), AsInverseRoot)
	correct := mapRuns(runs, func(r *linearRun) float64 { return stat.Mean(r.fromCorrect, nil) })
	s.Says = "lim BᵀB = 4M − 2η(MXXᵀ + XXᵀM) + η²XXᵀMXXᵀ"
	s.Measure, s.Note = slopeMeasure(t.Widths, correct),
		"Neglected is O(k^−½)."
	t.addPutRight(s, slope(t.Widths, correct), AsInverseRoot)
	t.addCurve("Prop. 5, put right", correct)
}

// proposition5Limits returns the limit of BᵀB as the proof prints it, and corrected, for examples as rows.
func proposition5Limits(x, y *mat.Dense) (printed, correct *mat.Dense) {
	xy := linalg.Product(x.T(), y)
	m := linalg.Product(xy, xy.T())
	m.Scale(linearRate*linearRate, m)
	xx := linalg.Product(x.T(), x)
	mx, xmx := linalg.Product(m, xx), linalg.Product(xx, m, xx)
	xmx.Scale(linearRate*linearRate, xmx)
	printed, correct = mat.DenseCopyOf(m), mat.DenseCopyOf(m)
	printed.Scale(4*linearRate*linearRate, printed)
	printed.Add(printed, xmx)
	var cross mat.Dense
	cross.Add(mx, mx.T())
	cross.Scale(-2*linearRate, &cross)
	correct.Scale(4, correct)
	correct.Add(correct, &cross)
	correct.Add(correct, xmx)
	return printed, correct
}
