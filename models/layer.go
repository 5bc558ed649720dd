package models

import (
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/internal/words"
)

// Layer is a part of a network. The types of this package implement it: [Conv], [Linear],
// [BatchNorm], [ReLU], [Tanh], [MaxPool], [AvgPool], [AdaptiveAvgPool], [GlobalMaxPool],
// [ChannelMean], [Flatten], [Dropout], [Subsample], [Sequential] and [Residual]. Other
// packages may implement it too, from the ops of package graph and from other layers:
// examples/layer in the repository does.
type Layer interface {
	// Build extends b's expression by the layer and returns the layer's output. The
	// layer reads x, images (image, row, column, channel) or flat features (image,
	// feature), and is called name in the state dict. Build returns nil once the
	// expression has an error. It must build the same expression and declare the same
	// parameters each time, since a network is rebuilt for every batch size.
	Build(b *Builder, name string, x *graph.Node) *graph.Node
}

// Named is a layer with its name among its siblings; layers without parameters
// need none.
type Named struct {
	Name  string
	Layer Layer
}

// mode says whether a network is built for evaluation or for training.
type mode int

const (
	// eval uses the running statistics of batch norms, and no dropout.
	eval mode = iota
	// train normalises by the batch, updates the running statistics and reads
	// the masks of dropouts as inputs.
	train
)

// Builder builds the expression of a network. The ops that a layer needs are the
// methods of its Graph: b.Add, b.ReLU, b.Linear and so on. b.Fail reports an error, and b.Err
// returns the first one; after that every op returns nil.
//
// [Builder.ConvLayer] and [Builder.LinearLayer] record a layer with weights under its
// name, so that [Network.Layers] lists it and package cnfa compares it with its AGOP. Their
// weights are a parameter, see [Builder.Param]; layers that share a parameter count as one layer. A
// linear layer reads rows with any axes before their features, such as (image, token, feature).
// [graph.Graph.Parts] divides a layer into several, such as the queries, keys and values of an
// attention, and says how many heads it has. The last layer of a
// classifier is a [Linear], or a [Conv] with Classes set; its weights give the number of classes.
type Builder struct {
	*graph.Graph
	mode    mode
	classes int
	width   float64
	dropout float64 // 0 keeps the dropouts' own probabilities
	params  []Parameter
	masks   []mask
	head    string // name of the layer that has one output per class
	built   map[builtLayer]Built
	normed  map[*graph.Node]bool        // inputs of batch norms
	running map[*graph.Node]*graph.Node // running statistics after the batch norms so far
	// how weights follow from parameters
	parameterisation Parameterisation
}

// Training reports whether the network is built for training rather than for evaluation.
func (b *Builder) Training() bool { return b.mode == train }

// Param declares a trained parameter of a layer and returns its node. Its name in the state
// dict is LAYER.NAME. The scheme start, not the network's initialisation, draws its initial
// values; nil is [Default].
func (b *Builder) Param(layer, name string, start Scheme, shape ...int) *graph.Node {
	if start == nil {
		start = Default{}
	}
	return b.Declare(join(layer, name), OwnParam, start, shape...)
}

// Declare declares a tensor of the state dict by its full name and returns its node. The role determines its initial
// values: the scheme start draws those of an [OwnParam] and sets those of a [Buffer], without a source of random numbers;
// for other roles start is nil.
func (b *Builder) Declare(name string, r Role, start Scheme, shape ...int) *graph.Node {
	n := b.param(name, r, shape...)
	b.params[len(b.params)-1].start = start
	return n
}

// StoredAs says that files of weights hold a declared parameter in another shape with the same number of elements.
func (b *Builder) StoredAs(n *graph.Node, shape ...int) {
	for i := range b.params {
		if b.params[i].node == n {
			b.params[i].stored = append([]int{}, shape...)
		}
	}
}

// Parameter is a tensor of a network.
type Parameter struct {
	Name  string
	Shape []int
	// Trained is false for the running statistics of batch norms and for constants.
	Trained bool
	// Factor is the factor by which the network multiplies the parameter: 1 in the standard parameterisation.
	Factor float64
	ntk    bool // whether the parameter is in the NTK parameterisation
	role   Role
	start  Scheme // of an OwnParam or a Buffer
	stored []int  // the shape in files of weights, nil if that is Shape
	node   *graph.Node
}

// Role says what a parameter is in its layer. It determines the initial values, see [Init].
type Role int

