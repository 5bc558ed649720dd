package rfm

import (
	"context"
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/optim"
	"github.com/ansatz-lab/ansatz/rfm/tensors"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// hyperFit holds the state of one call of [HyperBF.Fit].
type hyperFit struct {
	*fit
	of      HyperBF
	descent *hyperDescent // nil where M is learned by the AGOP
}

// newFit checks the network and the examples, and holds out those for validation.
func (h *HyperBF) newFit(x, y *mat.Dense) (*hyperFit, error) {
	c := *h
	if c.Steps == 0 {
		c.Steps = DefaultSteps
	}
	if c.Optimiser == nil {
		c.Optimiser = optim.Adam{LR: DefaultRate}
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	f, err := c.Machine.newFit(x, y)
	if err != nil {
		return nil, err
	}
	out := &hyperFit{fit: f, of: c}
	if err := out.open(); err != nil {
		f.close()
		return nil, err
	}
	return out, nil
}

// open draws the centres and prepares the steps.
func (f *hyperFit) open() error {
	n, _ := f.train.X.Dims()
	switch {
	case f.of.Centres > n:
		return badInput("%d centres: there are %d training examples to draw them from", f.of.Centres, n)
	case f.of.Batch > n:
		return badInput("gradients of %d examples: there are %d training examples", f.of.Batch, n)
	}
	f.centres = sampleRows(f.train.X, f.of.Centres, stream(f.Seed, "centres", 0))
	if f.of.Update == ByAGOP {
		return nil
	}
	if rotations, _ := f.Kernel.symmetries(); !rotations {
		return badInput("W by gradient descent with the %v kernel, which is not a function of WᵀW", f.Kernel)
	}
	l, err := f.Metric.lensFor(f.Kernel, f.centres)
	if err != nil {
		return err
	}
	f.descent, err = f.newDescent(l)
	return err
}

func (h *HyperBF) check() error {
	switch {
	case h.Update < ByAGOP || h.Update > ByDescentWithCentres:
		return badInput("%v is no way to learn M", h.Update)
	case h.Coefficients < Solved || h.Coefficients > Descended:
		return badInput("coefficients that are neither solved nor descended: %v", h.Coefficients)
	case h.Adaptive:
		return badInput("an adaptive bandwidth for a hyper basis function network, whose M has the scale that it learns")
	case h.Centres < 0:
		return badInput("%d centres: want at least 1, or 0 for all training examples", h.Centres)
	case h.Steps < 0:
		return badInput("%d gradient steps an iteration: want at least 1, or 0 for %d", h.Steps, DefaultSteps)
	case h.Batch < 0:
		return badInput("a gradient of %d examples: want at least 1, or 0 for all", h.Batch)
	case h.Update == ByAGOP && h.Coefficients == Descended:
		return badInput("coefficients by gradient descent with M by the AGOP, which takes no steps")
	case h.Update != ByAGOP && h.Remember != nil:
		return badInput("iterations of gradient descent cannot be remembered: they do not hold the optimiser's state")
	}
	if err := h.Optimiser.Check(); err != nil {
		return &InputError{err.Error()}
	}
	return nil
}

func (f *hyperFit) run(ctx context.Context) (*Model, error) {
	return f.iterate(ctx, func(latest *Iteration) (*Iteration, error) {
		switch {
		case latest == nil:
			return f.begin(ctx, f.Metric)
		case f.of.Update == ByAGOP:
			metric, err := f.learn(ctx, latest.model)
			if err != nil {
				return nil, err
			}
			return f.begin(ctx, metric)
		}
		return f.descend(ctx, latest)
	})
}

// begin returns the iteration that solves for the coefficients of the centres in a metric.
func (f *hyperFit) begin(ctx context.Context, metric *Metric) (*Iteration, error) {
	lens, err := metric.lensFor(f.Kernel, f.centres)
	if err != nil {
		return nil, err
	}
	return f.expand(ctx, metric, lens, f.centres)
}

// descend takes the gradient steps of one iteration, from the latest one.
func (f *hyperFit) descend(ctx context.Context, latest *Iteration) (*Iteration, error) {
	d := f.descent
	if d.taken == 0 {
		if err := d.begin(latest); err != nil {
			return nil, err
		}
	}
	d.setCoefficients(latest.model.alpha)
	for range f.of.Steps {
		if err := d.step(ctx); err != nil {
			return nil, err
		}
	}
	centres := f.centres
	if f.of.Update == ByDescentWithCentres {
		centres = d.start.uncentre(tensors.Matrix(d.Data(d.t)))
	}
	lens := d.lens().from(f.Kernel, centres)
	if f.of.Coefficients == Solved {
		return f.expand(ctx, lens.metric(), lens, centres)
	}
	return f.judgeCurrent(ctx, lens, centres, tensors.Matrix(d.Data(d.c)))
}

// judgeCurrent returns the iteration of a network with its current coefficients, and its scores.
func (f *hyperFit) judgeCurrent(ctx context.Context, lens *lens, centres, alpha *mat.Dense) (*Iteration, error) {
	points, err := f.transform(ctx, lens, centres)
	if err != nil {
		return nil, err
	}
	m := f.model(f.Kernel, lens.metric(), lens, centres, points, alpha)
	fitted, err := m.predictOn(ctx, f.machinery, f.train.X)
	if err != nil {
		return nil, err
	}
	return f.judge(ctx, m, &solved{alpha: alpha, fitted: fitted, Solution: Solution{Method: "gradient descent"}})
}

// expand solves for the coefficients of the centres and returns the iteration, with its scores.
func (f *hyperFit) expand(ctx context.Context, metric *Metric, lens *lens, centres *mat.Dense) (*Iteration, error) {
	if centres == f.train.X {
		return f.regressThrough(ctx, metric, lens)
	}
	seen, err := f.transform(ctx, lens, f.train.X)
	if err != nil {
		return nil, err
	}
	points, err := f.transform(ctx, lens, centres)
	if err != nil {
		return nil, err
	}
	s, err := f.project(ctx, seen, points)
	if err != nil {
		return nil, err
	}
	return f.judge(ctx, f.model(f.Kernel, metric, lens, centres, points, s.alpha), s)
}

// project solves min ‖Y − Gc‖² + λ·tr cᵀgc for the kernel G of examples and centres, n×k, and g of centres,
// k×k, both through the lens. The formula (GᵀG + λg)⁻¹GᵀY (Poggio and Girosi 1990) would square the condition
// of G. So project factorises g = UᵀU and sets c = U⁻¹b, where b solves the ridge regression on Φ = GU⁻¹.
func (f *fit) project(ctx context.Context, examples, centres *mat.Dense) (*solved, error) {
	g, err := f.gram(ctx, f.Kernel, centres)
	if err != nil {
		return nil, err
	}
	phi, err := f.cross(ctx, f.Kernel, examples, centres)
	if err != nil {
		return nil, err
	}
	if err := checkFinite(f.Kernel, g); err != nil {
		return nil, err
	}
	f.report("solve", 0, 1)
	defer f.report("solve", 1, 1)
	negligible := (&problem{machinery: f.machinery}).negligible()
	u, added, err := factorUp(g, negligible)
	if err != nil {
		return nil, err
	}
	blas64.Trsm(blas.Right, blas.NoTrans, 1, u, phi.RawMatrix())
	var normal mat.SymDense
	normal.SymOuterK(1, phi.T())
	k := normal.SymmetricDim()
	for i := range k {
		normal.SetSym(i, i, normal.At(i, i)+f.Ridge)
	}
	v, more, err := factorUp(&normal, negligible)
	if err != nil {
		return nil, err
	}
	var alpha, fitted mat.Dense
	alpha.Mul(phi.T(), f.train.Y)
	lapack64.Potrs(v, alpha.RawMatrix())
	fitted.Mul(phi, &alpha)
	blas64.Trsm(blas.Left, blas.NoTrans, 1, u, alpha.RawMatrix())
	s := &solved{alpha: &alpha, fitted: &fitted, Solution: Solution{Method: "projection"}}
	if added > 0 || more > 0 {
		s.Note = fmt.Sprintf(
			"the kernel of the %d centres is singular up to rounding: %.1g was added to its diagonal, and %.1g to "+
				"the ridge", k, added, more)
	}
	return s, nil
}

// mostAdded bounds what factorUp adds to the diagonal, as a share of the largest element.
const mostAdded = 1e-2

// factorUp returns U with UᵀU = a + added·I, in new memory. It tries to add 0, negligible, 10·negligible … times the largest
// element on the diagonal of a, and stops at the first with which no pivot is lost in rounding.
func factorUp(a *mat.SymDense, negligible float64) (u blas64.Triangular, added float64, err error) {
	raw, most := a.RawSymmetric(), 0.
	for i := range raw.N {
		most = max(most, math.Abs(a.At(i, i)))
	}
	for share := 0.; share <= mostAdded; share = max(negligible, 10*share) {
		c := mat.NewSymDense(raw.N, nil)
		c.CopySym(a)
		raw := c.RawSymmetric()
		for i := range raw.N {
			raw.Data[i*raw.Stride+i] += share * most
		}
		u, ok := lapack64.Potrf(raw)
		for i := 0; ok && i < raw.N; i++ {
			pivot := raw.Data[i*raw.Stride+i]
			ok = pivot*pivot > negligible/2*most
		}
		if ok {
			return u, share * most, nil
		}
	}
	return u, 0, fmt.Errorf("rfm: a kernel matrix of %d centres is not positive semi-definite", raw.N)
}

// cross returns the kernel matrix K(uᵢ, vⱼ), n×k, of the rows of u, n×r, and v, k×r.
func (m machinery) cross(ctx context.Context, k Kernel, u, v *mat.Dense) (*mat.Dense, error) {
	n, _ := u.Dims()
	c, r := v.Dims()
	p, err := m.express(&lens{d: r}, batchRows(c, n), func(g *graph.Graph, x *graph.Node) *graph.Node {
		return k.Matrix(g, x, g.Param("centres", c, r))
	})
	if err != nil {
		return nil, err
	}
	tensors.Put(p.Graph, p.Named("centres"), v)
	return p.forward(ctx, "kernel", u)
}
