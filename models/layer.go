package models

import (
	"fmt"

	"github.com/ansatz-lab/ansatz/graph"
)

// Layer is a part of a network. The types of this package are all there are:
// [Conv], [Linear], [BatchNorm], [ReLU], [Tanh], [MaxPool], [AvgPool],
// [AdaptiveAvgPool], [GlobalMaxPool], [ChannelMean], [Flatten], [Dropout],
// [Subsample], [Sequential] and [Residual].
type Layer interface {
	// build extends b's expression by the layer, which reads x and is called
	// name in the state dict. It returns nil once the expression has failed.
	build(b *builder, name string, x *graph.Node) *graph.Node
}

// Named is a layer with its name among its siblings; layers without parameters
// need none.
type Named struct {
	Name  string
	Layer Layer
}

// mode is what a network is built for.
type mode int

const (
	// eval reads the running statistics of batch norms and drops nothing out.
	eval mode = iota
	// train normalises by the batch, updates the running statistics and takes
	// the masks of dropouts as inputs.
	train
)

// builder is an expression in the making.
type builder struct {
	*graph.Graph
	mode    mode
	classes int
	width   float64
	dropout float64 // 0 is each one's own
	params  []Parameter
	masks   []mask
	head    string // the linear layer that has one output a class
}

// Parameter is a tensor of a network.
type Parameter struct {
	Name  string
	Shape []int
	// Trained is false for the running statistics of batch norms.
	Trained bool
	role    role
	node    *graph.Node
}

// role is what an initialisation needs to know of a parameter.
type role int

const (
	convWeight role = iota
	convBias
	linearWeight
	linearBias
	normScale // starts at 1
	normShift // starts at 0
	normMean  // starts at 0
	normVar   // starts at 1
)

// mask is the random factor of a dropout: an input to be filled with 0, with
// probability P, and 1/(1 − P) before every step.
type mask struct {
	node *graph.Node
	p    float64
}

func (b *builder) param(name string, r role, shape ...int) *graph.Node {
	n := b.Param(name, shape...)
	b.params = append(b.params, Parameter{Name: name, Shape: shape, Trained: r != normMean && r != normVar, role: r, node: n})
	return n
}

// join is the name of a child in the state dict.
func join(parent, child string) string {
	if parent == "" || child == "" {
		return parent + child
	}
	return parent + "." + child
}

// Sequential is layers one after another.
type Sequential []Named

func (s Sequential) build(b *builder, name string, x *graph.Node) *graph.Node {
	for i, l := range s {
		at := join(name, l.Name)
		if at == "" {
			at = fmt.Sprintf("layer %d", i+1)
		}
		b.At(at)
		x = l.Layer.build(b, join(name, l.Name), x)
	}
	return x
}

// Residual is the sum of two branches that read the same input, then a ReLU
// unless Linear. An empty Shortcut passes its input on. The names of both
// branches' layers are those of the block's children.
type Residual struct {
	Main, Shortcut Sequential
	Linear         bool
}

func (r Residual) build(b *builder, name string, x *graph.Node) *graph.Node {
	main := r.Main.build(b, name, x)
	short := r.Shortcut.build(b, name, x)
	b.At(name)
	y := b.Add(main, short)
	if r.Linear {
		return y
	}
	return b.ReLU(y)
}