// The roles. The bias of a layer is declared right after its weight.
const (
	ConvWeight Role = iota
	ConvBias
	LinearWeight
	LinearBias
	NormScale // starts at 1
	NormShift // starts at 0
	NormMean  // starts at 0; follows the batches in training
	NormVar   // starts at 1; follows the batches in training
	OwnParam  // has a scheme of its own
	Buffer    // a constant with a scheme of its own, which training does not change; infinities in it are ±1e30
)

// trained reports whether training changes parameters of the role by their gradients.
func (r Role) trained() bool { return r != NormMean && r != NormVar && r != Buffer }

// mask is the random factor of a dropout: an input whose elements are set before every step, to 0 with probability p and
// otherwise to 1/(1 − p).
type mask struct {
	node *graph.Node
	p    float64
}

func (b *Builder) param(name string, r Role, shape ...int) *graph.Node {
	n := b.Graph.Param(name, shape...)
	b.params = append(b.params, Parameter{Name: name, Shape: shape, Trained: r.trained(), Factor: 1, role: r, node: n})
	return n
}

// join returns the name of a child in the state dict.
func join(parent, child string) string {
	if parent == "" || child == "" {
		return parent + child
	}
	return parent + "." + child
}

// builtLayer is a child of a container, and its name in the state dict.
type builtLayer struct {
	layer *Named
	name  string
}

// child builds a child of the container called parent, and records the result.
func (b *Builder) child(l *Named, parent string, x *graph.Node) *graph.Node {
	name, before := join(parent, l.Name), len(b.params)
	y := l.Layer.Build(b, name, x)
	if b.Err() == nil {
		b.built[builtLayer{l, name}] = Built{Shape: y.Shape()[1:], Parameters: b.params[before:]}
	}
	return y
}

// Sequential applies layers one after another.
type Sequential []Named

// Build implements [Layer].
func (s Sequential) Build(b *Builder, name string, x *graph.Node) *graph.Node {
	for i := range s {
		at := join(name, s[i].Name)
		if at == "" {
			at = fmt.Sprintf("layer %d", i+1)
		}
		b.At(at)
		x = b.child(&s[i], name, x)
	}
	return x
}

// Residual is the sum of two branches that read the same input, followed by a ReLU unless Linear is set. An empty
// Shortcut is the identity. The layers of both branches are the block's children in the state dict.
type Residual struct {
	Main, Shortcut Sequential
	Linear         bool
}

// Build implements [Layer].
func (r Residual) Build(b *Builder, name string, x *graph.Node) *graph.Node {
	main := r.Main.Build(b, name, x)
	short := r.Shortcut.Build(b, name, x)
	b.At(name)
	y := b.Add(main, short)
	if r.Linear {
		return y
	}
	return b.ReLU(y)
}

// Join says how [Branches] become one tensor.
type Join int

// The joins.
const (
	Concat   Join = iota // along the channels or features
	Add                  // element by element, with numpy's broadcasting
	Multiply             // element by element, with numpy's broadcasting
)

// Branches are layers that read the same input and are joined. An empty branch is the input itself. Their layers are the
// block's children in the state dict, under the names of the branches.
type Branches struct {
	Join     Join
	Branches []Named
}

// Build implements [Layer].
func (l Branches) Build(b *Builder, name string, x *graph.Node) *graph.Node {
	var all []*graph.Node
	for i := range l.Branches {
		all = append(all, b.child(&l.Branches[i], name, x))
	}
	b.At(name)
	if b.Err() != nil || len(all) == 0 {
		return b.Fail("branches: want at least one")
	}
	if l.Join == Concat {
		return b.Concat(all[0].Dims()-1, all...)
	}
	y := all[0]
	for _, other := range all[1:] {
		if l.Join == Add {
			y = b.AddBroadcast(y, other)
		} else {
			y = b.MulBroadcast(y, other)
		}
	}
	return y
}

// Wide multiplies a number of filters or hidden units by the network's width factor and rounds the result, to at least 1.
// Layers of equal width keep equal widths, so that residual branches can be added.
func (b *Builder) Wide(n int) int {
	w := math.Round(float64(n) * b.width)
	switch {
	case !(b.width > 0):
		b.Fail("width factor %v: want a number above 0", b.width)
	case w > MaxWidth:
		b.Fail(
			"width factor %v turns %d filters or units into %v: want at most %d; the weights between two such layers need %s: "+
				"use a smaller factor", b.width, n, w, MaxWidth, words.Bytes(4*w*w))
	default:
		return max(1, int(w))
	}
	return 1
}
