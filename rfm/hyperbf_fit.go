package rfm

import (
	"context"

	"github.com/ansatz-lab/ansatz/graph"
	"gonum.org/v1/gonum/mat"
)

// hyperFit is a hyper basis function network at work on examples.
type hyperFit struct {
	*fit
	of      HyperBF
	descent *hyperDescent // nil where M is learned by the AGOP
}

// newFit checks the network and the examples.
func (h *HyperBF) newFit(x, y *mat.Dense) (*hyperFit, error) {
	c := *h
	if c.Steps == 0 {
		c.Steps = DefaultSteps
	}
	if c.Optimiser == nil {
		c.Optimiser = graph.Adam{LR: DefaultRate}
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
	if f.of.Centres > n || f.of.Batch > n {
		return badInput("%d centres and gradients of %d examples: there are %d training examples",
			f.of.Centres, f.of.Batch, n)
	}
	f.centres = sampleRows(f.train.X, f.of.Centres, stream(f.Seed, "centres", 0))
	if f.of.Update == ByAGOP {
		return nil
	}
	l, err := f.Metric.lens(true)
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
	case h.Centres < 0:
		return badInput("%d centres: want at least 1, or 0 for all training examples", h.Centres)
	case h.Steps < 0:
		return badInput("%d gradient steps an iteration: want at least 1, or 0 for %d", h.Steps, DefaultSteps)
	case h.Batch < 0:
		return badInput("a gradient of %d examples: want at least 1, or 0 for all", h.Batch)
	case h.Update == ByAGOP && h.Coefficients == Descended:
		return badInput("coefficients by gradient descent with M by the AGOP, which takes no steps")
	case h.Update != ByAGOP && h.Remember != nil:
		return badInput("iterations of gradient descent are not remembered: what the optimiser knows is not in them")
	case h.Update != ByAGOP && h.Kernel != nil && !h.Kernel.Rotates():
		return badInput("W by gradient descent with the %v kernel, which is not a function of WᵀW", h.Kernel)
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

// begin finds the coefficients of the centres to start from in a metric.
func (f *hyperFit) begin(ctx context.Context, metric *Metric) (*Iteration, error) {
	lens, err := metric.lens(f.Kernel.Rotates())
	if err != nil {
		return nil, err
	}
	return f.expand(ctx, metric, lens, f.centres)
}

// descend takes the gradient steps of an iteration from the latest.
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
	lens, centres := d.lens(), f.centres
	if f.of.Update == ByDescentWithCentres {
		centres = matrix(d.Data(d.t))
	}
	if f.of.Coefficients == Solved {
		return f.expand(ctx, lens.metric(), lens, centres)
	}
	return f.keep(ctx, lens, centres, matrix(d.Data(d.c)))
}

// keep judges a network with the coefficients that it has.
func (f *hyperFit) keep(ctx context.Context, lens *lens, centres, alpha *mat.Dense) (*Iteration, error) {
	points, err := f.see(ctx, lens, centres)
	if err != nil {
		return nil, err
	}
	m := f.model(lens.metric(), lens, centres, points, alpha)
	fitted, err := m.predictOn(ctx, f.machinery, f.train.X)
	if err != nil {
		return nil, err
	}
	return f.judge(ctx, m, &solved{alpha: alpha, fitted: fitted, Solution: Solution{Method: "gradient descent"}})
}
