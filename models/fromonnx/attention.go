package fromonnx

import (
	"slices"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models/onnx"
)

// attention is a softmax of products of queries and keys that weighs values. Its projections are layers of the network.
type attention struct {
	query, key, value string // layers; "" where none was found
	heads             int
}

// origin says what a tensor was made of, if only its elements were moved, scaled or shifted since.
type origin struct {
	layer string // it is the output of this layer
	// weights is the attention whose products, or their softmax, it is; result that whose result it is.
	weights, result *attention
}

// markAttention records which layers project to the queries, keys and values of attentions, and which project the
// results, so that they are measured by heads. A layer that projects to all three is three layers.
func (b *builder) markAttention() {
	from := map[string]origin{}
	projected := map[string]*attention{} // by the layer that reads its result
	var all []*attention
	for _, n := range b.file.Graph.Nodes {
		if len(n.Outputs) == 0 {
			continue
		}
		out := n.Outputs[0]
		if layer := b.layers[n]; layer != "" {
			if a := from[n.Inputs[0]].result; a != nil {
				projected[layer] = a
			}
			from[out] = origin{layer: layer}
			continue
		}
		switch n.Op {
		case "MatMul", "Einsum":
			if o, found := b.productOrigin(n, from, &all); found {
				from[out] = o
			}
		case "Softmax":
			from[out] = from[n.Inputs[0]]
		case "Add", "Sub", "Mul", "Div", "Reshape", "Transpose", "Slice", "Split", "Gather", "Squeeze", "Unsqueeze", "Cast",
			"Identity", "Flatten", "Where", "Dropout", "Expand":
			if o, only := onlyOrigin(n, from); only {
				for _, out := range n.Outputs {
					from[out] = o
				}
			}
		}
	}
	for _, a := range all {
		b.markProjections(a)
	}
	for _, layer := range b.order {
		if a := projected[layer]; a != nil {
			b.markHeads(layer, a.heads, true)
		}
	}
}

// onlyOrigin returns the origin of the inputs of a node, if one of them has any.
func onlyOrigin(n *onnx.Node, from map[string]origin) (o origin, only bool) {
	for _, in := range n.Inputs {
		switch known := from[in]; {
		case known == origin{}:
		case only:
			return origin{}, false
		default:
			o, only = known, true
		}
	}
	return o, only
}

// productOrigin returns the origin of a product of two tensors that both depend on the images: of queries and keys, or
// of their softmax and values.
func (b *builder) productOrigin(n *onnx.Node, from map[string]origin, all *[]*attention) (origin, bool) {
	if len(n.Inputs) != 2 {
		return origin{}, false
	}
	x, y := from[n.Inputs[0]], from[n.Inputs[1]]
	switch {
	case x.layer != "" && y.layer != "":
		a := &attention{query: x.layer, key: y.layer, heads: b.headsOf(n.Outputs[0])}
		return origin{weights: a}, a.heads > 0
	case x.weights != nil && y.layer != "":
		x.weights.value = y.layer
		*all = append(*all, x.weights)
		return origin{result: x.weights}, true
	}
	return origin{}, false
}

// headsOf returns the number of heads of products of queries and keys, (image, head, query, key) or with the first two
// axes in one.
func (b *builder) headsOf(name string) int {
	v, ok := b.values[name]
	if !ok {
		return 0
	}
	switch s := v.shape(); len(s) {
	case 4:
		return s[1]
	case 3:
		if s[0]%b.batch == 0 {
			return s[0] / b.batch
		}
	}
	return 0
}

// markProjections marks the projections of an attention.
func (b *builder) markProjections(a *attention) {
	if a.query == a.key && a.key == a.value {
		if rows := b.rows(a.query); rows%3 == 0 && rows/3%a.heads == 0 {
			b.mark(a.query, graph.QueryKeyValue(rows/3, a.heads)...)
		}
		return
	}
	for _, layer := range []string{a.query, a.key, a.value} {
		b.markHeads(layer, a.heads, false)
	}
}

// markHeads divides a layer among heads, by its filters or by what they read.
func (b *builder) markHeads(layer string, heads int, columns bool) {
	n := b.rows(layer)
	if columns {
		n = b.columns(layer)
	}
	if n > 0 && n%heads == 0 {
		b.mark(layer, graph.Part{Heads: heads, HeadColumns: columns})
	}
}

// mark records the parts of a layer, once.
func (b *builder) mark(layer string, parts ...graph.Part) {
	if !slices.Contains(b.marked, layer) {
		b.marked = append(b.marked, layer)
		b.Parts(layer, parts...)
	}
}

// rows returns the number of filters of a linear layer, and columns that of the features that it reads; 0 for others.
func (b *builder) rows(layer string) int { return b.side(layer, 0) }

func (b *builder) columns(layer string) int { return b.side(layer, 1) }

func (b *builder) side(layer string, k int) int {
	if s := b.shapes[layer]; len(s) == 2 {
		return s[k]
	}
	return 0
}
