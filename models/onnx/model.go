package onnx

import (
	"fmt"
	"math"
	"runtime"
	"strings"

	"github.com/ansatz-lab/ansatz/internal/words"
)

// Model is a network as an ONNX file describes it. Its nodes are in an order in which they can be computed. [Open] replaces
// calls of functions that the file defines by the functions' nodes, and leaves out nodes that the first output does not need.
type Model struct {
	Path  string
	Graph *Graph
}

// Graph is the network, or the branch of an If.
type Graph struct {
	Nodes           []*Node
	Inputs, Outputs []Value
	Initializers    map[string]*Tensor
}

// Value is an input or output of a graph.
type Value struct {
	Name string
	Type Type
	// Shape has −1 for sizes that the file leaves open. It is nil if the file gives no shape.
	Shape []int
}

// Node is a call of an op.
type Node struct {
	Name, Op, Domain string
	// Opset is the version of the op's domain.
	Opset           int
	Inputs, Outputs []string // "" where an optional one is absent
	Attributes      map[string]*Attribute
}

// Attribute is a constant parameter of a node. Which fields are set depends on its type.
type Attribute struct {
	number  int64
	float   float64
	text    string
	numbers []int64
	floats  []float64
	texts   []string
	tensor  *Tensor
	graph   *Graph
	refers  string // the attribute of the enclosing function that holds the value, "" if none does
	kind    int
}

// The types of attributes.
const (
	kindFloat   = 1
	kindInt     = 2
	kindString  = 3
	kindTensor  = 4
	kindGraph   = 5
	kindFloats  = 6
	kindInts    = 7
	kindStrings = 8
)

// Ints returns the elements of an attribute that is a list of whole numbers.
func (a *Attribute) Ints() []int {
	out := make([]int, len(a.numbers))
	for i, v := range a.numbers {
		out[i] = int(v)
	}
	return out
}

// Doubles returns the elements of an attribute that is a list of floats.
func (a *Attribute) Doubles() []float64 { return a.floats }

// Int returns an attribute that is a whole number, or otherwise if the node has no such attribute.
func (n *Node) Int(name string, otherwise int) int {
	if a := n.Attributes[name]; a != nil && a.kind == kindInt {
		return int(a.number)
	}
	return otherwise
}

// Ints returns an attribute that is a list of whole numbers, or nil if the node has no such attribute.
func (n *Node) Ints(name string) []int {
	if a := n.Attributes[name]; a != nil && a.kind == kindInts {
		return a.Ints()
	}
	return nil
}

// Float returns an attribute that is a float, or otherwise if the node has no such attribute.
func (n *Node) Float(name string, otherwise float64) float64 {
	if a := n.Attributes[name]; a != nil && a.kind == kindFloat {
		return a.float
	}
	return otherwise
}

// String returns an attribute that is a text, or otherwise if the node has no such attribute.
func (n *Node) String(name, otherwise string) string {
	if a := n.Attributes[name]; a != nil && a.kind == kindString {
		return a.text
	}
	return otherwise
}

// Texts returns an attribute that is a list of texts, or nil if the node has no such attribute.
func (n *Node) Texts(name string) []string {
	if a := n.Attributes[name]; a != nil && a.kind == kindStrings {
		return a.texts
	}
	return nil
}

// Tensor returns an attribute that is a tensor, or nil if the node has no such attribute.
func (n *Node) Tensor(name string) *Tensor {
	if a := n.Attributes[name]; a != nil {
		return a.tensor
	}
	return nil
}

// Graph returns an attribute that is a graph, or nil if the node has no such attribute.
func (n *Node) Graph(name string) *Graph {
	if a := n.Attributes[name]; a != nil {
		return a.graph
	}
	return nil
}

// Permutation returns a Transpose node: axis k of the tensor to is axis perm[k] of the tensor from.
func Permutation(from, to string, perm ...int64) *Node {
	return &Node{Name: to, Op: "Transpose", Opset: 1, Inputs: []string{from}, Outputs: []string{to},
		Attributes: map[string]*Attribute{"perm": {kind: kindInts, numbers: perm}}}
}

// Describe names the node for messages: by its name, or by what it makes.
func (n *Node) Describe() string {
	if n.Name == "" && len(n.Outputs) > 0 {
		return fmt.Sprintf("the %s node that makes %q", n.Op, strings.Join(n.Outputs, ", "))
	}
	return fmt.Sprintf("node %q (%s)", n.Name, n.Op)
}

// Misfit returns the error for a panic of code that takes for granted that the node has the inputs, outputs and attributes
// that ONNX demands of its op. A hostile or damaged file may lack them.
func (n *Node) Misfit(panicked any) error {
	err := fmt.Errorf("its %s, %s or attributes do not fit the op", words.Count(len(n.Inputs), "input"),
		words.Count(len(n.Outputs), "output"))
	if _, ok := panicked.(runtime.Error); ok {
		return err // such as an index out of range, which tells a user nothing
	}
	return fmt.Errorf("%w: %v", err, panicked)
}

// float32Of returns the number that a fixed32 field holds.
func float32Of(v uint64) float64 { return float64(math.Float32frombits(uint32(v))) }
