package models

import (
	"slices"

	"github.com/ansatz-lab/ansatz/graph"
	gonum "gonum.org/v1/gonum/graph"
)

// Joint is a place in the wiring of a network: its input, a layer, a node at which branches meet, or its output.
type Joint struct {
	// Layers are the names of the layers as in [Network.Layers]: none at inputs, outputs and where branches meet, and
	// several if a layer's parts count as layers.
	Layers []string
	// Op is the kind of the joint: input, conv, linear, output, or the op at which branches meet.
	Op string
	// From are the indices of the joints whose values it reads, all smaller than its own.
	From []int
}

// Wiring returns how the layers of a network are connected, in the order of the forward pass. It leaves out ops that read
// one value, such as norms, activations and pools.
func (n *Network) Wiring() ([]Joint, error) {
	f, _, err := n.build(nil, 2, graph.Single, eval, n.values)
	if err != nil {
		return nil, err
	}
	w := &wirer{uses: map[*graph.Node]wiredUse{}, of: map[*graph.Node]int{}}
	for _, l := range f.Layers {
		var names []string
		for _, p := range l.AllParts() {
			names = append(names, l.PartName(p))
		}
		for _, u := range l.Uses() {
			w.uses[u.Pre] = wiredUse{u.In, names, l.Kind()}
		}
	}
	input, err := f.Tap(InputName)
	if err != nil {
		return nil, err
	}
	w.of[input] = w.add(Joint{Op: "input"})
	w.add(Joint{Op: "output", From: w.from(f.Output)})
	return w.joints, nil
}

// wirer finds the joints of a network.
type wirer struct {
	uses   map[*graph.Node]wiredUse // by pre-activation
	of     map[*graph.Node]int      // the joint from which a node's value comes; −1 if it does not depend on the input
	joints []Joint
}

// wiredUse is a use of a layer.
type wiredUse struct {
	in   *graph.Node
	of   []string
	kind string
}

func (w *wirer) add(j Joint) int {
	w.joints = append(w.joints, j)
	return len(w.joints) - 1
}

// from returns the joint from which the value of a node comes, and none if the value does not depend on the input.
func (w *wirer) from(n *graph.Node) []int {
	if j := w.source(n); j >= 0 {
		return []int{j}
	}
	return nil
}

// source returns the joint from which the value of a node comes, or −1 if the value does not depend on the input.
func (w *wirer) source(n *graph.Node) int {
	if j, ok := w.of[n]; ok {
		return j
	}
	w.of[n] = -1
	if u, ok := w.uses[n]; ok {
		w.of[n] = w.add(Joint{Layers: u.of, Op: u.kind, From: w.from(u.in)})
		return w.of[n]
	}
	var from []int
	for _, child := range gonum.NodesOf(n.Graph().From(n.ID())) {
		if j := w.source(child.(*graph.Node)); j >= 0 && !slices.Contains(from, j) {
			from = append(from, j)
		}
	}
	switch len(from) {
	case 0:
	case 1:
		w.of[n] = from[0]
	default:
		slices.Sort(from)
		w.of[n] = w.add(Joint{Op: n.Op().String(), From: from})
	}
	return w.of[n]
}
