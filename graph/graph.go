// Package graph is the symbolic path: expression graphs of differentiable ops,
// the one place where derivatives are taken, and machines that run them.
//
// An expression is a Gorgonia graph. Every op of the package is a
// gorgonia.SDOp: it carries its shape, its value and its rule, the expression
// of its vector-Jacobian product in terms of other ops. The set of ops is
// closed under these rules, so that [Graph.Pullback], a reverse pass over them,
// gives gradients, and applied twice gives Jacobian-vector products and second
// derivatives. Nothing else in the project writes a derivative.
//
// Images are (batch, row, column, channel), filters (filter, channel, row,
// column) as PyTorch stores them. A row of a node is its last axis.
//
// # Where to begin
//
// [New] starts a graph on a device of package backend. [Graph.Input] and
// [Graph.Param] declare what it reads, the other methods of a [Graph] are its ops,
// and [Graph.Data] is where values are written. [Graph.Compile] makes a [Program]
// that computes some nodes: the examples of [Graph.Pullback] and
// [Graph.Pushforward] are whole programs.
//
// [Graph.Function] closes an expression of named inputs. A [Function] has taps,
// where its layers read and what they make of it, and gives what the papers
// measure there: [Function.AGOP] at a tap, [Function.Moments] at many at once,
// [Function.Differential] for products with the Jacobian and [Function.Jacobian]
// for the inner products of its rows, of which tangent kernels are made.
//
// # Errors
//
// The first mistake in building an expression is kept, and told by [Graph.Err],
// [Graph.Function] and [Graph.Compile]. Values that do not fit their nodes wrap
// [ErrShape]; what memory does not hold is a [*MemoryError].
package graph

import (
	"errors"
	"fmt"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Node is a place in an expression graph.
type Node = gorgonia.Node

// Precision is the number type of a graph.
type Precision int

const (
	Single Precision = iota // float32, the zero value
	Double                  // float64
)

func (p Precision) dtype() tensor.Dtype {
	if p == Double {
		return tensor.Float64
	}
	return tensor.Float32
}

// Graph builds an expression. Its methods are the ops: they take nodes and
// return the node of the result. The first mistake, a shape that does not fit
// say, is kept, every later op returns nil, and [Graph.Err] tells it; so that
// expressions read as mathematics. A Graph and what is made from it must be
// used by one goroutine at a time.
type Graph struct {
	expr   *gorgonia.ExprGraph
	device *backend.Device
	dtype  tensor.Dtype
	nodes  map[string]*Node // by what they compute
	weighs map[*Node]weighed
	named  map[string]*Node // inputs and parameters
	inputs []*Node
	params []*Node
	layers []Layer
	update []Update
	scope  string
	serial int
	err    error
}

// New starts an empty graph whose numbers have precision p and which runs on
// the device. Without a device it can be built and asked for its shapes, not
// run.
func New(d *backend.Device, p Precision) *Graph {
	return &Graph{
		expr:   gorgonia.NewGraph(),
		device: d,
		dtype:  p.dtype(),
		nodes:  map[string]*Node{},
		weighs: map[*Node]weighed{},
		named:  map[string]*Node{},
	}
}

// Err returns the first mistake in building the graph.
func (g *Graph) Err() error { return g.err }

// Device is where the graph runs.
func (g *Graph) Device() *backend.Device { return g.device }

// Expr is the Gorgonia graph beneath.
func (g *Graph) Expr() *gorgonia.ExprGraph { return g.expr }

// At names the part of the expression that is built next, for error messages.
func (g *Graph) At(scope string) { g.scope = scope }

// Fail records a mistake, as the ops do, and returns nil.
func (g *Graph) Fail(format string, args ...any) *Node {
	if g.err == nil {
		g.err = fmt.Errorf(format, args...)
		if g.scope != "" {
			g.err = fmt.Errorf("%s: %w", g.scope, g.err)
		}
	}
	return nil
}

// Input declares an input of the given shape. Its value is zero until
// [Graph.Let] or until something is written to [Graph.Data].
func (g *Graph) Input(name string, shape ...int) *Node {
	n := g.declare(name, shape)
	if n != nil {
		g.inputs = append(g.inputs, n)
	}
	return n
}

// Param declares a parameter: an input that a gradient may be asked for and
// that keeps its value from run to run.
func (g *Graph) Param(name string, shape ...int) *Node {
	n := g.declare(name, shape)
	if n != nil {
		g.params = append(g.params, n)
	}
	return n
}

// Inputs lists the inputs in the order of their declaration.
func (g *Graph) Inputs() []*Node { return g.inputs }

// Params lists the parameters in the order of their declaration.
func (g *Graph) Params() []*Node { return g.params }

// Named returns the input or parameter of that name, nil if there is none.
func (g *Graph) Named(name string) *Node { return g.named[name] }

func (g *Graph) declare(name string, shape []int) *Node {
	if g.err != nil {
		return nil
	}
	if len(shape) == 0 {
		return g.Fail("%s: a node needs at least one axis", name)
	}
	for _, d := range shape {
		if d < 1 {
			return g.Fail("%s: shape %v: every size must be at least 1", name, shape)
		}
	}
	// Gorgonia would merge two inputs of one name and drop the second's value.
	if g.named[name] != nil {
		return g.Fail("there are two inputs or parameters named %q", name)
	}
	n := gorgonia.NewTensor(g.expr, g.dtype, len(shape), gorgonia.WithShape(shape...), gorgonia.WithName(name))
	g.named[name] = n
	return n
}

// ErrShape is wrapped by errors about values whose shape or number type is not
// that of their node.
var ErrShape = errors.New("wrong shape or type")

// Let makes v the value of an input or parameter. v is used where it is, not
// copied: what is written to it later is seen by later runs. Let comes before
// the graph is compiled.
func (g *Graph) Let(n *Node, v *tensor.Dense) error {
	if !n.Shape().Eq(v.Shape()) || v.Dtype() != n.Dtype() {
		return fmt.Errorf("%s: %w: want %v of %v, got %v of %v", n.Name(), ErrShape, n.Shape(), n.Dtype(),
			v.Shape(), v.Dtype())
	}
	return gorgonia.Let(n, v)
}

// Data returns the value of an input or parameter, to be read or written,
// zeros where it had none. It is nil for other nodes.
func (g *Graph) Data(n *Node) *tensor.Dense {
	if n.Op() != nil {
		return nil
	}
	if v, ok := n.Value().(*tensor.Dense); ok {
		return v
	}
	v := tensor.New(tensor.Of(g.dtype), tensor.WithShape(n.Shape()...))
	if err := gorgonia.Let(n, v); err != nil {
		return nil
	}
	return v
}

// rows and cols see a node as a matrix whose columns are its last axis.
func cols(n *Node) int { return n.Shape()[len(n.Shape())-1] }

func rows(n *Node) int { return size(n) / cols(n) }

func size(n *Node) int { return n.Shape().TotalSize() }
