package experiments

import (
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
)

// The network that is linearized, and how its linearization is trained.
const (
	linearizedInputs, linearizedUnits, linearizedOutputs = 5, 7, 2
	linearizedExamples                                   = 4
	linearizedRate, linearizedSteps                      = .02, 50
)

// smoothNet is a network of one hidden layer of tanh, with random weights.
func (t *theory) smoothNet() *theoryNet {
	net := &theoryNet{device: t.device, build: smooth}
	rng := models.Stream(t.seed, "theory/ntk")
	net.set("W", gaussian(rng, linearizedUnits, linearizedInputs, 1))
	net.set("V", gaussian(rng, linearizedOutputs, linearizedUnits, 1))
	return net
}

func smooth(g *graph.Graph, x *graph.Node, p func(string) *graph.Node) *graph.Node {
	return g.Linear(g.Tanh(g.Linear(x, p("W"))), p("V"))
}

// linearized is the linearization of a net at its parameters, as a net in
// tangents of W and V, zero at first.
func (t *theory) linearized(at *theoryNet) *theoryNet {
	net := &theoryNet{device: t.device}
	for _, name := range []string{"W", "V"} {
		r, c := at.get(name).Dims()
		net.set("tangent of "+name, mat.NewDense(r, c, nil))
	}
	net.build = func(g *graph.Graph, x *graph.Node, _ func(string) *graph.Node) *graph.Node {
		params := map[string]*graph.Node{}
		y := smooth(g, x, func(name string) *graph.Node {
			if params[name] == nil {
				v := at.params[name]
				params[name] = g.Param(name, v.Shape()...)
				if g.Err() == nil {
					if err := g.Let(params[name], v); err != nil {
						g.Fail("%v", err)
					}
				}
			}
			return params[name]
		})
		lin, tangents := g.Linearize(y, []*graph.Node{params["W"], params["V"]})
		for _, u := range tangents {
			if err := g.Let(u, net.params[u.Name()]); err != nil {
				return g.Fail("%v", err)
			}
		}
		return lin
	}
	return net
}

// ntkLinearization checks what ntk builds on.
func (t *theory) ntkLinearization() error {
	rng := models.Stream(t.seed, "theory/ntk/x")
	x, y := gaussian(rng, linearizedExamples, linearizedInputs, 1), gaussian(rng, linearizedExamples, linearizedOutputs, 1)
	if err := t.ntkSecondOrder(x); err != nil {
		return err
	}
	return t.ntkDescent(x, y)
}

// ntkSecondOrder checks that the linearization is the network up to u².
func (t *theory) ntkSecondOrder(x *mat.Dense) error {
	net := t.smoothNet()
	lin := t.linearized(t.smoothNet())
	rng := models.Stream(t.seed, "theory/ntk/u")
	start, along := map[string]*mat.Dense{}, map[string]*mat.Dense{}
	for _, name := range []string{"W", "V"} {
		start[name] = net.get(name)
		r, c := start[name].Dims()
		along[name] = gaussian(rng, r, c, 1)
	}
	var errs []float64
	for _, size := range []float64{1e-3, 5e-4} {
		for name, u := range along {
			var step, w mat.Dense
			step.Scale(size, u)
			w.Add(start[name], &step)
			net.set(name, &w)
			lin.set("tangent of "+name, &step)
		}
		f, err := net.values(t.ctx, x)
		if err != nil {
			return err
		}
		g, err := lin.values(t.ctx, x)
		if err != nil {
			return err
		}
		errs = append(errs, relativeError(g, f))
	}
	t.state(Statement{Paper: "ntk", Name: "eq. 2", Says: "f(w₀, x) + ∇f(w₀, x)·u is the network at w₀ + u up to u²", Measure: fmt.Sprintf("error %.2g at ‖uᵢ‖ ≈ 5e-4; its ratio when u halves", errs[1]),
		Note: "Neglected is O(u³), which moves the ratio from 4; and the network is smooth (tanh)."}, errs[0]/errs[1], squares)
	return nil
}

// ntkDescent checks that the linearization descends as the kernel says.
func (t *theory) ntkDescent(x, y *mat.Dense) error {
	lin := t.linearized(t.smoothNet())
	names := []string{"tangent of W", "tangent of V"}
	before, err := lin.values(t.ctx, x)
	if err != nil {
		return err
	}
	kernel, err := t.tangentKernel(x)
	if err != nil {
		return err
	}
	d, err := lin.descent(x, y, names...)
	if err != nil {
		return err
	}
	if err := d.steps(t.ctx, linearizedRate, linearizedSteps); err != nil {
		return err
	}
	after, err := lin.values(t.ctx, x)
	if err != nil {
		return err
	}
	var eig mat.EigenSym
	if !eig.Factorize(kernel, true) {
		return fmt.Errorf("the eigenvalues of the kernel were not found")
	}
	var v mat.Dense
	eig.VectorsTo(&v)
	n := linearizedExamples * linearizedOutputs
	var r mat.Dense
	r.Sub(before, y)
	c := product(v.T(), mat.NewDense(n, 1, mat.DenseCopyOf(&r).RawMatrix().Data))
	for i, l := range eig.Values(nil) {
		c.Set(i, 0, c.At(i, 0)*math.Pow(1-linearizedRate*l, linearizedSteps))
	}
	want := mat.NewDense(linearizedExamples, linearizedOutputs, product(&v, c).RawMatrix().Data)
	want.Add(want, y)
	t.state(Statement{Paper: "ntk", Name: "eq. 1, training", Says: fmt.Sprintf("full-batch descent of the linearization is f − y = (I − ηΘ)ᵗ(f₀ − y), Θ = JJᵀ, at t = %d", linearizedSteps), Measure: "relative error", Note: "Exact."},
		relativeError(after, want), exactly)
	return nil
}

// tangentKernel is Θ = JJᵀ of the network at its first weights, from rows of J.
func (t *theory) tangentKernel(x *mat.Dense) (*mat.SymDense, error) {
	rows, columns := x.Dims()
	f, in, err := t.smoothNet().function(rows, columns)
	if err != nil {
		return nil, err
	}
	j, err := f.Differential(f.Named("W"), f.Named("V"))
	if err != nil {
		return nil, err
	}
	copy(f.Data(in).Float64s(), mat.DenseCopyOf(x).RawMatrix().Data)
	n := linearizedExamples * linearizedOutputs
	jacobian := mat.NewDense(n, j.Columns(), nil)
	for k := range n {
		if err := j.Row(t.ctx, k, jacobian.RawRowView(k), k > 0); err != nil {
			return nil, err
		}
	}
	return gramOf(jacobian.T()), nil
}
