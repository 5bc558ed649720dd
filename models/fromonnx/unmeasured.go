package fromonnx

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/internal/words"
	"github.com/ansatz-lab/ansatz/models/onnx"
)

// unmeasured returns notes for the user on products with weights that are not measured as layers, and on layers whose weights
// are computed; names holds the names of these.
func unmeasured(g *onnx.Graph, r reach, names map[string]string) (notes []string) {
	all, sources := r.stored, r.sources(g)
	var measured, computed, aside, imageless []string
	add := func(names *[]string, name string) {
		if !slices.Contains(*names, name) {
			*names = append(*names, name)
		}
	}
	for _, n := range g.Nodes {
		product := slices.Contains([]string{"MatMul", "Gemm", "Einsum"}, n.Op)
		if !product && n.Op != "Conv" || len(n.Inputs) < 2 {
			continue
		}
		for i, name := range n.Inputs[:2] {
			in := n.Inputs[1-i]
			if !r.weighs(n, i) {
				if w := all[name]; product && w.tensor != nil && len(w.tensor.Shape) > 1 && r.images[in] {
					add(&aside, name)
				}
				continue
			}
			w, layer := r.reads(n, i)
			// Products with more than two axes are no layers. The number of axes is not known yet here.
			wide := func(of string) bool { return len(all[of].tensor.Shape) > 2 }
			switch {
			case r.computed(n, i) && (n.Op != "MatMul" || r.matrix(name) || !slices.ContainsFunc(r.storedBelow(name), wide)):
				add(&measured, names[name])
			case !layer && r.images[in] && !r.images[name] && r.weights[name]:
				add(&computed, productName(n))
			case layer && product && !(w.turned && sources[w.of]) && r.weights[in] && !r.batch[in] && !r.batch[name]:
				add(&imageless, layerName(n, w.of))
			}
		}
	}
	for _, note := range []struct {
		format string
		names  []string
	}{
		{"The network computes the weights of these layers from stored ones, as a weight norm does: %s. Their WᵀW is that of the " +
			"computed weights.", measured},
		{"These products are not measured as layers: %s. Their weights are computed from stored ones, or another layer reads the " +
			"same ones in another order. To measure them, export the network with the weights that they multiply by " +
			"(torch.nn.utils.remove_weight_norm, torch.nn.utils.parametrize.remove_parametrizations).", computed},
		{"These weights are not measured: %s. A layer multiplies rows of features by a matrix on their right, as torch.nn.Linear " +
			"does; these stand on the left, or have other axes.", aside},
		{"These layers are not measured: %s. Their inputs do not depend on the images or their number: they are computed from " +
			"weights, such as learned tokens.", imageless},
	} {
		if len(note.names) > 0 {
			notes = append(notes, fmt.Sprintf(note.format, words.Some(note.names, 8)))
		}
	}
	return notes
}

// matrix reports whether a node makes a tensor that has two axes whatever its input has.
func (r reach) matrix(name string) bool {
	n := r.makers[name]
	return n != nil && (n.Op == "Flatten" || n.Op == "Transpose" && len(n.Ints("perm")) == 2)
}

// productName returns the name of a node's module or, if the file does not tell it, of the node or its output.
func productName(n *onnx.Node) string {
	return cmp.Or(modulePath(n.Name), strings.TrimPrefix(n.Name, "/"), n.Outputs[0])
}
