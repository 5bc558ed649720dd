// Package graph builds expressions of differentiable ops, differentiates them, and
// runs them. It is the only place in the project where derivatives are computed.
//
// # Where to begin
//
// [New] starts a graph on a device of package backend. [Graph.Input] and
// [Graph.Param] declare its inputs and parameters, the other methods of a [Graph]
// are its ops, and [Graph.Data] returns the tensors to write values to.
// [Graph.Compile] returns a [Program] that computes some nodes. The examples of
// [Graph.Pullback] and [Graph.Pushforward] are whole programs.
//
// [Graph.Function] makes a [Function] of an expression. A Function has taps, the
// inputs and pre-activations of its layers, and computes what the papers measure
// there: [Function.AGOP] at one tap, [Function.Moments] at many taps at once,
// [Function.Differential] for products with the Jacobian, and [Function.Jacobian]
// for the inner products of its rows, of which tangent kernels consist.
//
// # How it works
//
// An expression is a Gorgonia graph. Every op of the package is a gorgonia.SDOp:
// it has a shape, a value and a rule, which is the expression of its
// vector-Jacobian product in terms of other ops. The set of ops is closed under
// these rules. So [Graph.Pullback], a reverse pass over them, returns gradients,
// and applied twice Jacobian-vector products and second derivatives.
//
// Images are (batch, row, column, channel), filters (filter, channel, row,
// column) as PyTorch stores them. The rows of a node run along its last axis.
//
// # Errors
//
// The first mistake in building an expression is kept; [Graph.Err],
// [Graph.Function] and [Graph.Compile] return it. Errors about values that do not
// fit their nodes wrap [ErrShape]. A program that would take too much memory is a
// [*MemoryError].
package graph

import (
	"errors"
	"fmt"

	"github.com/ansatz-lab/ansatz/graph/backend"
	_ "github.com/ansatz-lab/ansatz/graph/backend/gpu" // registers the backend gpu
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Node is a node of an expression graph.
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

// Graph builds an expression. Its methods are the ops: they take nodes and return the node of the result. After
// the first mistake, such as a shape that does not fit, every op returns nil, and [Graph.Err] returns the mistake;
// so expressions need no error handling and read as mathematics. A Graph and all that is made from it must be used
// by one goroutine at a time.
type Graph struct {
	expr    *gorgonia.ExprGraph
	device  *backend.Device
	dtype   tensor.Dtype
	nodes   map[string]*Node  // by what they compute: see spec.key
	factors map[*Node]weighed // of cotangents: see weigh and sameRows
	named   map[string]*Node  // inputs and parameters
	inputs  []*Node
	params  []*Node
	layers  []Layer
	update  []Update
	scope   string
	serial  int
	err     error
}

// New returns an empty graph with numbers of precision p, which runs on the device. With a nil device it has shapes
// but cannot run.
func New(d *backend.Device, p Precision) *Graph {
	return &Graph{
		expr:    gorgonia.NewGraph(),
		device:  d,
		dtype:   p.dtype(),
		nodes:   map[string]*Node{},
		factors: map[*Node]weighed{},
		named:   map[string]*Node{},
	}
}

// Err returns the first mistake in building the graph.
func (g *Graph) Err() error { return g.err }

// Device returns the device that the graph runs on.
func (g *Graph) Device() *backend.Device { return g.device }

// Expr returns the underlying Gorgonia graph.
func (g *Graph) Expr() *gorgonia.ExprGraph { return g.expr }

// At sets the name of the part of the expression that is built next, for error messages.
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

// Param declares a parameter: an input that keeps its value from run to run, such as weights.
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
	if err := checkShape(shape); err != nil {
		return g.Fail("%s: %w", name, err)
	}
	// Gorgonia would merge two inputs of one name and drop the second's value.
	if g.named[name] != nil {
		return g.Fail("there are two inputs or parameters named %q", name)
	}
	n := gorgonia.NewTensor(g.expr, g.dtype, len(shape), gorgonia.WithShape(shape...), gorgonia.WithName(name))
	g.named[name] = n
	return n
}

// mostElements is the largest number of elements of a node. Sums of the sizes of many nodes, in bytes, do not overflow then.
const mostElements = 1 << 48

// checkShape returns an error unless a node can have the shape.
func checkShape(shape []int) error {
	if len(shape) == 0 {
		return errors.New("a node needs at least one axis")
	}
	n := 1
	for _, d := range shape {
		if d < 1 {
			return fmt.Errorf("shape %v: every size must be at least 1", shape)
		}
		if n > mostElements/d {
			return fmt.Errorf("shape %v: more than %d elements", shape, mostElements)
		}
		n *= d
	}
	return nil
}

// ErrShape is wrapped by errors about values that do not have the shape or number type of their node.
var ErrShape = errors.New("wrong shape or type")

// Let makes v the value of an input or parameter. It does not copy v, so that later runs read what is written to v
// later. Let must be called before the graph is compiled.
func (g *Graph) Let(n *Node, v *tensor.Dense) error {
	if !n.Shape().Eq(v.Shape()) || v.Dtype() != n.Dtype() || v.RequiresIterator() {
		return fmt.Errorf("%s: %w: want %v of %v, one row after another in memory, got %v of %v", n.Name(), ErrShape,
			n.Shape(), n.Dtype(), v.Shape(), v.Dtype())
	}
	return gorgonia.Let(n, v)
}

// Data returns the value of an input or parameter, to read or to write; it is zeros at first. Data returns nil for
// other nodes.
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

// rows and cols return the size of a node as a matrix, whose columns are its last axis.
func cols(n *Node) int { return n.Shape()[len(n.Shape())-1] }

func rows(n *Node) int { return size(n) / cols(n) }

func size(n *Node) int { return n.Shape().TotalSize() }
