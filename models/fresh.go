package models

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// InitNetwork returns the network for images of a size ([Architecture.On]) with fresh weights. The architecture's
// initialisation draws each parameter from a random stream that depends on the seed and the parameter's name. The network
// has as many outputs as classes, unless the architecture fixes their number. InitNetwork returns an error for images that
// the network cannot read, such as images smaller than its windows.
func (a *Architecture) InitNetwork(in Shape, classes int, seed uint64) (*Network, error) {
	f, err := a.Fresh(in, classes, seed)
	if err != nil {
		return nil, err
	}
	for i, p := range f.n.params {
		f.n.values[p.Name] = tensor.New(tensor.WithShape(p.Shape...), tensor.WithBacking(f.draw(i)))
	}
	return f.n, nil
}

// Fresh is a network with the weights that [Architecture.InitNetwork] would draw, each drawn only when it is needed.
type Fresh struct {
	n    *Network // without values
	seed uint64
}

// Fresh returns the network for images of a size with fresh weights, none of which is drawn yet.
func (a *Architecture) Fresh(in Shape, classes int, seed uint64) (*Fresh, error) {
	n, err := a.On(in).network(in, classes)
	if err != nil {
		return nil, err
	}
	if err := n.Arch.Initialisation().check(len(n.layers)); err != nil {
		return nil, fmt.Errorf("%s: %w", a.Name, err)
	}
	return &Fresh{n: n, seed: seed}, nil
}

// Layers returns [Network.Layers].
func (f *Fresh) Layers() []LayerInfo { return f.n.Layers() }

// Parameters returns [Network.Parameters].
func (f *Fresh) Parameters() []Parameter { return f.n.Parameters() }

// Size returns the number of trained weights.
func (f *Fresh) Size() int { return f.n.Size() }

// Classes returns the number of outputs.
func (f *Fresh) Classes() int { return f.n.Classes }

// Filters draws the weights of a layer and returns them as [Network.Filters] does. For weights that the network computes from
// parameters, it draws those of a layer that stores them.
func (f *Fresh) Filters(layer string) *mat.Dense {
	l, ok := f.n.layer(layer)
	if !ok {
		return nil
	}
	for i, p := range f.n.params {
		if p.Name == l.weight {
			return rowsOfWeights(l, p.Shape, f.draw(i))
		}
	}
	role := LinearWeight
	if l.Kind == "conv" {
		role = ConvWeight
	}
	v, shape := make([]float32, l.Filters*l.PatchSize()), append([]int{l.Filters}, l.Patch...)
	l.first = 0
	at := Place{Layer: slices.IndexFunc(f.n.layers, func(of LayerInfo) bool { return of.Name == l.Name }),
		FanIn: l.PatchSize(), FanOut: len(v) / shape[1]}
	f.n.Arch.Initialisation().scheme(role).Draw(Stream(f.seed, "init/"+l.Name+".weight"), v, at)
	return rowsOfWeights(l, shape, v)
}

// draw returns initial values of the i-th parameter.
func (f *Fresh) draw(i int) []float32 {
	p := f.n.params[i]
	v := make([]float32, tensor.Shape(p.Shape).TotalSize())
	start := p.start
	switch a := f.n.Arch; {
	case start != nil:
	case a.Parameterisation.NTK && !p.ntk: // a transposed convolution's
		start = a.Init.scheme(p.role)
	default:
		start = a.Initialisation().scheme(p.role)
	}
	start.Draw(Stream(f.seed, "init/"+p.Name), v, f.n.place(i))
	if p.role == Buffer {
		bound(v)
	}
	return v
}

// place returns the Place of the i-th parameter. A bias has that of the last weight before it, which is its layer's.
func (n *Network) place(i int) Place {
	weight := func(p Parameter) bool { return p.role == ConvWeight || p.role == LinearWeight }
	if r := n.params[i].role; r == ConvBias || r == LinearBias {
		for i > 0 && !weight(n.params[i]) {
			i--
		}
	}
	at, shape := Place{FanIn: 1, FanOut: 1}, n.params[i].Shape
	if size := tensor.Shape(shape).TotalSize(); len(shape) > 1 {
		at.FanIn, at.FanOut = size/shape[0], size/shape[1]
	}
	for _, p := range n.params[:i] {
		if weight(p) {
			at.Layer++
		}
	}
	return at
}
