package totoml

import (
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/onnx"
)

// op is a step of the network: a layer, a part of a layer that exporters write as several nodes, or a join of several
// values. The layer is nil for parts that no rule has put together yet, and for joins.
type op struct {
	node   *onnx.Node // for messages
	what   string     // one of the constants below
	in     []int      // the ops whose values it reads
	out    value
	a, b   float64 // a factor, an addend, an exponent, bounds; see the lowering
	layer  models.Layer
	name   string // the name in the state dict of a layer with parameters
	params []param
	relu   bool   // whether a ReLU follows a sum, as in a residual block
	groups int    // the groups of a norm
	vector string // the weights of a factor or an addend, and the scale of a norm that has no shift yet
}

// param is a parameter of a layer: its name in the state dict, the parameters of the ONNX network whose elements it has,
// one after another, and its shape.
type param struct {
	name  string
	from  []string
	shape []int
}

// The values of op.what. Ops with a number have it in op.a.
const (
	isLayer   = "layer"
	isScale   = "a product with a number"
	isShift   = "a sum with a number"
	isPower   = "a power"
	isErf     = "an error function"
	isSqrt    = "a square root"
	isClip    = "bounds other than those of relu and relu6"
	isSoftmax = "a softmax"
	isSlice   = "a part of the features"
	isStride  = "every n-th row and column"
	isWiden   = "zero channels on both sides"
	isFactor  = "a product with a vector"
	isAddend  = "a sum with a vector"
	isNorm    = "a norm without weights"

	isAdd      = "a sum"
	isSub      = "a difference"
	isMul      = "a product"
	isDiv      = "a quotient"
	isConcat   = "a concatenation"
	isProducts = "products of queries and keys"
	isMixture  = "mixtures of values"
)

// step is an op in a tree. A join has branches, which all read the result of the step before the join.
type step struct {
	*op
	branches []steps
}

// steps are done one after another.
type steps []step

// is reports whether the step is an op of a kind, one of the constants above.
func (s step) is(what string) bool { return s.what == what }

// layerOf reports whether the step is one of the given layers, which have no parameters.
func (s step) layerOf(all ...models.Layer) bool {
	if s.what != isLayer || len(s.params) > 0 {
		return false
	}
	for _, l := range all {
		if s.layer == l {
			return true
		}
	}
	return false
}
