package rfm

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/optim"
	"github.com/ansatz-lab/ansatz/rfm/tensors"
	"gonum.org/v1/gonum/mat"
)

// fitHyper fits a network and returns the model and all iterations.
func fitHyper(t *testing.T, h HyperBF, x, y *mat.Dense) (*Model, []*Iteration) {
	t.Helper()
	var all []*Iteration
	h.Each = func(it *Iteration) error {
		all = append(all, it)
		return nil
	}
	m, err := h.Fit(context.Background(), x, y)
	if err != nil {
		t.Fatal(err)
	}
	return m, all
}

// A network that learns by the AGOP is a recursive feature machine.
func TestHyperBFByAGOPIsRFM(t *testing.T) {
	x, y := hyperExamples(40, 4, 1)
	m := Machine{Kernel: Gaussian{2}, Ridge: .01, Iterations: 3, Select: Last}
	want, err := m.Fit(context.Background(), x, y)
	if err != nil {
		t.Fatal(err)
	}
	got, _ := fitHyper(t, HyperBF{Machine: m}, x, y)
	if !mat.Equal(got.Coefficients(), want.Coefficients()) || !mat.Equal(got.Metric().Dense(), want.Metric().Dense()) {
		t.Error("the two differ")
	}
}

// If some examples are centres, the coefficients minimise ‖Y − Gc‖² + λ·tr cᵀgc. If all are, the coefficients are those
// of the kernel machine.
func TestHyperBFProjection(t *testing.T) {
	const ridge = .2
	x, y := hyperExamples(20, 3, 2)
	h := HyperBF{Machine: Machine{Kernel: Gaussian{1.5}, Ridge: ridge, Select: Last, Precision: graph.Double},
		Centres: 6}
	m, all := fitHyper(t, h, x, y)
	o := hyper{l: 1.5, w: mat.DenseCopyOf(Identity(3).Dense()), t: m.Centres()}
	g, inner := o.kernel(x), o.kernel(m.Centres())
	var normal, right, want, fitted mat.Dense
	normal.Mul(g.T(), g)
	inner.Scale(ridge, inner)
	normal.Add(&normal, inner)
	right.Mul(g.T(), y)
	if err := want.Solve(&normal, &right); err != nil {
		t.Fatal(err)
	}
	sameMatrix(t, "coefficients", m.Coefficients(), &want, 1e-9)
	fitted.Mul(g, &want)
	if s, _ := Regression.Score(&fitted, y); math.Abs(s.MSE-all[0].Train.MSE) > 1e-12 {
		t.Errorf("training error %v, want %v", all[0].Train.MSE, s.MSE)
	}
	h.Centres = 20
	whole, _ := fitHyper(t, h, x, y)
	f, err := h.newFit(x, y)
	if err != nil {
		t.Fatal(err)
	}
	defer f.close()
	s, err := f.project(context.Background(), x, mat.DenseCopyOf(x))
	if err != nil {
		t.Fatal(err)
	}
	sameMatrix(t, "coefficients of all examples", s.alpha, whole.Coefficients(), 1e-9)
}

// If centres coincide, the projection is singular. The solution then has a note, and errors and predictions are finite.
func TestHyperBFProjectionOfCoincidentCentres(t *testing.T) {
	x, y := hyperExamples(20, 3, 3)
	for i := range 10 {
		x.SetRow(i, x.RawRowView(0))
	}
	h := HyperBF{Machine: Machine{Kernel: Laplace{1.5}, Ridge: .1, Select: Last, Iterations: 2},
		Update: ByDescentWithCentres, Steps: 2}
	for _, centres := range []int{0, 15} {
		h.Centres = centres
		m, all := fitHyper(t, h, x, y)
		for i, it := range all {
			if it.Train.MSE-it.Train.MSE != 0 {
				t.Errorf("iteration %d: training error %v", i, it.Train.MSE)
			}
		}
		if note := all[len(all)-1].Solution.Note; centres > 0 && !strings.Contains(note, "singular") {
			t.Errorf("note %q", note)
		}
		if p, err := m.Predict(context.Background(), x); err != nil || notFinite(mat.Sum(p)) {
			t.Errorf("predictions %v, %v", p, err)
		}
	}
}

