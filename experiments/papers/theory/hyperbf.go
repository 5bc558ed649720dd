package theory

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
)

// The network of hyperbf's section 2, f = aᵀtanh(Wx) with W starting from 0, and its training.
const (
	hyperInputs, hyperUnits = 6, 5
	hyperRate               = .04 // learning rate for the mean over the samples
	hyperSteps              = 300
)

// hyperNet returns that network with a random a.
func (t *theory) hyperNet(w *mat.Dense) *paperNet {
	net := &paperNet{device: t.device,
		build: func(g *graph.Graph, x *graph.Node, p func(string) *graph.Node) *graph.Node {
			return g.Linear(g.Tanh(g.Linear(x, p("W"))), p("a"))
		}}
	net.setParam("a", linalg.Gaussian(models.Stream(t.seed, "theory/hyperbf/a"), 1, hyperUnits, 1))
	net.setParam("W", w)
	return net
}

// drawHyperExamples returns n examples. A smaller n gives the first ones of a larger n.
func (t *theory) drawHyperExamples(n int) (x, y *mat.Dense) {
	return linalg.Gaussian(models.Stream(t.seed, "theory/hyperbf/x"), n, hyperInputs, 1),
		linalg.Gaussian(models.Stream(t.seed, "theory/hyperbf/y"), n, 1, 1)
}

// hyperErrors compares WᵀW with the AGOP of the examples, after each step from W = 0 on n examples.
type hyperErrors struct {
	unlike  []float64 // the distance of their directions, by step
	cosines []float64
	single  float64 // after the last step, the largest distance between the directions of ∇f∇fᵀ and xxᵀ at an example
}

// trainHyperNet trains the network on n examples and compares after every step.
func (t *theory) trainHyperNet(n, steps int) (*hyperErrors, error) {
	x, y := t.drawHyperExamples(n)
	net := t.hyperNet(mat.NewDense(hyperUnits, hyperInputs, nil))
	d, err := net.newDescent(x, y, "W")
	if err != nil {
		return nil, err
	}
	h := &hyperErrors{}
	for range steps {
		if err := d.takeSteps(t.ctx, hyperRate/float64(n), 1); err != nil {
			return nil, err
		}
		agop, err := net.agop(t.ctx, x)
		if err != nil {
			return nil, err
		}
		cnfm := backend.Gram(net.param("W"))
		h.unlike, h.cosines = append(h.unlike, linalg.MatrixDissimilarity(cnfm, agop)),
			append(h.cosines, linalg.Cosine(cnfm, agop))
	}
	for i := range n {
		row := mat.NewDense(1, hyperInputs, append([]float64(nil), x.RawRowView(i)...))
		agop, err := net.agop(t.ctx, row)
		if err != nil {
			return nil, err
		}
		h.single = math.Max(h.single, linalg.MatrixDissimilarity(agop, linalg.OuterProduct(row.RawRowView(0))))
	}
	return h, nil
}

// checkHyperBFDescent checks section 2 of hyperbf.
func (t *theory) checkHyperBFDescent() error {
	if err := t.checkHyperGradient(); err != nil {
		return err
	}
	const several = 20
	one, err := t.trainHyperNet(1, hyperSteps)
	if err != nil {
		return err
	}
	few, err := t.trainHyperNet(several, 1)
	if err != nil {
		return err
	}
	many, err := t.trainHyperNet(several, hyperSteps)
	if err != nil {
		return err
	}
	s := study.Statement{Paper: "hyperbf", Name: "eqs. 4–6, one sample", Measure: "‖WᵀW/‖·‖ − AGOP/‖·‖‖, the largest,",
		Says: fmt.Sprintf("∇f∇fᵀ ∝ WᵀW ∝ xxᵀ after 1 to %d steps on one sample x from W = 0", hyperSteps),
		Note: "Exact at every step: all gradients end in xᵀ."}
	t.addPrinted(s, math.Max(slices.Max(one.unlike), one.single), Exact)
	s.Name, s.Says = "eq. 6, one step", fmt.Sprintf("AGOP ∝ WᵀW after one step on %d samples", several)
	s.Note = "Exact: ∇h is the same for all samples where W = 0, so that W = ∇h·Σyᵢxᵢᵀ has rank one (as in cnfa, " +
		"Theorem 1)."
	t.addBesides(s, few.unlike[0], Exact)
	s.Name, s.Says, s.Measure = "eq. 5, several samples",
		fmt.Sprintf("∇f∇fᵀ ∝ xxᵀ at every sample after one step on %d samples", several),
		"‖∇f∇fᵀ/‖·‖ − xxᵀ/‖·‖‖, the largest,"
	s.Note = "Eq. 4, W = Cxᵀ, is for one sample: ∇f lies along Σyᵢxᵢ and not along the x where it is taken."
	t.addPrinted(s, few.single, Exact)
	s.Name, s.Says, s.Measure = "eq. 6, in general",
		fmt.Sprintf("∇f∇fᵀ ∝ WᵀW after %d steps on %d samples, on average over these", hyperSteps, several),
		"‖WᵀW/‖·‖ − AGOP/‖·‖‖"
	s.Note = fmt.Sprintf("After the first step ∇h differs from sample to sample. The cosine of the two is %.4f; how "+
		"far they drift is in the chart.", many.cosines[hyperSteps-1])
	t.addPrinted(s, many.unlike[hyperSteps-1], Exact)
	return t.chartHyperDrift(map[int]*hyperErrors{1: one, several: many})
}

