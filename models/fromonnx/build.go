package fromonnx

import (
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/internal/words"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/onnx"
	"gorgonia.org/tensor"
)

// network is the graph of an ONNX file as a layer of package models: the only layer of its architecture.
type network struct {
	file     *onnx.Model
	input    string
	output   string
	weights  map[string]weight
	names    map[string]string // of layers, by their parameters or the tensors that the file computes from these
	reach    reach
	exported int // the number of images that the file was exported for, 0 for any number
	channels int
	singles  *sync.Map // what single found, by the size of images
}

// builder builds the expression of an ONNX graph, node by node in their order.
type builder struct {
	*models.Builder
	*network
	values    map[string]value        // the tensors that were built, and the parameters that were declared
	constants map[string]*onnx.Tensor // the tensors that were computed from constants alone
	computed  int                     // the number of elements of these constants
	// uses counts how often a tensor is read.
	uses map[string]int
	// readers are the nodes that read a tensor.
	readers map[string][]*onnx.Node
	makers  map[string]*onnx.Node // the nodes that make a tensor
	done    map[*onnx.Node]bool   // nodes that were built together with an earlier one
	walked  []*onnx.Node          // all nodes in their order, with an Identity for every result of an If
	// The names of the recorded layers: by their nodes, in the order of recording, with the shapes of their weights, and
	// those whose parts are recorded.
	layers map[*onnx.Node]string
	order  []string
	shapes map[string][]int
	marked []string
	batch  int // the number of images at a time
	// rowBlocks are the rows of parameters that nodes of the expression hold, firsts the first such row of a node's layer.
	rowBlocks map[*graph.Node]rowBlock
	firsts    map[*onnx.Node]int
}

// Build implements [models.Layer]. If the file was exported for a fixed number of images, or has the number 1 in its graph, the
// expression computes that many at a time.
func (n *network) Build(b *models.Builder, _ string, x *graph.Node) *graph.Node {
	if b.Err() != nil {
		return nil
	}
	c := &builder{Builder: b, network: n, values: map[string]value{}}
	if channels := x.Shape()[3]; channels != n.channels {
		return b.Fail("it reads images of %s, and these have %d", words.Count(n.channels, "channel"), channels)
	}
	images, each := x.Shape()[0], n.exported
	if each == 0 && images > 1 && n.single(x.Shape()) {
		each = 1
	}
	if each == 0 || each == images {
		return c.images(x)
	}
	if b.Training() {
		return b.Fail("the file was exported for %s at a time: to train in batches of %d, export it with "+
			"dynamic_axes={\"INPUT\": {0: \"n\"}}, and with x.shape[0] in place of len(x)", words.Count(each, "image"), images)
	}
	var parts []*graph.Node
	for at := 0; at < images && b.Err() == nil; at += each {
		index := make([]int, each)
		for i := range index {
			index[i] = min(at+i, images-1) // repeats the last image where there are too few
		}
		y := c.images(b.TakeAlong(x, 0, index))
		if b.Err() == nil && at+each > images {
			y = b.Slice(y, 0, 0, images-at, 1)
		}
		parts = append(parts, y)
	}
	return b.Concat(0, parts...)
}

// single reports whether the graph can be built for one image of a size, (image, row, column, channel), but not for two: the
// exporter wrote the 1 of its example into the graph, as it does for len(x).
func (n *network) single(size tensor.Shape) bool {
	in := models.Shape{Height: size[1], Width: size[2], Channels: size[3]}
	if known, ok := n.singles.Load(in); ok {
		return known.(bool)
	}
	builds := func(images int) bool {
		_, err := (&models.Architecture{Root: batched{&tracing{network: *n}, images}}).Describe(in, 0)
		return err == nil
	}
	found := !builds(2) && builds(1)
	n.singles.Store(in, found)
	return found
}

// images builds the expression for a number of images that the file accepts.
func (b *builder) images(x *graph.Node) *graph.Node {
	if b.Err() != nil {
		return nil
	}
	weights := map[string]value{} // those that earlier calls declared
	for name, v := range b.values {
		if isParameter(v.node) {
			weights[name] = v
		}
	}
	b.values, b.constants, b.uses = weights, map[string]*onnx.Tensor{}, map[string]int{}
	b.computed = 0
	b.readers, b.done, b.walked = map[string][]*onnx.Node{}, map[*onnx.Node]bool{}, nil
	b.makers = makersOf(b.file.Graph)
	b.layers, b.order, b.shapes, b.batch = map[*onnx.Node]string{}, nil, map[string][]int{}, x.Shape()[0]
	b.rowBlocks, b.firsts = map[*graph.Node]rowBlock{}, map[*onnx.Node]int{}
	b.values[b.input] = value{x, imageOrder}
	b.countUses(b.file.Graph)
	b.uses[b.output]++
	b.walk(b.file.Graph.Nodes)
	if b.Err() != nil {
		return nil
	}
	b.At("")
	b.markAttention()
	out, ok := b.values[b.output]
	if !ok {
		return b.Fail("the output %q does not depend on the images", b.output)
	}
	shape := out.shape()
	if len(shape) == 0 || len(shape) == 1 && shape[0] != b.batch { // one number an image is an output of one class
		return b.Fail("the output %q has shape %v for %s: want (image, class)", b.output, shape, words.Count(b.batch, "image"))
	}
	return b.Reshape(b.logical(out), shape[0], product(shape[1:]))
}