// At W = 0 the gradient in W is 0 (paper hyperbf, eq. 10, contrary to eq. 4), so that W stays 0.
func TestHyperBFStaysAtZero(t *testing.T) {
	x, y := hyperExamples(12, 3, 4)
	for name, kernel := range hyperKernels {
		for _, o := range []optim.Optimiser{optim.SGD{LR: 1}, optim.Adam{LR: .1}} {
			_, all := fitHyper(t, HyperBF{
				Machine: Machine{Kernel: kernel, Ridge: .1, Metric: DiagonalMetric(make([]float64, 3)), Iterations: 2,
					Select: Last},
				Update: ByDescentWithCentres, Optimiser: o,
			}, x, y)
			if got := all[2].Metric.Trace(); got != 0 {
				t.Errorf("%s, %v: tr M = %v", name, o, got)
			}
		}
	}
}

// Gradient descent does not increase the rank of W.
func TestHyperBFKeepsRank(t *testing.T) {
	x, y := hyperExamples(12, 3, 5)
	m, _ := fitHyper(t, HyperBF{
		Machine: Machine{Kernel: Gaussian{1.5}, Ridge: .1, Metric: DiagonalMetric([]float64{1, 0, 0}), Iterations: 2,
			Select: Last, Precision: graph.Double},
		Update: ByDescent, Optimiser: optim.SGD{LR: .5},
	}, x, y)
	var e mat.EigenSym
	if !e.Factorize(m.Metric().Dense(), false) {
		t.Fatal("no eigenvalues")
	}
	if v := e.Values(nil); v[1] > 1e-12*v[2] || m.Metric().Dense().At(2, 2) == 0 {
		t.Errorf("eigenvalues %v of M\n%v", v, mat.Formatted(m.Metric().Dense()))
	}
}

// hyperTask returns n examples whose targets depend on the first of five features only.
func hyperTask(n int) (x, y *mat.Dense) {
	rng := rand.New(rand.NewPCG(9, 9))
	x = normal(rng, n, 5)
	y = mat.NewDense(n, 2, nil)
	for i := range n {
		y.Set(i, 0, math.Sin(2*x.At(i, 0)))
		y.Set(i, 1, x.At(i, 0)*x.At(i, 0)-1)
	}
	return x, y
}

// All three updates find the one feature that matters, and so reduce the test error. (With a ridge of .01 the AGOP does
// so too, but gradient descent does not: see [HyperBF].)
func TestHyperBFLearnsFeatures(t *testing.T) {
	all, allY := hyperTask(420)
	x, y := mat.DenseCopyOf(all.Slice(0, 120, 0, 5)), mat.DenseCopyOf(allY.Slice(0, 120, 0, 2))
	testX, testY := mat.DenseCopyOf(all.Slice(120, 420, 0, 5)), mat.DenseCopyOf(allY.Slice(120, 420, 0, 2))
	for name, kernel := range map[string]Kernel{"gaussian": Gaussian{2}, "laplace": Laplace{3}} {
		for _, h := range []HyperBF{
			{Update: ByAGOP, Centres: 60}, {Update: ByDescent}, {Update: ByDescent, Centres: 60},
			{Update: ByDescentWithCentres, Centres: 60},
			{Update: ByDescent, Centres: 60, Batch: 50}, {Update: ByDescent, Optimiser: optim.SGD{LR: .03}},
		} {
			h.Machine = Machine{Kernel: kernel, Ridge: 1, Iterations: 20, Select: Last}
			if h.Optimiser == nil {
				h.Optimiser = optim.Adam{LR: .02}
			}
			m, all := fitHyper(t, h, x, y)
			before, err := all[0].Model().Score(context.Background(), testX, testY)
			if err != nil {
				t.Fatal(err)
			}
			after, err := m.Score(context.Background(), testX, testY)
			if err != nil {
				t.Fatal(err)
			}
			diag := m.Metric().Diagonal()
			if largest(diag) != 0 || diag[0] < .75*m.Metric().Trace() || after.MSE > .6*before.MSE {
				t.Errorf("%s, %v with %d centres, batch %d: diagonal %.2g, error %.3g → %.3g",
					name, h.Update, h.Centres, h.Batch, diag, before.MSE, after.MSE)
			}
		}
	}
}

