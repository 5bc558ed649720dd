package fromonnx

import (
	"cmp"
	"slices"

	"github.com/ansatz-lab/ansatz/models/onnx"
)

// reach says what the tensors of a graph depend on.
type reach struct {
	images  map[string]bool       // on the values of the images
	batch   map[string]bool       // on their values, their number or their size
	weights map[string]bool       // on weights
	stored  map[string]weight     // of findWeights
	makers  map[string]*onnx.Node // of makersOf
	rows    map[string]string     // of rowsCut
}

// weighs reports whether a node multiplies patches or rows of features by its i-th input.
func (r reach) weighs(n *onnx.Node, i int) bool {
	factor, _ := rightFactor(n, i)
	return factor || n.Op == "Conv" && i == 1
}

// reads reports whether a node reads stored weights without change as its i-th input: filters, or a matrix (unit, feature).
func (r reach) reads(n *onnx.Node, i int) (weight, bool) {
	_, turned := rightFactor(n, i)
	w, also := storedFactor(n.Inputs[i], r.makers, r.rows, r.stored)
	turned = turned != also
	return w, r.weighs(n, i) && w.tensor != nil && (n.Op == "Conv" && !turned || len(w.tensor.Shape) == 2 && turned != w.turned)
}

// computed reports whether a layer reads its weights, the i-th input of a node, as a tensor that is computed from stored weights
// alone: by a weight norm, for example.
func (r reach) computed(n *onnx.Node, i int) bool {
	if n.Op == "Einsum" || !r.weighs(n, i) {
		return false
	}
	name := n.Inputs[i]
	_, unchanged := r.reads(n, i)
	return !unchanged && r.weights[name] && !r.batch[name] && r.stored[name].tensor == nil && r.batch[n.Inputs[0]]
}

// mostBelow is the largest number of tensors that storedBelow looks at.
const mostBelow = 1000

// storedBelow returns the names of the stored weights from which a tensor is computed, of mostBelow tensors below it.
func (r reach) storedBelow(name string) (names []string) {
	seen := map[string]bool{}
	var visit func(name string)
	visit = func(name string) {
		switch n := r.makers[name]; {
		case seen[name] || len(seen) >= mostBelow:
			return
		case r.stored[name].tensor != nil:
			names = append(names, r.stored[name].of)
		case n != nil && n.Op != "Shape" && n.Op != "Size":
			seen[name] = true
			for _, in := range n.Inputs {
				visit(in)
			}
		}
		seen[name] = true
	}
	visit(name)
	return names
}

// sources returns the names of the stored weights from which the weights of layers are computed, without those that a layer
// reads as they are too.
func (r reach) sources(g *onnx.Graph) map[string]bool {
	all := map[string]bool{}
	for _, n := range g.Nodes {
		for i, in := range n.Inputs {
			if r.computed(n, i) {
				for _, name := range r.storedBelow(in) {
					all[name] = true
				}
			}
		}
	}
	for _, n := range g.Nodes {
		for i := range n.Inputs {
			if w, unchanged := r.reads(n, i); unchanged && r.batch[n.Inputs[0]] {
				delete(all, w.of)
			}
		}
	}
	return all
}

// reachOf follows the images and the weights through the nodes of a graph.
func reachOf(g *onnx.Graph, input string, all map[string]weight) reach {
	r := reach{map[string]bool{input: true}, map[string]bool{input: true}, map[string]bool{}, all, makersOf(g), rowsCut(g)}
	for name := range all {
		r.weights[name] = true
	}
	var follow func(nodes []*onnx.Node)
	follow = func(nodes []*onnx.Node) {
		for _, n := range nodes {
			from := n.Inputs
			for _, branch := range branches {
				if sub := n.Graph(branch); n.Op == "If" && sub != nil {
					follow(sub.Nodes)
					for _, out := range sub.Outputs {
						from = append(slices.Clip(from), out.Name)
					}
				}
			}
			for _, in := range from {
				for _, out := range n.Outputs {
					shape := n.Op == "Shape" || n.Op == "Size"
					r.images[out] = r.images[out] || r.images[in] && !shape
					r.batch[out] = r.batch[out] || r.batch[in]
					r.weights[out] = r.weights[out] || r.weights[in] && !shape
				}
			}
		}
	}
	follow(g.Nodes)
	return r
}

