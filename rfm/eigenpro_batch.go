package rfm

import (
	"context"

	"gonum.org/v1/gonum/blas/blas64"
)

// gradient sets g for the examples of the batch and adds its squares to sums.
func (d *descent) gradient(ctx context.Context) error {
	gatherRows(d.predictor.Data(d.predictor.x), d.points, d.rows)
	if err := d.run(ctx); err != nil {
		return err
	}
	d.run = d.program.Repeat
	takeRows(d.g, 0, len(d.rows), d.program.Value(d.predictor.Output))
	for i, row := range d.rows {
		g, y, alpha := d.g.RawRowView(i), d.y.RawRowView(row), d.alpha.RawRowView(row)
		for k := range g {
			g[k] += d.ridge*alpha[k] - y[k]
			d.sums[k] += g[k] * g[k]
		}
	}
	return nil
}

// update takes the step, in the batch's coefficients and in the subsample's.
func (d *descent) update() {
	outputs := len(d.sums)
	clear(d.inside)
	for i, row := range d.rows {
		g := d.g.RawRowView(i)
		blas64.Axpy(-d.step, vector(g), vector(d.alpha.RawRowView(row)))
		for j, phi := range d.phi.RawRowView(row)[:d.q] {
			blas64.Axpy(d.step*d.d[j]*phi, vector(g), vector(d.inside[j*outputs:(j+1)*outputs]))
		}
	}
	for i, row := range d.sample {
		to := d.alpha.RawRowView(row)
		for j, v := range d.v.RawRowView(i)[:d.q] {
			blas64.Axpy(v, vector(d.inside[j*outputs:(j+1)*outputs]), vector(to))
		}
	}
	alpha := d.predictor.Data(d.predictor.alpha)
	updateRows(alpha, d.alpha, d.rows)
	updateRows(alpha, d.alpha, d.sample)
}
