package fromonnx

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models/onnx"
)

// cell is what a recurrent op computes at every position of a sequence.
type cell struct {
	gates       int      // blocks of rows of W and R, each with a row for every hidden unit
	activations []string // those of the cell, which are ONNX's defaults
	// step returns the next state of the hidden units, and of the memory cells if there are any. x and h are what W and R make
	// of the input and of the last state, the gates one after the other.
	step func(b *builder, x, h *graph.Node, last state) state
}

// state is the state of a recurrent network, (image, unit).
type state struct{ hidden, memory *graph.Node }

// recurrent maps the recurrent ops to their cells.
var recurrent = map[string]cell{
	"LSTM": {4, []string{"Sigmoid", "Tanh", "Tanh"}, lstmStep},
	"GRU":  {3, []string{"Sigmoid", "Tanh"}, gruStep},
	"RNN":  {1, []string{"Tanh"}, rnnStep((*graph.Graph).Tanh)},
}

func lstmStep(b *builder, x, h *graph.Node, last state) state {
	sum := b.Add(x, h)
	open := b.Sigmoid(b.gates(sum, 0, 3, 4)) // the gates of the input, of the output and for what is kept
	memory := b.Add(b.Mul(b.gates(open, 2, 3, 3), last.memory), b.Mul(b.gates(open, 0, 1, 3), b.Tanh(b.gates(sum, 3, 4, 4))))
	return state{b.Mul(b.gates(open, 1, 2, 3), b.Tanh(memory)), memory}
}

// gruStep is the step of a GRU that resets what R makes of the state, not the state, as PyTorch's does.
func gruStep(b *builder, x, h *graph.Node, last state) state {
	open := b.Sigmoid(b.Add(b.gates(x, 0, 2, 3), b.gates(h, 0, 2, 3))) // the gates of the update and of the reset
	next := b.Tanh(b.Add(b.gates(x, 2, 3, 3), b.Mul(b.gates(open, 1, 2, 2), b.gates(h, 2, 3, 3))))
	return state{hidden: b.Add(next, b.Mul(b.gates(open, 0, 1, 2), b.Sub(last.hidden, next)))}
}

func rnnStep(f func(*graph.Graph, *graph.Node) *graph.Node) func(b *builder, x, h *graph.Node, last state) state {
	return func(b *builder, x, h *graph.Node, _ state) state { return state{hidden: f(b.Graph, b.Add(x, h))} }
}

// gates returns the gates from ≤ k < to of x, which has the given number of them.
func (b *builder) gates(x *graph.Node, from, to, of int) *graph.Node {
	if b.Err() != nil {
		return nil
	}
	units := x.Shape()[1] / of
	return b.Slice(x, 1, from*units, to*units, 1)
}

// mostSteps is the longest sequence that a recurrent op may read, since every step has nodes of its own.
const mostSteps = 4096

// recurrence is a recurrent node with its weights, (direction, gate and unit, …), and the axes of its sequences.
type recurrence struct {
	*builder
	node                 *onnx.Node
	cell                 cell
	w, r, bias           value
	batchFirst           bool
	images, steps, units int
}

