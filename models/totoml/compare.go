package totoml

import (
	"context"
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

// tolerance is how far outputs of two networks that are the same may differ in float32, over the largest output.
const tolerance = 1e-4

// mostWork is the most products of numbers for an image that two networks are compared with. VGG-19 has 2e10.
const mostWork = 5e11

// compare computes outputs of the ONNX network and of the converted one. Weights of the file may hide a mistake, such as
// those of a branch that starts at 0: so they are compared with random ones, too.
func (c *Conversion) compare(ctx context.Context, a, converted *models.Architecture, in models.Shape) error {
	device, err := backend.Open(backend.Options{})
	if err != nil {
		return err
	}
	defer device.Close()
	images := noise(rand.New(rand.NewPCG(1, 1)), 2*in.Size())
	for i, d := range []*weights.StateDict{a.Weights, drawn(a.Weights)} {
		own, err := a.Load(d, in)
		if err != nil {
			return err
		}
		if work := workOf(own); work > mostWork {
			return &RefusedError{fmt.Errorf("it takes %.0e products of numbers an image, which is too many to compare both "+
				"networks", work)}
		}
		want, err := outputs(ctx, device, own, images)
		if err != nil {
			return err
		}
		renamed, err := c.Weights(d)
		if err != nil {
			return &RefusedError{err}
		}
		other, err := converted.Load(renamed, in)
		if err != nil {
			return &RefusedError{fmt.Errorf("its architecture file is of another network: %w", err)}
		}
		got, err := outputs(ctx, device, other, images)
		if err != nil {
			return err
		}
		apart := difference(want, got)
		if !(apart <= tolerance) {
			return &RefusedError{fmt.Errorf("the outputs of its architecture file differ by %.1g of the largest from those of "+
				"the ONNX file, on random images with %s weights", apart, []string{"its own", "random"}[i])}
		}
		c.Difference = max(c.Difference, apart)
		if i == 1 {
			c.identify(ctx, device, d, in, images, want)
		}
	}
	return nil
}

// identify looks for a network that is known by name, and has parameters of the same names and shapes.
func (c *Conversion) identify(ctx context.Context, device *backend.Device, d *weights.StateDict, in models.Shape,
	images, want []float32) {
	if in.Height != in.Width {
		return
	}
	known, _ := zoo.Identify(d, in.Height)
	if known == nil {
		return
	}
	c.Known = known.Name
	if n, err := known.Load(d, in); err == nil {
		got, err := outputs(ctx, device, n, images)
		c.Same = err == nil && difference(want, got) <= tolerance
	}
}

// workOf returns the products of numbers in the layers of a network, for an image.
func workOf(n *models.Network) float64 {
	work := 0.
	for _, l := range n.Layers() {
		work += float64(l.Positions) * float64(l.Filters) * float64(l.PatchSize())
	}
	return work
}

// outputs returns the outputs of a network for images.
func outputs(ctx context.Context, d *backend.Device, n *models.Network, images []float32) ([]float32, error) {
	f, err := n.Function(d, len(images)/n.Input.Size(), graph.Single)
	if err != nil {
		return nil, err
	}
	p, err := f.Compile(graph.Plan{Outputs: []*graph.Node{f.Output}})
	if err != nil {
		return nil, err
	}
	copy(f.Data(f.Inputs()[0]).Float32s(), images)
	if err := p.Run(ctx); err != nil {
		return nil, err
	}
	return append([]float32(nil), p.Value(f.Output).Float32s()...), nil
}

// difference returns the largest difference of two lists of outputs, over the largest of the first. It is infinite for
// lists of another length, and where an output is no number.
func difference(want, got []float32) float64 {
	if len(want) != len(got) {
		return math.Inf(1)
	}
	largest, apart := 0., 0.
	for i, w := range want {
		largest = max(largest, math.Abs(float64(w)))
		apart = max(apart, math.Abs(float64(w)-float64(got[i])))
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

// drawn returns random weights of the shapes of d: matrices and filters that keep the size of what they read, and vectors
// of positive numbers, which may be variances.
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
