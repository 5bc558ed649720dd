package experiments

import (
	"context"
	"math"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/report"
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

// add takes note of a machine: of its accuracies and the share of the centre, NaN
// for none.
func (c *centre) add(name string, training, accuracy, share float64) {
	if c.accuracies == nil {
		c.accuracies, c.shares = map[string]float64{}, map[string]float64{}
	}
	c.accuracies[name], c.shares[name] = accuracy, share
	row := []report.Cell{{Text: name}}
	for _, v := range []float64{training, accuracy, share} {
		row = append(row, percentCell(v))
	}
	c.rows = append(c.rows, row)
}

// judge takes note of a kernel machine.
func (c *centre) judge(ctx context.Context, name string, m *rfm.Model) error {
	training, err := m.Score(ctx, c.examples.train.X, c.examples.train.Y)
	if err != nil {
		return err
	}
	test, err := m.Score(ctx, c.examples.test.X, c.examples.test.Y)
	c.add(name, training.Accuracy, test.Accuracy, shareIn(m.Metric().Diagonal(), c.at))
	return err
}

// kernels fits the kernel machines.
func (c *centre) kernels(ctx context.Context, in Setting) error {
	m := rfm.Machine{Ridge: c.spec.Ridge, Task: rfm.Classification, Select: rfm.Last}
	learner := m
	learner.Iterations, learner.CentreGradients, learner.Sample = c.spec.Iterations, true, c.spec.Sample
	learner.Select, learner.Validation = rfm.Best, &c.validation
	validation, test := report.Series{Label: "validation"}, report.Series{Label: "test"}
	learner.Each = func(it *rfm.Iteration) error {
		score, err := it.Model().Score(ctx, c.examples.test.X, c.examples.test.Y)
		if err == nil && it.Index == 0 {
			err = c.judge(ctx, laplaceName, it.Model())
		}
		validation.X, validation.Y = append(validation.X, float64(it.Index)), append(validation.Y, it.Validation.Accuracy)
		test.X, test.Y = append(test.X, float64(it.Index)), append(test.Y, score.Accuracy)
		return err
	}
	learnt, err := in.fit(ctx, rfmName, learner, c.examples.train)
	if err != nil {
		return err
	}
	c.chart = Chart{Name: "iterations", Title: "Recursive feature machine", XLabel: "iteration", YLabel: "accuracy", Series: []report.Series{validation, test}}
	c.show(learnt.Metric().Diagonal(), "RFM, diagonal of M")
	plain, on := m, m
	plain.Kernel = rfm.NTK{Depth: 2}
	on.Kernel, on.Metric, on.Ridge = rfm.NTK{Depth: 1}, learnt.Metric(), c.spec.NTKRidge
	for _, k := range []struct {
		name    string
		machine *rfm.Machine // nil for the one that is there
	}{{ntkName, &plain}, {rfmName, nil}, {ntkOnName, &on}} {
		model := learnt
		if k.machine != nil {
			if model, err = in.fit(ctx, k.name, *k.machine, c.examples.train); err != nil {
				return err
			}
		}
		if err := c.judge(ctx, k.name, model); err != nil {
			return err
		}
	}
	return nil
}

// network trains the network.
func (c *centre) network(ctx context.Context, in Setting) error {
	n, err := newMLP(in, c.spec.Net, c.examples)
	if err != nil {
		return err
	}
	defer n.close()
	if err := n.train(ctx, in); err != nil {
		return err
	}
	training, err := n.accuracy(ctx, c.examples.train)
	if err != nil {
		return err
	}
	test, err := n.accuracy(ctx, c.examples.test)
	if err != nil {
		return err
	}
	c.add(networkName, training, test, shareIn(n.diagonal(false), c.at))
	c.add(changeName, math.NaN(), math.NaN(), shareIn(n.diagonal(true), c.at))
	c.show(n.diagonal(false), "network, diagonal of W₁ᵀW₁")
	c.show(n.diagonal(true), "network, with W₁ − W₀")
	return nil
}

// show keeps the diagonal of a feature matrix, and its picture.
func (c *centre) show(diagonal []float64, caption string) {
	c.diagonals = append(c.diagonals, diagonal)
	c.pictures = append(c.pictures, heatImage(diagonal, *c.examples.shape, caption))
}

// apart holds a share of the examples out, drawn by the seed.
func apart(e rfm.Examples, part float64, seed uint64) (fit, held rfm.Examples, err error) {
	n := rowCount(e.X)
	k := int(math.Round(part * float64(n)))
	if k < 1 || k >= n {
		return fit, held, badInput("validation %v: want a share that leaves some of the %d training images on either side", part, n)
	}
	order := models.Stream(seed, "validation").Perm(n)
	return e.Rows(order[k:]), e.Rows(order[:k]), nil
}

// crowd sets half of another image to the left and to the right of every image,
// drawn by the seed from the same split. The images are twice as wide then.
func crowd(e *examples, seed uint64) {
	s := *e.shape
	wide := data.Shape{Channels: s.Channels, Height: s.Height, Width: 2 * s.Width}
	half, row := s.Width/2*s.Channels, s.Width*s.Channels
	for k, x := range []**mat.Dense{&e.train.X, &e.test.X} {
		rng := models.Stream(seed, []string{"crowd", "crowd of the test"}[k])
		n := rowCount(*x)
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
	e.shape = &wide
}