// product returns the number of elements of a shape or, if that overflows, the largest number.
func product(shape []int) int {
	p := 1
	for _, n := range shape {
		if n > 0 && p > math.MaxInt/n {
			return math.MaxInt
		}
		p *= n
	}
	return p
}

// countUses counts what the nodes of a graph read, also those in either branch of an If, which may be taken later.
func (b *builder) countUses(g *onnx.Graph) {
	for _, node := range g.Nodes {
		for _, in := range node.Inputs {
			b.uses[in]++
		}
		for _, name := range branches {
			if sub := node.Graph(name); sub != nil {
				b.countUses(sub)
				for _, out := range sub.Outputs {
					b.uses[out.Name]++
				}
			}
		}
	}
}

// branches are the attributes of an If with the graphs that it chooses between.
var branches = []string{"then_branch", "else_branch"}

// walk builds nodes in their order.
func (b *builder) walk(nodes []*onnx.Node) {
	for _, n := range nodes {
		for _, in := range n.Inputs {
			b.readers[in] = append(b.readers[in], n)
		}
	}
	for _, n := range nodes {
		if n.Op != "If" {
			b.walked = append(b.walked, n)
		}
		if b.done[n] {
			continue
		}
		b.At(n.Describe())
		if err := b.buildNode(n); err != nil {
			b.Fail("%w", err)
		}
		if b.Err() != nil {
			return
		}
	}
}

// buildNode builds the expression of a node, or evaluates the node if its inputs are constants.
func (b *builder) buildNode(n *onnx.Node) error {
	if n.Op == "If" {
		return b.branch(n)
	}
	if repeatsStored(n, b.weights) {
		return nil // a weight, which is declared where it is read
	}
	if done, err := b.fold(n); done || err != nil {
		return err
	}
	f, ok := ops[n.Op]
	if !ok {
		return &UnsupportedError{Op: n.Op, Opset: n.Opset}
	}
	out := b.call(f, n)
	if b.Err() != nil {
		return nil
	}
	for _, v := range out {
		if size := product(v.node.Shape()); size > mostValues {
			return fmt.Errorf("its result has %d elements: want at most %d", size, mostValues)
		}
	}
	if len(out) < len(n.Outputs) && n.Outputs[len(out)] != "" && b.uses[n.Outputs[len(out)]] > 0 {
		return fmt.Errorf("its output %d is read, which is not supported", len(out)+1)
	}
	for i, v := range out[:min(len(out), len(n.Outputs))] {
		b.values[n.Outputs[i]] = v
	}
	return nil
}

// mostComputed is the largest number of elements of all computed constants together, which are kept: 1 GiB. Tests make it
// smaller.
var mostComputed = 1 << 27

// mostValues is the largest number of elements of a tensor, so that sizes of a hostile file do not overflow. A program that
// needs more memory than there is is refused when it is compiled.
const mostValues = 1 << 34

// call calls the function of a node. The function takes for granted that the node has the inputs and outputs that ONNX
// demands of its op, and panics if it has not; call makes an error of the panic.
func (b *builder) call(f opFunc, n *onnx.Node) (out []value) {
	defer func() {
		if p := recover(); p != nil {
			b.Fail("%w", n.Misfit(p))
		}
	}()
	return f(b, n)
}

// fold evaluates a node whose inputs are all constants. It reports false for other nodes, and for ops that it cannot
// evaluate.
func (b *builder) fold(n *onnx.Node) (bool, error) {
	if (n.Op == "Shape" || n.Op == "Size") && len(n.Inputs) == 1 && len(n.Outputs) == 1 {
		if shape := b.shape(n.Inputs[0]); shape != nil {
			b.constants[n.Outputs[0]] = onnx.ShapeOf(n, shape)
			return true, nil
		}
	}
	if !onnx.CanEvaluate(n.Op) {
		return false, nil
	}
	in := make([]*onnx.Tensor, len(n.Inputs))
	for i, name := range n.Inputs {
		if name == "" {
			continue
		}
		if in[i] = b.constant(name); in[i] == nil {
			return false, nil
		}
	}
	out, err := onnx.Evaluate(n, in)
	if err != nil {
		return true, err
	}
	for i, t := range out[:min(len(out), len(n.Outputs))] {
		if b.computed += t.Size(); b.computed > mostComputed {
			return true, fmt.Errorf("its result makes more than %d elements of constants that the network computes: store "+
				"them as weights, or compute smaller ones", mostComputed)
		}
		b.constants[n.Outputs[i]] = t
	}
	return true, nil
}

// early evaluates what a constant is computed from, before its turn. It reports false if that is not known yet.
func (b *builder) early(name string) bool {
	if name == "" || b.constant(name) != nil {
		return true
	}
	n := b.makers[name]
	if n == nil || b.Err() != nil {
		return false
	}
	if n.Op != "Shape" && n.Op != "Size" {
		for _, in := range n.Inputs {
			if !b.early(in) {
				return false
			}
		}
	}
	done, err := b.fold(n)
	if b.done[n] = done && err == nil; err != nil { // an error is found again in the node's turn
		return false
	}
	return done
}