// chartHyperDrift draws how far AGOP and WᵀW diverge.
func (t *theory) chartHyperDrift(known map[int]*hyperErrors) error {
	c := study.Chart{Name: "hyperbf-steps", Title: "Cosine of WᵀW and AGOP during training: hyperbf, eq. 6", XLabel: "step",
		YLabel: "cosine of WᵀW and AGOP",
		Caption: "hyperbf, eq. 6: f = aᵀtanh(Wx) trained by gradient descent from W = 0 on n samples; the AGOP is " +
			"that of the samples."}
	for _, n := range []int{1, 2, 5, 20} {
		h := known[n]
		if h == nil {
			var err error
			if h, err = t.trainHyperNet(n, hyperSteps); err != nil {
				return err
			}
		}
		c.Series = append(c.Series, record.NumberedSeries(fmt.Sprintf("n = %d", n), h.cosines))
	}
	t.out.Charts = append(t.out.Charts, c)
	return nil
}

// checkHyperGradient checks eq. 2.
func (t *theory) checkHyperGradient() error {
	x, y := t.drawHyperExamples(1)
	w := linalg.Gaussian(models.Stream(t.seed, "theory/hyperbf/W"), hyperUnits, hyperInputs, .5)
	net := t.hyperNet(w)
	d, err := net.newDescent(x, y, "W")
	if err != nil {
		return err
	}
	g, err := d.gradients(t.ctx)
	if err != nil {
		return err
	}
	a, z := net.param("a"), linalg.Product(w, x.T())
	f := 0.
	for k := range hyperUnits {
		f += a.At(0, k) * math.Tanh(z.At(k, 0))
	}
	printed := mat.NewDense(hyperUnits, hyperInputs, nil)
	for k := range hyperUnits {
		slope := a.At(0, k) * (1 - math.Tanh(z.At(k, 0))*math.Tanh(z.At(k, 0)))
		for j := range hyperInputs {
			printed.Set(k, j, slope*(y.At(0, 0)-f)*x.At(0, j))
		}
	}
	got := mat.NewDense(hyperUnits, hyperInputs, g[0])
	s := study.Statement{Paper: "hyperbf", Name: "eq. 2", Says: "∂H/∂W = ∇h (y − f) xᵀ for H = ½(y − f)²",
		Measure: "relative error", Note: "The sign is wrong: this is −∂H/∂W. Eq. 3, which adds it, is right."}
	t.addPrinted(s, linalg.RelativeError(printed, got), Exact)
	s.Says, s.Note = "∂H/∂W = −∇h (y − f) xᵀ", ""
	printed.Scale(-1, printed)
	t.addPutRight(s, linalg.RelativeError(printed, got), Exact)
	return nil
}

// The hyper basis function network of hyperbf's appendix.
const (
	basisInputs, basisCentres, basisExamples = 4, 3, 5
	basisL                                   = 3.
)

// basisNet returns f = Σ c_α exp(−‖x − t_α‖²_W/L).
func (t *theory) basisNet() *paperNet {
	net := &paperNet{device: t.device,
		build: func(g *graph.Graph, x *graph.Node, p func(string) *graph.Node) *graph.Node {
			distances := g.SquaredDistances(g.Linear(x, p("W")), g.Linear(p("t"), p("W")))
			return g.MatMul(g.Exp(g.Scale(-1/basisL, distances)), p("c"), false, false)
		}}
	rng := models.Stream(t.seed, "theory/basis")
	net.setParam("W", linalg.Gaussian(rng, basisInputs, basisInputs, .5))
	net.setParam("t", linalg.Gaussian(rng, basisCentres, basisInputs, 1))
	net.setParam("c", linalg.Gaussian(rng, basisCentres, 1, 1))
	return net
}

