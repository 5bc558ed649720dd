package graph

import (
	"slices"

	"gorgonia.org/tensor"
)

// Reshape returns x with another shape of the same size. It does not move data.
func (g *Graph) Reshape(x *Node, shape ...int) *Node {
	if g.err != nil {
		return nil
	}
	if tensor.Shape(shape).TotalSize() != size(x) || checkShape(shape) != nil {
		return g.Fail("reshape of %v to %v: want %d elements", x.Shape(), shape, size(x))
	}
	if slices.Equal(x.Shape(), shape) { // Shape.Eq does not tell a vector from a column
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
	return g.Reshape(g.Permute(m, 0, 2, 1), s[0], s[1]*s[2]*s[3])
}

// Subsample returns every stride-th row and column of the images x, and adds
// channels of zeros, before in front of theirs and after behind them: the
// parameterless shortcut of the CIFAR ResNets, option A.
func (g *Graph) Subsample(x *Node, stride, before, after int) *Node {
	if g.err != nil {
		return nil
	}
	if x.Dims() != 4 || stride < 1 || before < 0 || after < 0 {
		return g.Fail(
			"shortcut of %v with stride %d and %d+%d channels: want (batch, row, column, channel), a stride of at "+
				"least 1 and numbers of channels of at least 0",
			x.Shape(), stride, before, after)
	}
	s := x.Shape()
	y := g.Slice(g.Slice(x, 1, 0, s[1], stride), 2, 0, s[2], stride)
	return g.Pad(y, []int{0, 0, 0, before}, []int{0, 0, 0, after}, PadConstant, 0)
}
