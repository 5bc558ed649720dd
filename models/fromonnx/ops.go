package fromonnx

import (
	"maps"
	"math"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/onnx"
)

// opFunc builds the outputs of a node.
type opFunc func(b *builder, n *onnx.Node) []value

// ops are the ops that can depend on the images.
var ops map[string]opFunc

func init() { // not in the declaration, since some of the functions refer to the table
	ops = map[string]opFunc{
		"Identity": same, "Cast": cast, "CastLike": castLike, "Dropout": dropout,

		"Relu":       unary((*graph.Graph).ReLU),
		"Tanh":       unary((*graph.Graph).Tanh),
		"Sigmoid":    unary((*graph.Graph).Sigmoid),
		"Softplus":   unary((*graph.Graph).Softplus),
		"Mish":       unary((*graph.Graph).Mish),
		"HardSwish":  unary((*graph.Graph).HardSwish),
		"Erf":        unary((*graph.Graph).Erf),
		"Exp":        unary((*graph.Graph).Exp),
		"Log":        unary((*graph.Graph).Log),
		"Sqrt":       unary((*graph.Graph).Sqrt),
		"Abs":        unary((*graph.Graph).Abs),
		"Neg":        unary((*graph.Graph).Neg),
		"Reciprocal": unary((*graph.Graph).Reciprocal),
		"Sin":        unary((*graph.Graph).Sin),
		"Cos":        unary((*graph.Graph).Cos),
		"LeakyRelu":  shaped("alpha", .01, (*graph.Graph).LeakyReLU),
		"Elu":        shaped("alpha", 1, (*graph.Graph).ELU),
		"Selu":       selu, "HardSigmoid": hardSigmoid, "Softsign": softsign, "Clip": clip, "PRelu": prelu,
		"Gelu": gelu, "Celu": celu,

		"Add": add, "Sub": sub, "Mul": mul, "Div": div, "Pow": pow, "Sum": sum, "Mean": mean,
		"Max": extreme((*graph.Graph).Maximum), "Min": extreme((*graph.Graph).Minimum), "Where": where,
		"Sign": sign,

		"Conv": conv, "ConvTranspose": convTranspose, "Gemm": gemm, "MatMul": matMul, "Einsum": einsum,
		"LSTM": recur, "GRU": recur, "RNN": recur,

		"MaxPool": maxPool, "AveragePool": averagePool,
		"GlobalMaxPool":     global((*graph.Graph).MaxAxes),
		"GlobalAveragePool": global((*graph.Graph).MeanAxes),

		"BatchNormalization": batchNorm, "LayerNormalization": layerNorm, "InstanceNormalization": instanceNorm,
		"GroupNormalization": groupNorm, "LRN": localResponseNorm, "MeanVarianceNormalization": meanVarianceNorm,
		"LpNormalization": lpNorm,

		"Softmax": softmax((*graph.Graph).SoftmaxAxis), "LogSoftmax": softmax((*graph.Graph).LogSoftmaxAxis),
		"ReduceMean": reduce((*graph.Graph).MeanAxes), "ReduceSum": reduce((*graph.Graph).SumAxes),
		"ReduceMax": reduce((*graph.Graph).MaxAxes), "ReduceMin": reduce((*graph.Graph).MinAxes),
		"ReduceL2": reduceL2, "ReduceSumSquare": reduceSumSquare, "ReduceL1": reduceL1,
		"ReduceLogSumExp": reduceLogSumExp, "ReduceProd": reduceProd,
		"CumSum": cumSum, "Trilu": trilu,

		"Reshape": reshape, "Flatten": reshape, "Squeeze": reshape, "Unsqueeze": reshape, "Transpose": transpose,
		"Concat": concat, "Slice": slice, "Split": split, "Gather": gather, "ScatterND": scatterND,
		"Expand": expand, "Tile": tile, "Pad": pad,
		"DepthToSpace": depthToSpace, "SpaceToDepth": spaceToDepth,
		"Resize": resize,
	}
	maps.Copy(ops, truthOps)
}

func same(b *builder, n *onnx.Node) []value { return []value{b.read(n, 0)} }

func dropout(b *builder, n *onnx.Node) []value {
	x := b.read(n, 0)
	p := b.scalar(n, "ratio", 1, .5)
	return []value{x.with(models.Dropout{P: p}.Build(b.Builder, "", x.node))}
}

// unary returns the op that applies a function to each element.
func unary(f func(*graph.Graph, *graph.Node) *graph.Node) opFunc {
	return func(b *builder, n *onnx.Node) []value {
		x := b.read(n, 0)
		return []value{x.with(f(b.Graph, x.node))}
	}
}

// shaped returns the op that applies to each element a function with one parameter, an attribute of the node.
func shaped(attribute string, otherwise float64, f func(*graph.Graph, *graph.Node, float64) *graph.Node) opFunc {
	return func(b *builder, n *onnx.Node) []value {
		x := b.read(n, 0)
		return []value{x.with(f(b.Graph, x.node, n.Float(attribute, otherwise)))}
	}
}

func selu(b *builder, n *onnx.Node) []value {
	x := b.read(n, 0)
	gamma := n.Float("gamma", 1.0507009873554804934193349852946)
	y := b.Scale(gamma, b.ELU(x.node, n.Float("alpha", 1.6732632423543772848170429916717)))
	return []value{x.with(y)}
}