// checkHyperBFGradients checks eqs. 8–12 of hyperbf.
func (t *theory) checkHyperBFGradients() error {
	net := t.basisNet()
	rng := models.Stream(t.seed, "theory/basis/examples")
	x, y := linalg.Gaussian(rng, basisExamples, basisInputs, 1), linalg.Gaussian(rng, basisExamples, 1, 1)
	names := []string{"c", "t", "W"}
	d, err := net.newDescent(x, y, names...)
	if err != nil {
		return err
	}
	g, err := d.gradients(t.ctx)
	if err != nil {
		return err
	}
	var got []*mat.Dense
	for i, name := range names {
		r, c := net.param(name).Dims()
		m := mat.NewDense(r, c, append([]float64(nil), g[i]...))
		m.Scale(2, m) // H is the sum of squares, not half of it
		got = append(got, m)
	}
	printed := net.basisGradients(x, y, 1)
	correct := net.basisGradients(x, y, -1/basisL)
	s := study.Statement{Paper: "hyperbf", Measure: "relative error"}
	s.Name, s.Says, s.Note = "eq. 8", "∂H/∂c = −2ΣΔG", "Here H = ΣΔ², without section 2's ½."
	t.addPrinted(s, linalg.RelativeError(printed[0], got[0]), Exact)
	for i, eq := range []struct{ name, says string }{
		{"eq. 9 with eq. 12", "∂H/∂t = 4cΣΔG′WᵀW(x − t) with G′ = exp(−‖x − t‖²_W/L)"},
		{"eq. 10 with eq. 12", "∂H/∂W = −4WΣΣcΔG′(x − t)(x − t)ᵀ with G′ = exp(−‖x − t‖²_W/L)"},
	} {
		s.Name, s.Says = eq.name, eq.says
		s.Note = "G′ is the derivative of G in ‖x − t‖²_W, and lacks its factor −1/L. In eq. 10 the last x is xᵢ; in " +
			"eq. 11 the sum is over α."
		t.addPrinted(s, linalg.RelativeError(printed[1+i], got[1+i]), Exact)
		s.Says, s.Note = strings.Replace(eq.says, "exp(", "−(1/L)exp(", 1), ""
		t.addPutRight(s, linalg.RelativeError(correct[1+i], got[1+i]), Exact)
	}
	return t.checkZeroGradient(net, d, got[2])
}

// checkZeroGradient checks that eq. 10 vanishes at W = 0, where section 2 starts.
func (t *theory) checkZeroGradient(net *paperNet, d *paperDescent, elsewhere *mat.Dense) error {
	net.setParam("W", mat.NewDense(basisInputs, basisInputs, nil))
	g, err := d.gradients(t.ctx)
	if err != nil {
		return err
	}
	size := mat.Norm(mat.NewDense(basisInputs, basisInputs, g[2]), 2) / mat.Norm(elsewhere, 2)
	t.addPrinted(study.Statement{Paper: "hyperbf", Name: "eq. 10 at W = 0",
		Says: "∂H/∂W is W times a matrix, so that it is 0 where W is", Measure: "‖∂H/∂W‖ over that at a random W",
		Note: "So W = 0, from which section 2 starts (eq. 4), is a fixed point of the appendix's network: it has to " +
			"start elsewhere."}, size, Exact)
	return nil
}

// basisGradients returns eqs. 8, 9 and 10 with G′ = factor·G, by loops.
func (n *paperNet) basisGradients(x, y *mat.Dense, factor float64) []*mat.Dense {
	w, centres, c := n.param("W"), n.param("t"), n.param("c")
	metric := linalg.Product(w.T(), w)
	diff := func(i, a int) *mat.VecDense {
		v := mat.NewVecDense(basisInputs, nil)
		v.SubVec(x.RowView(i), centres.RowView(a))
		return v
	}
	basis := func(i, a int) float64 { v := diff(i, a); return math.Exp(-mat.Inner(v, metric, v) / basisL) }
	gc, gt := mat.NewDense(basisCentres, 1, nil), mat.NewDense(basisCentres, basisInputs, nil)
	sum := mat.NewDense(basisInputs, basisInputs, nil)
	for i := range basisExamples {
		delta := y.At(i, 0)
		for a := range basisCentres {
			delta -= c.At(a, 0) * basis(i, a)
		}
		for a := range basisCentres {
			v, g := diff(i, a), basis(i, a)
			gc.Set(a, 0, gc.At(a, 0)-2*delta*g)
			var mv mat.VecDense
			mv.MulVec(metric, v)
			for j := range basisInputs {
				gt.Set(a, j, gt.At(a, j)+4*c.At(a, 0)*delta*factor*g*mv.AtVec(j))
			}
			sum.RankOne(sum, -4*c.At(a, 0)*delta*factor*g, v, v)
		}
	}
	return []*mat.Dense{gc, gt, linalg.Product(w, sum)}
}
