package graph

import (
	"fmt"

	"github.com/ansatz-lab/ansatz/graph/backend"
)

// Layer is a place where a network reads its input through weights: a
// convolution or a linear layer. Its input and its pre-activation are the taps
// NAME/in and NAME/pre.
type Layer struct {
	Name   string // as in the state dict: layer1.0.conv1
	In     *Node  // what is read
	Pre    *Node  // what comes out, before any norm or activation
	Weight *Node
	Bias   *Node // nil if there is none
	// Conv is the geometry of a convolution, nil for a linear layer.
	Conv *backend.ConvShape
}

// Kind is "conv" or "linear".
func (l Layer) Kind() string {
	if l.Conv != nil {
		return "conv"
	}
	return "linear"
}

// Filters is the number of rows of W, one a filter.
func (l Layer) Filters() int { return l.Weight.Shape()[0] }

// PatchSize is the number of columns of W, the elements of a patch.
func (l Layer) PatchSize() int { return size(l.Weight) / l.Filters() }

// Rows is the number of patches that the layer reads, over the batch.
func (l Layer) Rows() int { return rows(l.Pre) }

// Update is a value to be written back to a parameter after a training step:
// the new running statistics of a batch norm.
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
	Output  *Node    // what it computes: (example, output) where outputs are to be summed over
	Layers  []Layer  // in the order in which they were built, that of the forward pass
	Updates []Update // what a training step has to write back
}

// Function closes the expression of output. It reports the first mistake that
// was made in building it.
func (g *Graph) Function(output *Node) (*Function, error) {
	if g.err != nil {
		return nil, g.err
	}
	if output == nil {
		return nil, fmt.Errorf("graph: a function needs an output")
	}
	return &Function{Graph: g, Output: output, Layers: g.layers, Updates: g.update}, nil
}

// Tap returns a named interior node: LAYER/in, LAYER/pre, an input or a
// parameter. It is an error if there is none of that name.
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
