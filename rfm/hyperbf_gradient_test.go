package rfm

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/optim"
	"github.com/ansatz-lab/ansatz/rfm/tensors"
	"gonum.org/v1/gonum/mat"
)

// hyperKernels are the two kernels of paper hyperbf.
var hyperKernels = map[string]Kernel{"gaussian": Gaussian{1.5}, "laplace": Laplace{1.5}}

// openDescent compiles the steps of a network in float64.
func openDescent(t *testing.T, h HyperBF, x, y *mat.Dense) *hyperDescent {
	t.Helper()
	h.Precision, h.Select = graph.Double, Last
	f, err := h.newFit(x, y)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.close)
	tensors.Put(f.descent.Graph, f.descent.unit, mat.NewDense(1, 1, []float64{1}))
	return f.descent
}

// run returns the loss and its gradients.
func (d *hyperDescent) run(t *testing.T) (loss float64, gradients []*mat.Dense) {
	t.Helper()
	if err := d.program.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	for _, p := range d.trained {
		gradients = append(gradients, tensors.Matrix(d.program.Value(p.gradient)))
	}
	return tensors.Matrix(d.program.Value(d.loss)).At(0, 0), gradients
}

func sameMatrix(t *testing.T, what string, got, want mat.Matrix, tolerance float64) {
	t.Helper()
	var diff mat.Dense
	diff.Sub(got, want)
	if off, size := mat.Norm(&diff, 2), mat.Norm(want, 2); !(off <= tolerance*size) || size == 0 {
		t.Errorf("%s is off by %.2g of %.2g:\n%v\nwant\n%v", what, off, size, mat.Formatted(got), mat.Formatted(want))
	}
}

// differences returns the central differences of f in the elements of m.
func differences(m *mat.Dense, f func() float64) *mat.Dense {
	out := mat.DenseCopyOf(m)
	out.Apply(func(i, j int, _ float64) float64 {
		const h = 1e-5
		at := m.At(i, j)
		defer m.Set(i, j, at)
		m.Set(i, j, at+h)
		up := f()
		m.Set(i, j, at-h)
		return (up - f()) / (2 * h)
	}, out)
	return out
}

// The pullback gives the gradients of the paper's formulas, and these agree with differences of the loss.
func TestHyperBFGradients(t *testing.T) {
	x, y := hyperExamples(7, 3, 1)
	for name, kernel := range hyperKernels {
		d := openDescent(t, HyperBF{Machine: Machine{Kernel: kernel}, Update: ByDescentWithCentres,
			Coefficients: Descended, Centres: 4}, x, y)
		rng := rand.New(rand.NewPCG(2, 2))
		h := hyper{laplace: name == "laplace", l: 1.5, w: normal(rng, 3, 3), t: normal(rng, 4, 3), c: normal(rng, 4, 2)}
		tensors.Put(d.Graph, d.w, h.w)
		tensors.Put(d.Graph, d.t, d.start.centre(h.t))
		tensors.Put(d.Graph, d.c, h.c)
		loss, got := d.run(t)
		if want := h.loss(x, y); math.Abs(loss-want) > 1e-12*want {
			t.Errorf("%s: loss %v, want %v", name, loss, want)
		}
		w, centres, c := h.gradients(x, y)
		f := func() float64 { return h.loss(x, y) }
		for i, p := range []struct {
			what    string
			of      *mat.Dense
			formula *mat.Dense
		}{{"W", h.w, w}, {"t", h.t, centres}, {"c", h.c, c}} {
			p.formula.Scale(1./7, p.formula)
			sameMatrix(t, name+": gradient in "+p.what+" against the paper's formula", got[i], p.formula, 1e-12)
			sameMatrix(t, name+": gradient in "+p.what+" against differences", got[i], differences(p.of, f), 1e-8)
		}
	}
}

