package models

import (
	"cmp"
	"fmt"

	"github.com/ansatz-lab/ansatz/graph"
)

// Conv is a convolution. Filters are multiplied by the network's width factor.
// Strides and dilations of 0 count as 1.
type Conv struct {
	Filters  int
	Kernel   [2]int // rows, columns
	Geometry graph.Conv2D
	NoBias   bool
	// Depthwise makes every channel a group of its own.
	Depthwise bool
	// Classes marks a last layer, which has one filter per class, whatever Filters is.
	Classes bool
}

// Conv3 is a convolution with 3×3 filters, padded by 1.
func Conv3(filters, stride int, bias bool) Conv {
	return Conv{Filters: filters, Kernel: [2]int{3, 3}, Geometry: graph.Square(stride, 1), NoBias: !bias}
}

// Build implements [Layer].
func (c Conv) Build(b *Builder, name string, x *graph.Node) *graph.Node {
	if b.Err() != nil {
		return nil
	}
	if x.Dims() != 4 {
		return b.Fail("a convolution reads images, not a flattened input of shape %v", x.Shape())
	}
	channels := x.Shape()[3]
	filters := b.classes
	if c.Classes {
		b.head = name
	} else {
		filters = b.Wide(c.Filters)
	}
	geometry := c.Geometry
	if c.Depthwise {
		geometry.Groups = channels
	}
	groups := max(1, geometry.Groups)
	if channels%groups != 0 {
		return b.Fail("a convolution divides %d channels into %d groups", channels, groups)
	}
	w := b.param(join(name, "weight"), ConvWeight, filters, channels/groups, c.Kernel[0], c.Kernel[1])
	var bias *graph.Node
	if !c.NoBias {
		bias = b.param(join(name, "bias"), ConvBias, filters)
	}
	return b.ConvLayer(name, x, w, bias, geometry)
}

// Linear is a fully connected layer. Out, multiplied by the width factor, is the number of outputs; 0 is the number of
// classes. It reads each token of an input of tokens. It flattens images first unless PerPosition is set, with which it
// reads the channels of each position.
type Linear struct {
	Out         int
	NoBias      bool
	PerPosition bool
}

// Build implements [Layer].
func (l Linear) Build(b *Builder, name string, x *graph.Node) *graph.Node {
	if b.Err() == nil && x.Dims() == 4 && !l.PerPosition {
		x = Flatten{}.Build(b, "", x)
	}
	if b.Err() != nil {
		return nil
	}
	out := b.classes
	if l.Out > 0 {
		out = b.Wide(l.Out)
	} else {
		b.head = name
	}
	w := b.param(join(name, "weight"), LinearWeight, out, x.Shape()[x.Dims()-1])
	var bias *graph.Node
	if !l.NoBias {
		bias = b.param(join(name, "bias"), LinearBias, out)
	}
	return b.LinearLayer(name, x, w, bias)
}

// BatchNorm is PyTorch's batch norm. Eps 0 is 1e-5, and Momentum 0 is .1.
type BatchNorm struct{ Eps, Momentum float64 }

// Build implements [Layer].
func (n BatchNorm) Build(b *Builder, name string, x *graph.Node) *graph.Node {
	if b.Err() != nil {
		return nil
	}
	c := x.Shape()[x.Dims()-1]
	p := graph.Norm{
		Gamma: b.param(join(name, "weight"), NormScale, c),
		Beta:  b.param(join(name, "bias"), NormShift, c),
		Mean:  b.param(join(name, "running_mean"), NormMean, c),
		Var:   b.param(join(name, "running_var"), NormVar, c),
		Eps:   cmp.Or(n.Eps, 1e-5),
	}
	return b.NormaliseBatch(x, p, cmp.Or(n.Momentum, .1))
}

// NormaliseBatch returns the batch norm of x, images or rows, with declared parameters. In training it normalises by the
// statistics of the batch and updates the running statistics, which keep the share 1 − momentum of their value each step.
func (b *Builder) NormaliseBatch(x *graph.Node, p graph.Norm, momentum float64) *graph.Node {
	b.normed[x] = true
	if b.mode == eval {
		return b.BatchNorm(x, p)
	}
	y, mean, variance := b.BatchNormTrain(x, p)
	if b.Err() != nil {
		return nil
	}
	shape := x.Shape()
	rows := float64(shape.TotalSize() / shape[len(shape)-1])
	if rows < 2 {
		return b.Fail("batch norm in training needs at least 2 values per channel, there is 1")
	}
	follow := func(running, value *graph.Node, scale float64) {
		before := cmp.Or(b.running[running], running) // another value if the network applies the norm again
		b.running[running] = b.Add(b.Scale(1-momentum, before), b.Scale(momentum*scale, value))
		b.Update(running, b.running[running])
	}
	follow(p.Mean, mean, 1)
	follow(p.Var, variance, rows/(rows-1)) // PyTorch keeps the unbiased variance
	return y
}

