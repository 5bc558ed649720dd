package theory

import (
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
)

// The network to compare with its linearization.
const (
	linearizedInputs, linearizedUnits, linearizedOutputs = 5, 7, 2
	linearizedExamples                                   = 4
)

// smoothNet returns a network of one hidden layer of tanh, with random weights.
func (t *theory) smoothNet() *paperNet {
	net := &paperNet{device: t.device,
		build: func(g *graph.Graph, x *graph.Node, p func(string) *graph.Node) *graph.Node {
			return g.Linear(g.Tanh(g.Linear(x, p("W"))), p("V"))
		}}
	rng := models.Stream(t.seed, "theory/ntk")
	net.setParam("W", linalg.Gaussian(rng, linearizedUnits, linearizedInputs, 1))
	net.setParam("V", linalg.Gaussian(rng, linearizedOutputs, linearizedUnits, 1))
	return net
}

// linearize returns the linearization of a net at its parameters, as a net whose parameters are the tangents of W and
// V, which start from zero.
func (t *theory) linearize(at *paperNet) *paperNet {
	net := &paperNet{device: t.device}
	for _, name := range []string{"W", "V"} {
		r, c := at.param(name).Dims()
		net.setParam("tangent of "+name, mat.NewDense(r, c, nil))
	}
	net.build = func(g *graph.Graph, x *graph.Node, _ func(string) *graph.Node) *graph.Node {
		param := at.bindTo(g)
		lin, tangents := g.Linearize(at.build(g, x, param), []*graph.Node{param("W"), param("V")})
		for _, u := range tangents {
			if err := g.Let(u, net.params[u.Name()]); err != nil {
				return g.Fail("%v", err)
			}
		}
		return lin
	}
	return net
}

// checkLinearization checks the statements on which ntk builds.
func (t *theory) checkLinearization() error {
	if err := t.checkSecondOrder(); err != nil {
		return err
	}
	if err := t.checkNTKDescent(); err != nil {
		return err
	}
	return t.checkInfiniteWidth()
}

// checkSecondOrder checks that the linearization equals the network up to terms of order u².
func (t *theory) checkSecondOrder() error {
	x := linalg.Gaussian(models.Stream(t.seed, "theory/ntk/x"), linearizedExamples, linearizedInputs, 1)
	net := t.smoothNet()
	lin := t.linearize(t.smoothNet())
	rng := models.Stream(t.seed, "theory/ntk/u")
	start, along := map[string]*mat.Dense{}, map[string]*mat.Dense{}
	for _, name := range []string{"W", "V"} {
		start[name] = net.param(name)
		r, c := start[name].Dims()
		along[name] = linalg.Gaussian(rng, r, c, 1)
	}
	var errs []float64
	for _, size := range []float64{1e-3, 5e-4} {
		for name, u := range along {
			var step, w mat.Dense
			step.Scale(size, u)
			w.Add(start[name], &step)
			net.setParam(name, &w)
			lin.setParam("tangent of "+name, &step)
		}
		f, err := net.evaluate(t.ctx, x)
		if err != nil {
			return err
		}
		g, err := lin.evaluate(t.ctx, x)
		if err != nil {
			return err
		}
		errs = append(errs, linalg.RelativeError(g, f))
	}
	t.addPrinted(study.Statement{Paper: "ntk", Name: "eq. 2",
		Says:    "f(w₀, x) + ∇f(w₀, x)·u is the network at w₀ + u up to u²",
		Measure: fmt.Sprintf("error %.2g at ‖uᵢ‖ ≈ 5e-4; its ratio when u halves", errs[1]),
		Note:    "O(u³), which moves the ratio from 4, is neglected. The network is smooth (tanh)."},
		errs[0]/errs[1], squares)
	return nil
}

// The network whose linearization is trained: convolution, tanh and a linear layer.
const (
	tangentImages, tangentOutputs = 4, 3
	tangentSteps                  = 20
	// tangentPace is the share of the residual along Θ's first eigenvector that a step removes.
	tangentPace = .3
)

// checkNTKDescent checks that the linearization descends as the kernel predicts: every step multiplies the residual r
// = f − y of n images and c outputs, whose mean square is the loss, by I − (2η/(nc))Θ.
func (t *theory) checkNTKDescent() error {
	arch := &models.Architecture{Name: "a convolution", Input: cnfaShape, Root: models.Sequential{
		{Name: "conv", Layer: models.Conv{Filters: 4, Kernel: [2]int{3, 3}}}, {Layer: models.Tanh{}},
		{Layer: models.Flatten{}}, {Name: "head", Layer: models.Linear{}},
	}}
	net, err := arch.InitNetwork(cnfaShape, tangentOutputs, t.seed)
	if err != nil {
		return err
	}
	rng := models.Stream(t.seed, "theory/ntk/images")
	px := make([]float32, tangentImages*cnfaShape.Size())
	y := make([]float32, tangentImages*tangentOutputs)
	for _, v := range [][]float32{px, y} {
		for i := range v {
			v[i] = float32(rng.NormFloat64())
		}
	}
	kernel, err := net.NTK(t.ctx, px, models.NTKOptions{Precision: graph.Double, Threads: t.device.Threads()})
	if err != nil {
		return err
	}
	want, rate, err := tangentLosses(kernel, y)
	if err != nil {
		return err
	}
	options := setups.DescentOptions(tangentImages, rate, graph.Double)
	options.Linearized = true
	trainer, err := models.NewTrainer(net, t.device, options)
	if err != nil {
		return err
	}
	got := make([]float64, len(want))
	for i := range got {
		if got[i], err = trainer.StepTowards(t.ctx, px, y); err != nil {
			return err
		}
	}
	worst := 0.
	for i := range got {
		worst = math.Max(worst, math.Abs(got[i]-want[i])/want[i])
	}
	t.addPrinted(study.Statement{Paper: "ntk", Name: "eqs. 1 and 2, training",
		Says: fmt.Sprintf("full-batch descent of the linearization follows f − y = (I − ηΘ)ᵗ(f₀ − y), Θ = JJᵀ, at t "+
			"= 0 to %d", tangentSteps),
		Measure: fmt.Sprintf("largest relative error of the loss, which falls to %.2g of the first,",
			got[len(got)-1]/got[0]), Note: "Exact, with the η of the mean over images and outputs."}, worst, Exact)
	return nil
}

// tangentLosses returns the losses before every step, computed from the eigenvalues of Θ, and the learning rate.
func tangentLosses(kernel *models.NTK, y []float32) (losses []float64, rate float64, err error) {
	var eig mat.EigenSym
	if !eig.Factorize(kernel.Gram[0], true) {
		return nil, 0, fmt.Errorf("the eigenvalues of the kernel were not found")
	}
	var v mat.Dense
	eig.VectorsTo(&v)
	n := len(y)
	r := mat.NewDense(n, 1, append([]float64(nil), mat.DenseCopyOf(kernel.Outputs).RawMatrix().Data...))
	for i, target := range y {
		r.Set(i, 0, r.At(i, 0)-float64(target))
	}
	c := linalg.Product(v.T(), r)
	values := eig.Values(nil) // ascending
	rate = tangentPace * float64(n) / (2 * values[n-1])
	for step := range tangentSteps + 1 {
		loss := 0.
		for i, l := range values {
			left := c.At(i, 0) * math.Pow(1-2*rate/float64(n)*l, float64(step))
			loss += left * left / float64(n)
		}
		losses = append(losses, loss)
	}
	return losses, rate, nil
}