// The gradient in W agrees with differences also where the centres are the examples themselves, so that some distances
// are 0.
func TestHyperBFGradientAtOwnCentres(t *testing.T) {
	x, y := hyperExamples(6, 3, 3)
	x.SetRow(1, x.RawRowView(0)) // one example occurs twice
	for name, kernel := range hyperKernels {
		for _, diagonal := range []bool{false, true} {
			d := openDescent(t, HyperBF{Machine: Machine{Kernel: kernel, Diagonal: diagonal}, Update: ByDescent}, x, y)
			if d.t != d.x {
				t.Error("the centres are looked at twice")
			}
			rng := rand.New(rand.NewPCG(4, 4))
			h := hyper{laplace: name == "laplace", l: 1.5, w: normal(rng, 3, 3), t: x, c: normal(rng, 6, 2)}
			if diagonal {
				h.w = mat.NewDense(3, 3, []float64{.7, 0, 0, 0, -1.2, 0, 0, 0, .3})
				tensors.Put(d.Graph, d.w, mat.NewDense(1, 3, []float64{.7, -1.2, .3}))
			} else {
				tensors.Put(d.Graph, d.w, h.w)
			}
			tensors.Put(d.Graph, d.c, h.c)
			_, got := d.run(t)
			want := differences(h.w, func() float64 { return h.loss(x, y) })
			if diagonal {
				want = mat.NewDense(1, 3, []float64{want.At(0, 0), want.At(1, 1), want.At(2, 2)})
			}
			sameMatrix(t, name+": gradient in W", got[0], want, 1e-8)
		}
	}
}

// For a single example that is its own centre, the gradients in W and in the centre are 0, with either kernel.
func TestHyperBFCentreOnItsExample(t *testing.T) {
	x, y := hyperExamples(1, 3, 5)
	for name, kernel := range hyperKernels {
		d := openDescent(t, HyperBF{Machine: Machine{Kernel: kernel}, Update: ByDescentWithCentres}, x, y)
		tensors.Put(d.Graph, d.c, mat.NewDense(1, 2, []float64{1, 2}))
		_, got := d.run(t)
		if got[0].Norm(2) != 0 || got[1].Norm(2) != 0 {
			t.Errorf("%s: gradients %v and %v, want 0", name, got[0], got[1])
		}
	}
}

// An iteration of one step agrees with its formulas: the regression, then W ← W − η∇H/H₀.
func TestHyperBFStepByHand(t *testing.T) {
	const ridge, rate = .1, .05
	x, y := hyperExamples(8, 3, 6)
	for name, kernel := range hyperKernels {
		h := hyper{laplace: name == "laplace", l: 1.5, w: mat.DenseCopyOf(Identity(3).Dense()), t: x}
		h.c = solveByHand(t, h.kernel(x), y, ridge)
		w, _, _ := h.gradients(x, y)
		w.Scale(-rate/(8*h.loss(x, y)), w)
		w.Add(w, h.w)
		var m mat.Dense
		m.Mul(w.T(), w)
		h.w = w
		model, err := (&HyperBF{
			Machine: Machine{Kernel: kernel, Ridge: ridge, Iterations: 1, Select: Last, Precision: graph.Double},
			Update:  ByDescent, Steps: 1, Optimiser: optim.SGD{LR: rate},
		}).Fit(context.Background(), x, y)
		if err != nil {
			t.Fatal(err)
		}
		sameMatrix(t, name+": M", model.Metric().Dense(), &m, 1e-10)
		sameMatrix(t, name+": coefficients", model.Coefficients(), solveByHand(t, h.kernel(x), y, ridge), 1e-9)
	}
}

// With the coefficients of the regression, the gradient in W is twice that of
// the regression's minimum λ·tr Yᵀ(K + λI)⁻¹Y.
func TestHyperBFGradientOfTheMinimum(t *testing.T) {
	const ridge = .3
	x, y := hyperExamples(6, 3, 7)
	for name, kernel := range hyperKernels {
		d := openDescent(t, HyperBF{Machine: Machine{Kernel: kernel, Ridge: ridge}, Update: ByDescent}, x, y)
		h := hyper{laplace: name == "laplace", l: 1.5, w: normal(rand.New(rand.NewPCG(8, 8)), 3, 3), t: x}
		minimum := func() float64 {
			var product mat.Dense
			product.Mul(y.T(), solveByHand(t, h.kernel(x), y, ridge))
			return ridge * mat.Trace(&product)
		}
		tensors.Put(d.Graph, d.w, h.w)
		tensors.Put(d.Graph, d.c, solveByHand(t, h.kernel(x), y, ridge))
		_, got := d.run(t)
		want := differences(h.w, minimum)
		want.Scale(2./6, want)
		sameMatrix(t, name, got[0], want, 1e-7)
	}
}
