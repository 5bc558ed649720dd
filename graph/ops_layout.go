package graph

import (
	"slices"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"gorgonia.org/tensor"
)

// Reshape returns x with another shape of the same size. It does not move data.
func (g *Graph) Reshape(x *Node, shape ...int) *Node {
	if g.err != nil {
		return nil
	}
	if tensor.Shape(shape).TotalSize() != size(x) || len(shape) == 0 {
		return g.Fail("reshape of %v to %v: want %d elements", x.Shape(), shape, size(x))
	}
	if slices.Equal(x.Shape(), shape) { // Shape.Eq takes a vector for a column
		return x
	}
	from := x.Shape()
	return g.apply(spec{
		name: "reshape", in: []*Node{x}, shape: shape, view: true,
		rule: func(p pull) []*Node { return []*Node{g.Reshape(p.cot, from...)} },
	})
}

// Flatten returns the images x, (batch, row, column, channel), as the rows of a
// matrix in PyTorch's order, (batch, channel·row·column).
func (g *Graph) Flatten(x *Node) *Node {
	if g.err != nil {
		return nil
	}
	if x.Dims() != 4 {
		return g.Fail("flatten of %v: want (batch, row, column, channel)", x.Shape())
	}
	s := x.Shape()
	m := g.Reshape(x, s[0], s[1]*s[2], s[3])
	return g.Reshape(g.transpose(m), s[0], s[1]*s[2]*s[3])
}

// transpose exchanges the last two of the three axes of x.
func (g *Graph) transpose(x *Node) *Node {
	if g.err != nil {
		return nil
	}
	s := x.Shape()
	if s[1] == 1 || s[2] == 1 {
		return g.Reshape(x, s[0], s[2], s[1])
	}
	return g.apply(spec{
		name: "transpose", in: []*Node{x}, shape: tensor.Shape{s[0], s[2], s[1]},
		f32:  func(c *call[float32]) error { c.engine.Transpose(s[0], s[1], s[2], c.in[0], c.out); return nil },
		f64:  func(c *call[float64]) error { c.engine.Transpose(s[0], s[1], s[2], c.in[0], c.out); return nil },
		rule: func(p pull) []*Node { return []*Node{g.transpose(p.cot)} },
	})
}

// Subsample returns every stride-th row and column of the images x, with before
// and after channels of zeros around their channels: the parameterless
// shortcut of the CIFAR ResNets, option A.
func (g *Graph) Subsample(x *Node, stride, before, after int) *Node {
	if g.err != nil {
		return nil
	}
	if x.Dims() != 4 || stride < 1 || before < 0 || after < 0 {
		return g.Fail(
			"shortcut of %v with stride %d and %d+%d channels: want (batch, row, column, channel), a stride of at "+
				"least 1 and channels of at least 0",
			x.Shape(), stride, before, after)
	}
	s := x.Shape()
	return g.subsample(backend.SubsampleShape{N: s[0], H: s[1], W: s[2], C: s[3], Stride: stride, Before: before,
		After: after}, x)
}

func (g *Graph) subsample(s backend.SubsampleShape, x *Node) *Node {
	return g.apply(spec{
		name: "subsample", attr: s, in: []*Node{x}, shape: tensor.Shape{s.N, s.OutH(), s.OutW(), s.OutC()},
		f32:  func(c *call[float32]) error { c.engine.Subsample(s, c.in[0], c.out); return nil },
		f64:  func(c *call[float64]) error { c.engine.Subsample(s, c.in[0], c.out); return nil },
		rule: func(p pull) []*Node { return []*Node{g.unsubsample(s, p.cot)} },
	})
}

func (g *Graph) unsubsample(s backend.SubsampleShape, dy *Node) *Node {
	return g.apply(spec{
		name: "unsubsample", attr: s, in: []*Node{dy}, shape: tensor.Shape{s.N, s.H, s.W, s.C},
		f32:  func(c *call[float32]) error { c.engine.Unsubsample(s, c.in[0], c.out); return nil },
		f64:  func(c *call[float64]) error { c.engine.Unsubsample(s, c.in[0], c.out); return nil },
		rule: func(p pull) []*Node { return []*Node{g.subsample(s, p.cot)} },
	})
}
