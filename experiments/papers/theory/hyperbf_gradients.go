package theory

import (
	"math"

	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
)

// The hyper basis function network of hyperbf's appendix.
const (
	basisInputs, basisCentres, basisExamples = 4, 3, 5
	basisL                                   = 3.
)

// basisNet is f = Σ c_α exp(−‖x − t_α‖²_W/L).
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
	s.Name, s.Says, s.Note = "eq. 8", "∂H/∂c = −2ΣΔG", "Of H = ΣΔ², without section 2's ½."
	t.addPrinted(s, linalg.RelativeError(printed[0], got[0]), Exact)
	for i, name := range []string{"eq. 9 with eq. 12", "eq. 10 with eq. 12"} {
		s.Name, s.Says = name, []string{"∂H/∂t = 4cΣΔG′WᵀW(x − t) with G′ = exp(−‖x − t‖²_W/L)",
			"∂H/∂W = −4WΣΣcΔG′(x − t)(x − t)ᵀ with G′ = exp(−‖x − t‖²_W/L)"}[i]
		s.Note = "G′ is the derivative of G in ‖x − t‖²_W, and lacks its factor −1/L. In eq. 10 the last x is xᵢ; in " +
			"eq. 11 the sum is over α."
		t.addPrinted(s, linalg.RelativeError(printed[1+i], got[1+i]), Exact)
		s.Says, s.Note = "the same with G′ = −(1/L)exp(−‖x − t‖²_W/L)", ""
		t.addPutRight(s, linalg.RelativeError(correct[1+i], got[1+i]), Exact)
	}
	return t.checkZeroGradient(net, d, got[2])
}

// checkZeroGradient checks that eq. 10 vanishes where section 2 starts.
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

// basisGradients are eqs. 8, 9 and 10 with G′ a factor times G, by loops.
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
