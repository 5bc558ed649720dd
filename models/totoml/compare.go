package totoml

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/weights"
	"github.com/ansatz-lab/ansatz/models/zoo"
	dense "gorgonia.org/tensor"
)

// tolerance is by how much, relative to the largest output, outputs of equal networks may differ in a precision. Outputs
// that differ by more in float32 are computed again in float64, where rounding cannot explain the difference.
var tolerance = map[graph.Precision]float64{graph.Single: 1e-5, graph.Double: 1e-6}

// mostWork is the largest number of multiplications for an image with which networks are compared. VGG-19 has 2e10.
const mostWork = 5e11

// comparer computes outputs of networks for random images.
type comparer struct {
	device *backend.Device
	images []float32
}

// mostPixels is the largest number of values in an image with which networks are compared.
const mostPixels = 1 << 26

func newComparer(in models.Shape) (*comparer, error) {
	if n := float64(in.Channels) * float64(in.Height) * float64(in.Width); !(n >= 1 && n <= mostPixels) {
		return nil, &RefusedError{fmt.Errorf("images of %v cannot be computed to compare both networks", in)}
	}
	d, err := backend.Open(backend.Options{})
	return &comparer{d, noise(rand.New(rand.NewPCG(1, 1)), 2*in.Size())}, err
}

// apart returns the largest difference between outputs of two networks, divided by the largest output of the first. It
// returns a [*RefusedError] if that is above the tolerance.
func (c *comparer) apart(ctx context.Context, a, b *models.Network) (apart float64, err error) {
	for _, p := range []graph.Precision{graph.Single, graph.Double} {
		want, err := c.outputs(ctx, a, p)
		if err != nil {
			return 0, err
		}
		got, err := c.outputs(ctx, b, p)
		if err != nil {
			return 0, err
		}
		if apart = difference(want, got); apart <= tolerance[p] {
			return apart, nil
		}
	}
	return apart, &RefusedError{fmt.Errorf("the outputs differ by %.1g of the largest", apart)}
}

// compare compares outputs of the ONNX network and of the converted one. The file's weights may hide a mistake, for example
// where a branch starts with zeros, so compare also uses random ones.
func (c *Conversion) compare(ctx context.Context, with *comparer, a, converted *models.Architecture) error {
	for i, d := range []*weights.StateDict{a.Weights, drawn(a.Weights)} {
		own, err := a.Load(d, c.Arch.Input)
		if err != nil {
			return err
		}
		if work := workOf(own); work > mostWork {
			return &RefusedError{fmt.Errorf("it takes %.0e products of numbers an image, which is too many to compare both "+
				"networks", work)}
		}
		renamed, err := c.Weights(d)
		if err != nil {
			return &RefusedError{err}
		}
		other, err := converted.Load(renamed, c.Arch.Input)
		if err != nil {
			return &RefusedError{fmt.Errorf("its architecture file is of another network: %w", err)}
		}
		apart, err := with.apart(ctx, own, other)
		if err != nil {
			return fmt.Errorf("its architecture file with %s weights: %w", []string{"its own", "random"}[i], err)
		}
		c.Difference = max(c.Difference, apart)
	}
	return nil
}

// identify looks in package zoo for a network whose parameters have the same names and shapes, and compares outputs.
func (c *Conversion) identify(ctx context.Context, with *comparer, a *models.Architecture) error {
	in := c.Arch.Input
	if in.Height != in.Width {
		return nil
	}
	d := drawn(a.Weights)
	known, _ := zoo.Identify(d, in.Height)
	if known == nil {
		return nil
	}
	c.Known = known.Name
	n, err := known.Load(d, in)
	if err != nil {
		return err
	}
	own, err := a.Load(d, in)
	if err != nil {
		return err
	}
	_, err = with.apart(ctx, own, n)
	var differ *RefusedError
	if c.Same = err == nil; errors.As(err, &differ) {
		return nil
	}
	return err
}

// workOf returns the number of multiplications in the layers of a network for an image.
func workOf(n *models.Network) float64 {
	work := 0.
	for _, l := range n.Layers() {
		work += float64(l.Positions) * float64(l.Filters) * float64(l.PatchSize())
	}
	return work
}

// outputs returns the outputs of a network for the images.
func (c *comparer) outputs(ctx context.Context, n *models.Network, p graph.Precision) ([]float64, error) {
	out, err := n.Outputs(ctx, c.device, c.images, len(c.images)/n.Input.Size(), p)
	if err != nil {
		return nil, err
	}
	return out.RawMatrix().Data, nil
}

// difference returns the largest difference between two lists of outputs, divided by the largest output of the first. It
// is infinite for lists of different lengths, and NaN if an output is.
func difference(want, got []float64) float64 {
	if len(want) != len(got) {
		return math.Inf(1)
	}
	largest, apart := 0., 0.
	for i, w := range want {
		largest = max(largest, math.Abs(w))
		apart = max(apart, math.Abs(w-got[i]))
	}
	if apart == 0 && !math.IsInf(largest, 0) {
		return 0
	}
	return apart / largest
}

// noise returns normally distributed numbers.
func noise(r *rand.Rand, n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return v
}

// drawn returns random weights with the shapes of d: matrices and filters whose outputs are about as large as their inputs,
// and vectors of positive numbers, since they may be variances.
func drawn(d *weights.StateDict) *weights.StateDict {
	r := rand.New(rand.NewPCG(2, 2))
	out := new(weights.StateDict)
	for name, t := range d.All() {
		shape := t.Shape()
		v := make([]float32, shape.TotalSize())
		low, high := .5, 1.5
		if shape.Dims() > 1 && shape[0] > 1 && shape.TotalSize() > shape[0] {
			high = math.Sqrt(3 * float64(shape[0]) / float64(shape.TotalSize()))
			low = -high
		}
		for i := range v {
			v[i] = float32(low + (high-low)*r.Float64())
		}
		out.Set(name, dense.New(dense.WithShape(shape...), dense.WithBacking(v)))
	}
	return out
}
