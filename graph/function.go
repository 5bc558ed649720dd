package graph

import "fmt"

// Update is a value to write to a parameter after a training step, such as the new running statistics of a batch
// norm.
type Update struct{ Param, Value *Node }

// Update records a value to be written back.
func (g *Graph) Update(param, value *Node) {
	if g.err == nil {
		g.update = append(g.update, Update{param, value})
	}
}

// Function is an expression as a function of its named inputs and parameters.
type Function struct {
	*Graph
	Output  *Node    // the value; sums over outputs need the shape (example, output)
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
		for _, u := range l.Uses() {
			switch name {
			case u.Name + "/in":
				return u.In, nil
			case u.Name + "/pre":
				return u.Pre, nil
			}
		}
	}
	return nil, fmt.Errorf("graph: no tap %q: want LAYER/in, LAYER/pre, or the name of an input or parameter", name)
}

// Filtered returns W·h for every patch or row h that a layer reads at its first use: its pre-activation without the
// bias, (…, filter).
func (f *Function) Filtered(l Layer) *Node {
	if l.Conv != nil {
		return f.conv(*l.Conv, l.In, l.Weight)
	}
	return f.Linear(l.In, l.Weight)
}
