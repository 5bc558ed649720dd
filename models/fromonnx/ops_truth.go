package fromonnx

import (
	"slices"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models/onnx"
)

// Truth values that depend on the images are 1 and 0. No gradient flows through them, as in PyTorch.

// truthOps are the ops whose results are truth values.
var truthOps = map[string]opFunc{
	"Greater": func(b *builder, n *onnx.Node) []value { return []value{b.above(b.truth(n, 0), b.truth(n, 1))} },
	"Less":    func(b *builder, n *onnx.Node) []value { return []value{b.above(b.truth(n, 1), b.truth(n, 0))} },
	"GreaterOrEqual": func(b *builder, n *onnx.Node) []value {
		return []value{b.not(b.above(b.truth(n, 1), b.truth(n, 0)))}
	},
	"LessOrEqual": func(b *builder, n *onnx.Node) []value { return []value{b.not(b.above(b.truth(n, 0), b.truth(n, 1)))} },
	"Equal":       func(b *builder, n *onnx.Node) []value { return []value{b.not(b.differ(b.truth(n, 0), b.truth(n, 1)))} },
	"Xor":         func(b *builder, n *onnx.Node) []value { return []value{b.differ(b.truth(n, 0), b.truth(n, 1))} },
	"And": func(b *builder, n *onnx.Node) []value {
		return []value{b.broadcast(b.truth(n, 0), b.truth(n, 1), b.MulBroadcast)}
	},
	"Or": func(b *builder, n *onnx.Node) []value {
		return []value{b.expanded(b.truth(n, 0), b.truth(n, 1), b.Maximum)}
	},
	"Not": func(b *builder, n *onnx.Node) []value { return []value{b.not(b.truth(n, 0))} },
}

// truth returns the i-th input of a node, which may also be a constant of truth values or whole numbers.
func (b *builder) truth(n *onnx.Node, i int) value {
	if t := b.constant(n.Inputs[i]); t != nil && !t.IsFloat() {
		v, err := t.Doubles()
		if err != nil {
			b.Fail("its input %d: %w", i+1, err)
			return value{}
		}
		return b.given(n.Inputs[i]+":", t.Shape, v)
	}
	return b.read(n, i)
}

// given returns numbers as a constant of the network. The name must differ from those of the file's tensors.
func (b *builder) given(name string, shape []int, v []float64) value {
	if b.constants[name] == nil {
		b.constants[name] = onnx.Numbers(shape, v...)
	}
	return b.named(name)
}

// expanded broadcasts two operands, and applies an op that demands operands of one shape.
func (b *builder) expanded(x, y value, f func(x, y *graph.Node) *graph.Node) value {
	return b.broadcast(x, y, func(x, y *graph.Node) *graph.Node {
		shape, err := graph.BroadcastShape(x.Shape(), y.Shape())
		if err != nil {
			return b.Fail("%w", err)
		}
		return f(b.Builder.Expand(x, shape...), b.Builder.Expand(y, shape...))
	})
}

// above returns 1 where x > y and 0 elsewhere.
func (b *builder) above(x, y value) value {
	one := b.given("1:", nil, []float64{1}).node
	return b.expanded(x, y, func(x, y *graph.Node) *graph.Node {
		difference := b.Sub(x, y)
		if b.Err() != nil {
			return nil
		}
		ones := b.Reshape(one, slices.Repeat([]int{1}, difference.Dims())...)
		return b.Mask(difference, b.Builder.Expand(ones, difference.Shape()...))
	})
}

// differ returns 1 where x and y differ and 0 elsewhere.
func (b *builder) differ(x, y value) value {
	return b.expanded(b.above(x, y), b.above(y, x), b.Maximum)
}

func (b *builder) not(x value) value { return x.with(b.Shift(1, b.Neg(x.node))) }

// where chooses between the elements of two tensors by a condition.
func where(b *builder, n *onnx.Node) []value {
	c := b.truth(n, 0)
	yes, no := b.expanded(c, b.read(n, 1), b.Mask), b.expanded(b.not(c), b.read(n, 2), b.Mask)
	return []value{b.broadcast(yes, no, b.AddBroadcast)}
}

// sign returns 1 above 0, −1 below 0, and 0 at 0.
func sign(b *builder, n *onnx.Node) []value {
	x, zero := b.read(n, 0), b.given("0:", nil, []float64{0})
	return []value{b.broadcast(b.above(x, zero), b.above(zero, x), b.SubBroadcast)}
}

func cast(b *builder, n *onnx.Node) []value {
	return b.castTo(n, onnx.Type(n.Int("to", int(onnx.Float32))))
}

// floats are the types of floating point numbers.
var floats = []onnx.Type{onnx.Float16, onnx.BFloat16, onnx.Float32, onnx.Float64}

// castTo changes nothing if the type is one of floating point numbers or the input has truth values. A cast to bool compares
// with 0. Casts that round are an error.
func (b *builder) castTo(n *onnx.Node, to onnx.Type) []value {
	x := b.read(n, 0)
	switch {
	case slices.Contains(floats, to) || b.isTruth(n.Inputs[0]):
		return []value{x}
	case to == onnx.Bool:
		return []value{b.differ(x, b.given("0:", nil, []float64{0}))}
	default:
		b.Fail("it rounds numbers that depend on the images to %v, which is not supported", to)
		return nil
	}
}

// castLike casts to the type of a constant. A tensor that the network computes has floating point numbers.
func castLike(b *builder, n *onnx.Node) []value {
	to := onnx.Float32
	if t := b.constant(n.Inputs[1]); t != nil {
		to = t.Type
	}
	return b.castTo(n, to)
}

// isTruth reports whether the tensor of a name holds truth values, possibly cast to numbers.
func (b *builder) isTruth(name string) bool {
	for _, n := range b.walked {
		if slices.Contains(n.Outputs, name) {
			return truthOps[n.Op] != nil || n.Op == "Cast" && onnx.Type(n.Int("to", 0)) == onnx.Bool ||
				(n.Op == "Cast" || n.Op == "CastLike") && b.isTruth(n.Inputs[0])
		}
	}
	return false
}
