package rfm

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/rfm/tensors"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// descent is the published iteration, EigenPro 2: with g = K(X_b, X)α + λα_b − y_b
// for a batch of examples,
//
//	α_b ← α_b − ηg  and  α_s ← α_s + η V D Φ_bᵀ g,
//
// which reduces the q largest eigenvalues of K to the next one. The published iteration has no ridge; this one adds λ to
// every eigenvalue of K, and so λ/n to those of the mean over examples.
type descent struct {
	*iteration
	predictor *predictor
	program   *graph.Program
	run       func(context.Context) error // runs the program, or the part of it that changes with the batch
	batch     int
	q         int       // number of directions whose eigenvalues are reduced
	d         []float64 // D, the share by which each is reduced
	step      float64   // η
	g         *mat.Dense
	rows      []int // examples of the batch
	inside    []float64
}

func (it *iteration) newDescent() (*descent, error) {
	n, r := it.points.Dims()
	_, outputs := it.y.Dims()
	d := &descent{iteration: it, batch: min(n, fewRows)}
	d.flatten()
	d.g = mat.NewDense(d.batch, outputs, nil)
	d.inside = make([]float64, d.q*outputs)
	var err error
	if d.predictor, err = it.newPredictor(it.kernel, &lens{d: r, r: r}, it.points, it.alpha, d.batch); err != nil {
		return nil, err
	}
	d.program, err = d.predictor.Compile(graph.Plan{
		Outputs: []*graph.Node{d.predictor.Output}, Repeat: []*graph.Node{d.predictor.x, d.predictor.alpha},
	})
	if err == nil {
		d.run = d.program.Run
	}
	return d, err
}

// flatten chooses the number of directions, the batch and the step. It uses the fewest directions with
// which the critical batch, beyond which larger batches do not pay, is as large as the batch. It uses at
// most a third of the subsample's directions, since its smaller eigenvalues are far from those of K; if these are too few, it
// reduces the batch. The step is the best one for the batch.
func (d *descent) flatten() {
	n, s := float64(len(d.diag)), float64(len(d.sample))
	ridge := d.ridge / n
	largest := func() float64 { return d.values[d.q]/s + ridge }
	beta := d.beta()
	for d.q < len(d.values)/3 && beta/largest() < float64(d.batch) {
		d.q++
	}
	d.d = make([]float64, d.q)
	for k := range d.d {
		d.d[k] = 1 - largest()/(d.values[k]/s+ridge)
	}
	beta = d.beta()
	d.batch = max(1, min(d.batch, int(beta/largest())))
	d.step = 1 / (beta + float64(d.batch-1)*largest())
}

// beta returns the largest K(x, x) + λ of the preconditioned kernel.
func (d *descent) beta() float64 {
	most := 0.
	for i, k := range d.diag {
		phi := d.phi.RawRowView(i)
		for j, share := range d.d {
			k -= share * phi[j] * phi[j]
		}
		most = max(most, k)
	}
	return most + d.ridge
}

// descend runs epochs until the residual is small or stops falling. If it grows, descend halves the
// step and returns to the α from before the best epoch.
func (it *iteration) descend(ctx context.Context) error {
	d, err := it.newDescent()
	if err != nil {
		return err
	}
	least, err := it.worst()
	start, best := mat.DenseCopyOf(it.alpha), mat.DenseCopyOf(it.alpha)
	last, halved := 0, 0 // the last epoch in which the residual fell
	for epoch := 1; err == nil && least > it.Tolerance && epoch < it.MaxEpochs && epoch-last <= patience; epoch++ {
		start.Copy(it.alpha)
		var worst float64
		if worst, err = d.epoch(ctx, epoch); err != nil {
			return err
		}
		if err = it.keepIfBest(); err != nil {
			return err
		}
		it.reportProgress(worst)
		switch {
		case !(worst <= 2*least):
			it.alpha.Copy(best)
			tensors.PutRows(d.predictor.Data(d.predictor.alpha), best, 0)
			d.step /= 2
			halved++
		case worst < (1-stallShare)*least:
			least, last = worst, epoch
			best.Copy(start)
		}
	}
	if err != nil {
		return err
	}
	worst, err := it.measure(ctx)
	it.setNote(worst)
	if halved > 0 {
		it.note = strings.TrimPrefix(fmt.Sprintf("%s; the residual grew, and the step was halved %d times",
			it.note, halved), "; ")
	}
	return err
}

// epoch goes through all examples in random order. It returns the residual, which every batch measures before its step.
func (d *descent) epoch(ctx context.Context, epoch int) (float64, error) {
	n, _ := d.y.Dims()
	order := stream(d.seed, "eigenpro", epoch).Perm(n)
	clear(d.sums)
	for i := 0; i < n; i += d.batch {
		d.rows = order[i:min(i+d.batch, n)]
		if err := d.gradient(ctx); err != nil {
			return 0, err
		}
		d.update()
	}
	d.epochs++
	worst := 0.
	for _, v := range d.sums {
		worst = math.Max(worst, v) // a NaN stays
	}
	return math.Sqrt(worst), nil
}

// gradient sets g for the examples of the batch and adds its squares to sums.
func (d *descent) gradient(ctx context.Context) error {
	tensors.GatherRows(d.predictor.Data(d.predictor.x), d.points, d.rows)
	if err := d.run(ctx); err != nil {
		return err
	}
	d.run = d.program.Repeat
	tensors.TakeRows(d.g, 0, len(d.rows), d.program.Value(d.predictor.Output))
	for i, row := range d.rows {
		g, y, alpha := d.g.RawRowView(i), d.y.RawRowView(row), d.alpha.RawRowView(row)
		for k := range g {
			g[k] += d.ridge*alpha[k] - y[k]
			d.sums[k] += g[k] * g[k]
		}
	}
	return nil
}

// update takes the step in the coefficients of the batch and in those of the subsample.
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
	tensors.UpdateRows(alpha, d.alpha, d.rows)
	tensors.UpdateRows(alpha, d.alpha, d.sample)
}
