package fromonnx

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models/onnx"
)

// attention is a softmax of products of queries and keys that weighs values.
type attention struct {
	heads      int
	query, key projection
}

// projection is a block of rows of a layer's W that makes the queries, keys or values of an attention.
type projection struct {
	layer, role string // the role is query, key or value
	block
	known bool // whether the rows lie side by side
}

// origin says what made the elements of a tensor, which may have been moved, scaled or shifted since.
type origin struct {
	layer string // the layer whose output the tensor is
	// weights is the attention whose products, or their softmax, the tensor is; result the one whose result it is.
	weights, result *attention
	softmax         bool // whether the tensor is the softmax of the products
	// rows says for each element which row of the layer, or which feature of the attention's result, it is.
	rows *rowView
}

// markAttention records which rows of layers project to the queries, keys and values of attentions, and which layers
// project the results, so that they are measured by heads. A layer that projects to several of these is measured as a
// layer for each. If the rows of one do not lie side by side, the layer is measured as a whole, without heads.
func (b *builder) markAttention() {
	from := map[string]origin{}
	projected := map[string]int{} // heads, by the layer that reads the result
	projections := map[string][]projection{}
	for _, n := range b.file.Graph.Nodes {
		if len(n.Outputs) == 0 {
			continue
		}
		out := n.Outputs[0]
		if layer := b.layers[n]; layer != "" {
			if in := from[n.Inputs[0]]; in.result != nil && b.inHeads(n, layer, in) {
				projected[layer] = in.result.heads
			}
			from[out] = origin{layer: layer, rows: b.rowsOf(n)}
			continue
		}
		switch n.Op {
		case "MatMul", "Einsum":
			if o, found := b.productOrigin(n, from, projections); found {
				from[out] = o
			}
		case "Softmax":
			o := from[n.Inputs[0]]
			o.softmax = o.weights != nil
			from[out] = o
		case "Add", "Sub", "Mul", "Div", "Reshape", "Transpose", "Slice", "Split", "Gather", "Squeeze", "Unsqueeze", "Cast",
			"Identity", "Flatten", "Where", "Dropout", "Expand":
			if o, input, only := onlyOrigin(n, from); only {
				for _, out := range n.Outputs {
					moved := o
					moved.rows = b.follow(n, input, o.rows, out)
					from[out] = moved
				}
			}
		}
	}
	for _, layer := range b.order {
		b.markProjections(layer, projections[layer])
	}
	for _, layer := range b.order {
		if heads := projected[layer]; heads > 0 {
			b.mark(layer, graph.Part{Heads: heads, HeadColumns: true})
		}
	}
}

// features returns which axis of a layer's input and output has the features, or −1 for a convolution with groups.
func features(n *onnx.Node, shape []int) int {
	if n.Op != "Conv" {
		return len(shape) - 1
	}
	if n.Int("group", 1) != 1 {
		return -1
	}
	return 1
}

// rowsOf returns which row of W makes each element of a layer's output.
func (b *builder) rowsOf(n *onnx.Node) *rowView {
	shape := b.shape(n.Outputs[0])
	axis := features(n, shape)
	if axis < 0 || axis >= len(shape) {
		return nil
	}
	v := newRowView(shape, map[int]int{axis: 1})
	v.first = b.firsts[n]
	return v
}

// inHeads reports whether a layer reads the result of an attention with the heads one after another.
func (b *builder) inHeads(n *onnx.Node, layer string, in origin) bool {
	axis, columns := features(n, b.shape(n.Inputs[0])), b.side(layer, 1)
	if in.rows == nil || in.rows.first != 0 || axis < 0 || axis >= len(in.rows.axes) ||
		in.result.heads < 1 || columns%in.result.heads != 0 {
		return false
	}
	f := in.rows.along(axis)
	return len(f) == 1 && f[0] == factor{columns, 1}
}

// onlyOrigin returns the origin of a node's input, and the input, if exactly one input has an origin.
func onlyOrigin(n *onnx.Node, from map[string]origin) (o origin, input string, only bool) {
	for _, in := range n.Inputs {
		switch known := from[in]; {
		case known == origin{}:
		case only:
			return origin{}, "", false
		default:
			o, input, only = known, in, true
		}
	}
	return o, input, only
}

