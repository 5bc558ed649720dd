package graph

import (
	"fmt"

	"github.com/ansatz-lab/ansatz/graph/backend"
)

// Layer is a convolution or a linear layer of a network. Its input and its pre-activation are the taps NAME/in and
// NAME/pre.
type Layer struct {
	Name   string // as in the state dict: layer1.0.conv1
	In     *Node  // its input
	Pre    *Node  // its output, before any norm or activation
	Weight *Node
	Bias   *Node // nil if there is none
	// Conv is the geometry of a convolution, nil for a linear layer.
	Conv *backend.ConvShape
}

// Kind returns "conv" or "linear".
func (l Layer) Kind() string {
	if l.Conv != nil {
		return "conv"
	}
	return "linear"
}

// Filters returns the number of filters, the rows of W.
func (l Layer) Filters() int { return l.Weight.Shape()[0] }

// PatchSize returns the number of elements of a patch, the columns of W.
func (l Layer) PatchSize() int { return size(l.Weight) / l.Filters() }

// Rows returns the number of patches that the layer reads in a batch.
func (l Layer) Rows() int { return rows(l.Pre) }

// Update is a value to write to a parameter after a training step, such as the new running statistics of a batch
// norm.
type Update struct{ Param, Value *Node }

// Layer records a convolution or linear layer.
func (g *Graph) Layer(l Layer) {
	if g.err == nil {
		g.layers = append(g.layers, l)
	}
}

// ConvLayer applies the filters w and, unless nil, the bias b, and records the
// layer.
func (g *Graph) ConvLayer(name string, x, w, b *Node, geometry Conv2D) *Node {
	pre := g.Conv(x, w, geometry)
	if g.err != nil {
		return nil
	}
	s, _ := convShape(x.Shape(), w.Shape(), geometry)
	return g.bias(Layer{Name: name, In: x, Weight: w, Conv: &s}, pre, b)
}

// LinearLayer applies the weights w and, unless nil, the bias b, and records the
// layer.
func (g *Graph) LinearLayer(name string, x, w, b *Node) *Node {
	return g.bias(Layer{Name: name, In: x, Weight: w}, g.Linear(x, w), b)
}

func (g *Graph) bias(l Layer, pre, b *Node) *Node {
	if b != nil {
		pre = g.RowAdd(pre, b)
	}
	l.Pre, l.Bias = pre, b
	g.Layer(l)
	return pre
}

// Update records a value to be written back.
func (g *Graph) Update(param, value *Node) {
	if g.err == nil {
		g.update = append(g.update, Update{param, value})
	}
}

// Function is an expression as a function of its named inputs and parameters.
type Function struct {
	*Graph
	Output  *Node    // its value: (example, output) for sums over outputs
	Layers  []Layer  // in the order in which they were built, that of the forward pass
	Updates []Update // the values to write after a training step
}

// Function returns the expression of output as a function, or the first mistake in building it.
func (g *Graph) Function(output *Node) (*Function, error) {
	if g.err != nil {
		return nil, g.err
	}
	if output == nil {
		return nil, fmt.Errorf("graph: a function needs an output")
	}
	return &Function{Graph: g, Output: output, Layers: g.layers, Updates: g.update}, nil
}

// Tap returns the node of a name: LAYER/in, LAYER/pre, an input or a parameter. It returns an error if there is none.
func (f *Function) Tap(name string) (*Node, error) {
	if n := f.Named(name); n != nil {
		return n, nil
	}
	for _, l := range f.Layers {
		switch name {
		case l.Name + "/in":
			return l.In, nil
		case l.Name + "/pre":
			return l.Pre, nil
		}
	}
	return nil, fmt.Errorf("graph: no tap %q: want LAYER/in, LAYER/pre, or the name of an input or parameter", name)
}

// Filtered returns W·h for every patch or row h that a layer reads: its
// pre-activation without the bias, (…, filter).
func (f *Function) Filtered(l Layer) *Node {
	if l.Conv != nil {
		return f.conv(*l.Conv, l.In, l.Weight)
	}
	return f.Linear(l.In, l.Weight)
}