// recur builds the expression of a recurrent op, step by step. Each direction has two layers: NAME/input reads the sequence, and
// NAME/hidden the states.
func recur(b *builder, n *onnx.Node) []value {
	c, directions := b.cell(n)
	x := b.read(n, 0)
	q := &recurrence{builder: b, node: n, cell: c, w: b.read(n, 1), r: b.read(n, 2), bias: b.read(n, 3),
		batchFirst: n.Int("layout", 0) == 1}
	if b.Err() != nil {
		return nil
	}
	if !q.batchFirst {
		x = x.transpose([]int{1, 0, 2})
	}
	q.images, q.steps, q.units = x.shape()[0], x.shape()[1], q.r.shape()[2]
	q.check(len(directions), x.shape()[2])
	var all, hidden, memory []*graph.Node // by direction
	for k, reverse := range directions {
		states, last := q.direction(b.logical(x), k, reverse)
		if b.Err() != nil {
			return nil
		}
		all, hidden = append(all, states), append(hidden, b.Reshape(last.hidden, q.images, 1, q.units))
		if last.memory != nil {
			memory = append(memory, b.Reshape(last.memory, q.images, 1, q.units))
		}
	}
	out := []value{plain(b.Concat(2, all...)), plain(b.Concat(1, hidden...))}
	if memory != nil {
		out = append(out, plain(b.Concat(1, memory...)))
	}
	if !q.batchFirst && b.Err() == nil {
		out[0] = out[0].transpose([]int{1, 2, 0, 3})
		for i := range out[1:] {
			out[1+i] = out[1+i].transpose([]int{1, 0, 2})
		}
	}
	return out
}

// check refuses weights of other shapes, and sequences that end early, are empty or too long.
func (q *recurrence) check(directions, features int) {
	rows := q.cell.gates * q.units
	w, r := q.w.shape(), q.r.shape()
	if !slices.Equal(w, []int{directions, rows, features}) || !slices.Equal(r, []int{directions, rows, q.units}) {
		q.Fail("its weights have the shapes %v and %v: want (direction, %d·unit, feature) for %d features, and "+
			"(direction, %d·unit, unit)", w, r, q.cell.gates, features, q.cell.gates)
	}
	for _, name := range q.node.Inputs[1:3] {
		if q.reach.batch[name] {
			q.Fail("its weights %q depend on the images: only stored weights, and those computed from them, are supported", name)
		}
	}
	if q.steps < 1 || q.steps > mostSteps {
		q.Fail("it reads sequences of %d steps: want from 1 to %d", q.steps, mostSteps)
	}
	if len(q.node.Inputs) < 5 || q.node.Inputs[4] == "" {
		return
	}
	t := q.constant(q.node.Inputs[4])
	if t == nil {
		q.Fail("its sequence_lens depend on the images: only sequences of one length are supported")
		return
	}
	if v, err := t.Ints(); err != nil || slices.ContainsFunc(v, func(l int64) bool { return l != int64(q.steps) }) {
		q.Fail("its sequence_lens are not all %d: only sequences of one length are supported", q.steps)
	}
}

// direction builds a direction of the recurrence. It returns the states of the hidden units, (image, step, 1, unit), and the last
// state.
func (q *recurrence) direction(x *graph.Node, k int, reverse bool) (*graph.Node, state) {
	rows := q.cell.gates * q.units
	var ofInput, ofHidden *graph.Node
	if q.bias.node != nil {
		ofInput, ofHidden = q.part(q.bias, k, 0, rows), q.part(q.bias, k, rows, 2*rows)
	}
	y := q.layer(q.recurrentName(q.node, 1, k), x, q.part(q.w, k, 0, rows), ofInput)
	weights, layer := q.part(q.r, k, 0, rows), q.recurrentName(q.node, 2, k)
	s := state{hidden: q.initial(5, k)}
	if q.node.Op == "LSTM" {
		s.memory = q.initial(6, k)
	}
	states := make([]*graph.Node, q.steps)
	for i := range states {
		at := i
		if reverse {
			at = q.steps - 1 - i
		}
		in := q.Reshape(q.Slice(y, 1, at, at+1, 1), q.images, rows)
		s = q.cell.step(q.builder, in, q.layer(layer, s.hidden, weights, ofHidden), s)
		states[at] = q.Reshape(s.hidden, q.images, 1, 1, q.units)
	}
	return q.Concat(1, states...), s
}

// layer multiplies the rows of x by weights, (unit, feature). It records a layer unless the node reads neither images nor their
// number.
func (q *recurrence) layer(name string, x, w, bias *graph.Node) *graph.Node {
	if q.readsImages(q.node) || q.Err() != nil {
		return q.LinearLayer(name, x, w, bias)
	}
	y := q.rowsTimes(x, q.Permute(w, 1, 0))
	if bias != nil && q.Err() == nil {
		y = q.RowAdd(y, bias)
	}
	return y
}