// productOrigin returns the origin of a product of two tensors that both depend on the images: of queries with keys, or
// of their softmax with values. It adds the projections that it finds to found.
func (b *builder) productOrigin(n *onnx.Node, from map[string]origin, found map[string][]projection) (origin, bool) {
	if len(n.Inputs) != 2 {
		return origin{}, false
	}
	x, y := from[n.Inputs[0]], from[n.Inputs[1]]
	xs, ys, outs := b.labels(n)
	if len(xs) != len(b.shape(n.Inputs[0])) || len(ys) != len(b.shape(n.Inputs[1])) {
		return origin{}, false
	}
	project := func(o origin, role string, axis, heads int) projection {
		p := projection{layer: o.layer, role: role}
		p.block, p.known = o.rows.block(axis, heads)
		return p
	}
	switch {
	case x.layer != "" && y.layer != "":
		head, heads, ok := b.headsOf(n.Outputs[0], x.rows, y.rows, xs, ys, outs)
		if !ok {
			return origin{}, false
		}
		a := &attention{heads: heads}
		a.query = project(x, "query", strings.IndexByte(xs, head), heads)
		a.key = project(y, "key", strings.IndexByte(ys, head), heads)
		return origin{weights: a, rows: b.headRows(n.Outputs[0], x.rows, y.rows, strings.IndexByte(xs, head),
			strings.IndexByte(ys, head), strings.IndexByte(outs, head))}, true
	case y.softmax && x.layer != "": // values times the weights' transpose
		x, y, xs, ys = y, x, ys, xs
		fallthrough
	case x.softmax && y.layer != "":
		a, head := x.weights, x.headLabel(xs)
		value := project(y, "value", strings.IndexByte(ys, head), a.heads)
		for _, p := range []projection{a.query, a.key, value} {
			found[p.layer] = append(found[p.layer], p)
		}
		return origin{result: a, rows: b.resultRows(n, a.heads, head, y.rows, xs, ys, outs)}, true
	}
	return origin{}, false
}

// resultRows returns which feature of an attention's result each of its elements is, with the features of one head after
// another. It returns nil if they are not known.
func (b *builder) resultRows(n *onnx.Node, heads int, label byte, values *rowView, xs, ys, outs string) *rowView {
	shape := b.shape(n.Outputs[0])
	if values == nil || len(shape) != len(outs) {
		return nil
	}
	_, onlyX, onlyY, _ := divide(xs, ys, outs)
	if len(onlyX) != 1 || len(onlyY) != 1 {
		return nil
	}
	own := onlyY
	if len(values.along(strings.Index(ys, onlyY))) == 0 {
		own = onlyX // the softmax weighs the features of a head, and not the tokens
	}
	feature, head := strings.Index(outs, own), strings.IndexByte(outs, label)
	if head < 0 {
		if heads != 1 {
			return nil
		}
		return newRowView(shape, map[int]int{feature: 1})
	}
	size := shape[feature]
	v := newRowView(shape, map[int]int{head: size, feature: 1})
	if shape[head] == heads {
		return v
	}
	// The axis of the heads holds the images too, in the same order as that axis of the values.
	v.axes[head] = nil
	total := 1
	at := strings.IndexByte(ys, label)
	if at < 0 {
		return nil
	}
	for _, f := range values.axes[at] {
		if f.step != 0 {
			total *= f.size
			f.step = -1
		}
		v.axes[head] = append(v.axes[head], f)
	}
	step := size
	for i, f := range slices.Backward(v.axes[head]) {
		if f.step != 0 {
			v.axes[head][i].step = step
			step *= f.size
		}
	}
	if total != heads {
		return nil
	}
	return v
}

// labels returns a label, one letter, for each axis of the two operands of a product and of its result.
func (b *builder) labels(n *onnx.Node) (x, y, out string) {
	if n.Op == "Einsum" {
		left, out, _ := strings.Cut(strings.ReplaceAll(n.String("equation", ""), " ", ""), "->")
		x, y, _ := strings.Cut(left, ",")
		return x, y, out
	}
	const all = "abcdefghijklmnopqrstuvw"
	rank := func(name string) int { return min(max(len(b.shape(name)), 2), len(all)) - 2 }
	p, q := rank(n.Inputs[0]), rank(n.Inputs[1])
	shared := all[:max(p, q)]
	return shared[len(shared)-p:] + "xy", shared[len(shared)-q:] + "yz", shared + "xz"
}

// headLabel returns the label of the axis of the heads in an attention's weights, '?' if there is no such axis.
func (o origin) headLabel(labels string) byte {
	if o.rows != nil {
		for i := range labels {
			if len(o.rows.along(i)) > 0 {
				return labels[i]
			}
		}
	}
	if o.weights.heads < 2 {
		return '?'
	}
	return usualHead(labels)
}

