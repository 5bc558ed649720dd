package totoml

import (
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/layers"
	"github.com/ansatz-lab/ansatz/models/onnx"
)

// tokensLayer turns images into tokens.
var tokensLayer = layers.Tokens{}

// lowerings has for each ONNX op the function that turns its nodes, if they depend on the images, into ops.
var lowerings map[string]func(l *lowering, n *onnx.Node) error

func init() {
	lowerings = map[string]func(l *lowering, n *onnx.Node) error{
		"Identity": keep, "Cast": keep, "CastLike": keep, "Dropout": dropout,

		"Relu": activation(models.ReLU{}), "Tanh": activation(models.Tanh{}), "Sigmoid": activation(layers.Sigmoid),
		"Softplus": activation(layers.Softplus), "Mish": activation(layers.Mish),
		"HardSwish": activation(layers.HardSwish), "HardSigmoid": hardSigmoid, "LeakyRelu": leakyReLU, "Elu": elu,
		"Gelu": gelu, "Erf": part(isErf, 0), "Sqrt": part(isSqrt, 0), "Neg": part(isScale, -1), "Clip": clip,

		"Conv": conv, "ConvTranspose": convTranspose, "Gemm": gemm, "MatMul": matMul,
		"BatchNormalization": batchNorm, "LayerNormalization": layerNorm, "InstanceNormalization": instanceNorm,

		"MaxPool": pool, "AveragePool": pool, "GlobalAveragePool": reduceMean, "ReduceMean": reduceMean,
		"GlobalMaxPool": reduceMax, "ReduceMax": reduceMax,
		"Softmax": softmax, "LogSoftmax": softmax,

		"Reshape": reshape, "Flatten": reshape, "Squeeze": reshape, "Unsqueeze": reshape, "Transpose": transpose,
		"Slice": slice, "Split": split, "Gather": gather, "Expand": expand, "Pad": pad, "Resize": resize,

		"Add": add, "Sub": sub, "Mul": mul, "Div": div, "Pow": pow, "Concat": concatenation,
	}
}
