package main

import (
	"time"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/graph/jacobian"
	"github.com/ansatz-lab/ansatz/models"
)

// The floating point operations (FLOPs) of a row are counted by formulas for its matrix products and convolutions: a
// product of m×k and k×n has 2mkn, or half of them if the result is symmetric. Elementwise operations are not counted,
// nor are those that an implementation adds.

// classes is the number of outputs of the networks.
const classes = 10

// newNetwork returns an initialised network for digits or for CIFAR's images.
func newNetwork(arch string, width float64) (*models.Network, error) {
	a, err := models.Lookup(arch)
	if err != nil {
		return nil, err
	}
	in := models.Shape{Channels: 3, Height: 32, Width: 32}
	if a.Input.Channels == 1 {
		in = a.Input
	}
	a.Width = width
	return a.InitNetwork(in, classes, 1)
}

// passes are the FLOPs of one image's passes through a network.
type passes struct {
	forward  float64
	backward float64 // from one output to what every layer computes
}

func passesOf(n *models.Network) (p passes) {
	for i, l := range n.Layers() {
		product := 2 * float64(l.Positions) * float64(l.PatchSize()*l.Filters)
		p.forward += product
		if i > 0 { // the first layer's input needs no gradient
			p.backward += product
		}
	}
	return p
}

// stepFlops returns the FLOPs of a training step: for each layer the products for its value, the gradient of its weights
// and, but for the first layer, the gradient of its input.
func stepFlops(n *models.Network, batch int) float64 {
	p := passesOf(n)
	return float64(batch) * (2*p.forward + p.backward)
}

// agopFlops returns the FLOPs of the second moments S = Σδδᵀ of the gradients δ with respect to what each layer computes, by
// one pass back for every output.
func agopFlops(n *models.Network, images int) float64 {
	p, moments := passesOf(n), 0.
	for _, l := range n.Layers() {
		moments += float64(l.Positions) * float64(l.Filters*l.Filters)
	}
	return float64(images) * (p.forward + classes*(p.backward+moments))
}

// ntkFlops returns the FLOPs of Θ = JJᵀ: passes back for all outputs, and products of J's rows or of their factors,
// whichever take fewer.
func ntkFlops(n *models.Network, images int) float64 {
	p, rows := passesOf(n), float64(images*classes)
	all := float64(images)*p.forward + rows*p.backward
	for _, l := range n.Layers() {
		part := jacobian.Part{Weight: true, Bias: true, Positions: l.Positions, Filters: l.Filters, Patch: l.PatchSize()}
		positions := float64(l.Positions)
		if part.SetForm(classes); part.Factored {
			all += positions * positions * (rows*rows*float64(l.Filters+1) + float64(images*images*l.PatchSize()))
		} else {
			all += 2*rows*positions*float64(l.Filters*l.PatchSize()) + rows*rows*float64(part.Width())
		}
	}
	return all
}

// rfmFlops returns the FLOPs of a recursive feature machine on n rows of d columns that predicts test rows before its
// first iteration and after each. It counts the products with the metric, distances, Cholesky factors, predictions, and
// AGOPs, for all classes at once.
func rfmFlops(n, test, d, iterations int) float64 {
	rows, tests, columns := float64(n), float64(test), float64(d)
	fit := rows*rows*columns + rows*rows*rows/3 + 2*rows*rows*classes
	predict := 2 * tests * rows * (columns + classes)
	agop := rows*rows*(rows+classes) + 2*rows*rows*columns + rows*columns*columns
	metric := 2 * (rows + tests) * columns * columns
	t := float64(iterations)
	return (t+1)*(fit+predict) + t*(agop+metric)
}

// sgemmPeak returns the best GFLOP/s of several products of two 2048×2048 matrices in float32.
func sgemmPeak() (float64, error) {
	d, err := backend.Open(backend.Options{})
	if err != nil {
		return 0, err
	}
	defer d.Close()
	const n = 2048
	a, b, c := make([]float32, n*n), make([]float32, n*n), make([]float32, n*n)
	best := 0.
	for range 8 {
		err := d.Do(func() error {
			start := time.Now()
			d.Float32().Gemm(false, false, n, n, n, a, b, 0, c)
			best = max(best, 2*n*n*n/time.Since(start).Seconds()/1e9)
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	return best, nil
}
