package rfmpaper

import (
	"context"
	"math"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/examples"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// The machines of Fig. 3.
const (
	laplaceName = "Laplace kernel"
	ntkName     = "NTK, 2 hidden layers"
	rfmName     = "RFM"
	ntkOnName   = "NTK, 1 hidden layer, on the RFM's features"
	networkName = "network"
	changeName  = "with W₁ − W₀"
)

// addMachine adds the accuracies of a machine, and the share of the centre in its feature
// matrix. They are NaN where there is none.
func (c *centreResult) addMachine(name string, training, accuracy, share float64) {
	if c.accuracies == nil {
		c.accuracies, c.shares = map[string]float64{}, map[string]float64{}
	}
	c.accuracies[name], c.shares[name] = accuracy, share
	row := []report.Cell{{Text: name}}
	for _, v := range []float64{training, accuracy, share} {
		row = append(row, record.PercentCell(v))
	}
	c.rows = append(c.rows, row)
}

// addKernel scores a kernel machine and adds it.
func (c *centreResult) addKernel(ctx context.Context, name string, m *rfm.Model) error {
	training, err := m.Score(ctx, c.examples.Train.X, c.examples.Train.Y)
	if err != nil {
		return err
	}
	test, err := m.Score(ctx, c.examples.Test.X, c.examples.Test.Y)
	c.addMachine(name, training.Accuracy, test.Accuracy, shareIn(m.Metric().Diagonal(), c.at))
	return err
}

// fitKernels fits the kernel machines.
func (c *centreResult) fitKernels(ctx context.Context, in study.Setting) error {
	m := rfm.Machine{Ridge: c.spec.Ridge, Task: rfm.Classification, Select: rfm.Last}
	learner := m
	learner.Iterations, learner.CentreGradients, learner.Sample = c.spec.Iterations, true, c.spec.Sample
	learner.Select, learner.Validation = rfm.Best, &c.validation
	validation, test := report.Series{Label: "validation"}, report.Series{Label: "test"}
	learner.Each = func(it *rfm.Iteration) error {
		score, err := it.Model().Score(ctx, c.examples.Test.X, c.examples.Test.Y)
		if err == nil && it.Index == 0 {
			err = c.addKernel(ctx, laplaceName, it.Model())
		}
		validation.X = append(validation.X, float64(it.Index))
		validation.Y = append(validation.Y, it.Validation.Accuracy)
		test.X, test.Y = append(test.X, float64(it.Index)), append(test.Y, score.Accuracy)
		return err
	}
	learnt, err := in.Fit(ctx, rfmName, learner, c.examples.Train)
	if err != nil {
		return err
	}
	c.chart = study.Chart{
		Name: "iterations", Title: "Recursive feature machine", XLabel: "iteration", YLabel: "accuracy",
		Series: []report.Series{validation, test},
	}
	c.addDiagonal(learnt.Metric().Diagonal(), "RFM, diagonal of M")
	plain, on := m, m
	plain.Kernel = rfm.NTK{Depth: 2}
	on.Kernel, on.Metric, on.Ridge = rfm.NTK{Depth: 1}, learnt.Metric(), c.spec.NTKRidge
	for _, k := range []struct {
		name    string
		machine *rfm.Machine // nil for the RFM, which is fitted
	}{{ntkName, &plain}, {rfmName, nil}, {ntkOnName, &on}} {
		model := learnt
		if k.machine != nil {
			if model, err = in.Fit(ctx, k.name, *k.machine, c.examples.Train); err != nil {
				return err
			}
		}
		if err := c.addKernel(ctx, k.name, model); err != nil {
			return err
		}
	}
	return nil
}

// trainNetwork trains the network.
func (c *centreResult) trainNetwork(ctx context.Context, in study.Setting) error {
	n, err := setups.NewMLP(in, c.spec.Net, c.examples)
	if err != nil {
		return err
	}
	defer n.Close()
	if err := n.Train(ctx, in); err != nil {
		return err
	}
	training, err := n.Accuracy(ctx, c.examples.Train)
	if err != nil {
		return err
	}
	test, err := n.Accuracy(ctx, c.examples.Test)
	if err != nil {
		return err
	}
	c.addMachine(networkName, training, test, shareIn(n.Diagonal(false), c.at))
	c.addMachine(changeName, math.NaN(), math.NaN(), shareIn(n.Diagonal(true), c.at))
	c.addDiagonal(n.Diagonal(false), "network, diagonal of W₁ᵀW₁")
	c.addDiagonal(n.Diagonal(true), "network, with W₁ − W₀")
	return nil
}

// addDiagonal adds the diagonal of a feature matrix, and its picture.
func (c *centreResult) addDiagonal(diagonal []float64, caption string) {
	c.diagonals = append(c.diagonals, diagonal)
	c.pictures = append(c.pictures, record.HeatImage(diagonal, *c.examples.Shape, caption))
}

// holdOut draws a share of the examples by the seed, and returns the others and the drawn
// ones.
func holdOut(e rfm.Examples, part float64, seed uint64) (fit, held rfm.Examples, err error) {
	n := linalg.RowCount(e.X)
	k := int(math.Round(part * float64(n)))
	if k < 1 || k >= n {
		return fit, held, input.Errorf("validation %v: want a share that leaves some of the %d training images on "+
			"either side", part, n)
	}
	order := models.Stream(seed, "validation").Perm(n)
	return e.Rows(order[k:]), e.Rows(order[:k]), nil
}

// addNeighbours puts half of another image to the left and to the right of every image. The
// images are drawn by the seed from the same split, and become twice as wide.
func addNeighbours(e *examples.Set, seed uint64) {
	s := *e.Shape
	wide := data.Shape{Channels: s.Channels, Height: s.Height, Width: 2 * s.Width}
	half, row := s.Width/2*s.Channels, s.Width*s.Channels
	for k, x := range []**mat.Dense{&e.Train.X, &e.Test.X} {
		rng := models.Stream(seed, []string{"crowd", "crowd of the test"}[k])
		n := linalg.RowCount(*x)
		out := mat.NewDense(n, wide.Pixels(), nil)
		for i := range n {
			left, centre, right := (*x).RawRowView(rng.IntN(n)), (*x).RawRowView(i), (*x).RawRowView(rng.IntN(n))
			for y := range s.Height {
				line := out.RawRowView(i)[2*y*row : 2*(y+1)*row]
				copy(line[:half], left[(y+1)*row-half:])
				copy(line[half:], centre[y*row:(y+1)*row])
				copy(line[half+row:], right[y*row:y*row+row-half])
			}
		}
		*x = out
	}
	e.Shape = &wide
}