func celu(b *builder, n *onnx.Node) []value {
	x, alpha := b.read(n, 0), n.Float("alpha", 1)
	return []value{x.with(b.Scale(alpha, b.ELU(b.Scale(1/alpha, x.node), 1)))}
}

func hardSigmoid(b *builder, n *onnx.Node) []value {
	x := b.read(n, 0)
	return []value{x.with(b.HardSigmoid(x.node, n.Float("alpha", .2), n.Float("beta", .5)))}
}

func softsign(b *builder, n *onnx.Node) []value {
	x := b.read(n, 0)
	return []value{x.with(b.Div(x.node, b.Shift(1, b.Abs(x.node))))}
}

func gelu(b *builder, n *onnx.Node) []value {
	x := b.read(n, 0)
	if n.String("approximate", "none") == "tanh" {
		return []value{x.with(b.GELUTanh(x.node))}
	}
	return []value{x.with(b.GELU(x.node))}
}

func clip(b *builder, n *onnx.Node) []value {
	x := b.read(n, 0)
	lo := b.scalar(n, "min", 1, math.Inf(-1))
	hi := b.scalar(n, "max", 2, math.Inf(1))
	return []value{x.with(b.Clip(x.node, lo, hi))}
}

func prelu(b *builder, n *onnx.Node) []value {
	x, slope, like := b.align(b.read(n, 0), b.read(n, 1))
	if b.Err() != nil {
		return nil
	}
	positive := b.ReLU(x)
	return []value{like.with(b.Add(positive, b.MulBroadcast(b.Sub(x, positive), slope)))}
}

func add(b *builder, n *onnx.Node) []value {
	if x, k, ok := b.withNumber(n, true); ok {
		return []value{x.with(b.Shift(k, x.node))}
	}
	return b.pairwise(n, b.AddBroadcast)
}

func sub(b *builder, n *onnx.Node) []value {
	if x, k, ok := b.withNumber(n, false); ok {
		return []value{x.with(b.Shift(-k, x.node))}
	}
	return b.pairwise(n, b.SubBroadcast)
}

func mul(b *builder, n *onnx.Node) []value {
	if x, k, ok := b.withNumber(n, true); ok {
		return []value{x.with(b.Scale(k, x.node))}
	}
	return b.pairwise(n, b.MulBroadcast)
}

func div(b *builder, n *onnx.Node) []value {
	if x, k, ok := b.withNumber(n, false); ok {
		return []value{x.with(b.Scale(1/k, x.node))}
	}
	return b.pairwise(n, b.DivBroadcast)
}

// pow computes powers with a constant exponent, powers of a constant, and, for a tensor x above 0, exp(y·log x).
func pow(b *builder, n *onnx.Node) []value {
	if x, k, ok := b.withNumber(n, false); ok {
		return []value{x.with(b.PowerOf(k, x.node))}
	}
	if k, ok := b.number(n.Inputs[0]); ok && k > 0 {
		y := b.read(n, 1)
		return []value{y.with(b.Exp(b.Scale(math.Log(k), y.node)))}
	}
	x := b.read(n, 0)
	y := b.broadcast(x.with(b.Log(x.node)), b.read(n, 1), b.MulBroadcast)
	return []value{y.with(b.Exp(y.node))}
}

// withNumber returns the operands of a node if the second one, or either if they may be exchanged, is a constant number.
// It reports false for other nodes, and if the number has more axes than the other operand.
func (b *builder) withNumber(n *onnx.Node, exchange bool) (x value, k float64, ok bool) {
	for i, other := range []int{1, 0}[:1+btoi(exchange)] {
		k, ok = b.number(n.Inputs[other])
		if !ok || b.shape(n.Inputs[i]) == nil || len(b.constant(n.Inputs[other]).Shape) > len(b.shape(n.Inputs[i])) {
			continue
		}
		return b.read(n, i), k, true
	}
	return value{}, 0, false
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// pairwise applies an op that broadcasts to the two inputs of a node.
func (b *builder) pairwise(n *onnx.Node, f func(x, y *graph.Node) *graph.Node) []value {
	return []value{b.broadcast(b.read(n, 0), b.read(n, 1), f)}
}

func (b *builder) broadcast(x, y value, f func(x, y *graph.Node) *graph.Node) value {
	nx, ny, like := b.align(x, y)
	if b.Err() != nil {
		return value{}
	}
	return like.with(f(nx, ny))
}

func sum(b *builder, n *onnx.Node) []value {
	total := b.read(n, 0)
	for i := 1; i < len(n.Inputs); i++ {
		total = b.broadcast(total, b.read(n, i), b.AddBroadcast)
	}
	return []value{total}
}

func mean(b *builder, n *onnx.Node) []value {
	total := sum(b, n)[0]
	return []value{total.with(b.Scale(1/float64(len(n.Inputs)), total.node))}
}

// extreme returns the op that takes the largest or the smallest of some tensors, element by element.
func extreme(f func(g *graph.Graph, x, y *graph.Node) *graph.Node) opFunc {
	return func(b *builder, n *onnx.Node) []value {
		best := b.read(n, 0)
		for i := 1; i < len(n.Inputs); i++ {
			best = b.expanded(best, b.read(n, i), func(x, y *graph.Node) *graph.Node { return f(b.Graph, x, y) })
		}
		return []value{best}
	}
}
