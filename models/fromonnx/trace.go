package fromonnx

import (
	"errors"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/onnx"
)

// Trace is what the graph of an ONNX file computes of images of one size: its nodes, the shapes of its tensors, its
// constants and its weights.
type Trace struct {
	// Nodes are those whose results depend on the images or on weights, in the order in which they are computed. An If is
	// replaced by the nodes of the branch that it takes, and an Identity for each of its results.
	Nodes         []*onnx.Node
	Input, Output string
	builder       *builder
}

// tracing is a network that keeps the builder of its last expression.
type tracing struct {
	network
	last *builder
}

// Build implements [models.Layer].
func (t *tracing) Build(b *models.Builder, _ string, x *graph.Node) *graph.Node {
	t.last = &builder{Builder: b, network: &t.network, values: map[string]value{}}
	return t.last.images(x)
}

// TraceOf returns the trace of an architecture that [Open] returned, for a number of images of a size. If the file was
// exported for a fixed number of images, the trace is for that number. Other architectures are an error.
func TraceOf(a *models.Architecture, in models.Shape, images int) (*Trace, error) {
	n, ok := a.Root.(*network)
	if !ok {
		return nil, errors.New("the architecture is not from an ONNX file")
	}
	if n.exported > 0 {
		images = n.exported
	}
	t, traced := &tracing{network: *n}, *a
	traced.Root = batched{t, images}
	if _, err := traced.Describe(in, 0); err != nil {
		return nil, err
	}
	b := t.last
	all := &Trace{Input: n.input, Output: n.output, builder: b}
	for _, node := range b.walked {
		for _, out := range node.Outputs {
			if _, ok := b.values[out]; ok && !repeatsStored(node, n.weights) {
				all.Nodes = append(all.Nodes, node)
				break
			}
		}
	}
	return all, nil
}

// batched gives a layer a number of copies of the first image of its input.
type batched struct {
	models.Layer
	images int
}

// Build implements [models.Layer].
func (l batched) Build(b *models.Builder, name string, x *graph.Node) *graph.Node {
	return l.Layer.Build(b, name, b.TakeAlong(x, 0, make([]int, l.images)))
}

// Shape returns the shape of a tensor with ONNX's order of axes, or nil if no tensor has the name.
func (t *Trace) Shape(name string) []int {
	if s := t.builder.shape(name); s != nil {
		return s
	}
	if c := t.builder.constant(name); c != nil {
		return c.Shape
	}
	return nil
}

// Constant returns a tensor that depends neither on the images nor on weights, nil for others.
func (t *Trace) Constant(name string) *onnx.Tensor { return t.builder.constant(name) }

// Weight returns a stored tensor and the name of the network's parameter that it is, or nil for a tensor that is not a
// parameter. Turned says that the parameter is its transpose, (unit, feature), since the tensor multiplies from the right.
func (t *Trace) Weight(name string) (parameter string, stored *onnx.Tensor, turned bool) {
	w := t.builder.weights[name]
	return w.of, w.tensor, w.turned
}

// LayerName returns the name of the layer of a node that reads a parameter.
func (t *Trace) LayerName(n *onnx.Node, parameter string) string {
	return t.builder.layerName(n, parameter)
}
