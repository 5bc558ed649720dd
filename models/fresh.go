package models

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// InitNetwork gives the architecture fresh weights, drawn from its
// initialisation: every parameter from a stream of its name. It is what the
// name stands for on such images ([Architecture.On]), and has as many outputs as
// classes unless all its sizes are its own. Images that the network cannot read,
// because they are too small for its windows say, are an error.
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

// Fresh is a network of fresh weights that are drawn when they are asked for,
// the same as [Architecture.InitNetwork]'s.
type Fresh struct {
	n    *Network // without values
	seed uint64
}

// Fresh describes a network with fresh weights.
func (a *Architecture) Fresh(in Shape, classes int, seed uint64) (*Fresh, error) {
	n, err := a.On(in).network(in, classes)
	if err != nil {
		return nil, err
	}
	if err := n.Arch.Init.check(len(n.layers)); err != nil {
		return nil, fmt.Errorf("%s: %w", a.Name, err)
	}
	return &Fresh{n: n, seed: seed}, nil
}

// Layers is [Network.Layers].
func (f *Fresh) Layers() []LayerInfo { return f.n.Layers() }

// Size is the number of trained weights, none of which has been drawn.
func (f *Fresh) Size() int { return f.n.Size() }

// Classes is the number of outputs.
func (f *Fresh) Classes() int { return f.n.Classes }

// Filters is [Network.Filters] of the fresh weights.
func (f *Fresh) Filters(layer string) *mat.Dense {
	for i, p := range f.n.params {
		if p.Name == join(layer, "weight") {
			return matrixOf(p.Shape, f.draw(i))
		}
	}
	return nil
}

// draw draws the i-th parameter.
func (f *Fresh) draw(i int) []float32 {
	p := f.n.params[i]
	v := make([]float32, tensor.Shape(p.Shape).TotalSize())
	start := p.start
	if start == nil {
		start = f.n.Arch.Init.scheme(p.role)
	}
	start.Draw(Stream(f.seed, "init/"+p.Name), v, f.n.place(i))
	return v
}

// place is what a scheme may know of the i-th parameter. A bias comes after its
// layer's weight.
func (n *Network) place(i int) Place {
	if r := n.params[i].role; r == convBias || r == linearBias {
		i--
	}
	at, shape := Place{FanIn: 1, FanOut: 1}, n.params[i].Shape
	if size := tensor.Shape(shape).TotalSize(); len(shape) > 1 {
		at.FanIn, at.FanOut = size/shape[0], size/shape[1]
	}
	for _, p := range n.params[:i] {
		if p.role == convWeight || p.role == linearWeight {
			at.Layer++
		}
	}
	return at
}
