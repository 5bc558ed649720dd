package rfmpaper

import (
	"context"
	"math"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/rfm"
)

// scoreKernel returns the results of a kernel machine.
func (c *centreResult) scoreKernel(
	ctx context.Context, in study.Setting, name string, m *rfm.Model,
) (k centreMachine, err error) {
	training, err := in.Score(ctx, m, c.examples.Train)
	if err != nil {
		return k, err
	}
	test, err := in.Score(ctx, m, c.examples.Test)
	if err != nil || in.Dry() {
		return k, err
	}
	return centreMachine{name, training, test, shareIn(m.Metric().Diagonal(), c.at)}, nil
}

// fitKernel fits a kernel machine that learns no features.
func (c *centreResult) fitKernel(
	ctx context.Context, in study.Setting, name string, m rfm.Machine,
) (k centreMachine, err error) {
	m.Task, m.Select = rfm.Classification, rfm.Last
	model, err := in.Fit(ctx, name, m, c.examples.Train)
	if err != nil {
		return k, err
	}
	return c.scoreKernel(ctx, in, name, model)
}

// fitRFM fits the recursive feature machine. Its iteration 0 is the Laplace kernel.
func (c *centreResult) fitRFM(ctx context.Context, in study.Setting) (*rfm.Model, error) {
	m := rfm.Machine{
		Ridge: c.spec.Ridge, Iterations: c.spec.Iterations, Sample: c.spec.Sample, CentreGradients: true,
		Task: rfm.Classification, Select: rfm.Best, Validation: &c.validation,
	}
	m.Each = func(it *rfm.Iteration) error {
		score, err := in.Score(ctx, it.Model(), c.examples.Test)
		if err == nil && it.Index == 0 {
			c.laplace, err = c.scoreKernel(ctx, in, "Laplace kernel", it.Model())
		}
		c.validationAccuracies = append(c.validationAccuracies, it.Validation.Accuracy)
		c.testAccuracies = append(c.testAccuracies, score.Accuracy)
		return err
	}
	model, err := in.Fit(ctx, "RFM", m, c.examples.Train)
	if err != nil {
		return nil, err
	}
	c.rfm, err = c.scoreKernel(ctx, in, "RFM", model)
	if err != nil || in.Dry() {
		return model, err
	}
	c.addDiagonal(model.Metric().Diagonal(), "RFM, diagonal of M")
	return model, nil
}

// fitKernels fits the kernel machines.
func (c *centreResult) fitKernels(ctx context.Context, in study.Setting) error {
	model, err := c.fitRFM(ctx, in)
	if err != nil {
		return err
	}
	c.ntk, err = c.fitKernel(ctx, in, "NTK, 2 hidden layers", rfm.Machine{
		Kernel: rfm.NTK{Depth: 2}, Ridge: c.spec.Ridge,
	})
	if err != nil {
		return err
	}
	c.ntkOnFeatures, err = c.fitKernel(ctx, in, "NTK, 1 hidden layer, on the RFM's features", rfm.Machine{
		Kernel: rfm.NTK{Depth: 1}, Metric: model.Metric(), Ridge: c.spec.NTKRidge,
	})
	return err
}

// trainNetwork trains the network.
func (c *centreResult) trainNetwork(ctx context.Context, in study.Setting) error {
	n, err := setups.NewMLP(in, c.spec.Net, c.examples)
	if err != nil {
		return err
	}
	defer n.Close()
	if err := n.Train(ctx); err != nil {
		return err
	}
	training, err := n.Score(ctx, c.examples.Train)
	if err != nil {
		return err
	}
	test, err := n.Score(ctx, c.examples.Test)
	if err != nil || in.Dry() {
		return err
	}
	diagonal, change := setups.NetworkDiagonal(n.Net), setups.SquaredColumns(n.Change())
	c.network = centreMachine{"network", training, test, shareIn(diagonal, c.at)}
	c.change = centreMachine{"with W₁ − W₀", unknownScores(), unknownScores(), shareIn(change, c.at)}
	c.addDiagonal(diagonal, "network, diagonal of W₁ᵀW₁")
	c.addDiagonal(change, "network, with W₁ − W₀")
	return nil
}

// unknownScores returns the scores of a machine that does not predict.
func unknownScores() rfm.Scores { return rfm.Scores{Accuracy: math.NaN(), MSE: math.NaN()} }

// addDiagonal adds the diagonal of a feature matrix, and its picture.
func (c *centreResult) addDiagonal(diagonal []float64, caption string) {
	c.diagonals = append(c.diagonals, diagonal)
	c.pictures = append(c.pictures, record.HeatImage(diagonal, *c.examples.Shape, caption))
}

// holdOut draws a share of the examples by the seed, and returns the remaining and then the drawn examples.
func holdOut(in study.Setting, e rfm.Examples, part float64) (fit, held rfm.Examples, err error) {
	n := linalg.RowCount(e.X)
	k := int(math.Round(part * float64(n)))
	if k < 1 || k >= n {
		return fit, held, input.Errorf("validation %v: want a share that leaves some of the %d training images on "+
			"either side", part, n)
	}
	held, fit = splitExamples(in, "validation", e, k)
	return fit, held, nil
}
