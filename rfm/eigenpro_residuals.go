package rfm

import (
	"context"
	"fmt"

	"github.com/ansatz-lab/ansatz/rfm/columns"
	"gonum.org/v1/gonum/mat"
)

// residuals runs preconditioned conjugate residuals with A = K + λI and the preconditioner P, separately for every
// output. Every pass finds the correction of α, in the Krylov space of PA, with the least residual
// in the norm of P. The residual never grows. If there is no exact solution, because duplicates have different targets, the
// residual still falls to its minimum; conjugate gradients would diverge.
type residuals struct {
	*iteration
	pre              *preconditioner
	z, az            *mat.Dense // P·residual, and A times it
	p, ap, pap       *mat.Dense // the direction, A times it, and P times that
	kept, keptFit    *mat.Dense // the α and Kα that were measured last
	rho, next, share []float64  // scalars of the outputs
}

// The iteration has stalled if the residual falls by less than stallShare in patience passes.
const (
	patience   = 10
	stallShare = .05
)

func (it *iteration) newResiduals() (*residuals, error) {
	n, outputs := it.y.Dims()
	pre, err := it.precondition(outputs)
	c := &residuals{iteration: it, pre: pre}
	for _, m := range []**mat.Dense{&c.z, &c.az, &c.p, &c.ap, &c.pap, &c.kept, &c.keptFit} {
		*m = mat.NewDense(n, outputs, nil)
	}
	for _, v := range []*[]float64{&c.rho, &c.next, &c.share} {
		*v = make([]float64, outputs)
	}
	return c, err
}

// conjugate improves α until the residual is small or falls no further. The recurrences accumulate rounding
// errors in the residual, so conjugate measures it whenever improve ends, and improve starts again from there.
func (it *iteration) conjugate(ctx context.Context) error {
	c, err := it.newResiduals()
	if err != nil {
		return err
	}
	worst, err := it.worst()
	if err != nil {
		return err
	}
	for worst > it.Tolerance {
		before := worst
		c.kept.Copy(it.alpha)
		c.keptFit.Copy(it.fitted)
		stalled, err := c.improve(ctx, worst)
		if err != nil {
			return err
		}
		if worst, err = it.measure(ctx); err != nil {
			return err
		}
		if worst > before {
			it.alpha.Copy(c.kept)
			it.fitted.Copy(c.keptFit)
			it.setResidual()
			worst, err = it.worst()
		}
		if err != nil || stalled || worst > before/2 || it.epochs > it.MaxEpochs-2 {
			it.setNote(worst)
			return err
		}
	}
	return nil
}

// setNote sets the note if the tolerance was not reached, and says why.
func (it *iteration) setNote(worst float64) {
	switch {
	case worst <= it.Tolerance:
	case it.epochs > it.MaxEpochs-2:
		it.note = fmt.Sprintf(
			"EigenPro stopped after %d epochs at a residual of %.2g: more, or a ridge above %g, would bring it "+
				"nearer to %g", it.epochs, worst, it.ridge, it.Tolerance)
	case it.Stochastic:
		it.note = fmt.Sprintf(
			"EigenPro stopped at a residual of %.2g, which hardly fell any more: conjugate residuals, or a ridge "+
				"above %g, go further", worst, it.ridge)
	default:
		it.note = fmt.Sprintf(
			"EigenPro stopped at a residual of %.2g, which fell no further: rounding, or examples that nearly "+
				"coincide and have different targets; a ridge above %g would help", worst, it.ridge)
	}
}

// improve takes steps from the measured residual, until the residual reaches the tolerance or stalls, or until only one
// epoch is left, in which it is measured. It reports whether the residual stalled.
func (c *residuals) improve(ctx context.Context, worst float64) (stalled bool, err error) {
	c.pre.apply(c.z, c.residual)
	if err := c.times(ctx, c.z, c.az); err != nil {
		return false, err
	}
	c.p.Copy(c.z)
	c.ap.Copy(c.az)
	columns.Dot(c.rho, c.z, c.az)
	least, at := worst, 0
	for step := 0; ; step++ {
		c.step()
		if err = c.keepIfBest(); err != nil {
			return false, err
		}
		if worst, err = c.worst(); err != nil {
			return false, err
		}
		c.reportProgress(worst)
		if worst < (1-stallShare)*least {
			least, at = worst, step
		}
		if worst <= .9*c.Tolerance || c.epochs >= c.MaxEpochs-1 {
			return false, nil
		}
		if step-at >= patience {
			return true, nil
		}
		if err := c.nextDirection(ctx); err != nil {
			return false, err
		}
	}
}

// step goes along the direction to the least residual.
func (c *residuals) step() {
	c.pre.apply(c.pap, c.ap)
	columns.Dot(c.share, c.ap, c.pap)
	for k, norm := range c.share {
		c.share[k] = ratio(c.rho[k], norm)
	}
	columns.Add(c.alpha, c.share, c.p)
	for k := range c.share {
		c.share[k] = -c.share[k]
	}
	columns.Add(c.residual, c.share, c.ap)
	columns.Add(c.z, c.share, c.pap)
}

// nextDirection combines the preconditioned residual and the last direction.
func (c *residuals) nextDirection(ctx context.Context) error {
	if err := c.times(ctx, c.z, c.az); err != nil {
		return err
	}
	columns.Dot(c.next, c.z, c.az)
	for k, v := range c.next {
		c.share[k] = ratio(v, c.rho[k])
	}
	columns.ScaleAndAdd(c.p, c.share, c.z)
	columns.ScaleAndAdd(c.ap, c.share, c.az)
	copy(c.rho, c.next)
	return nil
}

// times sets out to (K + λI)x, in one pass over the examples.
func (c *residuals) times(ctx context.Context, x, out *mat.Dense) error {
	if err := c.product.Times(ctx, x, out); err != nil {
		return err
	}
	c.epochs++
	n, _ := x.Dims()
	for i := range n {
		from, to := x.RawRowView(i), out.RawRowView(i)
		for k, v := range from {
			to[k] += c.ridge * v
		}
	}
	return nil
}

// ratio returns a/b of positive numbers, and otherwise 0: an output whose residual is 0 or only rounding takes no step.
func ratio(a, b float64) float64 {
	if a > 0 && b > 0 {
		return a / b
	}
	return 0
}