// makersOf returns the nodes that make the tensors of a graph.
func makersOf(g *onnx.Graph) map[string]*onnx.Node {
	makers := map[string]*onnx.Node{}
	for _, n := range g.Nodes {
		for _, out := range n.Outputs {
			makers[out] = n
		}
	}
	delete(makers, "") // an output that is left out
	return makers
}

// storedFactor returns the stored tensor whose values a factor has, or rows of whose values, and whether it is transposed.
func storedFactor(name string, makers map[string]*onnx.Node, rows map[string]string, all map[string]weight) (w weight,
	turned bool) {
	maker := makers[name]
	for all[name].tensor == nil && maker != nil && len(maker.Inputs) > 0 &&
		(slices.Contains([]string{"Identity", "Cast", "Transpose"}, maker.Op) || rows[name] != "") {
		turned = turned != (maker.Op == "Transpose")
		name = maker.Inputs[0]
		maker = makers[name]
	}
	return all[name], turned
}

// rightFactor reports whether a node multiplies rows by its i-th input, as (feature, unit) or, if turned, as (unit, feature).
func rightFactor(n *onnx.Node, i int) (factor, turned bool) {
	switch {
	case n.Op == "Einsum":
		return einsumFactor(n, i)
	case n.Op == "Gemm":
		return i == 1, n.Int("transB", 0) != 0
	}
	return i == 1 && n.Op == "MatMul", false
}

// rowsCut returns the stored tensors whose first axis is divided among several results of Slices, or of a Split, by the
// names of these results. Slices that overlap, or leave rows out, divide nothing.
func rowsCut(g *onnx.Graph) map[string]string {
	of, parts, makers := map[string]string{}, map[string]int{}, makersOf(g)
	blocks := map[string][][2]int{} // the rows that Slices take, from the first to the one after the last
	for _, n := range g.Nodes {
		if n.Op != "Slice" && n.Op != "Split" || len(n.Inputs) == 0 || g.Initializers[n.Inputs[0]] == nil {
			continue
		}
		axes := []int{n.Int("axis", 0)}
		numbers := func(attribute string, input int) []int {
			if len(n.Inputs) > input {
				return sizesOf(g, makers, n.Inputs[input])
			}
			return n.Ints(attribute)
		}
		if n.Op == "Slice" {
			axes = numbers("axes", 3)
		}
		if !slices.Equal(axes, []int{0}) {
			continue
		}
		for _, out := range n.Outputs {
			of[out] = n.Inputs[0]
			parts[n.Inputs[0]]++
		}
		if n.Op == "Split" {
			continue
		}
		shape := g.Initializers[n.Inputs[0]].Shape
		cuts, err := onnx.Cuts(shape, numbers("starts", 1), numbers("ends", 2), axes, numbers("steps", 4))
		if err == nil && len(cuts) == 1 && len(cuts[0].Index) > 0 {
			rows := cuts[0].Index
			block := [2]int{rows[0], rows[len(rows)-1] + 1}
			if block[1]-block[0] != len(rows) {
				block[0] = -1 // the rows do not lie side by side
			}
			blocks[n.Inputs[0]] = append(blocks[n.Inputs[0]], block)
		}
	}
	for out, name := range of {
		known := len(blocks[name]) == parts[name] // the others are looked at when the network is built
		if parts[name] < 2 || known && !divided(blocks[name], g.Initializers[name].Shape[0]) {
			delete(of, out)
		}
	}
	return of
}

// divided reports whether blocks of rows divide n rows among them.
func divided(blocks [][2]int, n int) bool {
	blocks = slices.Clone(blocks)
	slices.SortFunc(blocks, func(p, q [2]int) int { return cmp.Compare(p[0], q[0]) })
	end := 0
	for _, p := range slices.Compact(blocks) {
		if p[0] != end {
			return false
		}
		end = p[1]
	}
	return end == n
}

// sizesOf returns the whole numbers of a stored tensor or of a Constant node, nil for other tensors.
func sizesOf(g *onnx.Graph, makers map[string]*onnx.Node, name string) []int {
	t := g.Initializers[name]
	if n := makers[name]; t == nil && n != nil && n.Op == "Constant" {
		if out, err := onnx.Evaluate(n, nil); err == nil {
			t = out[0]
		}
	}
	if t == nil {
		return nil
	}
	v, _ := t.Sizes() // an error is found again where the node is built
	return v
}