// part returns the rows from ≤ i < to of the weights of a direction.
func (q *recurrence) part(weights value, direction, from, to int) *graph.Node {
	if q.Err() != nil {
		return nil
	}
	rows := q.Slice(q.Slice(q.logical(weights), 0, direction, direction+1, 1), 1, from, to, 1)
	return q.Reshape(rows, append([]int{to - from}, weights.shape()[2:]...)...)
}

// initial returns the state before the first step in a direction, (image, unit), from the i-th input of the node. Without this
// input it is zero.
func (q *recurrence) initial(i, direction int) *graph.Node {
	if q.Err() != nil {
		return nil
	}
	if i >= len(q.node.Inputs) || q.node.Inputs[i] == "" {
		return q.Expand(q.given("0:", nil, []float64{0}).node, q.images, q.units)
	}
	v := q.filled(q.node, i)
	if !q.batchFirst && q.Err() == nil {
		v = v.transpose([]int{1, 0, 2})
	}
	return q.Reshape(q.Slice(q.logical(v), 1, direction, direction+1, 1), q.images, q.units)
}

// cell returns the cell of a recurrent node, and for each of its directions whether it goes through the sequence backwards. It
// refuses what PyTorch's cells do not have.
func (b *builder) cell(n *onnx.Node) (c cell, reverse []bool) {
	c = recurrent[n.Op]
	switch d := n.String("direction", "forward"); d {
	case "forward":
		reverse = []bool{false}
	case "reverse":
		reverse = []bool{true}
	case "bidirectional":
		reverse = []bool{false, true}
	default:
		b.Fail("its direction is %q: want forward, reverse or bidirectional", d)
		return c, nil
	}
	given := n.Texts("activations")
	if n.Op == "RNN" && len(given) > 0 && strings.EqualFold(given[0], "Relu") {
		c.activations, c.step = []string{"Relu"}, rnnStep((*graph.Graph).ReLU)
	}
	if want := slices.Repeat(c.activations, len(reverse)); len(given) > 0 && !slices.EqualFunc(given, want, strings.EqualFold) {
		b.Fail("its activations are %v: want %v", given, want)
	}
	switch {
	case len(n.Inputs) > 7 && n.Inputs[7] != "":
		b.Fail("peepholes, its input 8, are not supported")
	case n.Float("clip", 0) != 0 || n.Int("input_forget", 0) != 0:
		b.Fail("its clip and input_forget are not supported")
	case n.Op == "GRU" && n.Int("linear_before_reset", 0) == 0:
		b.Fail("its linear_before_reset is 0: only GRUs that multiply by R before the reset, as PyTorch's do, are supported")
	}
	return c, reverse
}

// recurrentName returns the name of the layer of a recurrent node with the weights of its i-th input, 1 or 2, in a direction.
func (n *network) recurrentName(node *onnx.Node, i, direction int) string {
	name := cmp.Or(n.names[recurrentKey(node)], recurrentBase(node, n.reach)) + map[int]string{1: "/input", 2: "/hidden"}[i]
	if direction == 1 {
		name += "/reverse"
	}
	return name
}

// recurrentKey returns the key under which layerNames has the name of a recurrent node: the name of its weights, so that a module
// that is called twice has one name.
func recurrentKey(n *onnx.Node) string { return fmt.Sprintf("%s of %s", n.Op, n.Inputs[1]) }

// recurrentBase returns the name of a recurrent node's module as far as the file tells it.
func recurrentBase(n *onnx.Node, r reach) string {
	var stored []string
	for _, in := range n.Inputs[1:min(3, len(n.Inputs))] {
		stored = append(stored, r.storedBelow(in)...)
	}
	return computedName(n, stored)
}
