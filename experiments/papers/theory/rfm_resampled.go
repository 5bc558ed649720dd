package theory

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
)

// The first layer of the networks of Theorem 1 and Proposition 3. Its rank is smaller than its size, as is nearly true
// of a trained network.
const (
	resampledInputs, resampledUnits, resampledRank = 6, 10, 3
	// resampledPairs is the number of pairs x, −x. In each pair every unit's ReLU is on exactly once, so that the mean
	// over x adds no error of its own.
	resampledPairs = 4
)

// reluNet returns the ReLU network of rfm, eq. 1, with c_φ = 2, layers W1, W2, … and an output for
// each row of a.
func (t *theory) reluNet(layers int) *paperNet {
	return &paperNet{device: t.device,
		build: func(g *graph.Graph, x *graph.Node, p func(string) *graph.Node) *graph.Node {
			for l := range layers {
				w := p(fmt.Sprintf("W%d", l+1))
				if g.Err() != nil {
					return nil
				}
				x = g.ReLU(g.Scale(math.Sqrt(2/float64(w.Shape()[0])), g.Linear(x, w)))
			}
			return g.Linear(x, p("a"))
		}}
}

// identityOf returns I, k×k. As the last layer it gives the expectation over a with E[aaᵀ] = I, since the AGOP sums
// over outputs.
func identityOf(k int) *mat.Dense {
	m := mat.NewDense(k, k, nil)
	for i := range k {
		m.Set(i, i, 1)
	}
	return m
}

// checkResampledNets checks Proposition 3 and Theorem 1.
func (t *theory) checkResampledNets() error {
	rng := models.Stream(t.seed, "theory/rfm/3")
	w := linalg.Product(linalg.Gaussian(rng, resampledUnits, resampledRank, 1),
		linalg.Gaussian(rng, resampledRank, resampledInputs, 1))
	x := drawPairs(rng, resampledPairs)
	want := linalg.Scaled(1/float64(resampledUnits), backend.Gram(w))
	if err := t.checkProposition3(w, x, want); err != nil {
		return err
	}
	if err := t.checkSingleNet(); err != nil {
		return err
	}
	return t.checkRFMTheorem(w, x, want)
}

// drawPairs returns n random inputs x, then −x of each.
func drawPairs(rng *rand.Rand, n int) *mat.Dense {
	half := linalg.Gaussian(rng, n, resampledInputs, 1)
	var minus, x mat.Dense
	minus.Scale(-1, half)
	x.Stack(half, &minus)
	return &x
}

// checkProposition3 checks Proposition 3 for a first layer w at inputs x, where want is WᵀW/k.
func (t *theory) checkProposition3(w, x *mat.Dense, want *mat.SymDense) error {
	net := t.reluNet(1)
	net.setParam("W1", w)
	net.setParam("a", identityOf(resampledUnits))
	agop, err := net.agop(t.ctx, x)
	if err != nil {
		return err
	}
	t.addPrinted(study.Statement{Paper: "rfm", Name: "Proposition 3",
		Says:    "W₁ᵀW₁/k = E[∇g∇gᵀ] over a and x, for a ReLU network with one hidden layer",
		Measure: "relative error, with E[aaᵀ] = I in place of draws and x in pairs ±x,",
		Note: "Exact at any width with c_φ = 2 = 1/E[φ′²], which the paper does not give, and for any x as likely " +
			"as −x and on no ReLU's kink. It is about a that knows nothing of W₁, which a trained a does."},
		linalg.RelativeError(agop, want), Exact)
	errs := make([]float64, len(t.Widths))
	for i, k := range t.Widths {
		draws := t.reluNet(1)
		draws.setParam("W1", w)
		for draw := range t.Draws {
			draws.params["a"] = denseTensor(linalg.Gaussian(models.Stream(t.seed,
				fmt.Sprintf("theory/rfm/3/%d/%d", k, draw)), k, resampledUnits, 1/math.Sqrt(float64(k))))
			agop, err := draws.agop(t.ctx, x)
			if err != nil {
				return err
			}
			errs[i] += linalg.RelativeError(agop, want) / float64(t.Draws)
		}
	}
	t.addBesides(study.Statement{Paper: "rfm", Name: "Proposition 3, sampled",
		Says:    "with k draws of a instead of the expectation, the error of W₁ᵀW₁/k = E[∇g∇gᵀ] falls as k^−½",
		Measure: fmt.Sprintf("error %.2g at %d draws; slope", errs[len(errs)-1], t.Widths[len(errs)-1])},
		slope(t.Widths, errs), AsInverseRoot)
	t.addCurve("Prop. 3, draws of a", errs)
	return nil
}