// With small plain steps on all examples the loss falls at every step.
func TestHyperBFLossFalls(t *testing.T) {
	x, y := hyperTask(60)
	for name, kernel := range hyperKernels {
		for _, c := range []Coefficients{Solved, Descended} {
			last, steps := math.Inf(1), 0
			h := HyperBF{
				Machine: Machine{Kernel: kernel, Ridge: .1, Iterations: 4, Select: Last},
				Update:  ByDescentWithCentres, Centres: 20, Coefficients: c, Optimiser: optim.SGD{LR: .005},
			}
			h.Stepped = func(step int, loss float64) error {
				if steps++; step != steps || loss >= last {
					t.Errorf("%s: loss %v before step %d, %v before the one before it", name, loss, step, last)
				}
				last = loss
				return nil
			}
			fitHyper(t, h, x, y)
			if steps != 4*DefaultSteps {
				t.Errorf("%d steps", steps)
			}
		}
	}
}

func TestHyperBFCentres(t *testing.T) {
	x, y := hyperTask(60)
	h := HyperBF{Machine: Machine{Kernel: Gaussian{2}, Ridge: .1, Iterations: 2, Select: Last}, Centres: 20,
		Optimiser: optim.Adam{LR: .02}}
	for _, u := range []Update{ByAGOP, ByDescent, ByDescentWithCentres} {
		h.Update = u
		_, all := fitHyper(t, h, x, y)
		first, last := all[0].Model().Centres(), all[2].Model().Centres()
		if n, _ := first.Dims(); n != 20 {
			t.Fatalf("%d centres", n)
		}
		if moved := !mat.Equal(first, last); moved != (u == ByDescentWithCentres) {
			t.Errorf("%v: moved is %v", u, moved)
		}
	}
}

// The same seed gives the same bits. Another seed draws other centres and batches.
func TestHyperBFIsDeterministic(t *testing.T) {
	x, y := hyperTask(60)
	fit := func(seed uint64, centres, batch int) *Model {
		m, _ := fitHyper(t, HyperBF{
			Machine: Machine{Kernel: Laplace{2}, Ridge: .1, Iterations: 2, Select: Last, Seed: seed},
			Update:  ByDescentWithCentres, Centres: centres, Batch: batch,
		}, x, y)
		return m
	}
	same := func(a, b *Model) bool {
		return mat.Equal(a.Coefficients(), b.Coefficients()) && mat.Equal(a.Metric().Dense(), b.Metric().Dense()) &&
			mat.Equal(a.Centres(), b.Centres())
	}
	if !same(fit(1, 20, 16), fit(1, 20, 16)) {
		t.Error("one seed, two results")
	}
	if same(fit(1, 20, 0), fit(2, 20, 0)) || same(fit(1, 0, 16), fit(2, 0, 16)) {
		t.Error("the seed draws nothing")
	}
	if !same(fit(1, 0, 0), fit(2, 0, 0)) {
		t.Error("the seed matters where there is nothing to draw")
	}
}

// A pass draws every example at most once, and leaves out those that do not fill a batch. The gradient of a batch
// agrees with the formula for its examples.
func TestHyperBFBatches(t *testing.T) {
	x, y := hyperExamples(10, 3, 11)
	d := openDescent(t, HyperBF{Machine: Machine{Kernel: Gaussian{1.5}}, Update: ByDescent, Batch: 4}, x, y)
	seen := map[float64]int{}
	for range 2 { // a pass, without the two examples that are left over
		d.draw()
		for _, row := range tensors.Matrix(d.Data(d.x)).RawMatrix().Data {
			seen[row]++
		}
	}
	if len(seen) != 8*3 {
		t.Errorf("%d values of the features of 8 examples", len(seen))
	}
	d.draw()
	if d.passes != 2 {
		t.Errorf("%d passes", d.passes)
	}
	var h hyper
	h.l, h.w, h.t, h.c = 1.5, mat.DenseCopyOf(Identity(3).Dense()), x, normal(rand.New(rand.NewPCG(1, 1)), 10, 2)
	tensors.Put(d.Graph, d.c, h.c)
	_, got := d.run(t)
	want, _, _ := h.gradients(d.start.uncentre(tensors.Matrix(d.Data(d.x))), tensors.Matrix(d.Data(d.y)))
	want.Scale(1./4, want)
	sameMatrix(t, "gradient of a batch", got[0], want, 1e-12)
}
