package totoml

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/models/onnx"
)

// stored is a parameter of the ONNX network as a node reads it, which may add or drop axes of one element.
type stored struct {
	name   string
	shape  []int // the shape that the node reads
	turned bool  // whether the node reads the transpose of the parameter
}

// mostMakers is the largest number of nodes between a parameter and the node that reads it.
const mostMakers = 64

// weight returns the parameter that a node reads as its i-th input.
func (l *lowering) weight(n *onnx.Node, i int) (stored, error) {
	if i >= len(n.Inputs) || n.Inputs[i] == "" {
		return stored{}, fmt.Errorf("it has no input %d", i+1)
	}
	name := n.Inputs[i]
	s := stored{shape: l.trace.Shape(name)}
	for range mostMakers {
		if parameter, w, turned := l.trace.Weight(name); w != nil {
			s.name, s.turned = parameter, s.turned != turned
			return s, nil
		}
		maker := l.makers[name]
		if maker == nil {
			return s, fmt.Errorf("its input %d is neither a weight nor depends on the images", i+1)
		}
		switch maker.Op {
		case "Identity", "Cast", "Unsqueeze", "Squeeze", "Reshape", "Flatten", "Expand":
		case "Transpose":
			if perm := maker.Ints("perm"); len(perm) != 0 && !slices.Equal(perm, []int{1, 0}) {
				return s, fmt.Errorf("its input %d is computed from weights by a transposition of %d axes", i+1, len(perm))
			}
			s.turned = !s.turned
		default:
			return s, fmt.Errorf("its input %d is computed from weights by the op %s", i+1, maker.Op)
		}
		name = maker.Inputs[0]
	}
	return s, fmt.Errorf("its input %d is computed from weights by more than %d nodes", i+1, mostMakers)
}

// size returns the number of elements of a shape.
func size(shape []int) int {
	n := 1
	for _, s := range shape {
		n *= s
	}
	return n
}

// claimWeights records that a layer has parameters. It returns an error if another layer has one of them.
func (l *lowering) claimWeights(n *onnx.Node, weights ...string) error {
	for _, w := range weights {
		if l.readBy[w] != nil {
			return fmt.Errorf("another layer has its weights %q too: layers of an architecture file share no weights", w)
		}
		l.readBy[w] = n
	}
	return nil
}

// layerName returns the name of the layer of a node that reads a weight.
func (l *lowering) layerName(n *onnx.Node, weight string) string {
	return strings.ReplaceAll(l.trace.LayerName(n, weight), "/", ".")
}

// same returns a parameter of a layer that has all elements of one parameter of the ONNX network, in a shape.
func same(name, from string, shape ...int) param { return param{name, []string{from}, shape} }