// singleExamples is the number of pairs ±x for the AGOP of one network, singleDraws the number of
// networks.
const singleExamples, singleDraws = 50, 12

// checkSingleNet shows that Proposition 3 is about an expectation: with one draw of a, the AGOP of a network does not
// approach W₁ᵀW₁/k as the network grows, since units whose ReLUs are on together add up.
func (t *theory) checkSingleNet() error {
	errs := make([]float64, len(t.Widths))
	for i, k := range t.Widths {
		for draw := range singleDraws {
			rng := models.Stream(t.seed, fmt.Sprintf("theory/rfm/single/%d/%d", k, draw))
			x := drawPairs(rng, singleExamples)
			net := t.reluNet(1)
			net.setParam("W1", linalg.Gaussian(rng, k, resampledInputs, 1))
			net.setParam("a", linalg.Gaussian(rng, 1, k, 1))
			agop, err := net.agop(t.ctx, x)
			if err != nil {
				return err
			}
			errs[i] += linalg.RelativeError(agop,
				linalg.Scaled(1/float64(k), backend.Gram(net.param("W1")))) / singleDraws
		}
	}
	t.addBesides(study.Statement{Paper: "rfm", Name: "Proposition 3, one network",
		Says: "with one draw of a instead of the expectation, the error of W₁ᵀW₁/k = E[∇g∇gᵀ] does not fall " +
			"with the width",
		Measure: slopeMeasure(t.Widths, errs),
		Note:    "So neither the proposition nor Theorem 1 says what the AGOP of a single network is, however wide."},
		slope(t.Widths, errs), study.Within(0, .15))
	t.addCurve("Prop. 3, one a", errs)
	return nil
}

// theoremDraws is the number of draws of the other layers over which Theorem 1's error is averaged at the largest
// width. Smaller widths use proportionally more draws, which differ more and cost less.
const theoremDraws = 32

// checkRFMTheorem checks Theorem 1 with three hidden layers.
func (t *theory) checkRFMTheorem(w, x *mat.Dense, want *mat.SymDense) error {
	widths := t.Widths[:min(len(t.Widths), 3)] // a backward pass for each of k outputs, through k×k weights
	errs := make([]float64, len(widths))
	for i, k := range widths {
		draws := theoremDraws * widths[len(widths)-1] / k
		for draw := range draws {
			rng := models.Stream(t.seed, fmt.Sprintf("theory/rfm/theorem/%d/%d", k, draw))
			net := t.reluNet(3)
			net.setParam("W1", w)
			net.setParam("W2", linalg.Gaussian(rng, k, resampledUnits, 1))
			net.setParam("W3", linalg.Gaussian(rng, k, k, 1))
			net.setParam("a", identityOf(k))
			agop, err := net.agop(t.ctx, x)
			if err != nil {
				return err
			}
			errs[i] += linalg.RelativeError(agop, want) / float64(draws)
		}
	}
	t.addPrinted(study.Statement{Paper: "rfm", Name: "Theorem 1",
		Says:    "W₁ᵀW₁/k₁ is the expected gradient outer product as k₂, k₃ → ∞ (three hidden layers)",
		Measure: slopeMeasure(widths, errs),
		Note: "Neglected is O(k^−½). The outer layers are drawn, and stay, without the gradient independence " +
			"ansatz. c_φ = 2; the proof's first line has c_φᴸ/∏k for its root."},
		slope(widths, errs), AsInverseRoot)
	t.addCurve("Theorem 1, k₂ = k₃", errs)
	return nil
}