// ReLU is max(x, 0).
type ReLU struct{}

// Build implements [Layer].
func (ReLU) Build(b *Builder, _ string, x *graph.Node) *graph.Node { return b.ReLU(x) }

// Tanh is the hyperbolic tangent.
type Tanh struct{}

// Build implements [Layer].
func (Tanh) Build(b *Builder, _ string, x *graph.Node) *graph.Node { return b.Tanh(x) }

// MaxPool computes the largest element of every window.
type MaxPool graph.Pool2D

// Build implements [Layer].
func (p MaxPool) Build(b *Builder, _ string, x *graph.Node) *graph.Node {
	return b.MaxPool(x, graph.Pool2D(p))
}

// AvgPool computes the mean of every window.
type AvgPool graph.Pool2D

// Build implements [Layer].
func (p AvgPool) Build(b *Builder, _ string, x *graph.Node) *graph.Node {
	return b.AvgPool(x, graph.Pool2D(p))
}

// SquarePool returns the geometry with one size, stride and padding for both directions.
func SquarePool(size, stride, pad int) graph.Pool2D {
	return graph.Pool2D{SizeH: size, SizeW: size, StrideH: stride, StrideW: stride, PadH: pad, PadW: pad}
}

// AdaptiveAvgPool computes the means over H×W windows that cover the image; 1×1 is
// global average pooling.
type AdaptiveAvgPool struct{ H, W int }

// Build implements [Layer].
func (p AdaptiveAvgPool) Build(b *Builder, _ string, x *graph.Node) *graph.Node {
	return b.AdaptiveAvgPool(x, p.H, p.W)
}

// GlobalMaxPool computes the largest element of every channel.
type GlobalMaxPool struct{}

// Build implements [Layer].
func (GlobalMaxPool) Build(b *Builder, _ string, x *graph.Node) *graph.Node {
	return b.GlobalMaxPool(x)
}

// ChannelMean is the mean over the channels of each position, or over the
// features of a flat input.
type ChannelMean struct{}

// Build implements [Layer].
func (ChannelMean) Build(b *Builder, _ string, x *graph.Node) *graph.Node {
	if b.Err() != nil {
		return nil
	}
	shape := x.Shape().Clone()
	last := len(shape) - 1
	channels := shape[last]
	// Every position becomes an image whose rows are the channels.
	mean := b.AdaptiveAvgPool(b.Reshape(x, shape.TotalSize()/channels, channels, 1, 1), 1, 1)
	shape[last] = 1
	return b.Reshape(mean, shape...)
}

// Flatten turns images into rows in PyTorch's order, and leaves rows unchanged.
type Flatten struct{}

// Build implements [Layer].
func (Flatten) Build(b *Builder, _ string, x *graph.Node) *graph.Node {
	if b.Err() != nil || x.Dims() == 2 {
		return x
	}
	return b.Flatten(x)
}

// Dropout zeroes elements with probability P in training and scales the others
// by 1/(1 − P).
type Dropout struct{ P float64 }

// Build implements [Layer].
func (d Dropout) Build(b *Builder, _ string, x *graph.Node) *graph.Node {
	p := cmp.Or(b.dropout, d.P)
	if b.mode == eval || p == 0 || b.dropout < 0 || b.Err() != nil {
		return x
	}
	if p < 0 || p >= 1 {
		return b.Fail("dropout with probability %v: want at least 0 and less than 1", p)
	}
	factor := b.Input(fmt.Sprintf("dropout %d", len(b.masks)+1), x.Shape()...)
	b.masks = append(b.masks, mask{node: factor, p: p})
	return b.Dropout(x, factor)
}

// Subsample is the parameterless shortcut of the CIFAR ResNets (option A): it takes every Stride-th row and column, and
// adds zero channels on both sides up to Filters, multiplied by the width factor.
type Subsample struct{ Stride, Filters int }

// Build implements [Layer].
func (s Subsample) Build(b *Builder, _ string, x *graph.Node) *graph.Node {
	if b.Err() != nil {
		return nil
	}
	filters, in := b.Wide(s.Filters), x.Shape()[x.Dims()-1]
	if filters < in {
		return b.Fail("a shortcut of %d channels cannot have fewer than its input's %d", filters, in)
	}
	more := filters - in
	return b.Graph.Subsample(x, s.Stride, more/2, more-more/2)
}