// constant returns a tensor that depends neither on the images nor on weights, nil for others.
func (b *builder) constant(name string) *onnx.Tensor {
	if t := b.constants[name]; t != nil {
		return t
	}
	if b.weights[name].tensor != nil {
		return nil
	}
	return b.file.Graph.Initializers[name]
}

// shape returns the shape of a tensor that depends on the images or on weights, nil for others.
func (b *builder) shape(name string) []int {
	if w := b.weights[name]; w.tensor != nil {
		return w.tensor.Shape
	}
	if v, ok := b.values[name]; ok {
		return v.shape()
	}
	return nil
}

// branch builds the branch of an If that its constant condition takes.
func (b *builder) branch(n *onnx.Node) error {
	var c *onnx.Tensor
	if len(n.Inputs) == 1 {
		c = b.constant(n.Inputs[0])
	}
	if c == nil {
		return errors.New("its condition depends on the images or on weights: only constants are supported here")
	}
	name := "else_branch"
	if v, err := c.Ints(); err != nil {
		return err
	} else if len(v) == 1 && v[0] != 0 {
		name = "then_branch"
	}
	sub := n.Graph(name)
	if sub == nil {
		return fmt.Errorf("it has no %s", name)
	}
	b.walk(sub.Nodes)
	for i, out := range sub.Outputs[:min(len(sub.Outputs), len(n.Outputs))] {
		if v, ok := b.values[out.Name]; ok {
			b.values[n.Outputs[i]] = v
			b.walked = append(b.walked, &onnx.Node{Name: n.Name, Op: "Identity", Inputs: []string{out.Name},
				Outputs: n.Outputs[i : i+1]})
		} else if t := b.constant(out.Name); t != nil {
			b.constants[n.Outputs[i]] = t
		}
	}
	return nil
}

// UnsupportedError says that an ONNX file has an op that this package does not know.
type UnsupportedError struct {
	Op    string
	Opset int
}

// Error names the op.
func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("the op %s of opset %d is not supported", e.Op, e.Opset)
}

// InputError returns true: the user gave a network that cannot be read.
func (e *UnsupportedError) InputError() bool { return true }

// read returns the i-th input of a node as a value, also if it is a constant. The expression's node is nil if the input is
// absent.
func (b *builder) read(n *onnx.Node, i int) value {
	if i >= len(n.Inputs) || n.Inputs[i] == "" || b.Err() != nil {
		return value{}
	}
	v := b.named(n.Inputs[i])
	if w := b.weights[n.Inputs[i]]; w.sequence && b.Err() == nil {
		return b.reshape(v, w.tensor.Shape)
	}
	return v
}

// named returns the tensor with a name. It declares parameters and constants when they are first read.
func (b *builder) named(name string) value {
	if v, ok := b.values[name]; ok {
		return v
	}
	v := b.declare(name)
	b.values[name] = v
	return v
}

// ints returns whole numbers that a node has as an attribute or, in later opsets, as a constant input. It reports false
// if they are absent.
func (b *builder) ints(n *onnx.Node, attribute string, input int) ([]int, bool) {
	if v, ok := n.Attributes[attribute]; ok {
		return v.Ints(), true
	}
	if input < 0 || input >= len(n.Inputs) || n.Inputs[input] == "" {
		return nil, false
	}
	t := b.constant(n.Inputs[input])
	if t == nil {
		b.Fail("its %s depend on the images or on weights: only constants are supported here", attribute)
		return nil, false
	}
	v, err := t.Sizes()
	if err != nil {
		b.Fail("its %s: %w", attribute, err)
		return nil, false
	}
	return v, true
}

// scalar returns a number that a node has as an attribute or as a constant input, or otherwise if it is absent.
func (b *builder) scalar(n *onnx.Node, attribute string, input int, otherwise float64) float64 {
	if _, ok := n.Attributes[attribute]; ok {
		return n.Float(attribute, otherwise)
	}
	if input < 0 || input >= len(n.Inputs) || n.Inputs[input] == "" {
		return otherwise
	}
	if v, ok := b.number(n.Inputs[input]); ok {
		return v
	}
	b.Fail("its %s must be one constant number", attribute)
	return otherwise
}

// number returns the value of a constant of one element. It reports false for other tensors, and for weights.
func (b *builder) number(name string) (float64, bool) {
	t := b.constant(name)
	if t == nil || t.Size() != 1 {
		return 0, false
	}
	v, err := t.Doubles()
	if err != nil {
		return 0, false
	}
	return v[0], true
}

// axis returns an axis of a tensor as a number from 0 to rank−1. A negative axis counts from the end.
func (b *builder) axis(axis, rank int) int {
	if axis < -rank || axis >= rank {
		b.Fail("axis or index %d: want one from %d to %d", axis, -rank, rank-1)
		return 0
	}
	if axis < 0 {
		return axis + rank
	}
	return axis
}