// usualHead returns the label of the axis that most networks have the heads along, '?' if there is no such axis: products of
// queries and keys are (image, head, query, key) or (image·head, query, key).
func usualHead(labels string) byte {
	switch len(labels) {
	case 4:
		return labels[1]
	case 3:
		return labels[0]
	}
	return '?'
}

// headsOf returns the label of the axis of the heads in products of queries and keys, '?' if there is no such axis, and the
// number of heads, 0 if several axes have them. The heads lie along the axis where the rows of the queries or of the keys
// change; other axes have images or windows. If the rows are not known, the axis is the usual one. It reports false for other
// tensors.
func (b *builder) headsOf(name string, x, y *rowView, xs, ys, outs string) (label byte, heads int, ok bool) {
	v, ok := b.values[name]
	if !ok {
		return '?', 0, false
	}
	label = '?'
	for _, l := range []byte(outs) {
		i, k := strings.IndexByte(xs, l), strings.IndexByte(ys, l)
		if i < 0 || k < 0 {
			continue
		}
		var f []factor
		if x != nil {
			f = x.along(i)
		}
		if len(f) == 0 && y != nil {
			f = y.along(k)
		}
		switch {
		case len(f) == 0:
		case label != '?':
			return '?', 0, true
		default:
			label, heads = l, 1
			for _, f := range f {
				heads *= f.size
			}
		}
	}
	if label != '?' {
		return label, heads, true
	}
	label = usualHead(outs)
	if x != nil && y != nil && (label == '?' || strings.IndexByte(xs, label) >= 0 && strings.IndexByte(ys, label) >= 0) {
		return '?', 1, true
	}
	switch s := v.shape(); len(s) {
	case 4:
		return label, s[1], true
	case 3:
		if s[0]%b.batch == 0 {
			return label, s[0] / b.batch, true
		}
	}
	return '?', 0, false
}

// headRows returns a view of products of queries and keys that changes along the axis of the heads, which is axis i of the
// queries x, k of the keys y and at of the products. It returns nil if they have no such axis or it is not known.
func (b *builder) headRows(name string, x, y *rowView, i, k, at int) *rowView {
	if at < 0 {
		return nil
	}
	var f []factor
	switch {
	case x != nil && len(x.along(i)) > 0:
		f = x.axes[i]
	case y != nil && len(y.along(k)) > 0:
		f = y.axes[k]
	default:
		return nil
	}
	v := newRowView(b.shape(name), nil)
	v.axes[at] = f
	return v
}

// markProjections marks the rows of a layer that attentions read.
func (b *builder) markProjections(layer string, all []projection) {
	n := b.side(layer, 0)
	if len(all) == 0 || n == 0 || slices.ContainsFunc(all, func(p projection) bool { return !p.known }) {
		return
	}
	if whole := all[0].block; whole.from == 0 && whole.to == n {
		same := !slices.ContainsFunc(all, func(p projection) bool { return p.block != whole })
		if same && whole.heads > 0 {
			b.mark(layer, graph.Part{Heads: whole.heads})
		}
		return
	}
	slices.SortStableFunc(all, func(p, q projection) int { return cmp.Compare(p.from, q.from) })
	all = slices.Compact(all) // a layer that is used again projects the same rows again
	var parts []graph.Part
	end := 0
	for _, p := range all {
		named := slices.ContainsFunc(parts, func(q graph.Part) bool { return q.Name == p.role })
		if p.from != end || named {
			return
		}
		parts, end = append(parts, graph.Part{Name: p.role, From: p.from, To: p.to, Heads: p.heads}), p.to
	}
	if end == n {
		b.mark(layer, parts...)
	}
}

// mark records the parts of a layer, unless they were recorded before.
func (b *builder) mark(layer string, parts ...graph.Part) {
	if !slices.Contains(b.marked, layer) {
		b.marked = append(b.marked, layer)
		b.Parts(layer, parts...)
	}
}

// side returns the number of filters (k = 0) or of features (k = 1) of a linear layer or a 1×1 convolution, and 0 for
// other layers.
func (b *builder) side(layer string, k int) int {
	if s := b.shapes[layer]; len(s) == 2 || len(s) == 4 && s[2] == 1 && s[3] == 1 {
		return s[k]
	}
	return 0
}
